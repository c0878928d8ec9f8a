//! Rounded products added in pairs, denormals flushed: gfx90a.

use super::driver::{Job, Kernel, Part};
use super::planes::{Exponents, Factor, Reads};
use crate::number::{ElementType, NAN_F32};

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

/// `K` products in groups of `G`, 2 or 4, of numbers for which nothing has to be flushed after the inputs: all halves, and bf16 within
/// 2^±40.
///
/// Products are exact, and zero or at least 2^-80, with bits down to 2^-94; so are their sums. A sum with the accumulator is then
/// zero, or one of the two, or the two nearly cancel: then the accumulator is not much smaller than 2^-94, has no bits below 2^-118,
/// and neither has the difference. Infinities and NaNs are in the result as in that of single operations.
pub(super) struct Pairs<const G: usize, const K: usize>;

impl<const G: usize, const K: usize> Reads for Pairs<G, K> {
    const READS: &'static [ElementType] = &[ElementType::F16, ElementType::Bf16];
}

impl<const G: usize, const K: usize> Kernel for Pairs<G, K> {
    type Factor = Flushed;
    const GROUP: usize = K;

    #[inline(always)]
    fn accepts(job: &Job<'_>) -> bool {
        let element = job.instruction.shape().a;
        if element == ElementType::F16 {
            return true;
        }
        let (a, b) = (Exponents::of(element, job.a), Exponents::of(element, job.b));
        a.min.min(b.min) >= -40 && a.max.max(b.max) <= 40
    }

    #[inline(always)]
    fn element(
        acc: u32,
        a: impl Fn(usize) -> Part<Flushed>,
        b: impl Fn(usize) -> Part<Flushed>,
    ) -> u32 {
        const { assert!(K.is_multiple_of(G) && (G == 2 || G == 4)) };
        let mut acc = flush_input(f32::from_bits(acc));
        // A fused multiply-add of an exact product is the sum of two.
        let pair = |k: usize| a(k + 1).0.mul_add(b(k + 1).0, a(k).0 * b(k).0);
        let mut k = 0;
        while k < K {
            acc += if G == 2 {
                pair(k)
            } else {
                pair(k) + pair(k + 2)
            };
            k += G;
        }
        if acc.is_nan() { NAN_F32 } else { acc.to_bits() }
    }
}

/// Groups of `G` products, 2 or 4, of any bf16. Products of small ones are denormal, those of large ones infinite: each
/// operation is rounded and flushed on its own.
pub(super) struct FlushedPairs<const G: usize>;

impl<const G: usize> Reads for FlushedPairs<G> {
    const READS: &'static [ElementType] = &[ElementType::Bf16];
}

impl<const G: usize> Kernel for FlushedPairs<G> {
    type Factor = Flushed;
    const GROUP: usize = G;

    #[inline(always)]
    fn element(
        acc: u32,
        a: impl Fn(usize) -> Part<Flushed>,
        b: impl Fn(usize) -> Part<Flushed>,
    ) -> u32 {
        const { assert!(G == 2 || G == 4) };
        // What a group leaves is not denormal: the next one finds nothing to flush.
        let acc = flush_input(f32::from_bits(acc));
        let product = |k: usize| flush(a(k).0 * b(k).0);
        let pair = |k: usize| flush(product(k) + product(k + 1));
        let sum = if G == 2 {
            pair(0)
        } else {
            flush(pair(0) + pair(2))
        };
        let acc = flush(acc + sum);
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
