//! What an operation becomes: for each that has one, a template, which is a short function that asks for its operands, then
//! for the register of its result, and writes that with its last instruction.
//!
//! What has no template is done by the interpreter's steps.

mod bits;
mod bytes;
mod compare;
mod convert;
mod cross;
mod division;
mod float;
mod format;
mod functions;
mod half;
mod half_functions;
mod int;
mod masks;
mod short;
mod wide;

use iced_x86::{Code, Register};
use wavetank_ir::{Block, Op, Ty, Value};
use wavetank_lower::TooMany;

use crate::stages::source;
use crate::tile::Tile;

/// Makes the code of the node that is done, for one tile.
pub type Template = fn(&mut Tile<'_, '_>) -> Result<(), TooMany>;

/// The template of an operation on lanes, or on a mask that tiles compute.
pub fn vector(block: &Block, op: &Op) -> Option<Template> {
    let is_mask = |v: Value| block.ty(v) == Ty::Mask;
    let constant = |v: Value| match block.node(source(block, v)).op {
        Op::Const(c) => Some(c),
        _ => None,
    };
    match *op {
        Op::Bin(bin, _, _, a, b) if is_mask(a) && is_mask(b) => masks::bin(bin),
        Op::Un(un, _, _, a) if is_mask(a) => masks::un(un),
        Op::Un(un, elem, ..) => int::un(un, elem)
            .or_else(|| bits::un(un, elem))
            .or_else(|| short::un(un, elem))
            .or_else(|| functions::un(un, elem))
            .or_else(|| float::un(un, elem))
            .or_else(|| half::un(un, elem)),
        Op::Bin(bin, elem, fp, _, b) => int::bin(bin, elem)
            .or_else(|| float::bin(bin, elem, fp))
            .or_else(|| half::bin(bin, elem, fp))
            .or_else(|| short::bin(bin, elem))
            .or_else(|| bytes::bin(bin, elem))
            .or_else(|| wide::bin(bin, elem, constant(b))),
        Op::Tern(tern, elem, fp, _, _, c) => int::tern(tern, elem)
            .or_else(|| bits::tern(tern, elem))
            .or_else(|| short::tern(tern, elem))
            .or_else(|| bytes::tern(tern, elem, constant(c)))
            .or_else(|| float::tern(tern, elem, fp))
            .or_else(|| half::tern(tern, elem, fp)),
        Op::Cmp(rel, elem, ..) => compare::cmp(rel, elem),
        Op::Cvt(cvt, from, to, fp, _) => {
            convert::cvt(cvt, from, to, fp).or_else(|| half::cvt(cvt, from, to))
        }
        Op::Select(cond, a, _) if is_mask(cond) && !is_mask(a) => Some(masks::select),
        Op::AddCarry(a, ..) if block.ty(a).bits() == 32 => Some(wide::add_carry),
        Op::SubBorrow(a, ..) if block.ty(a).bits() == 32 => Some(wide::sub_borrow),
        Op::MadWide { signed, .. } => Some(wide::mad_wide(signed)),
        Op::Class(elem, _, bits) => compare::class(elem, constant(bits).is_some()),
        Op::LaneFn(function, _) => division::lane_fn(function),
        Op::NonZero(_) => Some(compare::non_zero),
        Op::LaneId => Some(bits::lane_id),
        Op::LanesBelow { high } => Some(bits::lanes_below(high)),
        Op::Shuffle(_, ref table) => cross::shuffle(table),
        _ => None,
    }
}

/// Whether an operation on values of the wave can be done as one on lanes, and its result taken from the lowest.
pub fn is_for_one_lane(block: &Block, op: &Op) -> bool {
    let computes = matches!(
        op,
        Op::Un(..) | Op::Bin(..) | Op::Tern(..) | Op::Cmp(..) | Op::Class(..) | Op::Cvt(..)
    );
    let mut numbers = true;
    op.for_each_operand(&mut |a| numbers &= matches!(block.ty(*a), Ty::U32 | Ty::U64));
    computes && numbers && vector(block, op).is_some()
}

/// The lower half of a register.
fn lower(register: Register) -> Register {
    Register::YMM0 + (register as u32 - Register::ZMM0 as u32)
}

impl Tile<'_, '_> {
    /// Lanes 0 to 7 of a register (0), or 8 to 15 (1), as half a register; these in the lower half of `scratch`.
    fn eight(&mut self, from: Register, which: usize, scratch: Register) -> Register {
        if which == 0 {
            return lower(from);
        }
        let to = lower(scratch);
        let args = [to.into(), from.into(), 1.into()];
        self.asm
            .op(Code::EVEX_Vextracti32x8_ymmm256_k1z_zmm_imm8, &args);
        to
    }

    /// The lower halves of two registers, side by side.
    fn join(&mut self, to: Register, [low, high]: [Register; 2]) {
        let args = [to.into(), low.into(), lower(high).into(), 1.into()];
        self.asm
            .op(Code::EVEX_Vinserti32x8_zmm_k1z_zmm_ymmm256_imm8, &args);
    }
}
