//! What the functions of integers give, for single numbers: one documented
//! evaluator, for the simplifier's constants and for whoever judges the meaning
//! of instructions without an engine. Arithmetic of floats is the engines'.
//!
//! Numbers are in the low bits of a `u64`; what stands above the width of the
//! element is ignored, and 0 in results.

use crate::functions::{Bin, Rel, Tern, Un};
use crate::types::Elem;

/// What searches give that find nothing.
const NONE: u64 = u32::MAX as u64;

const fn ones(width: u32) -> u64 {
    match width {
        0 => 0,
        width => u64::MAX >> (64 - width),
    }
}

/// The low `width` bits, at least one, as a signed number.
const fn sext(x: u64, width: u32) -> i64 {
    (x << (64 - width)) as i64 >> (64 - width)
}

fn leading_zeros(x: u64, width: u32) -> u64 {
    match x {
        0 => NONE,
        x => u64::from(x.leading_zeros() - (64 - width)),
    }
}

impl Un {
    /// The function of a number. `None` if it is one of floats, but for their
    /// sign.
    ///
    /// ```
    /// use wavetank_ir::{Elem, Un};
    /// assert_eq!(Un::LeadingZeros.evaluate(Elem::I32, 1), Some(31));
    /// assert_eq!(Un::FNeg.evaluate(Elem::F32, 0x3f80_0000), Some(0xbf80_0000));
    /// assert_eq!(Un::FSqrt.evaluate(Elem::F32, 0x3f80_0000), None);
    /// ```
    pub fn evaluate(self, elem: Elem, a: u64) -> Option<u64> {
        let width = elem.bits();
        let sign = 1 << (width - 1);
        let x = a & ones(width);
        Some(match self {
            Un::Not => !x & ones(width),
            Un::Reverse => x.reverse_bits() >> (64 - width),
            Un::CountOnes => x.count_ones().into(),
            Un::LeadingZeros => leading_zeros(x, width),
            Un::LeadingSigns => {
                let differs = if x & sign == 0 { x } else { !x & ones(width) };
                leading_zeros(differs, width)
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
}

impl Bin {
    /// The function of two numbers. `None` if it is one of floats.
    pub fn evaluate(self, elem: Elem, a: u64, b: u64) -> Option<u64> {
        let width = elem.bits();
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
        let value = match self {
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
}

impl Tern {
    /// The function of three numbers. `None` if it is one of floats.
    pub fn evaluate(self, elem: Elem, [a, b, c]: [u64; 3]) -> Option<u64> {
        let width = elem.bits();
        let all = ones(width);
        let (offset, size) = ((b % u64::from(width)) as u32, (c % u64::from(width)) as u32);
        Some(match self {
            Tern::BitSelect => (a & b | !a & c) & all,
            Tern::BfeU => (a & all) >> offset & ones(size),
            Tern::BfeS if size == 0 => 0,
            Tern::BfeS => sext((sext(a, width) >> offset) as u64, size) as u64 & all,
            Tern::AlignBit => (a << 32 | b & ones(32)) >> (c & 31) & ones(32),
            Tern::AlignByte => (a << 32 | b & ones(32)) >> (8 * (c & 3)) & ones(32),
            Tern::Fma | Tern::FMad | Tern::FMed3 => return None,
        })
    }
}

impl Rel {
    /// Whether two integers are so. `None` of floats.
    pub fn evaluate(self, elem: Elem, a: u64, b: u64) -> Option<bool> {
        if elem.is_float() {
            return None;
        }
        let width = elem.bits();
        let (x, y) = (a & ones(width), b & ones(width));
        let (sx, sy) = (sext(a, width), sext(b, width));
        Some(match self {
            Rel::Eq => x == y,
            Rel::Ne => x != y,
            Rel::LtU => x < y,
            Rel::LeU => x <= y,
            Rel::Lt => sx < sy,
            Rel::Le => sx <= sy,
            Rel::FLg | Rel::FOrd => return None,
        })
    }
}

/// [`Op::AddCarry`](crate::Op::AddCarry): the sum of 32 bits, and its carry.
pub fn add_carry(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let sum = (a & ones(32)) + (b & ones(32)) + u64::from(carry);
    (sum & ones(32), sum >> 32 != 0)
}

/// [`Op::SubBorrow`](crate::Op::SubBorrow): the difference of 32 bits, and its
/// borrow.
pub fn sub_borrow(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (a, b) = (a & ones(32), (b & ones(32)) + u64::from(borrow));
    (a.wrapping_sub(b) & ones(32), a < b)
}

/// [`Op::MadWide`](crate::Op::MadWide): two factors of 32 bits and a summand of
/// 64, and the carry of an unsigned sum.
pub fn mad_wide(signed: bool, a: u64, b: u64, c: u64) -> (u64, bool) {
    match signed {
        true => {
            let product = sext(a, 32).wrapping_mul(sext(b, 32)) as u64;
            (product.wrapping_add(c), false)
        }
        // The product of 32-bit numbers fits in 64 bits.
        false => ((a & ones(32)) * (b & ones(32))).overflowing_add(c),
    }
}
