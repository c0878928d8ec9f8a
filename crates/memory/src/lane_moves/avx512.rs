//! Data movement with AVX-512: sixteen lanes at a time.

use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::{Aligned, Avx2, LaneMoves, NEIGHBOURS, Records, copy, plain};
use crate::global::at;
use crate::reach::Offsets;

/// The level of processors with AVX-512.
#[derive(Clone, Copy)]
pub struct Avx512;

impl LaneMoves for Avx512 {
    const AVX: bool = true;

    #[inline(always)]
    unsafe fn line(from: *const u8, to: *mut u8) {
        // SAFETY: by the caller's promise.
        unsafe { line(from, to) }
    }

    #[inline(always)]
    unsafe fn gather(base: u64, offset: *const u32, mask: u64, to: *mut u32) {
        // SAFETY: by the caller's promise.
        unsafe { gather(base, offset, mask, to) }
    }

    #[inline(always)]
    unsafe fn scatter(base: u64, offset: *const u32, mask: u64, from: *const u32) {
        // SAFETY: by the caller's promise.
        unsafe { scatter(base, offset, mask, from) }
    }

    #[inline(always)]
    unsafe fn overlapping<const N: usize>(from: *const u8, to: *mut u32) {
        // SAFETY: by the caller's promise.
        unsafe {
            match from.addr() % 16 {
                0 => overlapping::<N>(from, to),
                bytes => shifted::<N>(from, bytes / 4, to),
            }
        }
    }

    #[inline(always)]
    unsafe fn spread<const N: usize>(records: &Records<N>, mask: u64, to: *mut u32) {
        // SAFETY: by the caller's promise.
        unsafe { spread(records, mask, to) }
    }

    #[inline(always)]
    unsafe fn collect<const N: usize>(from: [*const u32; N]) -> Aligned<Records<N>> {
        if N == 3 {
            // SAFETY: by the caller's promise; AVX2 is part of the level.
            return unsafe { Avx2::collect(from) };
        }
        let mut records = MaybeUninit::<Aligned<Records<N>>>::uninit();
        // SAFETY: by the caller's promise; all records are written.
        unsafe {
            collect(from, records.as_mut_ptr().cast());
            records.assume_init()
        }
    }

    #[inline(always)]
    unsafe fn interleave<const N: usize>(from: [*const u32; N], to: *mut u8) {
        // SAFETY: by the caller's promise.
        unsafe {
            if N == 2 || N == 4 {
                return interleave(from, to);
            }
            let records = Self::collect(from);
            copy::<Self, Records<N>>(records.0.as_ptr().cast(), to);
        }
    }

    #[inline(always)]
    unsafe fn within(values: *const u32, mask: u64, those: Offsets) -> bool {
        // SAFETY: by the caller's promise.
        unsafe { within(values, mask, those) }
    }

    #[inline(always)]
    unsafe fn common(values: *const u32, mask: u64) -> Option<u32> {
        // SAFETY: by the caller's promise.
        unsafe { common(values, mask) }
    }

