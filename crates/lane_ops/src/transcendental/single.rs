//! Transcendental functions of single precision, by polynomials in double.
//!
//! A function has three stages: it reduces the operand, evaluates a polynomial, and handles special operands. Steps that are
//! exact in single precision are done there, before and after the polynomial: they take half as many vectors.

use std::hint::black_box;
use std::mem::MaybeUninit;

use wavetank_ir::LANES;

use super::{Cos, Exp2, Function, Log2, Sin, half};
use crate::format::{Format, Single, is_nan, settle};
use crate::lanes::all_lanes;
use crate::store::Aligned;

/// Runs the stages of a function one after the other, each in all lanes. The first stage passes `N` words a lane to the second.
#[inline(always)]
fn staged<const N: usize>(
    a: impl Fn(usize) -> u32,
    reduce: impl Fn(u32) -> [u32; N],
    evaluate: impl Fn([u32; N]) -> f32,
    finish: impl Fn(u32, u32) -> u32,
) -> Aligned<[u32; LANES]> {
    let mut reduced = MaybeUninit::<Aligned<[[u32; LANES]; N]>>::uninit();
    let words = reduced.as_mut_ptr().cast::<u32>();
    for i in 0..LANES {
        for (n, word) in reduce(a(i)).into_iter().enumerate() {
            // SAFETY: word i of array n.
            unsafe { words.add(n * LANES + i).write(word) };
        }
    }
    // Words converted to double precision while they are read from memory take fewer operations than halves of registers, in
    // which the compiler would keep them without this barrier.
    let words = black_box(words);
    let word = |n: usize, i: usize| {
        // SAFETY: the loop above wrote word i of array n.
        unsafe { words.add(n * LANES + i).read() }
    };
    let r = all_lanes(|i| evaluate(std::array::from_fn(|n| word(n, i))).to_bits());
    all_lanes(|i| finish(a(i), r[i]))
}

#[inline(always)]
fn polynomial<const N: usize>(x: f64, c: [f64; N]) -> f64 {
    let mut r = c[N - 1];
    for i in (0..N - 1).rev() {
        r = r.mul_add(x, c[i]);
    }
    r
}

/// Returns the operand, made quiet, if it is a NaN; else the result.
#[inline(always)]
fn keep_nan(a: u32, r: u32) -> u32 {
    if is_nan::<Single>(a) {
        a | Single::QUIET
    } else {
        r
    }
}

impl Function for Exp2 {
    #[inline(always)]
    fn single(a: u32) -> u32 {
        keep_nan(a, exp2::evaluate(exp2::reduce(a)).to_bits())
    }
    #[inline(always)]
    fn singles(a: impl Fn(usize) -> u32) -> Aligned<[u32; LANES]> {
        staged(a, exp2::reduce, exp2::evaluate, keep_nan)
    }
    #[inline(always)]
    fn of_half(x: f32) -> f32 {
        half::exp2(x)
    }
}

mod exp2 {
    use super::polynomial;
    use crate::polynomials::EXP2;

    /// 1.5 · 2^23: adding it rounds to an integer, which is then in the low bits.
    const ROUNDER: f32 = 12_582_912.0;

    /// Returns the fraction f, |f| ≤ ½, and the exponent in the low bits. A NaN gives any numbers.
    #[inline(always)]
    pub(crate) fn reduce(a: u32) -> [u32; 2] {
        // Far past both ends of single precision, so the final rounding gives zero or infinity.
        let x = f32::from_bits(a);
        let x = if x < 200.0 { x } else { 200.0 };
        let x = if x > -200.0 { x } else { -200.0 };
        let rounded = x + ROUNDER;
        let f = x - (rounded - ROUNDER);
        [f.to_bits(), rounded.to_bits()]
    }

    #[inline(always)]
    pub(crate) fn evaluate([f, exponent]: [u32; 2]) -> f32 {
        let p = polynomial(f32::from_bits(f).into(), EXP2);
        f64::from_bits(p.to_bits().wrapping_add(u64::from(exponent) << 52)) as f32
    }
}

impl Function for Log2 {
    #[inline(always)]
    fn single(a: u32) -> u32 {
        log2::finish(a, log2::evaluate(log2::reduce(a)).to_bits())
    }

    #[inline(always)]
    fn singles(a: impl Fn(usize) -> u32) -> Aligned<[u32; LANES]> {
        let mut odd = 0;
        for i in 0..LANES {
            odd |= u32::from(!log2::is_usual(a(i)));
        }
        if odd == 0 {
            staged(a, log2::split, log2::evaluate, |_, r| r)
        } else {
            staged(a, log2::reduce, log2::evaluate, log2::finish)
        }
    }

    #[inline(always)]
    fn of_half(x: f32) -> f32 {
        half::log2(x)
    }
}

mod log2 {
    use super::{keep_nan, polynomial};
    use crate::format::{Format, Single, invalid};
    use crate::polynomials::LOG2;

