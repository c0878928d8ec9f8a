//! The distinction whether undefined bits at a store were computed, or copied from uninitialized memory.
//!
//! Correct programs copy whole structures with padding, and structures that they have set only in part; the other bits are never
//! used. Values computed from undefined bits are rarely intended.

use std::collections::{BTreeSet, VecDeque};

use wavetank_gcn::Registers;

use super::describe::Story;
use super::origin::{befores, known, sources};
use crate::code::{Graph, Node};

/// Whether undefined bits at a store, given by its address, were computed in this launch, before this store or before an earlier
/// store from which they were copied. Otherwise the store copies uninitialized memory.
pub fn is_computed(story: &Story, store: u64) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![store];
    while let Some(store) = open.pop() {
        let graph = story.graph_of(store).filter(|_| seen.insert(store));
        match graph.map(|graph| Way::to(graph, store, story)) {
            Some(Way::Computed) => return true,
            Some(Way::Copied { loads }) => {
                let loads = story.loads.iter().filter(|load| loads.contains(&load.pc));
                open.extend(loads.flat_map(|load| &load.stored_by));
            }
            None => {}
        }
    }
    false
}

/// The path of undefined bits from their origin in a wave to a store.
enum Way {
    Computed,
    /// The bits are a copy of these loads, or of uninitialized registers.
    Copied {
        loads: BTreeSet<u64>,
    },
}

impl Way {
    /// Determines the way to a store, backwards along all paths.
    fn to(graph: &Graph, store: u64, story: &Story) -> Way {
        let mut loads = BTreeSet::new();
        let Ok(at) = graph.nodes.binary_search_by_key(&store, |node| node.pc) else {
            return Way::Copied { loads };
        };
        if graph.nodes[at].effects.reads_memory {
            // An atomic computes its result.
            return Way::Computed;
        }
        let before = befores(graph);
        // The registers that have been searched for at each node: as copies, and as inputs of a computation.
        let mut seen = vec![[Registers::default(); 2]; graph.nodes.len()];
        let mut open = VecDeque::from([(at, sources(&graph.nodes[at], None), false)]);
        while let Some((at, wanted, computed)) = open.pop_front() {
            let seen = &mut seen[at][usize::from(computed)];
            let new = wanted.without(seen);
            if new.is_empty() {
                continue;
            }
            seen.add_all(&new);
            let at_start = graph.kernel.is_some() && graph.nodes[at].pc == graph.start();
            if computed && at_start && !new.without(&story.given).is_empty() {
                return Way::Computed;
            }
            for &before in &before[at] {
                let node = &graph.nodes[before];
                let written = node.effects.writes.meets(&new);
                // Inactive lanes keep the old value, but usually another path around the write exists, too.
                let rest = new.without(&node.effects.writes);
                open.push_back((before, rest, computed));
                if !written {
                    continue;
                }
                if !node.effects.reads_memory {
                    let computed = computed || !moves(node);
                    open.push_back((before, known(&node.effects.reads), computed));
                } else if story.loads.iter().any(|load| load.pc == node.pc) {
                    if computed {
                        return Way::Computed;
                    }
                    loads.insert(node.pc);
                }
            }
        }
        Way::Copied { loads }
    }
}

/// Whether an instruction only moves bits, or combines bits of its operands, as the assignment of a structure's fields does.
fn moves(node: &Node) -> bool {
    const WHOLE: [&str; 7] = ["mov", "and", "or", "xor", "or3", "bfi", "perm"];
    const MORE: [&str; 7] = [
        "cndmask",
        "cselect",
        "cmov",
        "readlane",
        "readfirstlane",
        "writelane",
        "alignbyte",
    ];
    let words = |name: &str| {
        let first = name.split('_').nth(1).unwrap_or_default();
        let joined = name.contains("_and_or_");
        WHOLE.contains(&first) || MORE.contains(&first) || joined
    };
    let names = node.inst.row().mnemonics;
    names.iter().flatten().any(|name| words(name))
}
