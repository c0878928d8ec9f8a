//! How lanes are moved between guest memory and the vector file.
//!
//! Other threads may use guest memory meanwhile, which Rust allows to atomics only, and those are no wider than eight
//! bytes. So what is moved at once is moved by instructions that the compiler does not look into: to Rust, as relaxed
//! atomic loads and stores of single bytes in an order that nobody may rely on; on the host, with every aligned dword
//! whole, and whatever a lane has of 8 or 16 bytes, if it is aligned to as many ([`copy`]). Only [`copy`], [`Rows::gather`]
//! and [`Rows::scatter`] do that, and one of their two sides is memory of our own.
//!
//! A level of processor features is a type that implements [`Rows`]; all give the same bits. The instructions that move up to
//! sixteen bytes are those of the host: `x86_64.rs`, `aarch64.rs`; other hosts use atomics (`portable.rs`).

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    path = "portable.rs"
)]
mod host;
mod plain;

#[cfg(target_arch = "x86_64")]
pub use avx512::Avx512;
#[cfg(target_arch = "x86_64")]
pub use plain::Avx2;
pub use plain::Baseline;

use std::mem::MaybeUninit;

use crate::lanes::{self, Lanes};
use crate::reach::Offsets;

/// What a level of processor features does with the lanes of a wave.
///
/// # Safety (all functions)
/// The processor has the level's features. Those that look at values are inlined, and want to be called where code is
/// compiled for the level.
pub trait Rows: Copy + 'static {
    /// Whether there are the encodings of AVX, which leave no upper halves behind.
    const AVX: bool;

    /// Whether the value of each lane of the mask, which is not empty, is among those.
    ///
    /// # Safety
    /// There are 64 values.
    #[inline(always)]
    unsafe fn within(values: *const u32, mask: u64, those: Offsets) -> bool {
        // SAFETY: the caller's promise.
        let (min, max) = unsafe { lanes::bounds(values, mask) };
        those.holds(min) && those.holds(max)
    }

    /// The value that all lanes of the mask share, if they do.
    ///
    /// # Safety
    /// There are 64 values, and the mask is not empty.
    #[inline(always)]
    unsafe fn common(values: *const u32, mask: u64) -> Option<u32> {
        // SAFETY: the caller's promise.
        unsafe { lanes::common(values, mask) }
    }

    /// Whether the value of each lane is `step` more than that of the lane below, without wrapping.
    ///
    /// # Safety
    /// There are 64 values.
    #[inline(always)]
    unsafe fn is_row(values: *const u32, step: u32) -> bool {
        // SAFETY: the caller's promise.
        unsafe { lanes::is_row(values, step) }
    }

    /// Copies 64 bytes from or to guest memory.
    ///
    /// # Safety
    /// They are mapped on both sides, which are apart.
    unsafe fn line(from: *const u8, to: *mut u8);

    /// Reads a dword of each lane of the mask: at `base` and its offset.
    ///
    /// # Safety
    /// The dwords are mapped host memory, and apart from the results. The offsets may stand where the results go.
    unsafe fn gather(base: u64, offset: *const u32, mask: u64, to: *mut u32);

    /// Writes a dword of each lane of the mask, in order.
    ///
    /// # Safety
    /// The dwords are mapped host memory that may be written, and apart from what is written and the offsets.
    unsafe fn scatter(base: u64, offset: *const u32, mask: u64, from: *const u32);

    /// Reads `N` dwords of each lane, at places a dword apart from an aligned one on, which overlap. What is aligned there by 8 or
    /// 16 is read at once.
    ///
    /// # Safety
    /// The dwords are mapped, and there are `N` vectors, one behind the other, apart from them.
    #[inline(always)]
    unsafe fn overlapping<const N: usize>(from: *const u8, to: *mut u32) {
        // SAFETY: the caller's promise.
        unsafe { overlapping::<Self, N>(from, to) }
    }

    /// Makes vectors of the records of the lanes of the mask: dword n of each goes to vector n.
    ///
    /// # Safety
    /// There are `N` vectors, one behind the other, apart from the records.
    unsafe fn spread<const N: usize>(records: &Records<N>, mask: u64, to: *mut u32);

    /// Makes records of vectors.
    ///
    /// # Safety
    /// They are lane vectors.
    unsafe fn collect<const N: usize>(from: [*const u32; N]) -> Records<N>;
}

/// The dwords of 64 places a dword apart, of up to four each.
pub type Run = [u32; 64 + 3];

/// What lies at the places of the lanes: some dwords each.
pub type Records<const N: usize> = [[u32; N]; 64];

/// Offsets of lanes whose dwords are neighbours.
pub static NEIGHBOURS: Lanes = {
    let mut offsets = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        offsets[lane] = 4 * lane as u32;
        lane += 1;
    }
    offsets
};

