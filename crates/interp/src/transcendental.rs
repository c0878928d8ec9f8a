//! 2^x, log2, sine and cosine.
//!
//! All are polynomials in double precision, by fused multiply-adds, which are
//! vector instructions where there are such, and give the same bits at
//! every level. Rounded to single precision they are within 0.5001 ULP, where
//! the ISA document grants 1 ULP; to half precision within 0.51 ULP.

use std::marker::PhantomData;

use crate::format::{Format, Half, Single, settle};
use crate::half::{narrow_nearest, widen};
use crate::lanes::{Env, Op1};
use crate::mode::{Mode, input, output};

/// Formats that fit in double precision.
pub trait Widened: Format {
    /// The same number.
    fn to_f64(a: Self::W) -> f64;
    /// Rounded to nearest.
    fn from_f64(r: f64) -> Self::W;
}

impl Widened for Single {
    #[inline(always)]
    fn to_f64(a: u32) -> f64 {
        f32::from_bits(a).into()
    }
    #[inline(always)]
    fn from_f64(r: f64) -> u32 {
        (r as f32).to_bits()
    }
}

impl Widened for Half {
    #[inline(always)]
    fn to_f64(a: u32) -> f64 {
        Single::to_f64(widen(a))
    }
    #[inline(always)]
    fn from_f64(r: f64) -> u32 {
        narrow_nearest(Single::from_f64(r))
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident = $f:ident;)*) => {$(
        $(#[$doc])*
        pub struct $name<F, M>(PhantomData<(F, M)>);

        impl<F: Widened, M: Mode> Op1 for $name<F, M> {
            type A = F::W;
            type R = F::W;

            #[inline(always)]
            fn f(env: Env, a: F::W) -> F::W {
                let a = input::<F, M>(env, a);
                let r = output::<F, M>(env, F::from_f64($f(F::to_f64(a))));
                settle::<F>(a, r)
            }
        }
    )*};
}

functions! {
    /// 2^x.
    Exp2 = exp2;
    /// Base-2 logarithm.
    Log2 = log2;
    /// Sine of x turns.
    Sin = sin;
    /// Cosine of x turns.
    Cos = cos;
}

/// 1.5 · 2^52: adding it rounds to an integer, which then stands in the low
/// bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

#[inline(always)]
fn polynomial<const N: usize>(x: f64, c: [f64; N]) -> f64 {
    let mut r = c[N - 1];
    for i in (0..N - 1).rev() {
        r = r.mul_add(x, c[i]);
    }
    r
}

/// 2^f for |f| ≤ ½: Chebyshev fit, off by 2^-40.
const EXP2: [f64; 9] = [
    1.0,
    0.6931471805459335,
    0.2402265069581299,
    0.05550410941205933,
    0.009618129159402558,
    0.0013333450568000645,
    0.00015403455852453838,
    1.5310079402249296e-05,
    1.3255224878668817e-06,
];

#[inline(always)]
fn exp2(x: f64) -> f64 {
    // Far past both ends of single precision, which the last rounding sees.
    let bounded = if x < 200.0 { x } else { 200.0 };
    let bounded = if bounded > -200.0 { bounded } else { -200.0 };
    let rounded = bounded + ROUNDER;
    let f = bounded - (rounded - ROUNDER);
    let p = polynomial(f, EXP2);
    let r = f64::from_bits(p.to_bits().wrapping_add(rounded.to_bits() << 52));
    if x.is_nan() { x } else { r }
}

/// log2((1 + s) / (1 − s)) / s by s², for |s| ≤ (√2 − 1) / (√2 + 1): Chebyshev
/// fit, off by 2^-43.
const LOG2: [f64; 6] = [
    2.885390081777851,
    0.9617966941122649,
    0.5770779426603044,
    0.41220922406110433,
    0.31990680380701336,
    0.28288502340748234,
];

#[inline(always)]
fn log2(x: f64) -> f64 {
    const ROOT_HALF: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    /// 2^52, whose bits take an integer below.
    const INTEGER: f64 = 4_503_599_627_370_496.0;
    const BIAS: u64 = 1023 << 52;
    // x = m · 2^e with √½ ≤ m < √2.
    let bits = x.to_bits();
    let biased = bits.wrapping_sub(ROOT_HALF).wrapping_add(BIAS) >> 52;
    let m = f64::from_bits(bits.wrapping_sub(biased << 52).wrapping_add(BIAS));
    let e = f64::from_bits(INTEGER.to_bits() | biased) - (INTEGER + 1023.0);
    let s = (m - 1.0) / (m + 1.0);
    let r = s.mul_add(polynomial(s * s, LOG2), e);
    let r = if x > f64::MAX { x } else { r };
    let r = if x == 0.0 { f64::NEG_INFINITY } else { r };
    if x >= 0.0 { r } else { f64::NAN }
}

/// sin(2πr) / r by r², for |r| ≤ ¼: Chebyshev fit, off by 2^-41.
const SIN: [f64; 7] = [
    std::f64::consts::TAU,
    -41.341702239903675,
    81.60524914901583,
    -76.70584754377326,
    42.058134871372054,
    -15.081483206893,
    3.6658551595639612,
];

/// x less the nearest integer, exact; not a number for infinities.
#[inline(always)]
fn part_of_turn(x: f64) -> f64 {
    let part = x - ((x + ROUNDER) - ROUNDER);
    // Numbers that large are whole turns.
    let part = if x.abs() < 16_777_216.0 { part } else { 0.0 };
    if x.abs() <= f64::MAX { part } else { f64::NAN }
}

#[inline(always)]
fn sin(x: f64) -> f64 {
    let r = part_of_turn(x);
    let r = if r.abs() > 0.25 {
        0.5f64.copysign(r) - r
    } else {
        r
    };
    r * polynomial(r * r, SIN)
}

#[inline(always)]
fn cos(x: f64) -> f64 {
    let r = 0.25 - part_of_turn(x).abs();
    r * polynomial(r * r, SIN)
}
