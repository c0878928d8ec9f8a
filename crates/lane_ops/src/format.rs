//! The three float formats: their bits, and arithmetic rounded to nearest.
//!
//! Values are integer words outside of one operation. NaN results are chosen by the operands' bits, since the language leaves the
//! bits of computed NaNs open.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use crate::half::{narrow_nearest, widen};
use crate::lanes::Word;
use crate::odd::sum_to_odd_f32;

/// A word with bit operations that carries a float format.
pub(crate) trait Bits:
    Word
    + Eq
    + Ord
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
}

impl Bits for u32 {}
impl Bits for u64 {}

/// A float format. Arithmetic is rounded once, to nearest even; a NaN result may have any payload.
pub(crate) trait Format: 'static {
    /// The word that carries the format. Bits above the format are zero.
    type W: Bits;
    /// A signed integer of the width of the word.
    type Key: Ord + Copy;
    /// The mask of the sign bit.
    const SIGN: Self::W;
    /// The exponent field: the bits of infinity.
    const EXPONENT: Self::W;
    /// The bit that makes a NaN quiet.
    const QUIET: Self::W;
    /// The bits of +0.
    const ZERO: Self::W;
    /// The bits of 1.0.
    const ONE: Self::W;
    /// The largest number below one.
    const BELOW_ONE: Self::W;
    /// Bits of the fraction field.
    const FRACTION_BITS: u32;
    /// The bias of the exponent field.
    const BIAS: i32;

    /// Clears bits above the format.
    #[inline(always)]
    fn clean(a: Self::W) -> Self::W {
        a
    }

    /// Returns the sum a + b, rounded to nearest.
    fn add(a: Self::W, b: Self::W) -> Self::W;
    /// Returns the difference a − b, rounded to nearest.
    fn sub(a: Self::W, b: Self::W) -> Self::W;
    /// Returns the product a · b, rounded to nearest.
    fn mul(a: Self::W, b: Self::W) -> Self::W;
    /// Returns the sum a · b + c, rounded once, to nearest.
    fn fma(a: Self::W, b: Self::W, c: Self::W) -> Self::W;
    /// Returns the square root, rounded to nearest.
    fn sqrt(a: Self::W) -> Self::W;
    /// Returns the reciprocal 1 / a, rounded to nearest.
    fn rcp(a: Self::W) -> Self::W;
    /// 1 / sqrt(a), within 1 ULP.
    fn rsq(a: Self::W) -> Self::W;
    /// Returns the integer part: rounded toward zero.
    fn trunc(a: Self::W) -> Self::W;
    /// Returns the next integer toward plus infinity.
    fn ceil(a: Self::W) -> Self::W;
    /// Returns the next integer toward minus infinity.
    fn floor(a: Self::W) -> Self::W;
    /// Returns the nearest integer, ties to even.
    fn round_even(a: Self::W) -> Self::W;
    /// Ordered and less: false for NaNs.
    fn lt(a: Self::W, b: Self::W) -> bool;
    /// Ordered and less or equal: false for NaNs.
    fn le(a: Self::W, b: Self::W) -> bool;
    /// Ordered and equal: false for NaNs.
    fn eq(a: Self::W, b: Self::W) -> bool;
    /// At least one operand is a NaN.
    fn unordered(a: Self::W, b: Self::W) -> bool;
    /// Returns the fraction m with 1 ≤ |m| < 2 and the exponent e of a finite nonzero number a = m · 2^e.
    fn split(a: Self::W) -> (Self::W, i32);
    /// m · 2^e rounded once, for 1 ≤ |m| < 2, or for an m that scaling does not change.
    fn scale(m: Self::W, e: i32) -> Self::W;
    /// Returns an integer with the order of the numbers, −0 below +0.
    fn key(a: Self::W) -> Self::Key;
    /// Returns the number that has the key.
    fn of_key(key: Self::Key) -> Self::W;
    /// a · 2^e rounded once.
    #[inline(always)]
    fn ldexp(a: Self::W, e: i32) -> Self::W {
        let (m, own) = Self::split(a);
        Self::scale(m, own.saturating_add(e))
    }
}

