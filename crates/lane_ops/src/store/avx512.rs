//! Lane accesses with AVX-512, sixteen lanes at a time.

use std::arch::x86_64::*;

use wavetank_ir::{LANES, LaneLoop, LaneLoops};

use super::Aligned;
use super::Store;
use super::halves::{Halves, PairConversions};
use super::permute::{Permute, Row};

/// The lane accesses of AVX-512.
pub(crate) struct Store512;

impl Store for Store512 {
    #[inline(always)]
    unsafe fn store(p: *mut u32, mask: u64, r: &[u32; LANES]) {
        if mask == u64::MAX {
            // SAFETY: a lane vector, by the caller's promise.
            unsafe { p.cast::<[u32; LANES]>().write(*r) };
            return;
        }
        for c in 0..LANES / 16 {
            // SAFETY: sixteen lanes of a lane vector, by the caller's promise.
            unsafe {
                let p = p.add(16 * c).cast::<__m512i>();
                let new = _mm512_loadu_epi32(r.as_ptr().add(16 * c).cast());
                // A whole store, since a masked one would stall the next load. The read is volatile because the compiler may make
                // a masked store of a blend with memory.
                let old = p.read_volatile();
                p.write(_mm512_mask_blend_epi32((mask >> (16 * c)) as u16, old, new));
            }
        }
    }

    #[inline(always)]
    unsafe fn select(mask: u64, a: &[u32; LANES], b: &[u32; LANES], to: *mut u32) {
        for c in 0..LANES / 16 {
            // SAFETY: sixteen lanes of each, by the caller's promise.
            unsafe {
                let a = _mm512_loadu_epi32(a.as_ptr().add(16 * c).cast());
                let b = _mm512_loadu_epi32(b.as_ptr().add(16 * c).cast());
                let chosen = _mm512_mask_blend_epi32((mask >> (16 * c)) as u16, b, a);
                _mm512_storeu_epi32(to.add(16 * c).cast(), chosen);
            }
        }
    }

    #[inline(always)]
    unsafe fn shuffle(from: &[u32; LANES], table: &[u8; LANES], to: *mut u32) {
        // SAFETY: sixteen lanes of each, by the caller's promise.
        unsafe {
            let part = |n: usize| _mm512_loadu_epi32(from.as_ptr().add(16 * n).cast());
            let from = [part(0), part(1), part(2), part(3)];
            for c in 0..LANES / 16 {
                let lanes = _mm_loadu_si128(table.as_ptr().add(16 * c).cast());
                let lanes = _mm512_cvtepu8_epi32(lanes);
                // The low five bits select among two vectors.
                let low = _mm512_permutex2var_epi32(from[0], lanes, from[1]);
                let high = _mm512_permutex2var_epi32(from[2], lanes, from[3]);
                let is_high = _mm512_test_epi32_mask(lanes, _mm512_set1_epi32(32));
                let is_lane = _mm512_cmplt_epu32_mask(lanes, _mm512_set1_epi32(64));
                let chosen = _mm512_mask_blend_epi32(is_high, low, high);
                let chosen = _mm512_maskz_mov_epi32(is_lane, chosen);
                _mm512_storeu_epi32(to.add(16 * c).cast(), chosen);
            }
        }
    }

    #[inline(always)]
    unsafe fn shuffle_rows(from: &[u32; LANES], table: &[u8; LANES], to: *mut u32) {
        for row in (0..LANES).step_by(16) {
            // SAFETY: sixteen lanes of each, by the caller's promise.
            unsafe {
                let lanes = _mm_loadu_si128(table.as_ptr().add(row).cast());
                let lanes = _mm512_cvtepu8_epi32(lanes);
                let is_lane = _mm512_cmplt_epu32_mask(lanes, _mm512_set1_epi32(64));
                let from = _mm512_loadu_epi32(from.as_ptr().add(row).cast());
                // The low four bits select a lane.
                let chosen = _mm512_maskz_permutexvar_epi32(is_lane, lanes, from);
                _mm512_storeu_epi32(to.add(row).cast(), chosen);
            }
        }
    }

    #[inline(always)]
    unsafe fn join(low: *const u32, high: *const u32, to: *mut u64) {
        for c in 0..LANES / 16 {
            // SAFETY: sixteen lanes of each, by the caller's promise.
            unsafe {
                let low = _mm512_loadu_epi32(low.add(16 * c).cast());
                let high = _mm512_loadu_epi32(high.add(16 * c).cast());
                // Indices from 16 on select the second operand.
                let first =
                    _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
                let second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
                let to = to.add(16 * c);
                _mm512_storeu_epi64(to.cast(), _mm512_permutex2var_epi32(low, first, high));
                _mm512_storeu_epi64(
                    to.add(8).cast(),
                    _mm512_permutex2var_epi32(low, second, high),
                );
            }
        }
    }

