//! Halves side by side, and the processor's conversions of them.

use std::arch::x86_64::*;

use wavetank_ir::LANES;

use super::levels::{Aligned, Store128, Store256, Store512};
use crate::half::{narrow_nearest, widen_quiet};

/// The halves of a row, in the order in which they stand in memory.
pub type Halves<T> = [T; 2 * LANES];

/// Halves side by side to single precision and back, at one level of processor features.
pub trait PairConversions {
    /// Both halves of each lane as [`Store::widen`](super::Store::widen) has them.
    ///
    /// # Safety
    /// The processor has the level's features.
    unsafe fn widen_pairs(from: &[u32; LANES]) -> Aligned<Halves<u32>>;

    /// The opposite: to nearest.
    ///
    /// # Safety
    /// The processor has the level's features.
    unsafe fn narrow_pairs(from: &Halves<u32>) -> Aligned<[u32; LANES]>;
}

impl PairConversions for Store512 {
    #[inline(always)]
    unsafe fn widen_pairs(from: &[u32; LANES]) -> Aligned<Halves<u32>> {
        let mut to = Aligned([0; 2 * LANES]);
        for c in 0..LANES / 8 {
            // SAFETY: eight lanes, which are sixteen halves.
            unsafe {
                let halves = _mm256_loadu_si256(from.as_ptr().add(8 * c).cast());
                _mm512_storeu_ps(to.as_mut_ptr().add(16 * c).cast(), _mm512_cvtph_ps(halves));
            }
        }
        to
    }

    #[inline(always)]
    unsafe fn narrow_pairs(from: &Halves<u32>) -> Aligned<[u32; LANES]> {
        let mut to = Aligned([0; LANES]);
        for c in 0..LANES / 16 {
            // SAFETY: sixteen lanes, which are 32 halves. One store of all of them: a load would wait for two.
            unsafe {
                let halves = |n: usize| {
                    let from = from.as_ptr().add(32 * c + 16 * n);
                    _mm512_cvtps_ph::<0>(_mm512_loadu_ps(from.cast()))
                };
                let low = _mm512_castsi256_si512(halves(0));
                let all = _mm512_inserti64x4::<1>(low, halves(1));
                _mm512_storeu_si512(to.as_mut_ptr().add(16 * c).cast(), all);
            }
        }
        to
    }
}

impl PairConversions for Store256 {
    #[inline(always)]
    unsafe fn widen_pairs(from: &[u32; LANES]) -> Aligned<Halves<u32>> {
        let mut to = Aligned([0; 2 * LANES]);
        for c in 0..LANES / 4 {
            // SAFETY: four lanes, which are eight halves.
            unsafe {
                let halves = _mm_loadu_si128(from.as_ptr().add(4 * c).cast());
                _mm256_storeu_ps(to.as_mut_ptr().add(8 * c).cast(), _mm256_cvtph_ps(halves));
            }
        }
        to
    }

    #[inline(always)]
    unsafe fn narrow_pairs(from: &Halves<u32>) -> Aligned<[u32; LANES]> {
        let mut to = Aligned([0; LANES]);
        for c in 0..LANES / 8 {
            // SAFETY: eight lanes, which are sixteen halves.
            unsafe {
                let halves = |n: usize| {
                    let from = from.as_ptr().add(16 * c + 8 * n);
                    _mm256_cvtps_ph::<0>(_mm256_loadu_ps(from.cast()))
                };
                let all = _mm256_set_m128i(halves(1), halves(0));
                _mm256_storeu_si256(to.as_mut_ptr().add(8 * c).cast(), all);
            }
        }
        to
    }
}

impl PairConversions for Store128 {
    #[inline(always)]
    unsafe fn widen_pairs(from: &[u32; LANES]) -> Aligned<Halves<u32>> {
        Aligned(std::array::from_fn(|i| {
            widen_quiet(from[i / 2] >> (16 * (i % 2)) & 0xffff)
        }))
    }

    #[inline(always)]
    unsafe fn narrow_pairs(from: &Halves<u32>) -> Aligned<[u32; LANES]> {
        let half = |i: usize| narrow_nearest(from[i]);
        Aligned(std::array::from_fn(|i| half(2 * i) | half(2 * i + 1) << 16))
    }
}
