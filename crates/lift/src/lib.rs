//! Lifting: the meaning of GCN instructions, written in the wave IR.
//!
//! [`lift_block`] converts the instructions of a basic block into a [`wavetank_ir::Block`]. Each family of instructions is one
//! exhaustive `match`; each meaning is one arm.
//!
//! ```
//! use wavetank_gcn::{Chip, Inst, decode};
//! use wavetank_lift::{Modes, lift_block};
//!
//! // s_add_u32 s0, s1, 1; s_endpgm, at address 0
//! let code = |pc: u64| -> Result<Inst, String> {
//!     let bytes = [0x8000_8101_u32, 0xbf81_0000].map(u32::to_le_bytes).concat();
//!     decode(&bytes[pc as usize..], Chip::Gfx900).map_err(|e| e.to_string())
//! };
//! let block = lift_block(&code, 0, Modes::new(0, 0));
//! let text = block.to_string();
//! assert!(text.contains("read s1") && text.contains("write s0") && text.contains("write scc"), "{text}");
//! ```

#![warn(missing_docs)]

mod allocation;
mod basic_block;
mod block;
mod control;
mod coverage;
mod exceptions;
mod fidelity;
mod lane;
mod lane_fn;
mod memory;
mod modes;
mod operand;
mod rules;
mod scalar;
mod traps;
mod value;
mod vector;
mod waits;

pub use basic_block::{Code, MAX_INSTS, lift_block, lift_insts, reads_exceptions};
pub use coverage::unsupported;
pub use fidelity::{Fidelity, fidelity};
pub use lane_fn::by_name as lane_fn;
pub use modes::Modes;
pub use rules::{buffer_dialect, image_tiling};

use block::{Flow, LATER, Lift};
use wavetank_gcn::tables::{Class, Exp};
use wavetank_gcn::{Inst, Op, Operand};
use wavetank_ir::{Family, Terminator};

/// The family of an instruction, for counters.
pub(crate) fn family(inst: &Inst) -> Family {
    match (inst.op, inst.row().class) {
        (Op::Sopp(_), class) if class != Class::Branch => Family::Other,
        (_, Class::Salu) => Family::Salu,
        (_, Class::Branch) => Family::Branch,
        (_, Class::Smem) => Family::Smem,
        (_, Class::Valu | Class::Interp) => Family::Valu,
        (_, Class::Vmem) => Family::Vmem,
        (_, Class::Flat) => Family::Flat,
        (_, Class::Lds) => Family::Lds,
        (_, Class::Message | Class::Export) => Family::Other,
    }
}

/// Appends the nodes of one instruction to the block.
pub(crate) fn lift_inst(l: &Lift) -> Flow {
    if l.modes.vskip() && is_vector(l.inst.op) {
        return Flow::Next;
    }
    let flow = match l.inst.op {
        Op::Sop1(op) => readable(l).unwrap_or_else(|| scalar::sop1(l, op)),
        Op::Sop2(op) => readable(l).unwrap_or_else(|| scalar::sop2(l, op)),
        Op::Sopk(op) => scalar::sopk(l, op),
        Op::Sopc(op) => readable(l).unwrap_or_else(|| scalar::sopc(l, op)),
        Op::Sopp(op) => control::sopp(l, op),
        Op::Smem(op) => memory::smem(l, op),
        Op::Ds(op) => exceptions::noting_range(l, || memory::ds(l, op)),
        Op::Mubuf(op) => memory::mubuf(l, op),
        Op::Mtbuf(op) => memory::mtbuf(l, op),
        Op::Mimg(op) => memory::mimg(l, op),
        Op::Flat(op) => memory::flat(l, op),
        Op::Vop1(op) => exceptions::noting(l, || vector::vop1(l, op)),
        Op::Vop2(op) => exceptions::noting(l, || vector::vop2(l, op)),
        Op::Vopc(op) => exceptions::noting(l, || vector::vopc(l, op)),
        Op::Vop3(op) => exceptions::noting(l, || vector::vop3(l, op)),
        Op::Vop3p(op) => exceptions::noting(l, || vector::vop3p(l, op)),
        Op::Mai(op) => vector::mai(l, op),
        // NotYet
        Op::MaiScaled(_) => Flow::unsupported(l.inst, LATER),
        Op::Vintrp(op) => exceptions::noting(l, || vector::vintrp(l, op)),
        Op::Exp(Exp::EXP) => control::export(l),
    };
    match flow {
        Flow::Next if changes_modes(l) => Flow::End(Terminator::Branch(l.next())),
        flow => flow,
    }
}

/// Whether MODE.vskip skips the instruction (Vega ISA, 4.6 "S_SETVSKIP").
fn is_vector(op: Op) -> bool {
    match op {
        Op::Vop1(_) | Op::Vop2(_) | Op::Vopc(_) | Op::Vop3(_) | Op::Vop3p(_) | Op::Vintrp(_) => {
            true
        }
        Op::Mai(_) | Op::MaiScaled(_) => true,
        Op::Ds(_) | Op::Mubuf(_) | Op::Mtbuf(_) | Op::Mimg(_) | Op::Flat(_) | Op::Exp(_) => true,
        Op::Sop1(_) | Op::Sop2(_) | Op::Sopk(_) | Op::Sopc(_) | Op::Sopp(_) | Op::Smem(_) => false,
    }
}

/// Whether an instruction changes the modes of its block. With VGPR indexing on, M0[15:12] is among them, so a write to M0 ends
/// the block.
fn changes_modes(l: &Lift) -> bool {
    let specs = l.inst.row().operands.iter().zip(&l.inst.operands);
    let mut written = specs.filter(|(spec, _)| spec.access.writes());
    l.rules().vgpr_indexing
        && l.modes.gpr_index_enabled()
        && written.any(|(_, o)| *o == Operand::Sgpr(operand::M0))
}

/// Refuses a scalar source whose code is reserved or not readable by scalar
/// instructions.
fn readable(l: &Lift) -> Option<Flow> {
    let unreadable = l.inst.operands.iter().find_map(|o| match *o {
        Operand::Inline(code) if !l.is_readable(code) => Some(code),
        _ => None,
    })?;
    let why = format!("source code {unreadable} cannot be read by a scalar instruction");
    Some(Flow::unsupported(l.inst, &why))
}
