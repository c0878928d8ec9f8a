//! Templates: the code for each operation on lanes. A template is a short function that requests its operands, then the register
//! of its result, which its last instruction writes.
//!
//! [`for_lanes`] selects the template; its matches are exhaustive. Operations without a template take the slow path: helpers, the
//! interpreter's steps.

mod bits;
mod compare;
mod convert;
mod division;
mod fixup;
mod float;
mod format;
mod functions;
mod half;
mod half_forms;
mod half_functions;
mod int;
mod masks;
mod parts;
mod perm_sad_pack;
mod short;
mod shuffle;
mod whole;
mod wide;

use wavetank_ir::{Bin, Block, Elem, Fp, Op, Tern, Ty, Un, Value};

use crate::compiler::segments::{Reason, source};
use crate::compiler::tile::Template;

/// The template of an operation on lanes, or on a mask that tiles compute.
///
/// # Errors
/// The reason why helpers must compute it.
pub(super) fn for_lanes(block: &Block, op: &Op) -> Result<Template, Reason> {
    let is_mask = |v: Value| block.ty(v) == Ty::Mask;
    let constant = |v: Value| match block.node(source(block, v)).op {
        Op::Const(c) => Some(c),
        _ => None,
    };
    let of_element = |template: Option<Template>| template.ok_or(ELEMENT);
    match *op {
        Op::Un(un, _, _, a) if is_mask(a) => masks::un(un).ok_or(MASKS),
        Op::Bin(bin, _, _, a, b) if is_mask(a) && is_mask(b) => masks::bin(bin).ok_or(MASKS),
        Op::Un(un, elem, ..) => of_element(unary(un, elem)),
        Op::Bin(bin, elem, fp, _, b) => of_element(binary(bin, elem, fp, constant(b))),
        Op::Tern(tern, elem, fp, _, _, c) => of_element(ternary(tern, elem, fp, constant(c))),
        Op::Cmp(rel, elem, ..) => of_element(compare::cmp(rel, elem)),
        Op::Cvt(cvt, from, to, fp, _) => {
            of_element(convert::cvt(cvt, from, to, fp).or_else(|| half::cvt(cvt, from, to)))
        }
        Op::Class(elem, _, bits) => of_element(compare::class(elem, constant(bits).is_some())),
        Op::Select(cond, a, _) if is_mask(cond) && !is_mask(a) => Ok(masks::select),
        Op::Select(..) => Err("it selects masks, or by a value of the wave"),
        Op::AddCarry(a, ..) if block.ty(a).bits() == 32 => Ok(wide::add_carry),
        Op::SubBorrow(a, ..) if block.ty(a).bits() == 32 => Ok(wide::sub_borrow),
        Op::AddCarry(..) | Op::SubBorrow(..) => Err("carries of 64 bits have no template"),
        Op::MadWide { signed, .. } => Ok(wide::mad_wide(signed)),
        Op::LaneFn(function, _) => {
            let step = function.division.ok_or("the function has no template")?;
            of_element(division::step(step))
        }
        Op::NonZero(_) => Ok(compare::non_zero),
        Op::LaneId => Ok(bits::lane_id),
        Op::LanesBelow { high } => Ok(bits::lanes_below(high)),
        Op::Shuffle(_, ref table) => shuffle::shuffle(table).ok_or(CROSSES),
        Op::ShuffleMask(..) | Op::Permute { .. } | Op::Scatter { .. } => Err(CROSSES),
        Op::ReadLane(..) | Op::ReadFirstLane(..) => Err(CROSSES),
        Op::Read(_) | Op::ReadIndexed { .. } | Op::ReadIndexedS { .. } => Err(EFFECTS),
        Op::Write { .. } | Op::WriteIndexed { .. } | Op::WriteIndexedS { .. } => Err(EFFECTS),
        Op::Inst { .. } | Op::Const(_) | Op::Second(_) | Op::Cast(..) | Op::WaitCnt(_) => {
            Err("there is nothing to compute")
        }
        Op::Mem(_)
        | Op::Matrix(_)
        | Op::Clock(_)
        | Op::Probe { .. }
        | Op::Tally { .. }
        | Op::End(_) => Err(EFFECTS),
    }
}

const MASKS: Reason = "the operation on masks has no template";
const ELEMENT: Reason = "the operation has no template for this element on this host";
const CROSSES: Reason = "it crosses the rows of 16 lanes";
const EFFECTS: Reason = "it is not a function of lanes";

