//! Division: scaling before, the last step, and special cases after (Vega ISA, 12.10 V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP).
//!
//! The manual's pseudo-code contradicts itself in three places; a division by it would be wrong. These rules are implemented
//! instead (docs/reference/errata.md):
//!
//! * `V_DIV_FMAS` scales by 2^±64 (2^±128 for double precision), the powers `V_DIV_SCALE` uses, not by 2^32 (2^64). It scales up
//!   if the quotient so far is large, because only then the denominator alone was scaled up.
//! * `V_DIV_FIXUP` gives overflow if the exponent of the **quotient** is all ones; that of the denominator was treated before.
//! * If both 1/D and N/D are denormal, the denominator is scaled **down**: scaled up it would be infinite.

use wavetank_ir::{DivisionStep, Elem};

use super::lane_fn;

lane_fn! {
    /// `V_DIV_SCALE_F32`; the mask says that the quotient is to be scaled back.
    DIV_SCALE_F32, "div_scale_f32", 32, |args| {
        let [s0, s1, s2] = f32_args(args);
        let (d, post) = scale_f32(s0, s1, s2);
        (d.to_bits().into(), post)
    }, mask, usually usual_f32, step (DivisionStep::Scale, Elem::F32)
}
lane_fn! {
    /// `V_DIV_SCALE_F64`; the mask says that the quotient is to be scaled back.
    DIV_SCALE_F64, "div_scale_f64", 64, |args| {
        let [s0, s1, s2] = f64_args(args);
        let (d, post) = scale_f64(s0, s1, s2);
        (d.to_bits(), post)
    }, mask, usually usual_f64, step (DivisionStep::Scale, Elem::F64)
}
lane_fn! {
    /// `V_DIV_FMAS_F32` in the lanes where VCC is set, rounded once to nearest.
    DIV_FMAS_SCALED_F32, "div_fmas_scaled_f32", 32, |args| fmas_f32(f32_args(args)).to_bits(), step (DivisionStep::ScaledFma, Elem::F32)
}
lane_fn! {
    /// `V_DIV_FMAS_F64` in the lanes where VCC is set, rounded once to nearest.
    DIV_FMAS_SCALED_F64, "div_fmas_scaled_f64", 64, |args| fmas_f64(f64_args(args)).to_bits(), step (DivisionStep::ScaledFma, Elem::F64)
}
lane_fn! {
    /// The special cases of half-precision division.
    DIV_FIXUP_F16, "div_fixup_f16", 32, |args| fixup_f16::<false>(args) as u32, step (DivisionStep::Fixup { flushes: false }, Elem::F16)
}
lane_fn! {
    /// The special cases of half-precision division, with denormals flushed.
    DIV_FIXUP_FLUSHING_F16, "div_fixup_flushing_f16", 32, |args| fixup_f16::<true>(args) as u32, step (DivisionStep::Fixup { flushes: true }, Elem::F16)
}
lane_fn! {
    /// The special cases of single-precision division.
    DIV_FIXUP_F32, "div_fixup_f32", 32, |args| fixup_f32::<false>(args) as u32, step (DivisionStep::Fixup { flushes: false }, Elem::F32)
}
lane_fn! {
    /// The special cases of single-precision division, with denormals flushed.
    DIV_FIXUP_FLUSHING_F32, "div_fixup_flushing_f32", 32, |args| fixup_f32::<true>(args) as u32, step (DivisionStep::Fixup { flushes: true }, Elem::F32)
}
lane_fn! {
    /// The special cases of double-precision division.
    DIV_FIXUP_F64, "div_fixup_f64", 64, fixup_f64::<false>, usually usual_fixup_f64, step (DivisionStep::Fixup { flushes: false }, Elem::F64)
}
lane_fn! {
    /// The special cases of double-precision division, with denormals flushed.
    DIV_FIXUP_FLUSHING_F64, "div_fixup_flushing_f64", 64, fixup_f64::<true>, usually usual_fixup_f64, step (DivisionStep::Fixup { flushes: true }, Elem::F64)
}

fn f32_args([a, b, c, _]: [u64; 4]) -> [f32; 3] {
    [a, b, c].map(|bits| f32::from_bits(bits as u32))
}

