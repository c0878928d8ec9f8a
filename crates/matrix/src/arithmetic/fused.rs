//! Sums of truncated products: f16, bf16 and xf32 on gfx942, and in two halves fp8 and bf8.
//!
//! Products are exact. They are truncated toward zero at a place that the largest exponent among them gives, and summed. The sum
//! and the accumulator are then floored, toward negative infinity, at places that the larger exponent of both gives, added, floored to
//! 32 bits, and rounded to single. The floors bias results: D(−A, B, −C) is not −D(A, B, C). A sum of zeros is positive.

use crate::number::{Class, ElementType, NAN_F32, Number, round_to_f32};

/// Bits below the largest exponent that products keep, and that the accumulator keeps.
const KEPT: i32 = 24;
/// Bits below the largest exponent that the sum of products keeps, and after the addition one bit less.
const KEPT_OF_SUM: i32 = 32;
/// The exponent of a group whose products are all zero: below any other.
const NO_EXPONENT: i32 = -999;
/// The smallest exponent of single precision.
const MIN_EXPONENT: i32 = -126;

pub(super) fn dot(group: usize, in_halves: bool, acc: u32, factors: &[(Number, Number)]) -> u32 {
    let add = |acc, factors| add(in_halves, acc, factors);
    factors.chunks(group.max(1)).fold(acc, add)
}

/// An exact product: `±magnitude · 2^lsb`.
struct Product {
    negative: bool,
    magnitude: u64,
    lsb: i32,
    exponent: i32,
}

impl Product {
    fn of((a, b): &(Number, Number)) -> Product {
        let magnitude = u64::from(a.significand) * u64::from(b.significand);
        let exponent = a.exponent + b.exponent;
        Product {
            negative: a.negative != b.negative,
            magnitude,
            lsb: a.lsb + b.lsb,
            exponent: if magnitude == 0 {
                NO_EXPONENT
            } else {
                exponent
            },
        }
    }

    /// Whether the product of finite factors is beyond single precision, and counts as infinite.
    fn overflows(&self) -> bool {
        self.magnitude != 0 && self.magnitude.ilog2().cast_signed() + self.lsb > 127
    }
}

fn add(in_halves: bool, acc: u32, factors: &[(Number, Number)]) -> u32 {
    let products: Vec<Product> = factors.iter().map(Product::of).collect();
    let halves = if in_halves { 2 } else { 1 };
    let half = |h: usize| products.iter().skip(h).step_by(halves);
    let largest = |h: usize| half(h).map(|p| p.exponent).max().unwrap_or(NO_EXPONENT);
    let e = (0..halves).map(largest).max().unwrap_or(NO_EXPONENT);
    let mut accumulator = Number::decode(ElementType::F32, acc);
    if in_halves && accumulator.class != Class::Finite && e > KEPT {
        // So the models of MMA-Sim have it; the accumulator counts as zero.
        accumulator = Number::decode(ElementType::F32, 0);
    }
    let is_finite =
        |(a, b): &(Number, Number)| a.class == Class::Finite && b.class == Class::Finite;
    if accumulator.class != Class::Finite
        || !factors.iter().all(is_finite)
        || products.iter().any(Product::overflows)
    {
        return add_specials(&accumulator, factors, &products);
    }
    // The sum of the products, in units of 2^(e - 24).
    let sum: i128 = (0..halves)
        .map(|h| {
            let largest = largest(h);
            let truncated = half(h).map(|p| truncate(p, largest - KEPT));
            shift(truncated.sum(), largest - e)
        })
        .sum();
    let m = e.max(accumulator.exponent);
    if in_halves && accumulator.exponent < m - 25 {
        accumulator.significand = 0;
    }
    let significand = i128::from(accumulator.significand);
    let signed = if accumulator.negative {
        -significand
    } else {
        significand
    };
    // The accumulator in units of 2^(m - 24), then everything in units of 2^(m - 32).
    let kept = shift(signed, accumulator.lsb - (m - KEPT)) << (KEPT_OF_SUM - KEPT);
    let mut total = shift(sum, e - KEPT - (m - KEPT_OF_SUM)) + kept;
    let mut lsb = m - KEPT_OF_SUM;
    if total != 0 {
        let exponent = total.unsigned_abs().ilog2().cast_signed() + lsb;
        let unit = exponent.max(MIN_EXPONENT) - (KEPT_OF_SUM - 1);
        if unit > lsb {
            total = shift(total, lsb - unit);
            lsb = unit;
        }
    }
    round_to_f32(total < 0, total.unsigned_abs(), lsb)
}

/// The product in units of 2^unit, truncated toward zero.
fn truncate(product: &Product, unit: i32) -> i128 {
    // `unit` belongs to the largest product: a shift to the left is one of few bits.
    let magnitude = shift(product.magnitude.into(), product.lsb - unit);
    if product.negative {
        -magnitude
    } else {
        magnitude
    }
}

/// `value · 2^by`, toward negative infinity.
fn shift(value: i128, by: i32) -> i128 {
    if by >= 0 {
        // Only zero is shifted beyond the width: the sum of products that are all zero.
        value.checked_shl(by.cast_unsigned()).unwrap_or(0)
    } else {
        value >> by.unsigned_abs().min(127)
    }
}

/// Infinities and NaNs give what an IEEE sum of them gives, in any order.
fn add_specials(acc: &Number, factors: &[(Number, Number)], products: &[Product]) -> u32 {
    let sum =
        factors
            .iter()
            .zip(products)
            .fold(f64::from(acc.to_f32()), |sum, ((a, b), product)| {
                let value = f64::from(a.to_f32()) * f64::from(b.to_f32());
                let infinite = if product.overflows() {
                    f64::INFINITY.copysign(value)
                } else {
                    value
                };
                sum + infinite
            });
    if sum.is_nan() {
        NAN_F32
    } else {
        (sum as f32).to_bits()
    }
}
