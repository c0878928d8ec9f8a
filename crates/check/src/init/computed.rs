//! Whether undefined bits at a store are the result of arithmetic, or a copy of uninitialized memory.
//!
//! Right programs copy whole structures with gaps, and those of which they have set a part; nobody looks at the rest. What is
//! computed from undefined bits is seldom meant.

use std::collections::{BTreeSet, VecDeque};

use wavetank_gcn::Registers;

use super::origin::{befores, known, sources};
use super::tell::Story;
use crate::code::{Graph, Node};

/// Whether a store of undefined bits, by its address, stores some that were computed in this launch, before it or before an
/// earlier store that it copies from. Otherwise it copies uninitialized memory.
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

/// What happens to undefined bits between where a wave gets them and where it stores them.
enum Way {
    Computed,
    /// A copy of these loads, or of uninitialized registers.
    Copied {
        loads: BTreeSet<u64>,
    },
}

impl Way {
    /// The way to a store, back along all paths.
    fn to(graph: &Graph, store: u64, story: &Story) -> Way {
        let mut loads = BTreeSet::new();
        let Ok(at) = graph.nodes.binary_search_by_key(&store, |node| node.pc) else {
            return Way::Copied { loads };
        };
        if graph.nodes[at].effects.reads_memory {
            // An atomic computes by itself.
            return Way::Computed;
        }
        let before = befores(graph);
        // What has been looked for at each place: as it is, and what it is computed from.
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
                // Where lanes are off that go on having what was there, there is mostly a way around, too.
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

/// Whether an instruction only moves bits, or puts those of its operands together: as fields of structures are set.
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