/// Returns whether the value is a NaN.
#[inline(always)]
pub(crate) fn is_nan<F: Format>(a: F::W) -> bool {
    a & !F::SIGN > F::EXPONENT
}

/// Returns the NaN of an invalid operation: negative and quiet.
#[inline(always)]
pub(crate) fn invalid<F: Format>() -> F::W {
    F::SIGN | F::EXPONENT | F::QUIET
}

/// Returns the first NaN among the operands, made quiet, or the NaN of an invalid operation.
#[inline(always)]
pub(crate) fn nan_of<F: Format, const N: usize>(operands: [F::W; N]) -> F::W {
    for a in operands.map(F::clean) {
        if is_nan::<F>(a) {
            return a | F::QUIET;
        }
    }
    invalid::<F>()
}

/// Returns the result of an operation with one operand, with the NaN that the operand determines.
#[inline(always)]
pub(crate) fn settle<F: Format>(a: F::W, r: F::W) -> F::W {
    let nan = if is_nan::<F>(a) {
        a | F::QUIET
    } else {
        invalid::<F>()
    };
    if is_nan::<F>(r) { nan } else { r }
}

/// Half precision, in the low half of 32 bits.
pub(crate) struct Half;
/// Single precision, in 32 bits.
pub(crate) struct Single;
/// Double precision, in 64 bits.
pub(crate) struct Double;

macro_rules! native {
    ($format:ident, $f:ident, $w:ident, $key:ident, $bias:literal, $tiny:literal, { $($item:item)* }) => {
        impl Format for $format {
            type W = $w;
            type Key = $key;
            const SIGN: $w = 1 << ($w::BITS - 1);
            const EXPONENT: $w = $f::INFINITY.to_bits();
            const QUIET: $w = 1 << ($f::MANTISSA_DIGITS - 2);
            const ZERO: $w = 0;
            const ONE: $w = (1.0 as $f).to_bits();
            const BELOW_ONE: $w = Self::ONE - 1;
            const FRACTION_BITS: u32 = $f::MANTISSA_DIGITS - 1;
            const BIAS: i32 = $bias;

            #[inline(always)]
            fn add(a: $w, b: $w) -> $w {
                ($f::from_bits(a) + $f::from_bits(b)).to_bits()
            }
            #[inline(always)]
            fn sub(a: $w, b: $w) -> $w {
                ($f::from_bits(a) - $f::from_bits(b)).to_bits()
            }
            #[inline(always)]
            fn mul(a: $w, b: $w) -> $w {
                ($f::from_bits(a) * $f::from_bits(b)).to_bits()
            }
            #[inline(always)]
            fn fma(a: $w, b: $w, c: $w) -> $w {
                $f::from_bits(a)
                    .mul_add($f::from_bits(b), $f::from_bits(c))
                    .to_bits()
            }
            #[inline(always)]
            fn sqrt(a: $w) -> $w {
                $f::from_bits(a).sqrt().to_bits()
            }
            #[inline(always)]
            fn rcp(a: $w) -> $w {
                (1.0 / $f::from_bits(a)).to_bits()
            }
            #[inline(always)]
            fn rsq(a: $w) -> $w {
                reciprocal_root::$f($f::from_bits(a)).to_bits()
            }
            #[inline(always)]
            fn trunc(a: $w) -> $w {
                $f::from_bits(a).trunc().to_bits()
            }
            #[inline(always)]
            fn ceil(a: $w) -> $w {
                $f::from_bits(a).ceil().to_bits()
            }
            #[inline(always)]
            fn floor(a: $w) -> $w {
                $f::from_bits(a).floor().to_bits()
            }
            #[inline(always)]
            fn round_even(a: $w) -> $w {
                $f::from_bits(a).round_ties_even().to_bits()
            }
            #[inline(always)]
            fn lt(a: $w, b: $w) -> bool {
                $f::from_bits(a) < $f::from_bits(b)
            }
            #[inline(always)]
            fn le(a: $w, b: $w) -> bool {
                $f::from_bits(a) <= $f::from_bits(b)
            }
            #[inline(always)]
            fn eq(a: $w, b: $w) -> bool {
                $f::from_bits(a) == $f::from_bits(b)
            }
            #[inline(always)]
            fn unordered(a: $w, b: $w) -> bool {
                $f::from_bits(a).is_nan() | $f::from_bits(b).is_nan()
            }
            #[inline(always)]
            fn split(a: $w) -> ($w, i32) {
                const UP: $f = (1u64 << $format::FRACTION_BITS) as $f;
                let tiny = a & Self::EXPONENT == 0;
                let scaled = ($f::from_bits(a) * UP).to_bits();
                let n = if tiny { scaled } else { a };
                let field = (n & Self::EXPONENT) >> Self::FRACTION_BITS;
                let shift = if tiny { Self::FRACTION_BITS as i32 } else { 0 };
                (
                    (n & !Self::EXPONENT) | Self::ONE,
                    field as i32 - Self::BIAS - shift,
                )
            }
            #[inline(always)]
            fn scale(m: $w, e: i32) -> $w {
                // The first product is exact, so only the second one rounds.
                let e = e.clamp(1 - $bias - $tiny, $bias + $tiny);
                let first = e.clamp(1 - $bias, $bias);
                let power = |e: i32| $f::from_bits(((e + $bias) as $w) << Self::FRACTION_BITS);
                ($f::from_bits(m) * power(first) * power(e - first)).to_bits()
            }
            // All bits of a negative number except its sign are inverted.
            #[inline(always)]
            fn key(a: $w) -> $key {
                a as $key ^ ((a as $key >> ($w::BITS - 1)) as $w >> 1) as $key
            }
            #[inline(always)]
            fn of_key(key: $key) -> $w {
                (key ^ ((key >> ($w::BITS - 1)) as $w >> 1) as $key) as $w
            }
            $($item)*
        }
    };
}

