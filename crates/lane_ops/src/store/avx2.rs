//! Lane accesses with AVX2, eight lanes at a time.

use std::arch::x86_64::*;

use wavetank_ir::{LANES, LaneLoop, LaneLoops};

use super::Aligned;
use super::Store;
use super::halves::{Halves, PairConversions};
use super::permute::{Permute, Row};

/// The lane accesses of AVX2.
pub(crate) struct Store256;

/// Expands the low eight bits of a mask to eight lanes.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn lanes256(mask: u64) -> __m256 {
    // SAFETY: the features, by the caller's promise.
    unsafe {
        let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        let here = _mm256_and_si256(_mm256_set1_epi32(mask as i32), bits);
        _mm256_castsi256_ps(_mm256_cmpeq_epi32(here, bits))
    }
}

/// Eight entries of a table of lanes.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn table256(table: &[u8; LANES], at: usize) -> __m256i {
    let entries = &table[at..at + 8];
    // SAFETY: eight bytes; the features, by the caller's promise.
    unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(entries.as_ptr().cast())) }
}

/// Selects eight lanes of a row of sixteen by the low four bits of their numbers; a number of 64 or more gives 0.
///
/// # Safety
/// The processor has AVX2.
#[inline(always)]
unsafe fn of_row256(from: &[u32; LANES], row: usize, lanes: __m256i) -> __m256i {
    let row = &from[16 * row..16 * (row + 1)];
    // SAFETY: sixteen lanes; the features, by the caller's promise.
    unsafe {
        let part = |n: usize| _mm256_loadu_si256(row.as_ptr().add(8 * n).cast());
        let low = _mm256_permutevar8x32_epi32(part(0), lanes);
        let high = _mm256_permutevar8x32_epi32(part(1), lanes);
        let is_high = _mm256_slli_epi32::<28>(lanes);
        let [low, high, is_high] = [low, high, is_high].map(|x| _mm256_castsi256_ps(x));
        let chosen = _mm256_castps_si256(_mm256_blendv_ps(low, high, is_high));
        let none = _mm256_cmpgt_epi32(lanes, _mm256_set1_epi32(63));
        _mm256_andnot_si256(none, chosen)
    }
}

impl Store for Store256 {
    #[inline(always)]
    unsafe fn store(p: *mut u32, mask: u64, r: &[u32; LANES]) {
        if mask == u64::MAX {
            // SAFETY: a lane vector, by the caller's promise.
            unsafe { p.cast::<[u32; LANES]>().write(*r) };
            return;
        }
        for c in 0..LANES / 8 {
            // SAFETY: eight lanes of a lane vector, by the caller's promise.
            unsafe {
                let (p, r) = (p.add(8 * c).cast::<__m256>(), r.as_ptr().add(8 * c).cast());
                let lanes = lanes256(mask >> (8 * c));
                // Volatile, since the compiler may make a masked store of a blend, which would stall the next load.
                let (old, new) = (p.read_volatile(), _mm256_loadu_ps(r));
                p.write(_mm256_blendv_ps(old, new, lanes));
            }
        }
    }

    #[inline(always)]
    unsafe fn select(mask: u64, a: &[u32; LANES], b: &[u32; LANES], to: *mut u32) {
        for c in 0..LANES / 8 {
            // SAFETY: eight lanes of each, by the caller's promise.
            unsafe {
                let a = _mm256_loadu_ps(a.as_ptr().add(8 * c).cast());
                let b = _mm256_loadu_ps(b.as_ptr().add(8 * c).cast());
                let lanes = lanes256(mask >> (8 * c));
                _mm256_storeu_ps(to.add(8 * c).cast(), _mm256_blendv_ps(b, a, lanes));
            }
        }
    }

