//! The choice of an [`Emit`] for each operation that compiled code computes for the wave as a whole. The matches are exhaustive,
//! so that a new function is given either an instruction or a reason.

use iced_x86::Code;
use wavetank_ir::{Bin, Block, Elem, Op, Reg, Rel, Tern, Ty, Un, Value};

use super::emit::{Binary, Condition, Emit, Unary};
use crate::compiler::segments::Reason;
use crate::compiler::templates;

const SHORT: Reason = "general registers have no operations of 16 bits";
const FLOATS: Reason = "general registers have no floats";
const RARE: Reason = "there is no emitter for it";

/// The way to compute an operation for the wave as a whole.
///
/// # Errors
/// The reason why helpers must compute it.
pub(crate) fn select(block: &Block, op: &Op) -> Result<Emit, Reason> {
    match *op {
        Op::ReadLane(value, index) => return Ok(Emit::ReadLane(value, index)),
        Op::ReadFirstLane(value, mask) => return Ok(Emit::ReadFirstLane(value, mask)),
        _ => {}
    }
    let mut lanes = false;
    op.for_each_operand(&mut |a| lanes |= block.ty(*a).is_vector());
    if lanes {
        return Err("it makes a value of the wave of lanes");
    }
    scalar(block, op).or_else(|reason| {
        let template = templates::for_one_lane(block, op).ok_or(reason)?;
        Ok(Emit::InOneLane(template))
    })
}

/// The way to compute an operation in general registers.
fn scalar(block: &Block, op: &Op) -> Result<Emit, Reason> {
    let narrow = |v: Value| block.ty(v).bits() == 32;
    match *op {
        Op::Un(un, elem, _, a) => Ok(Emit::Un(unary(un, elem)?, elem == Elem::I64, a)),
        Op::Bin(bin, elem, _, a, b) => Ok(Emit::Bin(binary(bin, elem)?, elem == Elem::I64, [a, b])),
        Op::Tern(tern, elem, _, a, b, c) => Ok(Emit::Field {
            signed: is_signed_field(tern)?,
            wide: is_wide(elem)?,
            args: [a, b, c],
        }),
        Op::Cmp(rel, elem, _, a, b) => Ok(Emit::Compare {
            wide: is_wide(elem)?,
            condition: condition(rel)?,
            args: [a, b],
        }),
        Op::Select(cond, a, b) if block.ty(cond) == Ty::U32 => Ok(Emit::Select(cond, [a, b])),
        Op::AddCarry(a, b, carry) | Op::SubBorrow(a, b, carry)
            if narrow(a) && carry.is_none_or(narrow) =>
        {
            Ok(Emit::Carry {
                subtract: matches!(op, Op::SubBorrow(..)),
                args: [a, b],
                carry,
            })
        }
        Op::Read(reg @ (Reg::S(_) | Reg::S64(_) | Reg::Mask(_) | Reg::Scc)) => Ok(Emit::Read(reg)),
        Op::Write { reg, value, .. } => match reg {
            Reg::S(_) | Reg::S64(_) | Reg::Mask(_) | Reg::Scc => Ok(Emit::Write(reg, value)),
            Reg::V(_) | Reg::V64(_) => Err("tiles write vector registers"),
            Reg::Hw(_) => Err("hardware registers have effects of their own"),
        },
        Op::Class(..) | Op::Cvt(..) => Err(FLOATS),
        Op::Select(..) | Op::AddCarry(..) | Op::SubBorrow(..) => {
            Err("it combines values of the wave with a mask or with 64 bits")
        }
        Op::MadWide { .. } | Op::LaneFn(..) | Op::NonZero(_) => Err(RARE),
        Op::Read(_) => Err("it is not a scalar register"),
        Op::ReadLane(..) | Op::ReadFirstLane(..) | Op::Shuffle(..) | Op::ShuffleMask(..) => {
            Err("it crosses lanes")
        }
        Op::Permute { .. } | Op::Scatter { .. } => Err("it crosses lanes"),
        Op::LanesBelow { .. } | Op::LaneId => Err("its result is lanes"),
        Op::ReadIndexed { .. } | Op::ReadIndexedS { .. } => Err("an index chooses the register"),
        Op::WriteIndexed { .. } | Op::WriteIndexedS { .. } => Err("an index chooses the register"),
        Op::Inst { .. } | Op::Const(_) | Op::Second(_) | Op::Cast(..) | Op::WaitCnt(_) => {
            Err("there is nothing to compute")
        }
        Op::Mem(_)
        | Op::Matrix(_)
        | Op::Clock(_)
        | Op::Probe { .. }
        | Op::Tally { .. }
        | Op::End(_) => Err("it is not a function"),
    }
}

/// Whether integers have 64 bits instead of 32.
fn is_wide(elem: Elem) -> Result<bool, Reason> {
    match elem {
        Elem::I32 => Ok(false),
        Elem::I64 => Ok(true),
        Elem::I16 | Elem::I16x2 => Err(SHORT),
        Elem::F16 | Elem::F16x2 | Elem::F32 | Elem::F64 => Err(FLOATS),
    }
}

