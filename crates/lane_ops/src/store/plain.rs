//! Lane accesses without processor features: loops that the compiler vectorizes as far as it can.

use wavetank_ir::{LANES, LaneLoop, LaneLoops};

use super::Aligned;
use super::Store;
use super::halves::{Halves, PairConversions};
use super::permute::{Permute, Row, permute};
use crate::half::{self, narrow_nearest, widen_quiet};

/// The baseline level, with the features that the compiler assumes.
pub(crate) struct Plain;

impl Store for Plain {
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
        // SAFETY: by the caller's promise.
        unsafe { Self::shuffle(from, table, to) };
    }

    #[inline(always)]
    unsafe fn join(low: *const u32, high: *const u32, to: *mut u64) {
        // SAFETY: by the caller's promise.
        unsafe { host::join(low, high, to) };
    }

    #[inline(always)]
    unsafe fn split(from: &[u64; LANES], low: *mut u32, high: *mut u32) {
        // SAFETY: by the caller's promise.
        unsafe { host::split(from, low, high) };
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
        host::mask(r)
    }

    #[inline(always)]
    fn of(loops: &LaneLoops) -> LaneLoop {
        loops.baseline
    }
}
impl PairConversions for Plain {
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

impl Permute for Plain {
    #[inline(always)]
    unsafe fn permute(high: &Row, low: &Row, selectors: &Row) -> Aligned<Row> {
        Aligned(std::array::from_fn(|i| {
            permute(high[i], low[i], selectors[i])
        }))
    }
}

/// Loops that the compiler does not vectorize well, in SSE2.
#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::*;

    use super::LANES;

    /// As [`Store::join`](super::Store::join).
    #[inline(always)]
    pub(crate) unsafe fn join(low: *const u32, high: *const u32, to: *mut u64) {
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

    /// As [`Store::split`](super::Store::split).
    #[inline(always)]
    pub(crate) unsafe fn split(from: &[u64; LANES], low: *mut u32, high: *mut u32) {
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

    /// As [`Store::mask`](super::Store::mask).
    #[inline(always)]
    pub(crate) fn mask(r: &[u32; LANES]) -> u64 {
        let mut mask = 0;
        for c in 0..LANES / 4 {
            // SAFETY: four lanes of the array; SSE2 is part of every x86-64.
            let part = unsafe { _mm_movemask_ps(_mm_loadu_ps(r.as_ptr().add(4 * c).cast())) };
            mask |= u64::from(part as u8) << (4 * c);
        }
        mask
    }
}

/// The same functions as plain loops, for other hosts.
#[cfg(not(target_arch = "x86_64"))]
mod host {
    use super::LANES;

    /// As [`Store::join`](super::Store::join).
    #[inline(always)]
    pub unsafe fn join(low: *const u32, high: *const u32, to: *mut u64) {
        for i in 0..LANES {
            // SAFETY: a lane of each, by the caller's promise.
            unsafe {
                let (low, high) = (low.add(i).read(), high.add(i).read());
                to.add(i).write(u64::from(low) | u64::from(high) << 32);
            }
        }
    }

    /// As [`Store::split`](super::Store::split).
    #[inline(always)]
    pub unsafe fn split(from: &[u64; LANES], low: *mut u32, high: *mut u32) {
        for (i, x) in from.iter().enumerate() {
            // SAFETY: a lane of each, by the caller's promise.
            unsafe {
                low.add(i).write(*x as u32);
                high.add(i).write((x >> 32) as u32);
            }
        }
    }

    /// As [`Store::mask`](super::Store::mask).
    #[inline(always)]
    pub fn mask(r: &[u32; LANES]) -> u64 {
        let bit = |(i, x): (usize, &u32)| u64::from(x >> 31) << i;
        r.iter()
            .enumerate()
            .map(bit)
            .fold(0, |mask, bit| mask | bit)
    }
}
