//! Rounded products added in pairs, with denormals flushed: f16 and bf16 on gfx90a.
//!
//! Denormal inputs become positive zero. Each product and each sum is rounded to single; a denormal result becomes a zero of its
//! sign. ROCm's documentation names the flushing ("MI200 MFMA behavior specifics").

use crate::number::{Class, NAN_F32, Number};

pub(super) fn dot(group: usize, acc: u32, factors: &[(Number, Number)]) -> u32 {
    let acc = f32::from_bits(acc);
    let acc = if acc.is_subnormal() { 0.0 } else { acc };
    let sum = factors.chunks(group.max(1)).fold(acc, add);
    if sum.is_nan() { NAN_F32 } else { sum.to_bits() }
}

/// `acc + (p0 + p1)` or `acc + ((p0 + p1) + (p2 + p3))`.
fn add(acc: f32, factors: &[(Number, Number)]) -> f32 {
    let product = |(a, b): &(Number, Number)| flush(input(a) * input(b));
    let pair = |pair: &[(Number, Number)]| {
        let products = pair.iter().map(product);
        products.reduce(|a, b| flush(a + b)).unwrap_or(0.0)
    };
    let pairs = factors.chunks(2).map(pair);
    let sum = pairs.reduce(|a, b| flush(a + b)).unwrap_or(0.0);
    flush(acc + sum)
}

fn input(number: &Number) -> f32 {
    // Numbers without their hidden bit are denormals, and zeros, whose sign stays.
    let smallest = number.exponent - number.lsb;
    if number.class == Class::Finite && !number.is_zero() && number.significand >> smallest == 0 {
        0.0
    } else {
        number.to_f32()
    }
}

fn flush(x: f32) -> f32 {
    if x.is_subnormal() {
        0f32.copysign(x)
    } else {
        x
    }
}
