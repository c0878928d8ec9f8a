//! The evaluator: the integer functions of the IR for single numbers. The simplifier folds constants with it, and tests of the
//! meaning of instructions use it without an engine. Arithmetic of floats is left to the engines.
//!
//! Numbers are in the low bits of a `u64`. Bits above the width of the element are ignored in operands, and 0 in results.

use crate::functions::{Bin, Rel, Tern, Un};
use crate::types::Elem;

/// The result of a bit search that finds nothing.
const NONE: u64 = u32::MAX as u64;

const fn ones(width: u32) -> u64 {
    match width {
        0 => 0,
        width => u64::MAX >> (64 - width),
    }
}

/// Sign-extends the low `width` bits, at least one.
const fn sext(x: u64, width: u32) -> i64 {
    (x << (64 - width)) as i64 >> (64 - width)
}

fn leading_zeros(x: u64, width: u32) -> u64 {
    match x {
        0 => NONE,
        x => u64::from(x.leading_zeros() - (64 - width)),
    }
}

/// Applies a function of halves to pairs.
fn in_pairs<const N: usize>(args: [u64; N], of: impl Fn([u64; N]) -> Option<u64>) -> Option<u64> {
    let [low, high] = [0, 16].map(|at| of(args.map(|x| x >> at & ones(16))));
    Some(low? | high? << 16)
}

impl Un {
    /// The result of the function for a number. `None` for a float function, except those of the sign.
    ///
    /// ```
    /// use wavetank_ir::{Elem, Un};
    /// assert_eq!(Un::LeadingZeros.evaluate(Elem::I32, 1), Some(31));
    /// assert_eq!(Un::FNeg.evaluate(Elem::F32, 0x3f80_0000), Some(0xbf80_0000));
    /// assert_eq!(Un::FSqrt.evaluate(Elem::F32, 0x3f80_0000), None);
    /// ```
    pub fn evaluate(self, elem: Elem, a: u64) -> Option<u64> {
        if let Some(half) = elem.half() {
            return in_pairs([a], |[a]| self.evaluate(half, a));
        }
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
    /// The result of the function for two numbers. `None` for a float function.
    pub fn evaluate(self, elem: Elem, a: u64, b: u64) -> Option<u64> {
        if let Some(half) = elem.half() {
            return in_pairs([a, b], |[a, b]| self.evaluate(half, a, b));
        }
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
            // The result is twice as wide as each operand.
            Bin::Pack => return Some(x | y << width),
            Bin::PackSatU => x.min(0xffff) | y.min(0xffff) << 16,
            Bin::PackSatS => {
                let [low, high] = [sx, sy].map(|v| v.clamp(-0x8000, 0x7fff) as u64 & 0xffff);
                low | high << 16
            }
            Bin::FAdd | Bin::FSub | Bin::FMul | Bin::FMin | Bin::FMax | Bin::FLdexp => return None,
        };
        Some(value & all)
    }
}

impl Tern {
    /// The result of the function for three numbers. `None` for a float function.
    pub fn evaluate(self, elem: Elem, [a, b, c]: [u64; 3]) -> Option<u64> {
        if let Some(half) = elem.half() {
            return in_pairs([a, b, c], |args| self.evaluate(half, args));
        }
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
            Tern::InsertU8 => join::<8>(|n| match n {
                n if u64::from(n) == b & 3 => (a & all).min(0xff),
                n => field::<8>(c, n),
            }),
            Tern::Med3U => {
                let [x, y, z] = [a, b, c].map(|v| v & all);
                x.min(y).max(x.max(y).min(z))
            }
            Tern::Med3S => {
                let [x, y, z] = [a, b, c].map(|v| sext(v, width));
                x.min(y).max(x.max(y).min(z)) as u64 & all
            }
            Tern::Perm => permute(a << 32 | b & ones(32), c),
            Tern::AverageU8 => join::<8>(|n| {
                let [x, y, round] = [a, b, c].map(|v| field::<8>(v, n));
                (x + y + (round & 1)) >> 1
            }),
            Tern::SadU8 => add_differences::<8>(a, b, c, |_| true),
            Tern::MaskedSadU8 => add_differences::<8>(a, b, c, |reference| reference != 0),
            Tern::SadU16 => add_differences::<16>(a, b, c, |_| true),
            Tern::SadU32 => add_differences::<32>(a, b, c, |_| true),
            Tern::Fma | Tern::FMad | Tern::FMed3 => return None,
        })
    }
}

/// Field `n` of a word of fields with `BITS` bits.
const fn field<const BITS: u32>(x: u64, n: u32) -> u64 {
    x >> (BITS * n) & ones(BITS)
}

/// Joins the fields of a word.
fn join<const BITS: u32>(of: impl Fn(u32) -> u64) -> u64 {
    (0..32 / BITS).fold(0, |word, n| word | of(n) << (BITS * n))
}

/// [`Tern::Perm`] on a word of eight bytes.
fn permute(bytes: u64, selectors: u64) -> u64 {
    let byte = |n: u64| bytes >> (8 * n) & 0xff;
    join::<8>(|n| match field::<8>(selectors, n) {
        select @ 0..=7 => byte(select),
        select @ 8..=11 => sext(byte(2 * (select - 8) + 1), 8) as u64 >> 8 & 0xff,
        12 => 0,
        _ => 0xff,
    })
}

/// Adds `c` and the absolute differences of the fields for which `wanted` holds on the second.
fn add_differences<const BITS: u32>(a: u64, b: u64, c: u64, wanted: impl Fn(u64) -> bool) -> u64 {
    let pairs = (0..32 / BITS).map(|n| (field::<BITS>(a, n), field::<BITS>(b, n)));
    let differences = pairs
        .filter(|(_, y)| wanted(*y))
        .map(|(x, y)| x.abs_diff(y));
    (c + differences.sum::<u64>()) & ones(32)
}

impl Rel {
    /// Whether the relation holds for two integers. `None` for floats.
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

/// The 32-bit sum of [`Op::AddCarry`](crate::Op::AddCarry), and its carry.
pub fn add_carry(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let sum = (a & ones(32)) + (b & ones(32)) + u64::from(carry);
    (sum & ones(32), sum >> 32 != 0)
}

/// The 32-bit difference of [`Op::SubBorrow`](crate::Op::SubBorrow), and its borrow.
pub fn sub_borrow(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (a, b) = (a & ones(32), (b & ones(32)) + u64::from(borrow));
    (a.wrapping_sub(b) & ones(32), a < b)
}

/// The result of [`Op::MadWide`](crate::Op::MadWide) for 32-bit factors and a 64-bit summand, and the carry of an unsigned sum.
pub fn mad_wide(signed: bool, a: u64, b: u64, c: u64) -> (u64, bool) {
    if signed {
        let product = sext(a, 32).wrapping_mul(sext(b, 32)) as u64;
        (product.wrapping_add(c), false)
    } else {
        // The product of 32-bit numbers fits in 64 bits.
        ((a & ones(32)) * (b & ones(32))).overflowing_add(c)
    }
}
