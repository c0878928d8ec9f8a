//! Storing lanes under a mask, and masks of lanes: what the compiler does not
//! make of loops by itself.

mod halves;
mod levels;
mod permute;

use std::arch::x86_64::*;

use wavetank_ir::{LANES, LaneLoop, LaneLoops};

pub use self::halves::{Halves, PairConversions};
pub use self::levels::{Aligned, Store128, Store256, Store512};
pub use self::permute::{Permute, permute};
use crate::half;

/// The lane accesses of one level of processor features.
pub trait Store: Permute + PairConversions {
    /// Stores the lanes of `mask` to the lane vector at `p`.
    ///
    /// # Safety
    /// `p` points to a lane vector, aligned as those of the vector file are, and the processor has the level's features.
    unsafe fn store(p: *mut u32, mask: u64, r: &[u32; LANES]);

    /// `mask ? a : b` in each lane.
    ///
    /// # Safety
    /// `to` points to room for a lane vector; the processor has the level's features.
    unsafe fn select(mask: u64, a: &[u32; LANES], b: &[u32; LANES], to: *mut u32);

    /// Lane n of `to` is lane `table[n]`, or 0 where that is 64 or more.
    ///
    /// # Safety
    /// `to` points to room for a lane vector; the processor has the level's features.
    unsafe fn shuffle(from: &[u32; LANES], table: &[u8; LANES], to: *mut u32);

    /// `shuffle` by a table that leaves every lane in its row of sixteen.
    ///
    /// # Safety
    /// As for `shuffle`.
    unsafe fn shuffle_rows(from: &[u32; LANES], table: &[u8; LANES], to: *mut u32);

    /// The numbers of 64 bits of which `low` and `high` have the halves.
    ///
    /// # Safety
    /// Both point to a lane vector, `to` to room for 64 words of 64 bits. The processor has the level's features.
    unsafe fn join(low: *const u32, high: *const u32, to: *mut u64);

    /// The opposite of `join`.
    ///
    /// # Safety
    /// Both `low` and `high` point to room for a lane vector; the processor has the level's features.
    unsafe fn split(from: &[u64; LANES], low: *mut u32, high: *mut u32);

    /// Halves in the low 16 bits of lanes to bits of single precision: exact. A NaN becomes quiet.
    ///
    /// # Safety
    /// `from` points to a lane vector, `to` to room for one; the processor has the level's features.
    unsafe fn widen(from: *const u32, to: *mut u32);

    /// Bits of single precision to halves, as [`half::narrow`] does it for the roundings 0 (to nearest) and 3 (toward zero).
    ///
    /// # Safety
    /// `to` points to room for a lane vector; the processor has the level's features.
    unsafe fn narrow<const ROUND: i32>(from: &[u32; LANES], to: *mut u32);

    /// Whether there are estimates of the reciprocals of roots, and using them is faster than not.
    const ESTIMATES_ROOTS: bool = false;

    /// The reciprocals of the square roots of positive normal numbers, off by 2^-14 at most.
    ///
    /// # Safety
    /// `to` points to room for 64 numbers; the processor has the level's features. Only for levels with `ESTIMATES_ROOTS`.
    unsafe fn estimate_reciprocal_roots(_from: &[f64; LANES], _to: *mut f64) {
        unreachable!("this level has no estimates of roots")
    }

    /// The mask of the lanes whose highest bit is set.
    ///
    /// # Safety
    /// The processor has the level's features.
    unsafe fn mask(r: &[u32; LANES]) -> u64;

    /// The loop of this level.
    fn of(loops: &LaneLoops) -> LaneLoop;
}

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
                // A whole store, since a masked one would stall the next load. The compiler makes one of a blend
                // with what it may read when it likes: hence volatile.
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
                // The low five bits choose among two vectors.
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
                // The low four bits choose.
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
                // Indices from 16 on name the second operand.
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

/// The low eight bits of a mask as lanes.
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

/// Eight lanes of a row of sixteen, of which the low four bits of their numbers choose; 0 where these are 64 or more.
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
                // Volatile for the same reason as above.
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
                // Most lanes stay in their row.
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
                // Lanes 0, 1, 4, 5 and 2, 3, 6, 7.
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
                // Lanes 0, 1, 4, 5, 2, 3, 6, 7: pairs are put in order.
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
    unsafe fn select(mask: u64, a: &[u32; LANES], b: &[u32; LANES], to: *mut u32) {
        for i in 0..LANES {
            let lane = ((mask >> i & 1) as u32).wrapping_neg();
            // SAFETY: a lane of the room, by the caller's promise.
            unsafe { to.add(i).write(b[i] ^ ((b[i] ^ a[i]) & lane)) };
        }
    }

    #[inline(always)]
    unsafe fn shuffle(from: &[u32; LANES], table: &[u8; LANES], to: *mut u32) {
        for (i, lane) in table.iter().enumerate() {
            let value = from.get(usize::from(*lane)).copied().unwrap_or(0);
            // SAFETY: a lane of the room, by the caller's promise.
            unsafe { to.add(i).write(value) };
        }
    }

    #[inline(always)]
    unsafe fn shuffle_rows(from: &[u32; LANES], table: &[u8; LANES], to: *mut u32) {
        // SAFETY: that of the caller.
        unsafe { Self::shuffle(from, table, to) };
    }

    #[inline(always)]
    unsafe fn join(low: *const u32, high: *const u32, to: *mut u64) {
        for c in 0..LANES / 4 {
            // SAFETY: four lanes of each, by the caller's promise; SSE2 is part of every x86-64.
            unsafe {
                let low = _mm_loadu_si128(low.add(4 * c).cast());
                let high = _mm_loadu_si128(high.add(4 * c).cast());
                let to = to.add(4 * c).cast::<__m128i>();
                _mm_storeu_si128(to, _mm_unpacklo_epi32(low, high));
                _mm_storeu_si128(to.add(1), _mm_unpackhi_epi32(low, high));
            }
        }
    }

    #[inline(always)]
    unsafe fn split(from: &[u64; LANES], low: *mut u32, high: *mut u32) {
        for c in 0..LANES / 4 {
            // SAFETY: four lanes of each, by the caller's promise; SSE2 is part of every x86-64.
            unsafe {
                let from = from.as_ptr().add(4 * c);
                let (first, second) = (_mm_loadu_ps(from.cast()), _mm_loadu_ps(from.add(2).cast()));
                let x = _mm_shuffle_ps::<0b10_00_10_00>(first, second);
                let y = _mm_shuffle_ps::<0b11_01_11_01>(first, second);
                _mm_storeu_ps(low.add(4 * c).cast(), x);
                _mm_storeu_ps(high.add(4 * c).cast(), y);
            }
        }
    }

    #[inline(always)]
    unsafe fn widen(from: *const u32, to: *mut u32) {
        for i in 0..LANES {
            // SAFETY: a lane of each, by the caller's promise.
            unsafe { to.add(i).write(half::widen_quiet(from.add(i).read())) };
        }
    }

    #[inline(always)]
    unsafe fn narrow<const ROUND: i32>(from: &[u32; LANES], to: *mut u32) {
        for (i, single) in from.iter().enumerate() {
            // SAFETY: a lane of the room, by the caller's promise.
            unsafe { to.add(i).write(half::narrow(ROUND as u32, *single)) };
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

    #[inline(always)]
    fn of(loops: &LaneLoops) -> LaneLoop {
        loops.baseline
    }
}
