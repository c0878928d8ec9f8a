//! Argument reduction: segments of 2/π (Vega ISA, 12.10 V_TRIG_PREOP_F64).

use super::lane_fn;

lane_fn! {
    /// The segment of 2/π that `S1[4:0]` and the exponent of S0 select.
    TRIG_PREOP_F64, "trig_preop_f64", 64, trig_preop
}

/// The number of bits of 2/π in the hardware.
const BITS: u32 = 1201;

/// The first 1201 bits of 2/π after the binary point, highest first, then zeros.
const TWO_OVER_PI: [u64; 19] = [
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b0000,
];

/// The 53 bits of 2/π after the first `shift` ones.
fn segment(shift: u32) -> u64 {
    if shift >= BITS {
        return 0;
    }
    let (word, bit) = ((shift / 64) as usize, shift % 64);
    let next = TWO_OVER_PI.get(word + 1).copied().unwrap_or(0);
    let both = u128::from(TWO_OVER_PI[word]) << 64 | u128::from(next);
    (both << bit >> (128 - 53)) as u64
}

fn trig_preop([s0, s1, ..]: [u64; 4]) -> u64 {
    let exponent = (s0 >> 52 & 0x7ff) as i32;
    let shift = (s1 & 31) as i32 * 53 + (exponent - 1077).max(0);
    let scale = -53 - shift + if exponent >= 1968 { 128 } else { 0 };
    scale_toward_zero(segment(shift as u32), scale)
}

/// The bits of `mantissa · 2^scale`, rounded toward zero; `mantissa` has at
/// most 53 bits.
fn scale_toward_zero(mantissa: u64, scale: i32) -> u64 {
    if mantissa == 0 {
        return 0;
    }
    let up = mantissa.leading_zeros() as i32 - 11;
    let (mantissa, exponent) = (mantissa << up, 1023 + 52 + scale - up);
    if exponent > 0 {
        (exponent as u64) << 52 | mantissa & !(1 << 52)
    } else {
        mantissa.checked_shr((1 - exponent) as u32).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fixed-point numbers with 1408 bits after the point and one word before,
    /// highest word first.
    type Fixed = [u64; 23];

    fn divide(mut a: Fixed, by: u64) -> Fixed {
        let mut rest = 0u128;
        for w in &mut a {
            let n = rest << 64 | u128::from(*w);
            *w = (n / u128::from(by)) as u64;
            rest = n % u128::from(by);
        }
        a
    }

    fn combine(a: Fixed, b: Fixed, subtract: bool) -> Fixed {
        let mut out = a;
        let mut carry = false;
        for i in (0..out.len()).rev() {
            let step = if subtract {
                u64::overflowing_sub
            } else {
                u64::overflowing_add
            };
            let (x, c1) = step(a[i], b[i]);
            let (x, c2) = step(x, carry.into());
            (out[i], carry) = (x, c1 | c2);
        }
        out
    }

    /// numerator · arctan(1 / x) by its series.
    fn arctan(numerator: u64, x: u64) -> Fixed {
        let mut term = [0; 23];
        term[0] = numerator;
        term = divide(term, x);
        let (mut sum, mut n) = (term, 1);
        while term.iter().any(|&w| w != 0) {
            term = divide(term, x * x);
            n += 2;
            sum = combine(sum, divide(term, n), n % 4 == 3);
        }
        sum
    }

    /// The table times π is 2, except for the truncated bits: π by Machin's formula, π = 16 arctan(1/5) − 4 arctan(1/239).
    #[test]
    fn table_times_pi_is_two() {
        let pi = combine(arctan(16, 5), arctan(4, 239), true);
        let mut product = [0u64; 42];
        for (i, &t) in TWO_OVER_PI.iter().enumerate().rev() {
            let mut carry = 0u128;
            for (j, &p) in pi.iter().enumerate().rev() {
                let at = i + j + 1;
                let n = u128::from(t) * u128::from(p) + u128::from(product[at]) + carry;
                product[at] = n as u64;
                carry = n >> 64;
            }
            product[i] = carry as u64;
        }
        // Word 0 is the integer part: 1.999…, with about 1200 ones after the point.
        assert_eq!(product[0], 1);
        assert!(product[1..19].iter().all(|&w| w == u64::MAX));
    }

    /// The first segment is 2/π truncated to 53 bits; the nearest double is one above.
    #[test]
    fn first_segment() {
        let bits = trig_preop([1f64.to_bits(), 0, 0, 0]);
        assert_eq!(bits, std::f64::consts::FRAC_2_PI.to_bits() - 1);
    }

    /// The segments add up: 2/π in extended precision, and a shifted part of it for a large argument (the manual's pseudo-code,
    /// 12.10).
    #[test]
    fn segments_follow_each_other() {
        let segment = |x: f64, n| f64::from_bits(trig_preop([x.to_bits(), n, 0, 0]));
        let low = std::f64::consts::FRAC_2_PI - segment(1.0, 0);
        // FRAC_2_PI is 2/π rounded up, so the second segment is smaller than its distance to the first.
        assert!(segment(1.0, 1) < low && segment(1.0, 1) > 0.0);
        // Exponent field 1077 + 53 skips exactly one segment.
        assert_eq!(segment(2f64.powi(1077 + 53 - 1023), 0), segment(1.0, 1));
        assert_eq!(segment(2f64.powi(1077 + 53 - 1023), 1), segment(1.0, 2));
        assert_eq!(segment(1.0, 31), 0.0, "beyond the 1201 bits");
    }
}
