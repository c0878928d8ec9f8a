//! Recognition of the steps of a division, in which NaNs are intended.
//!
//! `v_div_scale` returns a NaN for 0 / x, and x / ∞ is refined by ∞ · 0. The last step, `v_div_fixup`, gets the original operands
//! and returns the right result. Instructions that change modes may stand between the steps, so that the steps are in several
//! blocks.

use std::collections::BTreeSet;

use wavetank_gcn::tables::{Class, Vop3};
use wavetank_gcn::{Inst, Op, Registers};

use crate::code::Graph;
use crate::flow::{Analysis, walk};

/// Returns the addresses of instructions that are steps of divisions, without the last steps.
pub fn inside_divisions(graph: &Graph) -> BTreeSet<u64> {
    let mut inside = BTreeSet::new();
    walk(graph, &Steps(graph), |quotients, at| {
        let node = &graph.nodes[at];
        if is_step(&node.inst, &node.effects.reads, quotients) {
            inside.insert(node.pc);
        }
    });
    inside
}

/// Whether an instruction is a step other than the last one. `quotients` are the registers that hold results of earlier steps.
fn is_step(inst: &Inst, reads: &Registers, quotients: &Registers) -> bool {
    let is_later = inst.row().class == Class::Valu && reads.meets(quotients);
    begins(inst) || is_later && !ends(inst)
}

fn begins(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Vop3(Vop3::V_DIV_SCALE_F32 | Vop3::V_DIV_SCALE_F64)
    )
}

fn ends(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Vop3(Vop3::V_DIV_FIXUP_F32 | Vop3::V_DIV_FIXUP_F64)
    )
}

/// The analysis of vector registers that hold results of division steps.
struct Steps<'g>(&'g Graph);

impl Analysis for Steps<'_> {
    type State = Registers;

    fn start(&self) -> Registers {
        Registers::default()
    }

    fn join(&self, state: &mut Registers, other: &Registers) -> bool {
        let is_new = !other.without(state).is_empty();
        state.add_all(other);
        is_new
    }

    fn step(&self, state: &mut Registers, node: usize) {
        let node = &self.0.nodes[node];
        let mut written = Registers::default();
        let vectors = node.effects.writes.vectors();
        vectors.for_each(|n| written.add_vectors(n, 1));
        *state = if is_step(&node.inst, &node.effects.reads, state) {
            state.or(&written)
        } else {
            state.without(&written)
        };
    }
}