    const SMALLEST_NORMAL: u32 = 1 << Single::FRACTION_BITS;

    /// Returns whether the operand is a positive normal number.
    #[inline(always)]
    pub(crate) fn is_usual(a: u32) -> bool {
        a.wrapping_sub(SMALLEST_NORMAL) < Single::EXPONENT - SMALLEST_NORMAL
    }

    /// Splits a usual number m · 2^e with √½ ≤ m < √2 into m, roughly 1 / (m + 1), and e.
    #[inline(always)]
    pub(crate) fn split(a: u32) -> [u32; 3] {
        const ROOT_HALF: u32 = std::f32::consts::FRAC_1_SQRT_2.to_bits();
        let e = a.wrapping_sub(ROOT_HALF) as i32 >> Single::FRACTION_BITS;
        let m = a.wrapping_sub((e << Single::FRACTION_BITS) as u32);
        let rough = 1.0 / (f32::from_bits(m) + 1.0);
        [m, rough.to_bits(), e as u32]
    }

    /// `split` for denormal numbers too. Other operands give any numbers.
    #[inline(always)]
    pub(crate) fn reduce(a: u32) -> [u32; 3] {
        const UP: f32 = SMALLEST_NORMAL as f32;
        let tiny = a < SMALLEST_NORMAL;
        let scaled = (f32::from_bits(a) * UP).to_bits();
        let [m, rough, e] = split(if tiny { scaled } else { a });
        let up = if tiny { Single::FRACTION_BITS } else { 0 };
        [m, rough, e.wrapping_sub(up)]
    }

    #[inline(always)]
    pub(crate) fn evaluate([m, rough, e]: [u32; 3]) -> f32 {
        let [m, rough] = [m, rough].map(|x| f64::from(f32::from_bits(x)));
        // s = (m − 1) / (m + 1), with a Newton step for the reciprocal.
        let error = (-m).mul_add(rough, 1.0 - rough);
        let s = m.mul_add(rough, -rough);
        let s = error.mul_add(s, s);
        s.mul_add(polynomial(s * s, LOG2), f64::from(e as i32)) as f32
    }

    #[inline(always)]
    pub(crate) fn finish(a: u32, r: u32) -> u32 {
        let r = if a == Single::EXPONENT { a } else { r };
        let r = if a > Single::EXPONENT {
            invalid::<Single>()
        } else {
            r
        };
        let is_zero = a & !Single::SIGN == 0;
        let r = if is_zero {
            Single::SIGN | Single::EXPONENT
        } else {
            r
        };
        keep_nan(a, r)
    }
}

impl Function for Sin {
    #[inline(always)]
    fn single(a: u32) -> u32 {
        settle::<Single>(a, turns::sin(turns::fold(a)).to_bits())
    }
    #[inline(always)]
    fn singles(a: impl Fn(usize) -> u32) -> Aligned<[u32; LANES]> {
        staged(a, turns::fold, turns::sin, settle::<Single>)
    }
    #[inline(always)]
    fn of_half(x: f32) -> f32 {
        half::sin(x)
    }
}

impl Function for Cos {
    #[inline(always)]
    fn single(a: u32) -> u32 {
        settle::<Single>(a, turns::cos(turns::part(a)).to_bits())
    }
    #[inline(always)]
    fn singles(a: impl Fn(usize) -> u32) -> Aligned<[u32; LANES]> {
        staged(a, turns::part, turns::cos, settle::<Single>)
    }
    #[inline(always)]
    fn of_half(x: f32) -> f32 {
        half::cos(x)
    }
}

mod turns {
    use super::polynomial;
    use crate::polynomials::SIN;

    /// x minus the nearest integer, exactly, and -0 for -0; a NaN for infinities.
    #[inline(always)]
    pub(crate) fn part(a: u32) -> [u32; 1] {
        let x = f32::from_bits(a);
        let nearest = x.round_ties_even() + 0.0;
        [(x - nearest).to_bits()]
    }

    /// Folds a turn to the number in its first or last quarter that has the same sine, exactly.
    #[inline(always)]
    pub(crate) fn fold(a: u32) -> [u32; 1] {
        let r = f32::from_bits(part(a)[0]);
        let r = if r.abs() > 0.25 {
            0.5f32.copysign(r) - r
        } else {
            r
        };
        [r.to_bits()]
    }

    #[inline(always)]
    fn sin_of_double(r: f64) -> f64 {
        r * polynomial(r * r, SIN)
    }

    #[inline(always)]
    pub(crate) fn sin([r]: [u32; 1]) -> f32 {
        sin_of_double(f32::from_bits(r).into()) as f32
    }

    #[inline(always)]
    pub(crate) fn cos([part]: [u32; 1]) -> f32 {
        sin_of_double(0.25 - f64::from(f32::from_bits(part).abs())) as f32
    }
}
