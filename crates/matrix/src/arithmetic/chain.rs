//! A chain of fused multiply-adds: single and double precision on all chips, denormals kept.

use crate::number::{NAN_F32, NAN_F64};

/// `mul_add` rounds once, as IEEE 754 asks of it, on every host.
pub(super) fn dot_f32(acc: u32, factors: impl Iterator<Item = (u32, u32)>) -> u32 {
    let sum = factors.fold(f32::from_bits(acc), |acc, (a, b)| {
        f32::from_bits(a).mul_add(f32::from_bits(b), acc)
    });
    if sum.is_nan() { NAN_F32 } else { sum.to_bits() }
}

pub(super) fn dot_f64(acc: u64, factors: impl Iterator<Item = (u64, u64)>) -> u64 {
    let sum = factors.fold(f64::from_bits(acc), |acc, (a, b)| {
        f64::from_bits(a).mul_add(f64::from_bits(b), acc)
    });
    if sum.is_nan() { NAN_F64 } else { sum.to_bits() }
}