    #[inline(always)]
    unsafe fn is_strided(values: *const u32, step: u32) -> bool {
        // SAFETY: by the caller's promise.
        unsafe { is_strided(values, step) }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn line(from: *const u8, to: *mut u8) {
    // SAFETY: 64 bytes, by the caller's promise.
    unsafe {
        asm!("vmovdqu64 {x}, [{from}]", "vmovdqu64 [{to}], {x}",
            x = out(zmm_reg) _, from = in(reg) from, to = in(reg) to, options(nostack, preserves_flags));
    }
}

// Every access checks the range. A function with target features of its own is inlined only where the check looks cheap.

/// Returns the lanes in groups of sixteen, each with its part of the mask.
#[inline(always)]
fn sixteens(mask: u64) -> impl Iterator<Item = (usize, __mmask16)> {
    (0..64)
        .step_by(16)
        .map(move |n| (n, (mask >> n) as __mmask16))
}

#[inline(always)]
unsafe fn within(values: *const u32, mask: u64, those: Offsets) -> bool {
    let (low, high) = (those.first(), those.last());
    // SAFETY: by the caller's promise: 64 values.
    unsafe {
        // One comparison tests both ends: the last offset is not below the first.
        let room = _mm512_set1_epi32((high - low) as i32);
        let low = _mm512_set1_epi32(low as i32);
        let mut outside = 0;
        for (n, on) in sixteens(mask) {
            let x = _mm512_loadu_epi32(values.add(n).cast());
            outside |= _mm512_mask_cmpgt_epu32_mask(on, _mm512_sub_epi32(x, low), room);
        }
        outside == 0
    }
}

#[inline(always)]
unsafe fn common(values: *const u32, mask: u64) -> Option<u32> {
    // SAFETY: by the caller's promise: 64 values.
    unsafe {
        let first = values.add(mask.trailing_zeros() as usize & 63).read();
        let one = _mm512_set1_epi32(first as i32);
        let mut differ = _mm512_setzero_si512();
        for (n, on) in sixteens(mask) {
            let x = _mm512_loadu_epi32(values.add(n).cast());
            let x = match mask {
                u64::MAX => _mm512_xor_si512(x, one),
                _ => _mm512_maskz_xor_epi32(on, x, one),
            };
            differ = _mm512_or_si512(differ, x);
        }
        (_mm512_test_epi32_mask(differ, differ) == 0).then_some(first)
    }
}

#[inline(always)]
unsafe fn is_strided(values: *const u32, step: u32) -> bool {
    let ramp = &RAMPS[step as usize % RAMPS.len()];
    // SAFETY: by the caller's promise: 64 values. A ramp has sixteen values.
    unsafe {
        let (first, last) = (values.read(), values.add(63).read());
        let row = _mm512_add_epi32(
            _mm512_set1_epi32(first as i32),
            _mm512_loadu_epi32(ramp.as_ptr()),
        );
        let mut differ = _mm512_setzero_si512();
        for n in 0..4 {
            let x = _mm512_loadu_epi32(values.add(16 * n).cast());
            let here = _mm512_add_epi32(row, _mm512_set1_epi32((16 * n as u32 * step) as i32));
            differ = _mm512_or_si512(differ, _mm512_xor_si512(x, here));
        }
        _mm512_test_epi32_mask(differ, differ) == 0 && last > first
    }
}

/// Ramps: sixteen multiples of the bytes of an access, up to 16.
static RAMPS: [[i32; 16]; 17] = {
    let mut ramps = [[0; 16]; 17];
    let mut at = 0;
    while at < 17 * 16 {
        ramps[at / 16][at % 16] = (at / 16 * (at % 16)) as i32;
        at += 1;
    }
    ramps
};

/// [`LaneMoves::overlapping`] from a multiple of 16 on, so that no aligned place spans two registers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn overlapping<const N: usize>(from: *const u8, to: *mut u32) {
    let mut parts = [_mm512_setzero_si512(); 5];
    let rest: __mmask16 = (1 << (N - 1)) - 1;
    // SAFETY: 63 + N dwords, and lanes of N vectors, by the caller's promise.
    unsafe {
        for (n, part) in parts.iter_mut().take(4).enumerate() {
            asm!("vmovdqu32 {x}, [{p}]", x = out(zmm_reg) *part, p = in(reg) from.add(64 * n),
                options(nostack, preserves_flags, readonly));
        }
        asm!("vmovdqu32 {x}{{{on}}}{{z}}, [{p}]", x = out(zmm_reg) parts[4], on = in(kreg) rest,
            p = in(reg) from.add(256), options(nostack, preserves_flags, readonly));
        for n in 0..N {
            for (tile, pair) in parts.windows(2).enumerate() {
                let x = match n {
                    0 => pair[0],
                    1 => _mm512_alignr_epi32::<1>(pair[1], pair[0]),
                    2 => _mm512_alignr_epi32::<2>(pair[1], pair[0]),
                    _ => _mm512_alignr_epi32::<3>(pair[1], pair[0]),
                };
                _mm512_storeu_epi32(to.add(64 * n + 16 * tile).cast(), x);
            }
        }
    }
}

/// [`LaneMoves::overlapping`] from so many dwords after a multiple of 16 on. The registers are loaded from that multiple on, without the
/// dwords before the first: no aligned place spans two registers.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn shifted<const N: usize>(from: *const u8, dwords: usize, to: *mut u32) {
    let from = from.wrapping_sub(4 * dwords);
    let mut parts = [_mm512_setzero_si512(); 5];
    let lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    // SAFETY: 63 + N dwords, and lanes of N vectors, by the caller's promise; the masks leave out all others.
    unsafe {
        for (n, part) in parts.iter_mut().enumerate() {
            let on: __mmask16 = match n {
                0 => !0 << dwords,
                4 => (1 << (dwords + N - 1)) - 1,
                _ => !0,
            };
            asm!("vmovdqu32 {x}{{{on}}}{{z}}, [{p}]", x = out(zmm_reg) *part, on = in(kreg) on,
                p = in(reg) from.wrapping_add(64 * n), options(nostack, preserves_flags, readonly));
        }
        for n in 0..N {
            let index = _mm512_add_epi32(lane, _mm512_set1_epi32((dwords + n) as i32));
            for (tile, pair) in parts.windows(2).enumerate() {
                let x = _mm512_permutex2var_epi32(pair[0], index, pair[1]);
                _mm512_storeu_epi32(to.add(64 * n + 16 * tile).cast(), x);
            }
        }
    }
}

