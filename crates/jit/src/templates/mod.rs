//! What an operation becomes: for each that has one, a template, which is a short function that asks for its operands, then
//! for the register of its result, and writes that with its last instruction.
//!
//! What has no template is done by the interpreter's steps.

mod compare;
mod convert;
mod cross;
mod float;
mod int;
mod masks;
mod wide;

use wavetank_interp::single::TooMany;
use wavetank_ir::{Block, Op, Ty, Value};

use crate::stages::source;
use crate::tile::Tile;

/// Makes the code of the node that is done, for one tile.
pub type Template = fn(&mut Tile<'_, '_>) -> Result<(), TooMany>;

/// The template of an operation on lanes, or on a mask that tiles compute.
pub fn vector(block: &Block, op: &Op) -> Option<Template> {
    let is_mask = |v: Value| block.ty(v) == Ty::Mask;
    match *op {
        Op::Bin(bin, _, _, a, b) if is_mask(a) && is_mask(b) => masks::bin(bin),
        Op::Un(un, _, _, a) if is_mask(a) => masks::un(un),
        Op::Un(un, elem, fp, _) => int::un(un, elem).or_else(|| float::un(un, elem, fp)),
        Op::Bin(bin, elem, fp, _, b) => {
            let count = match block.node(source(block, b)).op {
                Op::Const(c) => Some(c),
                _ => None,
            };
            int::bin(bin, elem)
                .or_else(|| float::bin(bin, elem, fp))
                .or_else(|| wide::bin(bin, elem, count))
        }
        Op::Tern(tern, elem, fp, ..) => int::tern(tern, elem).or_else(|| float::tern(tern, elem, fp)),
        Op::Cmp(rel, elem, fp, ..) => compare::cmp(rel, elem, fp),
        Op::Cvt(cvt, from, to, fp, _) => convert::cvt(cvt, from, to, fp),
        Op::Select(cond, a, _) if is_mask(cond) && !is_mask(a) => Some(masks::select),
        Op::AddCarry(a, ..) if block.ty(a).bits() == 32 => Some(wide::add_carry),
        Op::SubBorrow(a, ..) if block.ty(a).bits() == 32 => Some(wide::sub_borrow),
        Op::MadWide { signed: false, .. } => Some(wide::mad_wide),
        Op::NonZero(_) => Some(compare::non_zero),
        Op::LaneId => Some(int::lane_id),
        Op::Shuffle(_, ref table) => cross::shuffle(table),
        _ => None,
    }
}
