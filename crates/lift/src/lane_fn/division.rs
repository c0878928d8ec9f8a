//! Division: scaling before, the last step, and special cases after
//! (Vega ISA, 12.10 V_DIV_SCALE, V_DIV_FMAS, V_DIV_FIXUP).
//!
//! The seed's pseudo-code contradicts itself in three places; a division built
//! from it would be wrong, so the following is done instead (docs/errata.md):
//!
//! * `V_DIV_FMAS` scales by 2^±64 (2^±128 for double precision), the powers
//!   `V_DIV_SCALE` uses, not by 2^32 (2^64); up when the quotient so far is
//!   large, because only then the denominator alone was scaled up.
//! * `V_DIV_FIXUP` gives overflow when the exponent of the **quotient** is all
//!   ones; that of the denominator was dealt with before.
//! * With both 1/D and N/D denormal, the denominator is scaled **down**:
//!   scaled up it would be infinite.

use wavetank_ir::LaneFn;

use super::lane_fn;

/// `V_DIV_SCALE_F32`; the second result says that the quotient is to be scaled.
pub(crate) static DIV_SCALE_F32: LaneFn = LaneFn {
    name: "div_scale_f32",
    result_bits: 32,
    has_mask: true,
    call: |args| {
        let [s0, s1, s2] = f32_args(args);
        let (d, post) = scale_f32(s0, s1, s2);
        (d.to_bits().into(), post)
    },
};

/// `V_DIV_SCALE_F64`; the second result says that the quotient is to be scaled.
pub(crate) static DIV_SCALE_F64: LaneFn = LaneFn {
    name: "div_scale_f64",
    result_bits: 64,
    has_mask: true,
    call: |args| {
        let [s0, s1, s2] = f64_args(args);
        let (d, post) = scale_f64(s0, s1, s2);
        (d.to_bits(), post)
    },
};

lane_fn! {
    /// `V_DIV_FMAS_F32` in the lanes where VCC is set, rounded once to nearest.
    DIV_FMAS_SCALED_F32, "div_fmas_scaled_f32", 32, |args| fmas_f32(f32_args(args)).to_bits()
}
lane_fn! {
    /// `V_DIV_FMAS_F64` in the lanes where VCC is set, rounded once to nearest.
    DIV_FMAS_SCALED_F64, "div_fmas_scaled_f64", 64, |args| fmas_f64(f64_args(args)).to_bits()
}
lane_fn! {
    /// Special cases of half-precision division.
    DIV_FIXUP_F16, "div_fixup_f16", 32, |args| HALF.fixup(args) as u32
}
lane_fn! {
    /// Special cases of single-precision division.
    DIV_FIXUP_F32, "div_fixup_f32", 32, |args| SINGLE.fixup(args) as u32
}
lane_fn! {
    /// Special cases of double-precision division.
    DIV_FIXUP_F64, "div_fixup_f64", 64, |args| DOUBLE.fixup(args)
}

fn f32_args([a, b, c, _]: [u64; 4]) -> [f32; 3] {
    [a, b, c].map(|bits| f32::from_bits(bits as u32))
}

fn f64_args([a, b, c, _]: [u64; 4]) -> [f64; 3] {
    [a, b, c].map(f64::from_bits)
}

/// Implements scaling and the last step for one float type.
macro_rules! division {
    ($float:ident, $scale:ident, $exponent_bits:literal, $power:literal, $near_max:literal, $tiny:literal, $nan:literal) => {
        /// `s0` scaled so that the quotient `s2 / s1` can be refined without
        /// denormals, and whether the quotient has to be scaled back.
        fn $scale(s0: $float, s1: $float, s2: $float) -> ($float, bool) {
            const UP: $float = $float::from_bits(
                ((1 << ($exponent_bits - 1)) - 1 + $power) << ($float::MANTISSA_DIGITS - 1),
            );
            let exponent = |x: $float| (x.abs().to_bits() >> ($float::MANTISSA_DIGITS - 1)) as i32;
            let reciprocal_denormal = (1.0 / s1).is_subnormal();
            let quotient_denormal = (s2 / s1).is_subnormal();
            if s1 == 0.0 || s2 == 0.0 {
                ($float::from_bits($nan), false)
            } else if exponent(s2) - exponent(s1) >= $near_max {
                (if s0 == s1 { s0 * UP } else { s0 }, true)
            } else if s1.is_subnormal() {
                (s0 * UP, false)
            } else if reciprocal_denormal && quotient_denormal {
                (if s0 == s1 { s0 / UP } else { s0 }, true)
            } else if reciprocal_denormal {
                (s0 / UP, false)
            } else if quotient_denormal {
                (if s0 == s2 { s0 * UP } else { s0 }, true)
            } else if exponent(s2) <= $tiny {
                (s0 * UP, false)
            } else {
                (s0, false)
            }
        }
    };
}

division!(f32, scale_f32, 8, 64, 96, 23, 0xffc0_0000);
division!(f64, scale_f64, 11, 128, 768, 53, 0xfff8_0000_0000_0000);