/// Deinterleaves two vectors: the even dwords, and the odd dwords.
#[target_feature(enable = "avx512f")]
#[inline]
fn split(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
    let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    let odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    (
        _mm512_permutex2var_epi32(a, even, b),
        _mm512_permutex2var_epi32(a, odd, b),
    )
}

/// Interleaves the dwords of two vectors.
#[target_feature(enable = "avx512f")]
#[inline]
fn merge(a: __m512i, b: __m512i) -> (__m512i, __m512i) {
    let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    let high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    (
        _mm512_permutex2var_epi32(a, low, b),
        _mm512_permutex2var_epi32(a, high, b),
    )
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn spread<const N: usize>(records: &Records<N>, mask: u64, to: *mut u32) {
    if N == 3 {
        let mut vectors = [[0; 64]; N];
        plain::turn(records, &mut vectors);
        for (k, vector) in vectors.iter().enumerate() {
            for (n, on) in sixteens(mask) {
                // SAFETY: sixteen lanes of both vectors, by the caller's promise.
                unsafe {
                    let x = _mm512_loadu_epi32(vector.as_ptr().add(n).cast());
                    put(to.add(64 * k + n), on, x);
                }
            }
        }
        return;
    }
    for (n, on) in sixteens(mask) {
        // SAFETY: sixteen records, and as many lanes of N vectors, by the caller's promise.
        unsafe {
            let from = records.as_ptr().add(n).cast::<i32>();
            let to = to.add(n);
            match N {
                1 => put(to, on, _mm512_loadu_epi32(from)),
                2 => {
                    let (a, b) = split(_mm512_loadu_epi32(from), _mm512_loadu_epi32(from.add(16)));
                    put(to, on, a);
                    put(to.add(64), on, b);
                }
                _ => {
                    let (ac, bd) =
                        split(_mm512_loadu_epi32(from), _mm512_loadu_epi32(from.add(16)));
                    let (ac2, bd2) = split(
                        _mm512_loadu_epi32(from.add(32)),
                        _mm512_loadu_epi32(from.add(48)),
                    );
                    let ((a, c), (b, d)) = (split(ac, ac2), split(bd, bd2));
                    put(to, on, a);
                    put(to.add(64), on, b);
                    put(to.add(128), on, c);
                    put(to.add(192), on, d);
                }
            }
        }
    }
}

/// Writes the active lanes of sixteen.
///
/// # Safety
/// The lanes are those of a vector.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn put(to: *mut u32, on: __mmask16, x: __m512i) {
    // SAFETY: by the caller's promise.
    unsafe {
        match on {
            // A masked store would delay the next load.
            0xffff => _mm512_storeu_epi32(to.cast(), x),
            _ => _mm512_mask_storeu_epi32(to.cast(), on, x),
        }
    }
}

