//! The locations at which LDS may have contents.
//!
//! The addresses in LDS are not known, so that a load to LDS in flight says nothing about a read of LDS: the read may be of the
//! other half of a double buffer. But where LDS has no contents except those that are in flight, a read of it comes too early.

use wavetank_gcn::tables::Sopp;
use wavetank_gcn::{Op, WaitCounter};

use super::event::{Event, VM, immediate, is_lds, loads_to_lds};
use crate::code::{Graph, Node};
use crate::flow::{Analysis, walk};

/// For each node, whether LDS may have contents before it.
pub(super) struct Contents(Vec<bool>);

impl Contents {
    /// Returns the locations at which LDS may have contents in a graph, of whose nodes these are the events. A function that returns
    /// may be called with any.
    pub(super) fn of(graph: &Graph, events: &[Vec<Event>]) -> Contents {
        let has_loads = graph.nodes.iter().any(|node| loads_to_lds(&node.inst));
        let mut all = vec![true; graph.nodes.len()];
        let returns = || graph.nodes.iter().any(|node| node.successors.elsewhere);
        if has_loads && (graph.kernel.is_some() || !returns()) {
            let filling = Filling { graph, events };
            walk(graph, &filling, |filled, node| all[node] = filled.is_filled);
        }
        Contents(all)
    }

    /// Whether LDS may have contents before a node.
    pub(super) fn before(&self, node: usize) -> bool {
        self.0[node]
    }
}

/// The analysis of whether some instruction has filled LDS.
struct Filling<'g> {
    graph: &'g Graph,
    events: &'g [Vec<Event>],
}

/// The accesses that may have filled LDS.
#[derive(Clone, Copy, PartialEq)]
struct Filled {
    /// Whether something has.
    is_filled: bool,
    /// The number of accesses that were issued after the oldest load to LDS, which are done after it; `None` before the first.
    oldest: Option<u16>,
}

impl Analysis for Filling<'_> {
    type State = Filled;

    fn start(&self) -> Filled {
        Filled {
            is_filled: false,
            oldest: None,
        }
    }

    fn join(&self, state: &mut Filled, other: &Filled) -> bool {
        let before = *state;
        state.is_filled |= other.is_filled;
        // The older one is done first.
        state.oldest = state.oldest.max(other.oldest);
        *state != before
    }

    fn step(&self, state: &mut Filled, node: usize) {
        let Node {
            inst,
            effects,
            successors,
            ..
        } = &self.graph.nodes[node];
        let counter = WaitCounter::all(inst.chip.generation())[VM];
        let is_counted = self.events[node].iter().any(|event| event.counter == VM);
        match inst.op {
            Op::Sopp(Sopp::S_WAITCNT) => {
                let left = counter.get(immediate(inst));
                let waits = left < counter.max();
                state.is_filled |= waits && state.oldest.is_some_and(|age| age >= left);
            }
            // Other waves may have filled LDS, which have met this one here.
            Op::Sopp(Sopp::S_BARRIER) => state.is_filled = true,
            _ if successors.calls => state.is_filled = true,
            _ => state.is_filled |= is_lds(inst) && effects.writes_memory,
        }
        if let Some(age) = &mut state.oldest {
            *age = age.saturating_add(is_counted.into()).min(counter.max());
            // The counter saturates: the wave waits.
            state.is_filled |= *age == counter.max();
        } else if loads_to_lds(inst) {
            state.oldest = Some(0);
        }
    }
}
