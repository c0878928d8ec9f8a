//! Overlapping loads with AVX2, eight lanes at a time.

use std::arch::asm;
use std::arch::x86_64::*;

/// Reads overlapping records: loads each dword once as the first vector, and makes the other vectors by shifting pairs of registers.
/// `from` is aligned to 16 bytes, so that no aligned record of 8 or 16 bytes is split between two registers.
///
/// # Safety
/// The contract of [`LaneMoves::overlapping`](super::LaneMoves::overlapping), which this implements.
#[target_feature(enable = "avx2")]
#[inline]
pub(super) unsafe fn shifted<const N: usize>(from: *const u8, to: *mut u32) {
    // SAFETY: 63 + N dwords, and lanes of N vectors, by the caller's promise.
    unsafe {
        let mut part = load(from);
        for tile in 0..8 {
            let next = match tile {
                7 => load_some::<N>(from.add(256)),
                _ => load(from.add(32 * (tile + 1))),
            };
            // The upper half of this part and the lower half of the next.
            let middle = _mm256_permute2x128_si256::<0x21>(part, next);
            for n in 0..N {
                let x = match n {
                    0 => part,
                    1 => _mm256_alignr_epi8::<4>(middle, part),
                    2 => _mm256_alignr_epi8::<8>(middle, part),
                    _ => _mm256_alignr_epi8::<12>(middle, part),
                };
                _mm256_storeu_si256(to.add(64 * n + 8 * tile).cast(), x);
            }
            part = next;
        }
    }
}

/// Loads eight dwords of guest memory.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn load(from: *const u8) -> __m256i {
    let x;
    // SAFETY: by the caller's promise.
    unsafe {
        asm!("vmovdqu {x}, [{p}]", x = out(ymm_reg) x, p = in(reg) from,
            options(nostack, preserves_flags, readonly));
    }
    x
}

/// Loads the `N` - 1 dwords after those of the lanes.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn load_some<const N: usize>(from: *const u8) -> __m256i {
    let lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let on = _mm256_cmpgt_epi32(_mm256_set1_epi32(N as i32 - 1), lane);
    let x;
    // SAFETY: by the caller's promise. Dwords outside the mask are not accessed.
    unsafe {
        asm!("vpmaskmovd {x}, {on}, [{p}]", x = out(ymm_reg) x, on = in(ymm_reg) on, p = in(reg) from,
            options(nostack, preserves_flags, readonly));
    }
    x
}