fn fmas_f32([a, b, c]: [f32; 3]) -> f32 {
    let [a, b, c] = [a, b, c].map(f64::from);
    let scale = if c.abs() >= 2.0 { 64 } else { -64 };
    // In double precision the scaling is exact and many bits are to spare:
    // with the sum rounded to odd, narrowing rounds as if only once.
    let sum = a.mul_add(b, c);
    let odd = match fma_error(a, b, c, sum) {
        error if error == 0.0 || !sum.is_finite() || sum.to_bits() & 1 == 1 => sum,
        error if (error > 0.0) == (sum > 0.0) => f64::from_bits(sum.to_bits() + 1),
        _ => f64::from_bits(sum.to_bits() - 1),
    };
    (odd * 2f64.powi(scale)) as f32
}

fn fmas_f64([a, b, c]: [f64; 3]) -> f64 {
    let sum = a.mul_add(b, c);
    if c.abs() >= 2.0 {
        return sum * 2f64.powi(128);
    }
    let scaled = sum * 2f64.powi(-128);
    // What the second rounding lost; if that is half a denormal step, what the
    // first one lost decides.
    let lost = sum - scaled * 2f64.powi(128);
    let error = fma_error(a, b, c, sum);
    if lost.abs() != 2f64.powi(-1075 + 128) || error == 0.0 {
        return scaled;
    }
    let beyond = (error > 0.0) == (lost > 0.0);
    scaled
        + if beyond {
            f64::from_bits(1).copysign(lost)
        } else {
            0.0
        }
}

/// `a · b + c − nearest`, of the right sign, where `nearest` is the rounded
/// `a · b + c`.
fn fma_error(a: f64, b: f64, c: f64, nearest: f64) -> f64 {
    // Exact: a·b = product + low, product + c = sum + rest.
    let product = a * b;
    let low = a.mul_add(b, -product);
    let sum = product + c;
    let c_part = sum - product;
    let rest = (product - (sum - c_part)) + (c - c_part);
    ((sum - nearest) + rest) + low
}

/// The layout of an IEEE format.
struct Format {
    /// Bits of the stored mantissa.
    mantissa: u32,
    /// Bits of the exponent.
    exponent: u32,
    /// Below this difference of exponents the quotient underflows.
    underflow: i64,
}

/// The seed gives half precision no underflow test: no difference reaches −64.
const HALF: Format = Format {
    mantissa: 10,
    exponent: 5,
    underflow: -64,
};
const SINGLE: Format = Format {
    mantissa: 23,
    exponent: 8,
    underflow: -150,
};
const DOUBLE: Format = Format {
    mantissa: 52,
    exponent: 11,
    underflow: -1075,
};

impl Format {
    /// S0 quotient, S1 denominator, S2 numerator.
    fn fixup(&self, [quotient, denominator, numerator, _]: [u64; 4]) -> u64 {
        let sign = 1u64 << (self.mantissa + self.exponent);
        let infinity = ((1 << self.exponent) - 1) << self.mantissa;
        let quiet = 1 << (self.mantissa - 1);
        // Carriers of half precision may have other bits above.
        let [q, d, n] = [quotient, denominator, numerator].map(|x| x & (sign | (sign - 1)));
        let (qa, da, na) = (q & !sign, d & !sign, n & !sign);
        let sign_out = (d ^ n) & sign;
        let exponent = |x: u64| (x >> self.mantissa) as i64;
        if na > infinity {
            n | quiet
        } else if da > infinity {
            d | quiet
        } else if da == 0 && na == 0 || da == infinity && na == infinity {
            sign | infinity | quiet
        } else if da == 0 || na == infinity {
            sign_out | infinity
        } else if da == infinity || na == 0 || exponent(na) - exponent(da) < self.underflow {
            sign_out
        } else if qa >= infinity {
            sign_out | infinity
        } else {
            sign_out | qa
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The sequence compilers emit for a correctly rounded f32 division, with
    /// the reciprocal within 1 ULP.
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
        f32::from_bits(SINGLE.fixup(bits) as u32)
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
        f64::from_bits(DOUBLE.fixup([q, d, n, 0.0].map(f64::to_bits)))
    }

    fn same<T: PartialOrd>(a: T, b: T) -> bool {
        a == b || (a.partial_cmp(&a).is_none() && b.partial_cmp(&b).is_none())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        /// The whole sequence gives the IEEE quotient for all bit patterns,
        /// denormal ones too.
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

        /// Quotients near both ends of the range, where scaling matters.
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

    /// The rows of the seed's table of special cases.
    #[test]
    fn fixup_special_cases() {
        let fixup =
            |n: f32, d: f32| SINGLE.fixup([7.0, d, n, 0.0].map(|x: f32| x.to_bits().into())) as u32;
        let inf = f32::INFINITY;
        assert_eq!(fixup(0.0, 0.0), 0xffc0_0000);
        assert_eq!(fixup(inf, -inf), 0xffc0_0000);
        assert_eq!(fixup(-1.0, 0.0), (-inf).to_bits());
        assert_eq!(fixup(inf, 2.0), inf.to_bits());
        assert_eq!(fixup(-2.0, inf), 0x8000_0000);
        assert_eq!(fixup(0.0, -3.0), 0x8000_0000);
        assert_eq!(fixup(1.0, -3.0), (-7f32).to_bits());
        assert_eq!(fixup(f32::from_bits(0x7f80_0001), 1.0), 0x7fc0_0001);
        assert_eq!(HALF.fixup([0, 0, 0, 0]), 0xfe00);
        assert_eq!(DOUBLE.fixup([0, 0, 0, 0]), 0xfff8_0000_0000_0000);
    }
}