/// The records of sixteen lanes, from the lane `n` on, in `N` registers. There are one, two or four.
///
/// # Safety
/// There are sixteen lanes of each vector from `n` on.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn merged<const N: usize>(from: [*const u32; N], n: usize) -> [__m512i; N] {
    // SAFETY: by the caller's promise.
    let vectors = from.map(|vector| unsafe { _mm512_loadu_epi32(vector.add(n).cast()) });
    let mut records = vectors;
    match vectors[..] {
        [a, b] => (records[0], records[1]) = merge(a, b),
        [a, b, c, d] => {
            let ((ac, ac2), (bd, bd2)) = (merge(a, c), merge(b, d));
            (records[0], records[1]) = merge(ac, bd);
            (records[2], records[3]) = merge(ac2, bd2);
        }
        _ => {}
    }
    records
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn collect<const N: usize>(from: [*const u32; N], records: *mut [i32; N]) {
    for n in (0..64).step_by(16) {
        // SAFETY: sixteen lanes of N vectors, by the caller's promise, and as many records.
        unsafe {
            let to = records.add(n).cast::<i32>();
            for (part, x) in merged(from, n).into_iter().enumerate() {
                _mm512_storeu_epi32(to.add(16 * part), x);
            }
        }
    }
}

/// [`LaneMoves::interleave`] from registers: a copy of the records in memory would meet the stores in the host's store buffer.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn interleave<const N: usize>(from: [*const u32; N], to: *mut u8) {
    for n in (0..64).step_by(16) {
        // SAFETY: sixteen lanes of N vectors, and room for as many records, by the caller's promise.
        unsafe {
            for (part, x) in merged(from, n).into_iter().enumerate() {
                asm!("vmovdqu64 [{to}], {x}", x = in(zmm_reg) x, to = in(reg) to.add(4 * N * n + 64 * part),
                    options(nostack, preserves_flags));
            }
        }
    }
}

/// The places of sixteen lanes.
enum Sixteen {
    /// Adjacent dwords, from the address of the first lane, active or not.
    Row(u64),
    /// One address for all lanes.
    One(u64),
    /// Any places: offsets from an address.
    Any(u64, __m512i),
}

