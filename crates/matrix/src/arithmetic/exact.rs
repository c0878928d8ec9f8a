//! The exact sum of the accumulator and a group of products, rounded once: f16 and bf16 on gfx908. Denormals are kept.
//!
//! A sum of zeros is positive here; the sign that the chip gives is not known.

use super::fixed_point::FixedPoint;
use crate::number::{Class, ElementType, NAN_F32, Number};

pub(super) fn dot(group: usize, acc: u32, factors: &[(Number, Number)]) -> u32 {
    factors.chunks(group.max(1)).fold(acc, add)
}

fn add(acc: u32, factors: &[(Number, Number)]) -> u32 {
    let accumulator = Number::decode(ElementType::F32, acc);
    let is_finite = |n: &Number| n.class == Class::Finite;
    if !is_finite(&accumulator) || !factors.iter().all(|(a, b)| is_finite(a) && is_finite(b)) {
        return add_specials(acc, factors);
    }
    let mut sum = FixedPoint::default();
    let significand = accumulator.significand.into();
    sum.add(accumulator.negative, significand, accumulator.lsb);
    for (a, b) in factors {
        let product = u64::from(a.significand) * u64::from(b.significand);
        sum.add(a.negative != b.negative, product, a.lsb + b.lsb);
    }
    sum.round()
}

/// Infinities and NaNs give what an IEEE sum of them gives, in any order. Doubles, as products of finite numbers must not overflow.
fn add_specials(acc: u32, factors: &[(Number, Number)]) -> u32 {
    let sum = factors
        .iter()
        .fold(f64::from(f32::from_bits(acc)), |acc, (a, b)| {
            acc + f64::from(a.to_f32()) * f64::from(b.to_f32())
        });
    if sum.is_nan() {
        NAN_F32
    } else {
        (sum as f32).to_bits()
    }
}