fn unary(un: Un, elem: Elem) -> Result<Unary, Reason> {
    Ok(match un {
        Un::Low | Un::Widen => Unary::Copy,
        Un::High => Unary::High,
        Un::WidenSigned => Unary::WidenSigned,
        Un::SignExtend(8) => Unary::SignExtend8,
        Un::SignExtend(16) => Unary::SignExtend16,
        Un::SignExtend(_) => return Err("no instruction extends 24 bits"),
        Un::Not => is_wide(elem).map(|_| Unary::Not)?,
        Un::CountOnes => is_wide(elem).map(|_| Unary::CountOnes)?,
        Un::LeadingZeros => is_wide(elem).map(|_| Unary::LeadingZeros)?,
        Un::LeadingSigns => is_wide(elem).map(|_| Unary::LeadingSigns)?,
        Un::TrailingZeros => is_wide(elem).map(|_| Unary::TrailingZeros)?,
        Un::Reverse => is_wide(elem).map(|_| Unary::Reverse)?,
        Un::FNeg | Un::FAbs | Un::FClamp | Un::FClampKeepNan | Un::FCanonicalize => {
            return Err(FLOATS);
        }
        Un::FSqrt | Un::FRcp | Un::FRsq | Un::FExp2 | Un::FLog2 | Un::FSin | Un::FCos => {
            return Err(FLOATS);
        }
        Un::FFract | Un::FTrunc | Un::FCeil | Un::FFloor | Un::FRoundEven => return Err(FLOATS),
        Un::FExponent | Un::FMantissa => return Err(FLOATS),
    })
}

fn binary(bin: Bin, elem: Elem) -> Result<Binary, Reason> {
    let wide = is_wide(elem)?;
    let sized = |codes: [Code; 2]| codes[usize::from(wide)];
    // 64-bit operations have templates or helpers.
    let narrow = |binary: Binary| if wide { Err(RARE) } else { Ok(binary) };
    Ok(match bin {
        Bin::Add => Binary::Alu(sized([Code::Add_r32_rm32, Code::Add_r64_rm64])),
        Bin::Sub => Binary::Alu(sized([Code::Sub_r32_rm32, Code::Sub_r64_rm64])),
        Bin::And => Binary::Alu(sized([Code::And_r32_rm32, Code::And_r64_rm64])),
        Bin::Or => Binary::Alu(sized([Code::Or_r32_rm32, Code::Or_r64_rm64])),
        Bin::Xor => Binary::Alu(sized([Code::Xor_r32_rm32, Code::Xor_r64_rm64])),
        Bin::Shl => Binary::Shift(sized([Code::Shl_rm32_CL, Code::Shl_rm64_CL])),
        Bin::Shr => Binary::Shift(sized([Code::Shr_rm32_CL, Code::Shr_rm64_CL])),
        Bin::Sar => Binary::Shift(sized([Code::Sar_rm32_CL, Code::Sar_rm64_CL])),
        Bin::Mul => Binary::Multiply(sized([Code::Imul_r32_rm32, Code::Imul_r64_rm64])),
        Bin::MinU => narrow(Binary::MoveIf(Code::Cmova_r32_rm32))?,
        Bin::MaxU => narrow(Binary::MoveIf(Code::Cmovb_r32_rm32))?,
        Bin::MinS => narrow(Binary::MoveIf(Code::Cmovg_r32_rm32))?,
        Bin::MaxS => narrow(Binary::MoveIf(Code::Cmovl_r32_rm32))?,
        Bin::MulHiU => narrow(Binary::MultiplyHigh { signed: false })?,
        Bin::MulHiS => narrow(Binary::MultiplyHigh { signed: true })?,
        Bin::Pack => narrow(Binary::Pack)?,
        Bin::MulU24 | Bin::MulS24 | Bin::MulHiU24 | Bin::MulHiS24 => return Err(RARE),
        Bin::AddSatU | Bin::SubSatU | Bin::AddSatS | Bin::SubSatS => return Err(RARE),
        Bin::PackSatU | Bin::PackSatS => return Err(RARE),
        Bin::FAdd | Bin::FSub | Bin::FMul | Bin::FMin | Bin::FMax | Bin::FLdexp => {
            return Err(FLOATS);
        }
    })
}

/// Whether the bit field that an operation extracts is signed.
fn is_signed_field(tern: Tern) -> Result<bool, Reason> {
    match tern {
        Tern::BfeU => Ok(false),
        Tern::BfeS => Ok(true),
        Tern::BitSelect | Tern::AlignBit | Tern::AlignByte | Tern::InsertU8 | Tern::Perm => {
            Err(RARE)
        }
        Tern::Med3U | Tern::Med3S | Tern::AverageU8 => Err(RARE),
        Tern::SadU8 | Tern::MaskedSadU8 | Tern::SadU16 | Tern::SadU32 => Err(RARE),
        Tern::Fma | Tern::FMad | Tern::FMed3 => Err(FLOATS),
    }
}

fn condition(rel: Rel) -> Result<Condition, Reason> {
    let of = |set, jump| Ok(Condition { set, jump });
    match rel {
        Rel::Eq => of(Code::Sete_rm8, Code::Je_rel32_64),
        Rel::Ne => of(Code::Setne_rm8, Code::Jne_rel32_64),
        Rel::Lt => of(Code::Setl_rm8, Code::Jl_rel32_64),
        Rel::Le => of(Code::Setle_rm8, Code::Jle_rel32_64),
        Rel::LtU => of(Code::Setb_rm8, Code::Jb_rel32_64),
        Rel::LeU => of(Code::Setbe_rm8, Code::Jbe_rel32_64),
        Rel::FLg | Rel::FOrd => Err(FLOATS),
    }
}
