//! Chains of fused multiply-adds in single precision, and sums of bytes, which single precision holds exactly.

use super::driver::{Kernel, Part};
use super::planes::{Factor, Reads};
use crate::number::{ElementType, NAN_F32};

/// A single as it is.
#[derive(Clone, Copy)]
pub(super) struct Single;

impl Factor for Single {
    type Value = f32;
    type Scale = ();

    #[inline(always)]
    fn of(value: f32, _: f32) -> (f32, ()) {
        (value, ())
    }
}

/// `K` products of singles.
pub(super) struct Chain<const K: usize>;

impl<const K: usize> Reads for Chain<K> {
    const READS: &'static [ElementType] = &[ElementType::F32];
}

impl<const K: usize> Kernel for Chain<K> {
    type Factor = Single;
    const GROUP: usize = K;

    #[inline(always)]
    fn element(
        acc: u32,
        a: impl Fn(usize) -> Part<Single>,
        b: impl Fn(usize) -> Part<Single>,
    ) -> u32 {
        let sum = sum::<K>(f32::from_bits(acc), a, b);
        if sum.is_nan() { NAN_F32 } else { sum.to_bits() }
    }
}

/// Groups of `K` products of signed bytes. 64 of at most 2^14 stay below 2^24, up to which singles hold every integer.
pub(super) struct Bytes<const K: usize>;

impl<const K: usize> Reads for Bytes<K> {
    const READS: &'static [ElementType] = &[ElementType::I8];
}

impl<const K: usize> Kernel for Bytes<K> {
    type Factor = Single;
    const GROUP: usize = K;

    #[inline(always)]
    fn element(
        acc: u32,
        a: impl Fn(usize) -> Part<Single>,
        b: impl Fn(usize) -> Part<Single>,
    ) -> u32 {
        const { assert!(K <= 64) };
        let sum = sum::<K>(0.0, a, b);
        // SAFETY: the factors are decoded bytes, so the sum is an integer of at most 2^20.
        let sum = unsafe { sum.to_int_unchecked::<i32>() };
        acc.wrapping_add_signed(sum)
    }
}

#[inline(always)]
fn sum<const K: usize>(
    mut acc: f32,
    a: impl Fn(usize) -> Part<Single>,
    b: impl Fn(usize) -> Part<Single>,
) -> f32 {
    for k in 0..K {
        acc = a(k).0.mul_add(b(k).0, acc);
    }
    acc
}
