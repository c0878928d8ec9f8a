//! Transcendental functions of halves, by polynomials in single precision. Before the final rounding to half, their error is
//! about 2^-12 of half's last place.

use crate::polynomials::half::{EXP2, LOG2, SIN};

#[inline(always)]
fn polynomial<const N: usize>(x: f32, c: [f32; N]) -> f32 {
    let mut r = c[N - 1];
    for i in (0..N - 1).rev() {
        r = r.mul_add(x, c[i]);
    }
    r
}

/// 1.5 · 2^23: adding it rounds to an integer, which is then in the low bits.
const ROUNDER: f32 = 12_582_912.0;

#[inline(always)]
pub(crate) fn exp2(x: f32) -> f32 {
    // Far past both ends of half precision, so the final rounding gives zero or infinity.
    let bounded = if x < 40.0 { x } else { 40.0 };
    let bounded = if bounded > -40.0 { bounded } else { -40.0 };
    let rounded = bounded + ROUNDER;
    let p = polynomial(bounded - (rounded - ROUNDER), EXP2);
    let r = f32::from_bits(p.to_bits().wrapping_add(rounded.to_bits() << 23));
    if x.is_nan() { x } else { r }
}

#[inline(always)]
pub(crate) fn log2(x: f32) -> f32 {
    const ROOT_HALF: u32 = std::f32::consts::FRAC_1_SQRT_2.to_bits();
    // x = m · 2^e with √½ ≤ m < √2. Halves are never denormal in single precision.
    let e = x.to_bits().wrapping_sub(ROOT_HALF) as i32 >> 23;
    let m = f32::from_bits(x.to_bits().wrapping_sub((e << 23) as u32));
    let a = m - 1.0;
    let r = a.mul_add(polynomial(a, LOG2), e as f32);
    let r = if x > f32::MAX { x } else { r };
    let r = if x == 0.0 { f32::NEG_INFINITY } else { r };
    if x >= 0.0 { r } else { f32::NAN }
}

/// x minus the nearest integer, exactly, and -0 for -0; a NaN for infinities.
#[inline(always)]
fn part_of_turn(x: f32) -> f32 {
    let nearest = x.round_ties_even() + 0.0;
    x - nearest
}

#[inline(always)]
pub(crate) fn sin(x: f32) -> f32 {
    let r = part_of_turn(x);
    let r = if r.abs() > 0.25 {
        0.5f32.copysign(r) - r
    } else {
        r
    };
    r * polynomial(r * r, SIN)
}

#[inline(always)]
pub(crate) fn cos(x: f32) -> f32 {
    // The difference is exact: halves are multiples of 2^-24.
    let r = 0.25 - part_of_turn(x).abs();
    r * polynomial(r * r, SIN)
}
