//! Chains of fused multiply-adds against the soft floats of `rustc_apfloat`.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Single};
use wavetank_matrix::{ElementType, NAN_F32, NAN_F64, Rule};

use crate::common::Random;

/// Bits of a float with an exponent near the middle, at the ends, or anywhere.
pub(crate) fn odd_bits(random: &mut Random, exponent_bits: u32, fraction_bits: u32) -> u64 {
    let word = u64::from(random.word()) << 32 | u64::from(random.word());
    let fraction = match random.below(4) {
        0 => 0,
        1 => word & 3,
        _ => word & ((1 << fraction_bits) - 1),
    };
    let ones = (1u64 << exponent_bits) - 1;
    let exponent = match random.below(12) {
        0 => 0,
        1 => 1 + u64::from(random.below(3)),
        2 => ones - 1,
        3 if random.below(8) == 0 => ones,
        4 => u64::from(random.word()) & ones,
        _ => (ones / 2 + u64::from(random.below(8))).saturating_sub(4),
    };
    let sign = u64::from(random.below(2));
    (sign << exponent_bits | exponent) << fraction_bits | fraction
}

#[test]
fn singles_are_those_of_soft_floats() {
    let mut random = Random::new();
    for _ in 0..50_000 {
        let mut next = || odd_bits(&mut random, 8, 23);
        let (a, b) = ([next(), next()], [next(), next()]);
        let c = next();
        let ours = Rule::Chain.dot(ElementType::F32, ElementType::F32, c, &a, &b);
        let soft = |bits: u64| Single::from_bits(bits.into());
        let sum = (0..2).fold(soft(c), |c, k| soft(a[k]).mul_add(soft(b[k]), c).value);
        let sum = if sum.is_nan() {
            NAN_F32.into()
        } else {
            sum.to_bits() as u64
        };
        assert_eq!(ours, sum, "{a:x?} {b:x?} {c:x}");
    }
}

#[test]
fn doubles_are_those_of_soft_floats() {
    let mut random = Random::new();
    for _ in 0..50_000 {
        let mut next = || odd_bits(&mut random, 11, 52);
        let (a, b) = ([next(), next()], [next(), next()]);
        let c = next();
        let ours = Rule::Chain.dot(ElementType::F64, ElementType::F64, c, &a, &b);
        let soft = |bits: u64| Double::from_bits(bits.into());
        let sum = (0..2).fold(soft(c), |c, k| soft(a[k]).mul_add(soft(b[k]), c).value);
        let sum = if sum.is_nan() {
            NAN_F64
        } else {
            sum.to_bits() as u64
        };
        assert_eq!(ours, sum, "{a:x?} {b:x?} {c:x}");
    }
}