impl Sixteen {
    /// Returns the places of the active lanes, of which there is at least one.
    ///
    /// # Safety
    /// There are sixteen offsets.
    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn new(base: u64, offset: *const u32, on: __mmask16) -> Sixteen {
        let first = on.trailing_zeros() & 15;
        // SAFETY: sixteen offsets, by the caller's promise; the table of adjacent places is longer.
        let (there, neighbours, low) = unsafe {
            let there = _mm512_loadu_epi32(offset.cast());
            let neighbours = _mm512_loadu_epi32(NEIGHBOURS.as_ptr().cast());
            (there, neighbours, offset.add(first as usize).read())
        };
        let one = _mm512_set1_epi32(low as i32);
        let row = _mm512_sub_epi32(
            _mm512_add_epi32(neighbours, one),
            _mm512_set1_epi32(4 * first as i32),
        );
        let place = base.wrapping_add(low.into());
        if _mm512_mask_cmpneq_epi32_mask(on, there, row) == 0 && low < u32::MAX - 64 {
            return Sixteen::Row(place.wrapping_sub(u64::from(4 * first)));
        }
        if _mm512_mask_cmpneq_epi32_mask(on, there, one) == 0 {
            return Sixteen::One(place);
        }
        // The host's indices are signed, so the offsets are taken from the middle.
        let middle = 1 << 31;
        let index = _mm512_xor_si512(there, _mm512_set1_epi32(i32::MIN));
        Sixteen::Any(base.wrapping_add(middle), index)
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn gather(base: u64, offset: *const u32, mask: u64, to: *mut u32) {
    for (n, on) in sixteens(mask) {
        // SAFETY: by the caller's promise.
        unsafe {
            match on {
                0 => {}
                // A constant mask for the compiler.
                ALL => gather_sixteen(base, offset.add(n), ALL, to.add(n)),
                _ => gather_sixteen(base, offset.add(n), on, to.add(n)),
            }
        }
    }
}

/// The mask of sixteen active lanes.
const ALL: __mmask16 = 0xffff;

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn gather_sixteen(base: u64, offset: *const u32, on: __mmask16, to: *mut u32) {
    let mut x = _mm512_setzero_si512();
    // SAFETY: by the caller's promise. An inactive lane is not accessed, whatever its place.
    unsafe {
        match Sixteen::new(base, offset, on) {
            Sixteen::Row(place) if on == ALL => asm!("vmovdqu32 {x}, [{p}]",
                x = out(zmm_reg) x, p = in(reg) at::<u8>(place), options(nostack, preserves_flags, readonly)),
            Sixteen::Row(place) => asm!("vmovdqu32 {x}{{{on}}}{{z}}, [{p}]",
                x = out(zmm_reg) x, on = in(kreg) on, p = in(reg) at::<u8>(place),
                options(nostack, preserves_flags, readonly)),
            Sixteen::One(place) => asm!("vpbroadcastd {x}, dword ptr [{p}]",
                x = out(zmm_reg) x, p = in(reg) at::<u8>(place), options(nostack, preserves_flags, readonly)),
            Sixteen::Any(base, index) => asm!("vpgatherdd {x}{{{on}}}, [{p} + {index}]",
                x = inout(zmm_reg) x, on = inout(kreg) on => _, index = in(zmm_reg) index, p = in(reg) base,
                options(nostack, preserves_flags, readonly)),
        }
        put(to, on, x);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn scatter(base: u64, offset: *const u32, mask: u64, from: *const u32) {
    for (n, on) in sixteens(mask) {
        // SAFETY: by the caller's promise.
        unsafe {
            match on {
                0 => {}
                ALL => scatter_sixteen(base, offset.add(n), ALL, from.add(n)),
                _ => scatter_sixteen(base, offset.add(n), on, from.add(n)),
            }
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
#[inline]
unsafe fn scatter_sixteen(base: u64, offset: *const u32, on: __mmask16, from: *const u32) {
    // SAFETY: by the caller's promise, as above.
    unsafe {
        let x = _mm512_loadu_epi32(from.cast());
        match Sixteen::new(base, offset, on) {
            Sixteen::Row(place) if on == ALL => asm!("vmovdqu32 [{p}], {x}",
                x = in(zmm_reg) x, p = in(reg) at::<u8>(place), options(nostack, preserves_flags)),
            Sixteen::Row(place) => asm!("vmovdqu32 [{p}]{{{on}}}, {x}",
                x = in(zmm_reg) x, on = in(kreg) on, p = in(reg) at::<u8>(place),
                options(nostack, preserves_flags)),
            // The highest lane's value remains.
            Sixteen::One(place) => {
                let last = 15 - (on.leading_zeros() & 15);
                copy::<Avx512, u32>(from.add(last as usize).cast(), at(place));
            }
            // The host too writes to one place in the order of lanes.
            Sixteen::Any(base, index) => asm!("vpscatterdd [{p} + {index}]{{{on}}}, {x}",
                x = in(zmm_reg) x, on = inout(kreg) on => _, index = in(zmm_reg) index, p = in(reg) base,
                options(nostack, preserves_flags)),
        }
    }
}