native!(Single, f32, u32, i32, 127, 60, {
    #[inline(always)]
    fn ldexp(a: u32, e: i32) -> u32 {
        // The power is exact in double precision within these bounds; half of the range already takes every number to zero or
        // infinity.
        let power = f64::from_bits(((i64::from(e.clamp(-600, 600)) + 1023) << 52) as u64);
        ((f64::from(f32::from_bits(a)) * power) as f32).to_bits()
    }
});
native!(Double, f64, u64, i64, 1023, 200, {});

/// 1 / sqrt(x) for both native formats.
mod reciprocal_root {
    /// Returns the correctly rounded reciprocal root. The estimate y of single precision may be 1.5 ULP off. With e = 1 - x·y·y,
    /// the sum y + y·e·(1/2 + 3/8·e) in double precision is within 2^-52.4 of the root. No root of a number of single precision
    /// is closer than 2^-51.7 to the middle between two numbers.
    #[inline(always)]
    pub(crate) fn f32(x: f32) -> f32 {
        let estimate = 1.0 / x.sqrt();
        let (wide, y) = (f64::from(x), f64::from(estimate));
        let error = 1.0 - wide * y * y;
        let better = (y + y * error * (0.5 + 0.375 * error)) as f32;
        // Zero, infinity and negatives keep the estimate: the step gives a NaN for 0 · ∞ or for a NaN.
        if better.is_nan() { estimate } else { better }
    }

    /// Returns the reciprocal root with two roundings: far closer than the documented 2^29 ULP.
    #[inline(always)]
    pub(crate) fn f64(x: f64) -> f64 {
        1.0 / x.sqrt()
    }
}

/// Half precision computed in single: sums, products, quotients and roots of 11-bit numbers, rounded to 24 bits and then to 11,
/// are correctly rounded.
macro_rules! through_single {
    ($($name:ident($($a:ident),*) = $single:ident;)*) => {$(
        #[inline(always)]
        fn $name($($a: u32),*) -> u32 {
            narrow_nearest(Single::$single($(widen($a)),*))
        }
    )*};
}