    #[inline(always)]
    unsafe fn split(from: &[u64; LANES], low: *mut u32, high: *mut u32) {
        for c in 0..LANES / 16 {
            // SAFETY: sixteen lanes of each, by the caller's promise.
            unsafe {
                let from = from.as_ptr().add(16 * c);
                let first = _mm512_loadu_epi64(from.cast());
                let second = _mm512_loadu_epi64(from.add(8).cast());
                let even =
                    _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
                let odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
                let halves = |which| _mm512_permutex2var_epi32(first, which, second);
                _mm512_storeu_epi32(low.add(16 * c).cast(), halves(even));
                _mm512_storeu_epi32(high.add(16 * c).cast(), halves(odd));
            }
        }
    }

    #[inline(always)]
    unsafe fn widen(from: *const u32, to: *mut u32) {
        for c in 0..LANES / 16 {
            // SAFETY: sixteen lanes of each, by the caller's promise.
            unsafe {
                let halves = _mm512_cvtepi32_epi16(_mm512_loadu_epi32(from.add(16 * c).cast()));
                _mm512_storeu_ps(to.add(16 * c).cast(), _mm512_cvtph_ps(halves));
            }
        }
    }

    #[inline(always)]
    unsafe fn narrow<const ROUND: i32>(from: &[u32; LANES], to: *mut u32) {
        for c in 0..LANES / 16 {
            // SAFETY: sixteen lanes of each, by the caller's promise.
            unsafe {
                let singles = _mm512_loadu_ps(from.as_ptr().add(16 * c).cast());
                let halves = _mm512_cvtps_ph::<ROUND>(singles);
                _mm512_storeu_epi32(to.add(16 * c).cast(), _mm512_cvtepu16_epi32(halves));
            }
        }
    }

    const ESTIMATES_ROOTS: bool = true;

    #[inline(always)]
    unsafe fn estimate_reciprocal_roots(from: &[f64; LANES], to: *mut f64) {
        for c in 0..LANES / 8 {
            // SAFETY: eight lanes of each, by the caller's promise.
            unsafe {
                let x = _mm512_loadu_pd(from.as_ptr().add(8 * c));
                _mm512_storeu_pd(to.add(8 * c), _mm512_rsqrt14_pd(x));
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

    #[inline(always)]
    fn of(loops: &LaneLoops) -> LaneLoop {
        loops.avx512
    }
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
            // SAFETY: sixteen lanes, which are 32 halves. All are stored at once: a load would wait for two stores.
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

impl Permute for Store512 {
    #[inline(always)]
    unsafe fn permute(high: &Row, low: &Row, selectors: &Row) -> Aligned<Row> {
        let mut r = Aligned([0; LANES]);
        for at in (0..LANES).step_by(16) {
            // SAFETY: sixteen lanes of each; features by the caller's promise.
            unsafe {
                let part = |row: &Row| _mm512_loadu_si512(row.as_ptr().add(at).cast());
                let [high, low, select] = [part(high), part(low), part(selectors)];
                let lanes = _mm512_broadcast_i32x4(_mm_setr_epi32(
                    0,
                    0x0404_0404,
                    0x0808_0808,
                    0x0c0c_0c0c,
                ));
                // The byte of {high, low} that the number selects.
                let chosen = |number| {
                    let at = _mm512_or_si512(_mm512_and_si512(number, _mm512_set1_epi8(3)), lanes);
                    let is_high = _mm512_test_epi8_mask(number, _mm512_set1_epi8(4));
                    let low = _mm512_shuffle_epi8(low, at);
                    _mm512_mask_shuffle_epi8(low, is_high, high, at)
                };
                let above = _mm512_cmpgt_epu8_mask(select, _mm512_set1_epi8(7));
                let mut bytes = _mm512_maskz_mov_epi8(!above, chosen(select));
                let odd = _mm512_mask_cmpneq_epu8_mask(above, select, _mm512_set1_epi8(12));
                if odd != 0 {
                    let doubled = _mm512_add_epi8(select, select);
                    let signed = chosen(_mm512_or_si512(doubled, _mm512_set1_epi8(1)));
                    let ones = _mm512_movepi8_mask(signed)
                        | _mm512_cmpgt_epu8_mask(select, _mm512_set1_epi8(12));
                    bytes = _mm512_mask_mov_epi8(bytes, odd, _mm512_movm_epi8(ones));
                }
                _mm512_storeu_si512(r.as_mut_ptr().add(at).cast(), bytes);
            }
        }
        r
    }
}
