//! Rounded products added in pairs, denormals flushed: gfx90a.

use super::driver::{Kernel, Part};
use super::planes::Factor;
use crate::number::NAN_F32;

/// A single; a denormal of the element's format is positive zero.
#[derive(Clone, Copy)]
pub(super) struct Flushed;

impl Factor for Flushed {
    type Value = f32;
    type Scale = ();

    #[inline(always)]
    fn of(value: f32, least: f32) -> (f32, ()) {
        let is_denormal = value.abs() < least && value != 0.0;
        (if is_denormal { 0.0 } else { value }, ())
    }
}

/// Halves.
///
/// Nothing has to be flushed after the inputs. Products are exact, zero or at least 2^-28, and multiples of 2^-48; so are sums of
/// four of them. A sum with the accumulator that is not zero is then either the accumulator, or 2^-48 and more, or the two nearly
/// cancel: then the accumulator is about as large as the products, and the difference a multiple of 2^-72.
pub(super) struct HalfPairs;

impl Kernel for HalfPairs {
    type Factor = Flushed;

    #[inline(always)]
    fn element<const K: usize>(
        acc: u32,
        a: impl Fn(usize) -> Part<Flushed>,
        b: impl Fn(usize) -> Part<Flushed>,
    ) -> u32 {
        const { assert!(K.is_multiple_of(4)) };
        let mut acc = flush_input(f32::from_bits(acc));
        // A fused multiply-add of an exact product is the sum of two.
        let pair = |k: usize| a(k + 1).0.mul_add(b(k + 1).0, a(k).0 * b(k).0);
        let mut k = 0;
        while k < K {
            acc += pair(k) + pair(k + 2);
            k += 4;
        }
        if acc.is_nan() { NAN_F32 } else { acc.to_bits() }
    }
}

/// bf16 in groups of `G`, 2 or 4. Products of small ones are denormal, those of large ones infinite: each operation is rounded and
/// flushed on its own.
pub(super) struct WidePairs<const G: usize>;

impl<const G: usize> Kernel for WidePairs<G> {
    type Factor = Flushed;

    #[inline(always)]
    fn element<const K: usize>(
        acc: u32,
        a: impl Fn(usize) -> Part<Flushed>,
        b: impl Fn(usize) -> Part<Flushed>,
    ) -> u32 {
        const { assert!(K.is_multiple_of(G) && (G == 2 || G == 4)) };
        let mut acc = flush_input(f32::from_bits(acc));
        let product = |k: usize| flush(a(k).0 * b(k).0);
        let pair = |k: usize| flush(product(k) + product(k + 1));
        let mut k = 0;
        while k < K {
            let sum = if G == 2 {
                pair(k)
            } else {
                flush(pair(k) + pair(k + 2))
            };
            acc = flush(acc + sum);
            k += G;
        }
        if acc.is_nan() { NAN_F32 } else { acc.to_bits() }
    }
}

/// An input of single precision: a denormal is positive zero.
#[inline(always)]
fn flush_input(x: f32) -> f32 {
    Flushed::of(x, f32::MIN_POSITIVE).0
}

/// A result: a denormal is the zero of its sign.
#[inline(always)]
fn flush(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if x.abs() < f32::MIN_POSITIVE {
        bits & 1 << 31
    } else {
        bits
    })
}