impl Format for Half {
    type W = u32;
    type Key = i32;
    const SIGN: u32 = 0x8000;
    const EXPONENT: u32 = 0x7c00;
    const QUIET: u32 = 0x200;
    const ZERO: u32 = 0;
    const ONE: u32 = 0x3c00;
    const BELOW_ONE: u32 = 0x3bff;
    const FRACTION_BITS: u32 = 10;
    const BIAS: i32 = 15;

    #[inline(always)]
    fn clean(a: u32) -> u32 {
        a & 0xffff
    }

    through_single! {
        add(a, b) = add;
        sub(a, b) = sub;
        mul(a, b) = mul;
        sqrt(a) = sqrt;
        rcp(a) = rcp;
        rsq(a) = rsq;
        trunc(a) = trunc;
        ceil(a) = ceil;
        floor(a) = floor;
        round_even(a) = round_even;
    }

    #[inline(always)]
    fn fma(a: u32, b: u32, c: u32) -> u32 {
        // The product is exact in single precision, and no sum overflows or underflows; rounding the sum to odd makes the second
        // rounding safe.
        let product = f32::from_bits(widen(a)) * f32::from_bits(widen(b));
        narrow_nearest(sum_to_odd_f32(product, f32::from_bits(widen(c))).to_bits())
    }

    #[inline(always)]
    fn lt(a: u32, b: u32) -> bool {
        !Self::unordered(a, b) & (order(a) < order(b))
    }
    #[inline(always)]
    fn le(a: u32, b: u32) -> bool {
        !Self::unordered(a, b) & (order(a) <= order(b))
    }
    #[inline(always)]
    fn eq(a: u32, b: u32) -> bool {
        !Self::unordered(a, b) & (order(a) == order(b))
    }
    #[inline(always)]
    fn unordered(a: u32, b: u32) -> bool {
        is_nan::<Half>(a) | is_nan::<Half>(b)
    }

    #[inline(always)]
    fn split(a: u32) -> (u32, i32) {
        let (m, e) = Single::split(widen(a));
        (narrow_nearest(m), e)
    }

    #[inline(always)]
    fn scale(m: u32, e: i32) -> u32 {
        // The scaling is exact in single precision within these bounds.
        narrow_nearest(Single::scale(widen(m), e.clamp(-60, 60)))
    }

    // The sign moves to the position of the key's sign.
    #[inline(always)]
    fn key(a: u32) -> i32 {
        Single::key(a << 16)
    }
    #[inline(always)]
    fn of_key(key: i32) -> u32 {
        Single::of_key(key) >> 16
    }

    #[inline(always)]
    fn ldexp(a: u32, e: i32) -> u32 {
        // The power is exact in single precision within these bounds.
        let power = f32::from_bits(((e.clamp(-60, 60) + 127) as u32) << 23);
        narrow_nearest((f32::from_bits(widen(a)) * power).to_bits())
    }
}

/// Returns an integer with the order of the numbers; both zeros give 0.
#[inline(always)]
fn order(a: u32) -> i32 {
    let magnitude = (a & 0x7fff) as i32;
    if a & Half::SIGN != 0 {
        -magnitude
    } else {
        magnitude
    }
}

#[cfg(test)]
mod tests {
    use super::reciprocal_root;

    /// All numbers of single precision between 1/2 and 2, which cover every mantissa and parity of the exponent. m, the middle
    /// between the two numbers around the root, is below the root where x · m² < 1, tested in integers.
    #[test]
    fn reciprocal_roots_are_rounded_right() {
        for bits in 0x3f00_0000..0x4000_0000 {
            let x = f32::from_bits(bits);
            let root = (1.0 / f64::from(x).sqrt()).to_bits();
            let below = f64::from_bits(root >> 29 << 29) as f32;
            let middle = u128::from(root >> 28 & 0x1ff_ffff | 1 | 1 << 24);
            let exponents = (bits >> 23) as i32 - 150 + 2 * ((root >> 52) as i32 - 1047);
            let product = u128::from(bits & 0x7f_ffff | 0x80_0000) * middle * middle;
            let right = if product < 1 << -exponents {
                f32::from_bits(below.to_bits() + 1)
            } else {
                below
            };
            assert_eq!(reciprocal_root::f32(x).to_bits(), right.to_bits(), "{x}");
        }
    }
}
