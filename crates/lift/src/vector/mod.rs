//! Vector instructions (Vega ISA, chapter 6): one arm for each meaning.
//!
//! Each file corresponds to a table of the manual: [`vop1`], [`vop2`], [`vop3`], [`vop3p`], [`vopc`]. An arm names the shape of
//! the instruction (`float`, `int`, `to_float`, `to_int`, `carry`, `compare`) and its computation. Widths come from the operand
//! types of the row, so `V_ADD_F16` and `V_ADD_F32` are one arm. [`operand`] fetches sources and writes results.

mod integer;
mod interpolation;
mod mai;
mod operand;
mod overflow;
mod shape;
mod vop1;
mod vop2;
mod vop3;
mod vop3p;
mod vopc;

#[cfg(test)]
mod tests;

use wavetank_gcn::Operand;
use wavetank_gcn::tables::{Mai, Vintrp, Vop1, Vop2, Vop3, Vop3p, Vopc};

use crate::block::{Flow, Lift};
use operand::{LDS_DIRECT, Vector};

/// Lifts a VOP1 instruction in any of its forms.
pub(crate) fn vop1(l: &Lift, op: Vop1) -> Flow {
    lift(l, |v| vop1::lift(v, op))
}

/// Lifts a VOP2 instruction in any of its forms.
pub(crate) fn vop2(l: &Lift, op: Vop2) -> Flow {
    lift(l, |v| vop2::lift(v, op))
}

/// Lifts a VOPC instruction in any of its forms.
pub(crate) fn vopc(l: &Lift, op: Vopc) -> Flow {
    lift(l, |v| vopc::lift(v, op))
}

/// Lifts an instruction whose own encoding is VOP3.
pub(crate) fn vop3(l: &Lift, op: Vop3) -> Flow {
    lift(l, |v| vop3::lift(v, op))
}

/// Lifts a VINTRP instruction, in its own form or as VOP3.
pub(crate) fn vintrp(l: &Lift, op: Vintrp) -> Flow {
    lift(l, |v| interpolation::lift(v, op))
}

/// Lifts a VOP3P instruction.
pub(crate) fn vop3p(l: &Lift, op: Vop3p) -> Flow {
    lift(l, |v| vop3p::lift(v, op))
}

/// Lifts a matrix instruction, or a move between VGPRs and accumulation registers.
pub(crate) fn mai(l: &Lift, op: Mai) -> Flow {
    lift(l, |v| mai::lift(v, op))
}

fn lift(l: &Lift, meaning: impl FnOnce(&Vector) -> Flow) -> Flow {
    match refusal(l) {
        Some(why) => Flow::unsupported(l.inst, &why),
        None => meaning(&Vector::new(l)),
    }
}

/// The reason why an encoding cannot be executed, whatever its opcode.
fn refusal(l: &Lift) -> Option<String> {
    let inst = l.inst;
    let unreadable = inst.operands.iter().find_map(|o| match *o {
        Operand::Inline(LDS_DIRECT) => None,
        Operand::Inline(code) if !l.is_readable(code) => {
            Some(format!("source code {code} is reserved"))
        }
        _ => None,
    });
    unreadable.or_else(|| operand::reserved_modifier(inst).map(Into::into))
}
