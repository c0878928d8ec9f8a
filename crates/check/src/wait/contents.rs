//! The locations at which LDS may have contents.
//!
//! The addresses in LDS are not known, so that a load to LDS in flight says nothing about a read of LDS: the read may be of the
//! other half of a double buffer. But where LDS has no contents except those that are in flight, a read of it comes too early.

use wavetank_gcn::tables::Sopp;
use wavetank_gcn::{Inst, Op, WaitCounter};

use super::event::{VM, immediate, is_lds, loads_to_lds};
use crate::code::{Graph, Node};
use crate::flow::{Analysis, walk};

/// For each node, whether LDS may have contents before it.
pub(super) struct Contents(Vec<bool>);

impl Contents {
    /// Returns the locations at which LDS may have contents in a graph. A function that is no kernel may be called with any.
    pub(super) fn of(graph: &Graph) -> Contents {
        let has_loads = graph.nodes.iter().any(|node| loads_to_lds(&node.inst));
        let mut all = vec![true; graph.nodes.len()];
        if has_loads && graph.kernel.is_some() {
            walk(graph, &Filling(graph), |filled, node| all[node] = *filled);
        }
        Contents(all)
    }

    /// Whether LDS may have contents before a node.
    pub(super) fn before(&self, node: usize) -> bool {
        self.0[node]
    }
}

/// The analysis of whether some instruction has filled LDS.
struct Filling<'g>(&'g Graph);

impl Analysis for Filling<'_> {
    type State = bool;

    fn start(&self) -> bool {
        false
    }

    fn join(&self, state: &mut bool, other: &bool) -> bool {
        let before = *state;
        *state |= other;
        *state != before
    }

    fn step(&self, state: &mut bool, node: usize) {
        *state |= fills(&self.0.nodes[node]);
    }
}

/// Whether LDS may have contents after a node: it writes them, another wave may have before this barrier, a function may that is
/// called, or it waits for a load to LDS.
fn fills(node: &Node) -> bool {
    let writes = is_lds(&node.inst) && node.effects.writes_memory;
    let meets = node.inst.op == Op::Sopp(Sopp::S_BARRIER);
    writes || meets || node.successors.calls || waits_for_loads(&node.inst)
}

fn waits_for_loads(inst: &Inst) -> bool {
    let counter = WaitCounter::all(inst.chip.generation())[VM];
    inst.op == Op::Sopp(Sopp::S_WAITCNT) && counter.get(immediate(inst)) < counter.max()
}