fn f64_args([a, b, c, _]: [u64; 4]) -> [f64; 3] {
    [a, b, c].map(f64::from_bits)
}

/// Splits a number of `BITS` bits into a 32-bit word with sign and exponent, and the bits below. Most special cases depend on the
/// first word only, and twice as many of those fit in a vector.
#[inline(always)]
const fn words<const BITS: u32>(x: u64) -> [u32; 2] {
    match BITS {
        64 => [(x >> 32) as u32, x as u32],
        _ => [x as u32, 0],
    }
}

/// Joins the words of a number, the inverse of `words`.
#[inline(always)]
fn number<const BITS: u32>([top, rest]: [u32; 2]) -> u64 {
    match BITS {
        64 => u64::from(top) << 32 | u64::from(rest),
        _ => top.into(),
    }
}

/// Defines the scaling for one float type.
macro_rules! scaling {
    ($float:ident, $bits:ident, $scale:ident, $usual:ident, $power:literal, $near_max:literal, $tiny:literal, $nan:literal) => {
        /// The result of `$scale` for zeros and for numbers that need no scaling, and whether the operands are such.
        #[inline(always)]
        fn $usual([s0, s1, s2, _]: [u64; 4]) -> (u64, bool) {
            const BIAS: i32 = $float::MAX_EXP - 1;
            const BITS: u32 = $bits::BITS;
            const INVALID: [u32; 2] = words::<BITS>($nan);
            let [s0, s1, s2] = [s0, s1, s2].map(words::<BITS>);
            // The first word contains sign, exponent and the upper bits of the fraction.
            const EXPONENT_BITS: u32 = BITS - $float::MANTISSA_DIGITS;
            let exponent = |[top, _]: [u32; 2]| (top << 1 >> (32 - EXPONENT_BITS)) as i32;
            let is_zero = |[top, rest]: [u32; 2]| top << 1 | rest == 0;
            let (e1, e2) = (exponent(s1), exponent(s2));
            let moderate = (2 - BIAS < e2 - e1) & (e2 - e1 < $near_max);
            let usual = (0 < e1) & (e1 < 2 * BIAS - 1) & ($tiny < e2) & moderate;
            let zero = is_zero(s1) | is_zero(s2);
            let top = if zero { INVALID[0] } else { s0[0] };
            let rest = if zero { INVALID[1] } else { s0[1] };
            (number::<BITS>([top, rest]), usual | zero)
        }

        /// `s0` scaled so that the quotient `s2 / s1` can be refined without denormals, and whether the quotient must be scaled
        /// back.
        #[inline(always)]
        fn $scale(s0: $float, s1: $float, s2: $float) -> ($float, bool) {
            const MANTISSA: u32 = $float::MANTISSA_DIGITS - 1;
            const BIAS: i32 = $float::MAX_EXP - 1;
            let power = |n: i32| $float::from_bits(((BIAS + n) as $bits) << MANTISSA);
            let (up, down) = (power($power), power(-$power));
            let exponent = |x: $float| (x.abs().to_bits() >> MANTISSA) as i32;
            let (e1, e2) = (exponent(s1), exponent(s2));
            let moderate = 2 - BIAS < e2 - e1 && e2 - e1 < $near_max;
            if 0 < e1 && e1 < 2 * BIAS - 1 && $tiny < e2 && moderate {
                return (s0, false);
            }
            // 1/D is denormal above 2 to the power of −(smallest exponent).
            let reciprocal_denormal = s1.abs() > power(BIAS - 1) && s1.is_finite();
            let quotient_denormal = (s2 / s1).is_subnormal();
            let only = |this: $float, factor: $float| if s0 == this { factor } else { 1.0 };
            let (factor, post) = if e2 - e1 >= $near_max {
                (only(s1, up), true)
            } else if s1.is_subnormal() {
                (up, false)
            } else if reciprocal_denormal && quotient_denormal {
                (only(s1, down), true)
            } else if reciprocal_denormal {
                (down, false)
            } else if quotient_denormal {
                (only(s2, up), true)
            } else if e2 <= $tiny {
                (up, false)
            } else {
                (1.0, false)
            };
            if s1 == 0.0 || s2 == 0.0 {
                ($float::from_bits($nan), false)
            } else {
                (s0 * factor, post)
            }
        }
    };
}