/// [`Rows::overlapping`], by a copy of the dwords, from which each vector is taken.
///
/// # Safety
/// That of [`Rows::overlapping`].
#[inline(always)]
unsafe fn overlapping<R: Rows, const N: usize>(from: *const u8, to: *mut u32) {
    let mut run = MaybeUninit::<Run>::uninit();
    let run = run.as_mut_ptr().cast::<u32>();
    // SAFETY: the caller's promise; a run has as many dwords.
    unsafe {
        copy_dwords::<R>(from, run.cast(), from.addr() as u64, 4 * (63 + N));
        for n in 0..N {
            run.add(n).copy_to_nonoverlapping(to.add(64 * n), 64);
        }
    }
}

/// Copies a `T`, of 1, 2, 4, 8, 12, 16 or whole lines of 64 bytes, from or to guest memory, at any alignment. What is aligned
/// by 8 there is moved by eight bytes at least, what is aligned by 16 by sixteen, as far as the host has such moves: the
/// invariant "Nothing is torn" of docs/architecture.md.
///
/// # Safety
/// The bytes are mapped on both sides, which are apart, and the target may be written. The processor has the features
/// of `R`.
#[inline(always)]
pub unsafe fn copy<R: Rows, T>(from: *const u8, to: *mut u8) {
    let bytes = const { size_of::<T>() };
    // SAFETY: these bytes, by the caller's promise.
    unsafe {
        if cfg!(miri) {
            // It knows no instructions; its tests use guest memory in one thread.
            return from.copy_to_nonoverlapping(to, bytes);
        }
        match bytes {
            12 => {
                copy::<R, u64>(from, to);
                copy::<R, u32>(from.wrapping_add(8), to.wrapping_add(8));
            }
            1 | 2 | 4 | 8 | 16 => host::part::<T, R>(from, to),
            _ => {
                const { assert!(size_of::<T>() <= 16 || size_of::<T>().is_multiple_of(64)) };
                for at in (0..bytes).step_by(64) {
                    R::line(from.wrapping_add(at), to.wrapping_add(at));
                }
            }
        }
    }
}

/// Copies dwords from or to guest memory: `guest` is where they are there, a multiple of 4. What is aligned by 8 or 16 there is
/// moved as [`copy`] moves it, wherever the dwords begin.
///
/// # Safety
/// That of [`copy`].
#[inline(always)]
pub unsafe fn copy_dwords<R: Rows>(from: *const u8, to: *mut u8, guest: u64, bytes: usize) {
    let mut done = 0;
    while done < bytes {
        let (here, left) = (guest + done as u64, bytes - done);
        let (from, to) = (from.wrapping_add(done), to.wrapping_add(done));
        // SAFETY: so many bytes are left, by the caller's promise.
        unsafe {
            done += if !here.is_multiple_of(8) || left < 8 {
                copy::<R, u32>(from, to);
                4
            } else if !here.is_multiple_of(16) || left < 16 {
                copy::<R, u64>(from, to);
                8
            } else if left < 64 {
                copy::<R, u128>(from, to);
                16
            } else {
                copy::<R, Line>(from, to);
                64
            };
        }
    }
}

/// Dwords that are moved at once.
type Line = [u32; 16];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::Reach;
    use proptest::prelude::*;

    /// What a level says of values, or what lanes say one by one where the processor lacks the level.
    fn says(level: &str, values: &Lanes, mask: u64, those: Offsets) -> bool {
        let values = values.as_ptr();
        // SAFETY: 64 values; the level is there.
        unsafe {
            match level {
                #[cfg(target_arch = "x86_64")]
                "avx512" if is_x86_feature_detected!("avx512bw") => {
                    Avx512::within(values, mask, those)
                }
                #[cfg(target_arch = "x86_64")]
                "avx2" if is_x86_feature_detected!("avx2") => Avx2::within(values, mask, those),
                _ => Baseline::within(values, mask, those),
            }
        }
    }

    proptest! {
        #[test]
        fn within_is_between(
            near in any::<u32>(),
            steps in prop::array::uniform32(-3i32..4),
            any in prop::array::uniform32(any::<u32>()),
            shape in 0..3,
            mask in any::<u64>(),
            low in -3i32..4,
            more in prop_oneof![0u32..4, any::<u32>()],
        ) {
            let values: Lanes = std::array::from_fn(|lane| match shape {
                0 => near.wrapping_add_signed(steps[lane / 2]),
                1 => near,
                _ => any[lane / 2],
            });
            let mask = mask.max(1);
            let low = near.wrapping_add_signed(low);
            let high = low.saturating_add(more);
            let those = Reach::new(low.into(), u64::from(high) + 1, 1).and_then(|r| r.from(0)).unwrap();
            let mut on = (0..64).filter(|lane| mask >> lane & 1 != 0);
            let want = on.all(|lane| low <= values[lane] && values[lane] <= high);
            for level in ["avx512", "avx2", "baseline"] {
                prop_assert_eq!(says(level, &values, mask, those), want, "{}", level);
            }
        }
    }
}
