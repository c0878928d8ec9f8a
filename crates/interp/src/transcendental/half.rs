//! Of halves, by polynomials in single precision: off by about 2^-12 of half's
//! last place, before they are rounded to half.

#[inline(always)]
fn polynomial<const N: usize>(x: f32, c: [f32; N]) -> f32 {
    let mut r = c[N - 1];
    for i in (0..N - 1).rev() {
        r = r.mul_add(x, c[i]);
    }
    r
}

/// 2^f for |f| ≤ ½: Chebyshev fit, off by 2^-23.
const EXP2: [f32; 6] = [
    1.0,
    std::f32::consts::LN_2,
    0.240_221_07,
    0.055_503_57,
    0.009_676_032,
    0.001_339_086_3,
];

/// 1.5 · 2^23: adding it rounds to an integer, which then stands in the low
/// bits.
const ROUNDER: f32 = 12_582_912.0;

#[inline(always)]
pub fn exp2(x: f32) -> f32 {
    // Far past both ends of half precision, which the last rounding sees.
    let bounded = if x < 40.0 { x } else { 40.0 };
    let bounded = if bounded > -40.0 { bounded } else { -40.0 };
    let rounded = bounded + ROUNDER;
    let p = polynomial(bounded - (rounded - ROUNDER), EXP2);
    let r = f32::from_bits(p.to_bits().wrapping_add(rounded.to_bits() << 23));
    if x.is_nan() { x } else { r }
}

/// log2(1 + a) / a for √½ ≤ 1 + a ≤ √2: Chebyshev fit, off by 2^-24.
const LOG2: [f32; 9] = [
    std::f32::consts::LOG2_E,
    -0.721_347_45,
    0.480_910_75,
    -0.360_693_28,
    0.287_903_25,
    -0.239_169_88,
    0.216_078_22,
    -0.205_861_88,
    0.123_109_68,
];

#[inline(always)]
pub fn log2(x: f32) -> f32 {
    const ROOT_HALF: u32 = std::f32::consts::FRAC_1_SQRT_2.to_bits();
    // x = m · 2^e with √½ ≤ m < √2: no half is denormal in single precision.
    let e = x.to_bits().wrapping_sub(ROOT_HALF) as i32 >> 23;
    let m = f32::from_bits(x.to_bits().wrapping_sub((e << 23) as u32));
    let a = m - 1.0;
    let r = a.mul_add(polynomial(a, LOG2), e as f32);
    let r = if x > f32::MAX { x } else { r };
    let r = if x == 0.0 { f32::NEG_INFINITY } else { r };
    if x >= 0.0 { r } else { f32::NAN }
}

/// sin(2πr) / r by r², for |r| ≤ ¼: Chebyshev fit, off by 2^-25.
const SIN: [f32; 5] = [6.283_185_5, -41.341_682, 81.602_48, -76.581_17, 39.759_827];

/// x less the nearest integer, exact, and -0 for -0; not a number for
/// infinities.
#[inline(always)]
fn part_of_turn(x: f32) -> f32 {
    let nearest = x.round_ties_even() + 0.0;
    x - nearest
}

#[inline(always)]
pub fn sin(x: f32) -> f32 {
    let r = part_of_turn(x);
    let r = if r.abs() > 0.25 {
        0.5f32.copysign(r) - r
    } else {
        r
    };
    r * polynomial(r * r, SIN)
}

#[inline(always)]
pub fn cos(x: f32) -> f32 {
    // Exact: halves are multiples of 2^-24.
    let r = 0.25 - part_of_turn(x).abs();
    r * polynomial(r * r, SIN)
}
