//! Directed rounding: arithmetic rounded otherwise than to nearest.
//!
//! Single precision is computed in double and half in single. Products of two numbers are exact there. Sums are rounded to odd (a
//! lost remainder sets the last bit), which makes the second rounding correct in any direction. Double precision is computed in
//! integers.

use crate::exact;
use crate::format::{Double, Format, Half, Single};
use crate::half::{narrow, widen};
use crate::odd::{sum_to_odd_f32, sum_to_odd_f64};

/// Sums and products with a rounding of [`crate::lanes::Env::round`].
pub(crate) trait Directed: Format {
    /// Returns the sum a + b, rounded once.
    fn add(round: u32, a: Self::W, b: Self::W) -> Self::W;
    /// Returns the product a · b, rounded once.
    fn mul(round: u32, a: Self::W, b: Self::W) -> Self::W;
    /// a · b + c, rounded once.
    fn fma(round: u32, a: Self::W, b: Self::W, c: Self::W) -> Self::W;
}

/// A sum; opposite numbers give −0 when rounding down, else +0.
macro_rules! directed_sum {
    ($name:ident, $sum:ident, $f:ident) => {
        #[inline(always)]
        fn $name(round: u32, a: $f, b: $f) -> $f {
            let sum = $sum(a, b);
            let negative = (round == 2) & (a.is_sign_negative() | b.is_sign_negative());
            if (sum == 0.0) & negative { -0.0 } else { sum }
        }
    };
}

directed_sum!(sum_f32, sum_to_odd_f32, f32);
directed_sum!(sum_f64, sum_to_odd_f64, f64);

/// Rounds double to single precision.
#[inline(always)]
pub(crate) fn to_single(round: u32, x: f64) -> u32 {
    let nearest = x as f32;
    let back = f64::from(nearest);
    let bits = nearest.to_bits();
    let negative = bits >> 31 != 0;
    let up = (round == 1) & (back < x);
    let down = (round == 2) & (back > x);
    let to_zero = (round == 3) & (back.abs() > x.abs());
    let away = (up & !negative) | (down & negative);
    let closer = (up & negative) | (down & !negative) | to_zero;
    // The next value above the largest number is infinity, and above zero a denormal.
    let bits = if away { bits.wrapping_add(1) } else { bits };
    if closer { bits.wrapping_sub(1) } else { bits }
}

#[inline(always)]
fn double(a: u32) -> f64 {
    f32::from_bits(a).into()
}

impl Directed for Single {
    #[inline(always)]
    fn add(round: u32, a: u32, b: u32) -> u32 {
        to_single(round, sum_f64(round, double(a), double(b)))
    }
    #[inline(always)]
    fn mul(round: u32, a: u32, b: u32) -> u32 {
        to_single(round, double(a) * double(b))
    }
    #[inline(always)]
    fn fma(round: u32, a: u32, b: u32, c: u32) -> u32 {
        to_single(round, sum_f64(round, double(a) * double(b), double(c)))
    }
}

#[inline(always)]
fn single(a: u32) -> f32 {
    f32::from_bits(widen(a))
}

impl Directed for Half {
    #[inline(always)]
    fn add(round: u32, a: u32, b: u32) -> u32 {
        narrow(round, sum_f32(round, single(a), single(b)).to_bits())
    }
    #[inline(always)]
    fn mul(round: u32, a: u32, b: u32) -> u32 {
        narrow(round, (single(a) * single(b)).to_bits())
    }
    #[inline(always)]
    fn fma(round: u32, a: u32, b: u32, c: u32) -> u32 {
        let product = single(a) * single(b);
        narrow(round, sum_f32(round, product, single(c)).to_bits())
    }
}

impl Directed for Double {
    fn add(round: u32, a: u64, b: u64) -> u64 {
        exact::add::<Double>(round, a, b)
    }
    fn mul(round: u32, a: u64, b: u64) -> u64 {
        exact::mul::<Double>(round, a, b)
    }
    fn fma(round: u32, a: u64, b: u64, c: u64) -> u64 {
        exact::fma::<Double>(round, a, b, c)
    }
}
