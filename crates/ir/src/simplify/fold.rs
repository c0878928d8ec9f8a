//! Integer operations on constants, as the operations document themselves.

use crate::functions::{Bin, Rel, Tern, Un};
use crate::op::{Op, Value};
use crate::types::{Elem, Ty};

/// The results of an operation on constants.
pub(super) struct Folded {
    /// The result.
    pub value: u64,
    /// The second result, of operations that have one.
    pub second: Option<u64>,
}

/// Evaluates an operation all of whose operands are constants. `None` if it
/// is not of that kind: float arithmetic is the engine's.
pub(super) fn fold(op: &Op, ty: Ty, get: impl Fn(Value) -> Option<u64>) -> Option<Folded> {
    // A constant is a uniform or a mask.
    if ty.is_vector() {
        return None;
    }
    // Masks are 64 bits wide, whatever element the operation names.
    let width = |elem| if ty == Ty::Mask { 64 } else { bits(elem) };
    let value = match *op {
        Op::Un(un, elem, _, a) => fold_un(un, elem, width(elem), get(a)?)?,
        Op::Bin(bin, elem, _, a, b) => fold_bin(bin, width(elem), get(a)?, get(b)?)?,
        Op::Tern(tern, elem, _, a, b, c) => fold_tern(tern, elem, [get(a)?, get(b)?, get(c)?])?,
        Op::Cmp(rel, elem, _, a, b) if !elem.is_float() => {
            compare(rel, bits(elem), get(a)?, get(b)?)?.into()
        }
        Op::Cast(_, a) => get(a)?,
        Op::NonZero(a) => {
            if get(a)? == 0 {
                0
            } else {
                u64::MAX
            }
        }
        Op::ReadLane(v, _) | Op::ReadFirstLane(v, _) => get(v)?,
        Op::AddCarry(a, b, carry) => {
            let sum = get(a)? + get(b)? + carry_in(carry, get)?;
            return Some(two(sum & ones(32), sum >> 32));
        }
        Op::SubBorrow(a, b, borrow) => {
            let (a, b) = (get(a)?, get(b)? + carry_in(borrow, get)?);
            return Some(two(a.wrapping_sub(b) & ones(32), (a < b).into()));
        }
        Op::MadWide {
            signed,
            args: [a, b, c],
        } => {
            return Some(mad_wide(signed, get(a)?, get(b)?, get(c)?));
        }
        _ => return None,
    };
    Some(Folded {
        value,
        second: None,
    })
}

fn two(value: u64, second: u64) -> Folded {
    Folded {
        value,
        second: Some(second),
    }
}

/// Only 0 and 1 are carries.
fn carry_in(carry: Option<Value>, get: impl Fn(Value) -> Option<u64>) -> Option<u64> {
    carry.map_or(Some(0), get).filter(|&c| c <= 1)
}

fn mad_wide(signed: bool, a: u64, b: u64, c: u64) -> Folded {
    if signed {
        let product = sext(a, 32).wrapping_mul(sext(b, 32)) as u64;
        two(product.wrapping_add(c), 0)
    } else {
        // Two 32-bit factors: the product fits in 64 bits.
        let (sum, carry) = (a * b).overflowing_add(c);
        two(sum, carry.into())
    }
}

/// The width of the element itself, not of what carries it.
const fn bits(elem: Elem) -> u32 {
    match elem {
        Elem::I16 | Elem::F16 => 16,
        Elem::I32 | Elem::F32 => 32,
        Elem::I64 | Elem::F64 => 64,
    }
}