    #[inline(always)]
    unsafe fn shuffle(from: &[u32; LANES], table: &[u8; LANES], to: *mut u32) {
        for at in (0..LANES).step_by(8) {
            // SAFETY: eight lanes of each, by the caller's promise.
            unsafe {
                let lanes = table256(table, at);
                let none = _mm256_cmpgt_epi32(lanes, _mm256_set1_epi32(63));
                // Most tables keep lanes within their row.
                let rows = _mm256_srli_epi32::<4>(lanes);
                let in_row = _mm256_cmpeq_epi32(rows, _mm256_set1_epi32(at as i32 / 16));
                if _mm256_movemask_epi8(_mm256_or_si256(in_row, none)) == -1 {
                    _mm256_storeu_si256(to.add(at).cast(), of_row256(from, at / 16, lanes));
                    continue;
                }
                for i in at..at + 8 {
                    let lane = usize::from(table[i]);
                    to.add(i).write(from.get(lane).copied().unwrap_or(0));
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn shuffle_rows(from: &[u32; LANES], table: &[u8; LANES], to: *mut u32) {
        for at in (0..LANES).step_by(8) {
            // SAFETY: eight lanes of each, by the caller's promise.
            unsafe {
                let chosen = of_row256(from, at / 16, table256(table, at));
                _mm256_storeu_si256(to.add(at).cast(), chosen);
            }
        }
    }

    #[inline(always)]
    unsafe fn join(low: *const u32, high: *const u32, to: *mut u64) {
        for c in 0..LANES / 8 {
            // SAFETY: eight lanes of each, by the caller's promise.
            unsafe {
                let low = _mm256_loadu_si256(low.add(8 * c).cast());
                let high = _mm256_loadu_si256(high.add(8 * c).cast());
                // The results are lanes 0, 1, 4, 5 and lanes 2, 3, 6, 7.
                let (x, y) = (
                    _mm256_unpacklo_epi32(low, high),
                    _mm256_unpackhi_epi32(low, high),
                );
                let to = to.add(8 * c).cast::<__m256i>();
                _mm256_storeu_si256(to, _mm256_permute2x128_si256::<0x20>(x, y));
                _mm256_storeu_si256(to.add(1), _mm256_permute2x128_si256::<0x31>(x, y));
            }
        }
    }

    #[inline(always)]
    unsafe fn split(from: &[u64; LANES], low: *mut u32, high: *mut u32) {
        for c in 0..LANES / 8 {
            // SAFETY: eight lanes of each, by the caller's promise.
            unsafe {
                let from = from.as_ptr().add(8 * c);
                let first = _mm256_loadu_ps(from.cast());
                let second = _mm256_loadu_ps(from.add(4).cast());
                // The lanes are 0, 1, 4, 5, 2, 3, 6, 7: the pairs must be reordered.
                let in_order =
                    |x| _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_castps_si256(x));
                let x = in_order(_mm256_shuffle_ps::<0b10_00_10_00>(first, second));
                let y = in_order(_mm256_shuffle_ps::<0b11_01_11_01>(first, second));
                _mm256_storeu_si256(low.add(8 * c).cast(), x);
                _mm256_storeu_si256(high.add(8 * c).cast(), y);
            }
        }
    }

    #[inline(always)]
    unsafe fn widen(from: *const u32, to: *mut u32) {
        for c in 0..LANES / 8 {
            // SAFETY: eight lanes of each, by the caller's promise.
            unsafe {
                let lanes = _mm256_loadu_si256(from.add(8 * c).cast());
                let clean = _mm256_and_si256(lanes, _mm256_set1_epi32(0xffff));
                let (low, high) = (
                    _mm256_castsi256_si128(clean),
                    _mm256_extracti128_si256::<1>(clean),
                );
                let singles = _mm256_cvtph_ps(_mm_packus_epi32(low, high));
                _mm256_storeu_ps(to.add(8 * c).cast(), singles);
            }
        }
    }

    #[inline(always)]
    unsafe fn narrow<const ROUND: i32>(from: &[u32; LANES], to: *mut u32) {
        for c in 0..LANES / 8 {
            // SAFETY: eight lanes of each, by the caller's promise.
            unsafe {
                let singles = _mm256_loadu_ps(from.as_ptr().add(8 * c).cast());
                let halves = _mm256_cvtps_ph::<ROUND>(singles);
                _mm256_storeu_si256(to.add(8 * c).cast(), _mm256_cvtepu16_epi32(halves));
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

    #[inline(always)]
    fn of(loops: &LaneLoops) -> LaneLoop {
        loops.avx2
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

impl Permute for Store256 {
    #[inline(always)]
    unsafe fn permute(high: &Row, low: &Row, selectors: &Row) -> Aligned<Row> {
        let mut r = Aligned([0; LANES]);
        for at in (0..LANES).step_by(8) {
            // SAFETY: eight lanes of each; features by the caller's promise.
            unsafe {
                let part = |row: &Row| _mm256_loadu_si256(row.as_ptr().add(at).cast());
                let [high, low, select] = [part(high), part(low), part(selectors)];
                let lanes = _mm_setr_epi32(0, 0x0404_0404, 0x0808_0808, 0x0c0c_0c0c);
                let lanes = _mm256_broadcastsi128_si256(lanes);
                // The byte of {high, low} that the number selects.
                let chosen = |number| {
                    let at = _mm256_or_si256(_mm256_and_si256(number, _mm256_set1_epi8(3)), lanes);
                    // Bit 2 of each byte moves to its highest bit.
                    let is_high = _mm256_slli_epi16::<5>(number);
                    let (low, high) = (_mm256_shuffle_epi8(low, at), _mm256_shuffle_epi8(high, at));
                    _mm256_blendv_epi8(low, high, is_high)
                };
                let at_least =
                    |n| _mm256_cmpeq_epi8(_mm256_max_epu8(select, _mm256_set1_epi8(n)), select);
                let above = at_least(8);
                let mut bytes = _mm256_andnot_si256(above, chosen(select));
                let is_zero = _mm256_cmpeq_epi8(select, _mm256_set1_epi8(12));
                let odd = _mm256_andnot_si256(is_zero, above);
                if _mm256_testz_si256(odd, odd) == 0 {
                    let doubled = _mm256_add_epi8(select, select);
                    let signed = chosen(_mm256_or_si256(doubled, _mm256_set1_epi8(1)));
                    let ones = _mm256_or_si256(signed, at_least(13));
                    let ones = _mm256_cmpgt_epi8(_mm256_setzero_si256(), ones);
                    bytes = _mm256_or_si256(bytes, _mm256_and_si256(odd, ones));
                }
                _mm256_storeu_si256(r.as_mut_ptr().add(at).cast(), bytes);
            }
        }
        r
    }
}