/// The template of a function with one operand. For halves there are two: with AVX512-FP16 and by single precision.
fn unary(un: Un, elem: Elem) -> Option<Template> {
    match un {
        Un::Not if elem == Elem::I16 => short::un(un, elem),
        Un::Not | Un::Low | Un::High | Un::SignExtend(_) => int::un(un, elem),
        Un::Widen | Un::WidenSigned => int::un(un, elem),
        Un::CountOnes | Un::LeadingZeros | Un::LeadingSigns => bits::un(un, elem),
        Un::TrailingZeros | Un::Reverse => bits::un(un, elem),
        Un::FExp2 | Un::FLog2 | Un::FSin | Un::FCos => {
            functions::un(un, elem).or_else(|| half::un(un, elem))
        }
        Un::FNeg | Un::FAbs | Un::FClamp | Un::FClampKeepNan | Un::FCanonicalize => {
            float::un(un, elem).or_else(|| half::un(un, elem))
        }
        Un::FSqrt | Un::FRcp | Un::FRsq | Un::FExponent | Un::FMantissa => {
            float::un(un, elem).or_else(|| half::un(un, elem))
        }
        Un::FFract | Un::FTrunc | Un::FCeil | Un::FFloor | Un::FRoundEven => {
            float::un(un, elem).or_else(|| half::un(un, elem))
        }
    }
}

/// The template of a function with two operands; `last` is the second one if it is constant.
fn binary(bin: Bin, elem: Elem, fp: Fp, last: Option<u64>) -> Option<Template> {
    let integers = || match elem {
        Elem::I32 => int::bin(bin, elem),
        Elem::I16 | Elem::I16x2 => short::bin(bin, elem),
        Elem::I64 => wide::bin(bin, elem, last),
        Elem::F16 | Elem::F16x2 | Elem::F32 | Elem::F64 => None,
    };
    match bin {
        Bin::Add | Bin::Sub | Bin::Mul | Bin::MulHiU | Bin::MulHiS => integers(),
        Bin::MulU24 | Bin::MulS24 | Bin::MulHiU24 | Bin::MulHiS24 => integers(),
        Bin::And | Bin::Or | Bin::Xor | Bin::Shl | Bin::Shr | Bin::Sar => integers(),
        Bin::MinU | Bin::MaxU | Bin::MinS | Bin::MaxS => integers(),
        Bin::AddSatU | Bin::SubSatU | Bin::AddSatS | Bin::SubSatS => integers(),
        Bin::Pack => integers(),
        Bin::PackSatU | Bin::PackSatS => perm_sad_pack::bin(bin, elem),
        Bin::FAdd | Bin::FSub | Bin::FMul | Bin::FMin | Bin::FMax | Bin::FLdexp => {
            float::bin(bin, elem, fp).or_else(|| half::bin(bin, elem, fp))
        }
    }
}

/// The template of a function with three operands; `last` is the third one if it is constant.
fn ternary(tern: Tern, elem: Elem, fp: Fp, last: Option<u64>) -> Option<Template> {
    match tern {
        Tern::BfeU | Tern::BfeS => bits::tern(tern, elem),
        Tern::Med3U | Tern::Med3S if elem == Elem::I16 => short::tern(tern, elem),
        Tern::BitSelect | Tern::Med3U | Tern::Med3S => int::tern(tern, elem),
        Tern::AlignBit | Tern::AlignByte | Tern::InsertU8 | Tern::Perm | Tern::AverageU8 => {
            perm_sad_pack::tern(tern, elem, last)
        }
        Tern::SadU8 | Tern::MaskedSadU8 | Tern::SadU16 | Tern::SadU32 => {
            perm_sad_pack::tern(tern, elem, last)
        }
        Tern::Fma | Tern::FMad | Tern::FMed3 => {
            float::tern(tern, elem, fp).or_else(|| half::tern(tern, elem, fp))
        }
    }
}

/// The template that computes an operation on values of the wave in the lowest lane, if there is one.
pub(super) fn for_one_lane(block: &Block, op: &Op) -> Option<Template> {
    let computes = matches!(
        op,
        Op::Un(..) | Op::Bin(..) | Op::Tern(..) | Op::Cmp(..) | Op::Class(..) | Op::Cvt(..)
    );
    let mut numbers = true;
    op.for_each_operand(&mut |a| numbers &= matches!(block.ty(*a), Ty::U32 | Ty::U64));
    if computes && numbers {
        for_lanes(block, op).ok()
    } else {
        None
    }
}