scaling!(f32, u32, scale_f32, usual_f32, 64, 96, 23, 0xffc0_0000);
scaling!(
    f64,
    u64,
    scale_f64,
    usual_f64,
    128,
    768,
    53,
    0xfff8_0000_0000_0000
);

/// Defines the NaN that a sum of products gives: the first NaN operand, made quiet, or the NaN of an invalid operation. The
/// processor's choice depends on how the compiler orders the operands.
macro_rules! nan_of {
    ($nan_of:ident, $float:ident, $invalid:literal) => {
        fn $nan_of(operands: [$float; 3]) -> $float {
            const QUIET: u32 = $float::MANTISSA_DIGITS - 2;
            let nan = operands.into_iter().find(|x| x.is_nan());
            let bits = nan.map_or($invalid, |x| x.to_bits() | 1 << QUIET);
            $float::from_bits(bits)
        }
    };
}

nan_of!(nan_of_f32, f32, 0xffc0_0000);
nan_of!(nan_of_f64, f64, 0xfff8_0000_0000_0000);

fn fmas_f32(operands: [f32; 3]) -> f32 {
    const UP: f64 = f64::from_bits((1023 + 64) << 52);
    const DOWN: f64 = f64::from_bits((1023 - 64) << 52);
    let [a, b, c] = operands.map(f64::from);
    // In double precision, the product and the scaling are exact, with many spare bits: the sum is rounded to odd, so narrowing
    // it gives the same result as one rounding.
    let (sum, rest) = two_sum(a * b, c);
    let bits = sum.to_bits();
    let even_inexact = bits & 1 == 0 && rest != 0.0 && sum.is_finite();
    let odd = match (even_inexact, (rest > 0.0) == (sum > 0.0)) {
        (false, _) => bits,
        (true, true) => bits + 1,
        (true, false) => bits - 1,
    };
    let scale = if c.abs() >= 2.0 { UP } else { DOWN };
    let scaled = (f64::from_bits(odd) * scale) as f32;
    if scaled.is_nan() {
        nan_of_f32(operands)
    } else {
        scaled
    }
}

fn fmas_f64([a, b, c]: [f64; 3]) -> f64 {
    const UP: f64 = f64::from_bits((1023 + 128) << 52);
    const DOWN: f64 = f64::from_bits((1023 - 128) << 52);
    const HALF_STEP: f64 = f64::from_bits((1023 + 128 - 1075) << 52);
    let sum = a.mul_add(b, c);
    if sum.is_nan() {
        return nan_of_f64([a, b, c]);
    }
    if c.abs() >= 2.0 {
        return sum * UP;
    }
    let scaled = sum * DOWN;
    // The remainder of the second rounding. If it is half a denormal step, the remainder of the first rounding decides.
    let lost = sum - scaled * UP;
    if lost.abs() != HALF_STEP {
        return scaled;
    }
    let error = fma_error(a, b, c, sum);
    if error != 0.0 && (error > 0.0) == (lost > 0.0) {
        scaled + f64::from_bits(1).copysign(lost)
    } else {
        scaled
    }
}

/// `a · b + c − nearest` with the correct sign, where `nearest` is the rounded `a · b + c`.
fn fma_error(a: f64, b: f64, c: f64, nearest: f64) -> f64 {
    let product = a * b;
    let low = a.mul_add(b, -product);
    let (sum, rest) = two_sum(product, c);
    ((sum - nearest) + rest) + low
}