const fn ones(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// The low `width` bits as a signed number.
const fn sext(x: u64, width: u32) -> i64 {
    (x << (64 - width)) as i64 >> (64 - width)
}

fn fold_un(un: Un, elem: Elem, width: u32, a: u64) -> Option<u64> {
    const NONE: u64 = u32::MAX as u64;
    let sign = 1 << (width - 1);
    let x = a & ones(width);
    Some(match un {
        Un::Not => !x & ones(width),
        Un::Reverse => x.reverse_bits() >> (64 - width),
        Un::CountOnes => x.count_ones().into(),
        Un::LeadingZeros => leading_zeros(x, width).unwrap_or(NONE),
        Un::LeadingSigns => {
            let differs = if x & sign == 0 { x } else { !x & ones(width) };
            leading_zeros(differs, width).unwrap_or(NONE)
        }
        Un::TrailingZeros if x == 0 => NONE,
        Un::TrailingZeros => x.trailing_zeros().into(),
        Un::SignExtend(from) => sext(a, from.into()) as u64 & ones(32),
        Un::Low | Un::Widen => a & ones(32),
        Un::High => a >> 32,
        Un::WidenSigned => sext(a, 32) as u64,
        Un::FNeg if elem.is_float() => x ^ sign,
        Un::FAbs if elem.is_float() => x & !sign,
        _ => return None,
    })
}

fn leading_zeros(x: u64, width: u32) -> Option<u64> {
    (x != 0).then(|| u64::from(x.leading_zeros() - (64 - width)))
}

fn fold_bin(bin: Bin, width: u32, a: u64, b: u64) -> Option<u64> {
    let all = ones(width);
    let (x, y) = (a & all, b & all);
    let (sx, sy) = (sext(a, width), sext(b, width));
    let (min, max) = (sext(1 << (width - 1), width), (all >> 1) as i64);
    let count = (b % u64::from(width)) as u32;
    let (wide, swide) = (
        u128::from(x) * u128::from(y),
        i128::from(sx) * i128::from(sy),
    );
    let clamp = |v: i128| v.clamp(min.into(), max.into()) as u64;
    let value = match bin {
        Bin::Add => x.wrapping_add(y),
        Bin::Sub => x.wrapping_sub(y),
        Bin::Mul => x.wrapping_mul(y),
        Bin::MulHiU => (wide >> width) as u64,
        Bin::MulHiS => (swide >> width) as u64,
        Bin::MulU24 => (a & ones(24)) * (b & ones(24)),
        Bin::MulS24 => sext(a, 24).wrapping_mul(sext(b, 24)) as u64,
        Bin::MulHiU24 => ((a & ones(24)) * (b & ones(24))) >> 32,
        Bin::MulHiS24 => ((sext(a, 24) * sext(b, 24)) >> 32) as u64,
        Bin::And => x & y,
        Bin::Or => x | y,
        Bin::Xor => x ^ y,
        Bin::Shl => x << count,
        Bin::Shr => x >> count,
        Bin::Sar => (sx >> count) as u64,
        Bin::MinU => x.min(y),
        Bin::MaxU => x.max(y),
        Bin::MinS => sx.min(sy) as u64,
        Bin::MaxS => sx.max(sy) as u64,
        Bin::AddSatU => (u128::from(x) + u128::from(y)).min(all.into()) as u64,
        Bin::SubSatU => x.saturating_sub(y),
        Bin::AddSatS => clamp(i128::from(sx) + i128::from(sy)),
        Bin::SubSatS => clamp(i128::from(sx) - i128::from(sy)),
        // Twice as wide as its halves.
        Bin::Pack => return Some(x | y << width),
        Bin::FAdd | Bin::FSub | Bin::FMul | Bin::FMin | Bin::FMax | Bin::FLdexp => return None,
    };
    Some(value & all)
}

fn fold_tern(tern: Tern, elem: Elem, [a, b, c]: [u64; 3]) -> Option<u64> {
    let (offset, size) = (b % 32, (c % 32) as u32);
    Some(match (tern, elem) {
        (Tern::BitSelect, Elem::I32 | Elem::I64) => (a & b) | (!a & c & ones(bits(elem))),
        (Tern::BfeU, Elem::I32) => (a >> offset) & ((1 << size) - 1),
        (Tern::BfeS, Elem::I32) if size == 0 => 0,
        // A field that reaches past bit 31 is left to the engine.
        (Tern::BfeS, Elem::I32) if offset + u64::from(size) <= 32 => {
            sext(a >> offset, size) as u64 & ones(32)
        }
        (Tern::AlignBit, Elem::I32) => (a << 32 | b) >> (c & 31) & ones(32),
        (Tern::AlignByte, Elem::I32) => (a << 32 | b) >> (8 * (c & 3)) & ones(32),
        _ => return None,
    })
}

fn compare(rel: Rel, width: u32, a: u64, b: u64) -> Option<bool> {
    let (x, y) = (a & ones(width), b & ones(width));
    let (sx, sy) = (sext(a, width), sext(b, width));
    Some(match rel {
        Rel::Eq => x == y,
        Rel::Ne => x != y,
        Rel::LtU => x < y,
        Rel::LeU => x <= y,
        Rel::Lt => sx < sy,
        Rel::Le => sx <= sy,
        Rel::FLg | Rel::FOrd => return None,
    })
}
