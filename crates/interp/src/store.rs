//! Storing lanes under a mask, and masks of lanes: what the compiler does not
//! make of loops by itself.

use std::arch::x86_64::{
    __m128, _mm_loadu_ps, _mm_movemask_ps, _mm256_and_si256, _mm256_blendv_ps, _mm256_castsi256_ps,
    _mm256_cmpeq_epi32, _mm256_loadu_ps, _mm256_loadu_si256, _mm256_movemask_ps, _mm256_set1_epi32,
    _mm256_setr_epi32, _mm256_storeu_ps, _mm512_loadu_epi32, _mm512_mask_blend_epi32,
    _mm512_movepi32_mask, _mm512_storeu_epi32,
};

use wavetank_ir::LANES;

/// The lane accesses of one level of processor features.
pub trait Store {
    /// Stores the lanes of `mask` to the lane vector at `p`.
    ///
    /// # Safety
    /// `p` points to a lane vector, and the processor has the level's features.
    unsafe fn store(p: *mut u32, mask: u64, r: &[u32; LANES]);

    /// The mask of the lanes whose highest bit is set.
    ///
    /// # Safety
    /// The processor has the level's features.
    unsafe fn mask(r: &[u32; LANES]) -> u64;
}

/// AVX-512.
pub struct Store512;

impl Store for Store512 {
    #[inline(always)]
    unsafe fn store(p: *mut u32, mask: u64, r: &[u32; LANES]) {
        for c in 0..LANES / 16 {
            // SAFETY: sixteen lanes of a lane vector, by the caller's promise.
            unsafe {
                let (p, r) = (p.add(16 * c).cast(), r.as_ptr().add(16 * c).cast());
                let (old, new) = (_mm512_loadu_epi32(p), _mm512_loadu_epi32(r));
                // A whole store, since a masked one would stall the next load.
                let mixed = _mm512_mask_blend_epi32((mask >> (16 * c)) as u16, old, new);
                _mm512_storeu_epi32(p, mixed);
            }
        }
    }

    #[inline(always)]
    unsafe fn mask(r: &[u32; LANES]) -> u64 {
        let mut mask = 0;
        for c in 0..LANES / 16 {
            // SAFETY: sixteen lanes of the array; features by the caller's promise.
            let part =
                unsafe { _mm512_movepi32_mask(_mm512_loadu_epi32(r.as_ptr().add(16 * c).cast())) };
            mask |= u64::from(part) << (16 * c);
        }
        mask
    }
}

/// AVX2.
pub struct Store256;

impl Store for Store256 {
    #[inline(always)]
    unsafe fn store(p: *mut u32, mask: u64, r: &[u32; LANES]) {
        for c in 0..LANES / 8 {
            // SAFETY: eight lanes of a lane vector, by the caller's promise.
            unsafe {
                let (p, r) = (p.add(8 * c).cast(), r.as_ptr().add(8 * c).cast());
                let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
                let here = _mm256_and_si256(_mm256_set1_epi32((mask >> (8 * c)) as i32), bits);
                let lanes = _mm256_castsi256_ps(_mm256_cmpeq_epi32(here, bits));
                let (old, new) = (_mm256_loadu_ps(p), _mm256_loadu_ps(r));
                _mm256_storeu_ps(p, _mm256_blendv_ps(old, new, lanes));
            }
        }
    }

    #[inline(always)]
    unsafe fn mask(r: &[u32; LANES]) -> u64 {
        let mut mask = 0;
        for c in 0..LANES / 8 {
            // SAFETY: eight lanes of the array; features by the caller's promise.
            let part = unsafe {
                let lanes = _mm256_loadu_si256(r.as_ptr().add(8 * c).cast());
                _mm256_movemask_ps(_mm256_castsi256_ps(lanes))
            };
            mask |= u64::from(part as u8) << (8 * c);
        }
        mask
    }
}

/// SSE2, which every x86-64 has.
pub struct Store128;

impl Store for Store128 {
    #[inline(always)]
    unsafe fn store(p: *mut u32, mask: u64, r: &[u32; LANES]) {
        if mask == u64::MAX {
            // SAFETY: a lane vector, by the caller's promise.
            unsafe { p.cast::<[u32; LANES]>().write(*r) };
            return;
        }
        for (i, &r) in r.iter().enumerate() {
            let lane = (mask >> i & 1) as u32;
            // SAFETY: a lane of a lane vector, by the caller's promise.
            unsafe {
                let p = p.add(i);
                let old = p.read();
                p.write(old ^ ((old ^ r) & lane.wrapping_neg()));
            }
        }
    }

    #[inline(always)]
    unsafe fn mask(r: &[u32; LANES]) -> u64 {
        let mut mask = 0;
        for c in 0..LANES / 4 {
            // SAFETY: four lanes of the array.
            let lanes: __m128 = unsafe { _mm_loadu_ps(r.as_ptr().add(4 * c).cast()) };
            // SAFETY: SSE2 is part of every x86-64.
            let part = unsafe { _mm_movemask_ps(lanes) };
            mask |= u64::from(part as u8) << (4 * c);
        }
        mask
    }
}