/// The rounded sum of two numbers, and its rounding error.
#[inline(always)]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// Defines the last step for an IEEE format in the low bits of a word: S0 is the quotient, S1 the denominator, S2 the numerator.
/// If the difference of the exponents is below `underflow`, the quotient underflows; a quotient that is not finite becomes an
/// infinity if `overflows` is set. With `FLUSH`, a denormal denominator or numerator counts as a zero.
macro_rules! fixup {
    ($fixup:ident, $bits:ident, $signed:ident, $mantissa:literal, $exponent:literal, $underflow:literal, $overflows:literal) => {
        #[inline(always)]
        fn $fixup<const FLUSH: bool>([quotient, denominator, numerator, _]: [u64; 4]) -> u64 {
            const SIGN: $bits = 1 << ($mantissa + $exponent);
            const INFINITY: $bits = ((1 << $exponent) - 1) << $mantissa;
            const QUIET: $bits = 1 << ($mantissa - 1);
            // Carriers of half precision may have other bits above the number.
            let number = |x: u64| x as $bits & (SIGN | (SIGN - 1));
            let [q, d, n] = [quotient, denominator, numerator].map(number);
            let [qa, da, na] = [q, d, n].map(|x| x & !SIGN);
            let exponent = |x: $bits| (x >> $mantissa) as $signed;
            let is_zero = |x: $bits| if FLUSH { exponent(x) == 0 } else { x == 0 };
            let (d_is_zero, n_is_zero) = (is_zero(da), is_zero(na));
            let tiny = exponent(na) - exponent(da) < $underflow;
            // Branchless, so that the loop over 64 lanes is vectorized: the rule of highest priority is last.
            let r = if $overflows & (qa >= INFINITY) {
                INFINITY
            } else {
                qa
            };
            let r = if (da == INFINITY) | n_is_zero | tiny {
                0
            } else {
                r
            };
            let r = if d_is_zero | (na == INFINITY) {
                INFINITY
            } else {
                r
            };
            let r = r | ((d ^ n) & SIGN);
            let invalid = d_is_zero & n_is_zero | (da == INFINITY) & (na == INFINITY);
            let r = if invalid { SIGN | INFINITY | QUIET } else { r };
            let r = if da > INFINITY { d | QUIET } else { r };
            let r = if na > INFINITY { n | QUIET } else { r };
            r.into()
        }
    };
}

// The manual has neither test for half precision: no difference reaches −64.
fixup!(fixup_f16, u32, i32, 10, 5, -64, false);
fixup!(fixup_f32, u32, i32, 23, 8, -150, true);
fixup!(fixup_f64, u64, i64, 52, 11, -1075, true);

