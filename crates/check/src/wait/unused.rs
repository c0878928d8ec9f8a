//! Reads of LDS whose results are not used: others may overwrite what they read.
//!
//! A loop that reads ahead leaves such reads in flight after its last iteration.

use std::cell::RefCell;
use std::collections::HashMap;

use wavetank_gcn::tables::{Sopc, Vop1, Vop3};
use wavetank_gcn::{Form, Registers};

use super::accesses::writes_exec;
use super::pending::Pending;
use crate::code::{Graph, Node};
use crate::path::{Paths, Start};

/// For each node, and for each result that may be in flight there, whether it is used later.
#[derive(Default)]
pub(super) struct Unused(RefCell<HashMap<(usize, InFlight), bool>>);

/// A result that is followed from a node on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct InFlight {
    /// The registers that it is still in, in some lanes.
    registers: Registers,
    /// Those of them that have been overwritten in the lanes that are active.
    covered: Registers,
    /// Whether other lanes may be active than at the load.
    other_lanes: bool,
}

impl Unused {
    /// Whether the result of an access is used after a node, on a feasible path.
    pub(super) fn is_used(
        &self,
        graph: &Graph,
        paths: &Paths<'_>,
        pending: &Pending,
        node: usize,
    ) -> bool {
        let result = InFlight {
            registers: pending.loads,
            covered: Registers::default(),
            other_lanes: pending.other_lanes,
        };
        let key = (node, result);
        let known = self.0.borrow().get(&key).copied();
        known.unwrap_or_else(|| {
            let used = search_use(graph, paths, result, node);
            self.0.borrow_mut().insert(key, used);
            used
        })
    }
}

/// Searches for a use of a result that is in flight at a node.
fn search_use(graph: &Graph, paths: &Paths<'_>, result: InFlight, node: usize) -> bool {
    let starts = paths.after(node).into_iter().map(|(node, facts)| Start {
        node,
        facts,
        state: result,
    });
    let mut used = false;
    let search = paths.search(starts.collect(), |result: &mut InFlight, node| {
        let node = &graph.nodes[node];
        used |= result.is_used_by(node);
        result.overwrite(node);
        !used && !result.registers.is_empty()
    });
    used || search.is_err()
}

impl InFlight {
    /// Whether a node may use the result: it reads the registers, or any after an index, or goes on elsewhere.
    fn is_used_by(&self, node: &Node) -> bool {
        let leaves = node.successors.calls || node.successors.elsewhere;
        let visible = self.registers.without(&self.covered);
        let indexed = node.effects.indexed || node.inst.op == Sopc::S_SET_GPR_IDX_ON.into();
        leaves || indexed || node.effects.reads.meets(&visible)
    }

    /// Changes the registers from before a node to after it.
    fn overwrite(&mut self, node: &Node) {
        let (inst, writes) = (&node.inst, &node.effects.writes);
        let one_lane = [
            Vop3::V_WRITELANE_B32.into(),
            Vop1::V_WRITELANE_REGWR_B32.into(),
        ];
        let some_lanes = inst.form == Form::Dpp || one_lane.contains(&inst.op);
        if !some_lanes && self.other_lanes {
            self.covered.add_all(&self.registers.both(writes));
        } else if !some_lanes {
            self.registers = self.registers.without(writes);
        }
        if writes_exec(writes) {
            self.other_lanes = true;
            self.covered = Registers::default();
        }
    }
}