/// `fixup_f64` for a finite quotient of normal numbers whose exponents do not indicate underflow; and whether the operands are
/// such.
#[inline(always)]
fn usual_fixup_f64([quotient, denominator, numerator, _]: [u64; 4]) -> (u64, bool) {
    const SIGN: u32 = 1 << 31;
    let [q, d, n] = [quotient, denominator, numerator].map(words::<64>);
    let exponent = |[top, _]: [u32; 2]| (top << 1 >> 21) as i32;
    let is_normal = |e: i32| (0 < e) & (e < 2047);
    let (ed, en) = (exponent(d), exponent(n));
    let usual = (exponent(q) < 2047) & is_normal(ed) & is_normal(en) & (en - ed >= -1075);
    let top = q[0] & !SIGN | (d[0] ^ n[0]) & SIGN;
    (number::<64>([top, q[1]]), usual)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The sequence that compilers emit for a correctly rounded f32 division, with the reciprocal within 1 ULP.
    fn divide_f32(n: f32, d: f32) -> f32 {
        let (ds, _) = scale_f32(d, d, n);
        let (ns, post) = scale_f32(n, d, n);
        let r = 1.0 / ds;
        let r = (-ds).mul_add(r, 1.0).mul_add(r, r);
        let q = ns * r;
        let q = (-ds).mul_add(q, ns).mul_add(r, q);
        let e = (-ds).mul_add(q, ns);
        let q = if post {
            fmas_f32([e, r, q])
        } else {
            e.mul_add(r, q)
        };
        let bits = [q, d, n, 0.0].map(|x| u64::from(x.to_bits()));
        f32::from_bits(fixup_f32::<false>(bits) as u32)
    }

    fn divide_f64(n: f64, d: f64) -> f64 {
        let (ds, _) = scale_f64(d, d, n);
        let (ns, post) = scale_f64(n, d, n);
        let r = 1.0 / ds;
        let r = (-ds).mul_add(r, 1.0).mul_add(r, r);
        let q = ns * r;
        let e = (-ds).mul_add(q, ns);
        let q = if post {
            fmas_f64([e, r, q])
        } else {
            e.mul_add(r, q)
        };
        f64::from_bits(fixup_f64::<false>([q, d, n, 0.0].map(f64::to_bits)))
    }

    fn same<T: PartialOrd>(a: T, b: T) -> bool {
        a == b || (a.partial_cmp(&a).is_none() && b.partial_cmp(&b).is_none())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// The whole sequence gives the IEEE quotient for all bit patterns, including denormals.
        #[test]
        fn sequence_divides_f32(n: u32, d: u32) {
            let (n, d) = (f32::from_bits(n), f32::from_bits(d));
            prop_assert!(same(divide_f32(n, d), n / d), "{n:e} / {d:e} = {:e}, not {:e}", n / d, divide_f32(n, d));
        }

        #[test]
        fn sequence_divides_f64(n: u64, d: u64) {
            let (n, d) = (f64::from_bits(n), f64::from_bits(d));
            prop_assert!(same(divide_f64(n, d), n / d), "{n:e} / {d:e} = {:e}, not {:e}", n / d, divide_f64(n, d));
        }

        /// Quotients near both ends of the range, where scaling has an effect.
        #[test]
        fn sequence_divides_extremes(n in 0u32..0x800, d in 0u32..0x800, m: [u16; 2], low: bool) {
            let end = |x: u32, m: u16, high: bool| {
                let exponent = if high { 254 - x % 40 } else { x % 40 };
                f32::from_bits(exponent << 23 | u32::from(m) << 7 | x >> 6)
            };
            let (n, d) = (end(n, m[0], !low), end(d, m[1], low));
            prop_assert!(same(divide_f32(n, d), n / d), "{n:e} / {d:e} = {:e}, not {:e}", n / d, divide_f32(n, d));
        }
    }

    /// NaNs propagate as in a fused multiply-add: the first one, made quiet.
    #[test]
    fn scaled_sums_give_the_first_nan() {
        let f = |bits: [u32; 3]| fmas_f32(bits.map(f32::from_bits)).to_bits();
        assert_eq!(f([0x3f80_0000, 0xffff_ffff, 0x7fc0_0001]), 0xffff_ffff);
        assert_eq!(f([0x3f80_0000, 0x4000_0000, 0x7f80_0001]), 0x7fc0_0001);
        assert_eq!(f([0x7f80_0000, 0, 0x3f80_0000]), 0xffc0_0000);
        let f = |bits: [u64; 3]| fmas_f64(bits.map(f64::from_bits)).to_bits();
        let (signaling, other) = (0x7ff0_0000_0000_0001, 0xfff8_0000_0000_0002);
        assert_eq!(f([0, signaling, other]), 0x7ff8_0000_0000_0001);
        assert_eq!(f([0, f64::INFINITY.to_bits(), 0]), 0xfff8_0000_0000_0000);
    }

    /// The rows of the manual's table of special cases.
    #[test]
    fn fixup_special_cases() {
        let fixup = |n: f32, d: f32| {
            fixup_f32::<false>([7.0, d, n, 0.0].map(|x: f32| x.to_bits().into())) as u32
        };
        let inf = f32::INFINITY;
        assert_eq!(fixup(0.0, 0.0), 0xffc0_0000);
        assert_eq!(fixup(inf, -inf), 0xffc0_0000);
        assert_eq!(fixup(-1.0, 0.0), (-inf).to_bits());
        assert_eq!(fixup(inf, 2.0), inf.to_bits());
        assert_eq!(fixup(-2.0, inf), 0x8000_0000);
        assert_eq!(fixup(0.0, -3.0), 0x8000_0000);
        assert_eq!(fixup(1.0, -3.0), (-7f32).to_bits());
        assert_eq!(fixup(f32::from_bits(0x7f80_0001), 1.0), 0x7fc0_0001);
        assert_eq!(fixup_f16::<false>([0, 0, 0, 0]), 0xfe00);
        // No overflow: the computed quotient is unchanged.
        assert_eq!(fixup_f16::<false>([0x7e05, 0x3c00, 0xbc00, 0]), 0xfe05);
        assert_eq!(fixup_f64::<false>([0, 0, 0, 0]), 0xfff8_0000_0000_0000);
        // Denormals that are flushed to zero.
        assert_eq!(fixup_f16::<true>([0x4000, 1, 0x3c00, 0]), 0x7c00);
        assert_eq!(fixup_f16::<true>([0x4000, 0x3c00, 0x8001, 0]), 0x8000);
        assert_eq!(fixup_f16::<true>([0x4000, 0x3ff, 0x3ff, 0]), 0xfe00);
    }
}
