//! Moves of lanes between guest memory and the vector file.
//!
//! Other threads may access guest memory at the same time, which Rust allows to atomics only, and those have at most eight bytes.
//! So wide moves are made by assembly instructions that the compiler does not analyse. To Rust, they are relaxed atomic loads and
//! stores of single bytes in an unspecified order. On the host, every aligned dword is moved as a whole, and so is every aligned
//! record of 8 or 16 bytes ([`copy`]). Only [`copy`], [`LaneMoves::gather`] and [`LaneMoves::scatter`] contain such instructions, and one
//! of their two sides is not guest memory.
//!
//! A level of processor features is a type that implements [`LaneMoves`]; all give the same bits. The instructions that move up to
//! sixteen bytes depend on the host: `x86_64.rs`, `aarch64.rs`; other hosts use atomics (`portable.rs`).

mod aligned;
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

pub use aligned::Aligned;
#[cfg(target_arch = "x86_64")]
pub use avx512::Avx512;
#[cfg(target_arch = "x86_64")]
pub use plain::Avx2;
pub use plain::Baseline;

use std::mem::MaybeUninit;

use crate::lanes::{self, Lanes};
use crate::reach::Offsets;

/// The moves and tests of a wave's lanes at a level of processor features.
///
/// # Safety (all functions)
/// The processor has the level's features. Functions that test values are inlined, so they should be called from code that is
/// compiled for the level.
pub trait LaneMoves: Copy + 'static {
    /// Whether the level has the encodings of AVX, which clear the upper halves of registers.
    const AVX: bool;

    /// Returns whether the value of each lane of the mask, which is not empty, is in a range.
    ///
    /// # Safety
    /// There are 64 values.
    #[inline(always)]
    unsafe fn within(values: *const u32, mask: u64, those: Offsets) -> bool {
        // SAFETY: by the caller's promise.
        unsafe { lanes::within(values, mask, those.first(), those.last()) }
    }

    /// Returns the value that all lanes of the mask share, if they do.
    ///
    /// # Safety
    /// There are 64 values, and the mask is not empty.
    #[inline(always)]
    unsafe fn common(values: *const u32, mask: u64) -> Option<u32> {
        // SAFETY: by the caller's promise.
        unsafe { lanes::common(values, mask) }
    }

    /// Returns whether the value of each lane is `step` more than the value of the lane below, without wrapping.
    ///
    /// # Safety
    /// There are 64 values.
    #[inline(always)]
    unsafe fn is_strided(values: *const u32, step: u32) -> bool {
        // SAFETY: by the caller's promise.
        unsafe { lanes::is_strided(values, step) }
    }

    /// Copies 64 bytes from or to guest memory.
    ///
    /// # Safety
    /// The bytes are mapped on both sides, which are apart.
    unsafe fn line(from: *const u8, to: *mut u8);

    /// Reads a dword for each lane of the mask, at `base` plus the lane's offset.
    ///
    /// # Safety
    /// The dwords are mapped host memory, and apart from the results. The offsets may stand where the results go.
    unsafe fn gather(base: u64, offset: *const u32, mask: u64, to: *mut u32);

    /// Writes a dword for each lane of the mask, in order.
    ///
    /// # Safety
    /// The dwords are mapped host memory that may be written. They overlap neither the source nor the offsets.
    unsafe fn scatter(base: u64, offset: *const u32, mask: u64, from: *const u32);

    /// Reads `N` dwords for each lane from overlapping places, a dword apart from an aligned first one on. A record that is
    /// aligned to 8 or 16 bytes is read at once.
    ///
    /// # Safety
    /// The dwords are mapped, and there are `N` vectors, one after the other, apart from them.
    #[inline(always)]
    unsafe fn overlapping<const N: usize>(from: *const u8, to: *mut u32) {
        // SAFETY: by the caller's promise.
        unsafe { overlapping::<Self, N>(from, to) }
    }

    /// Converts records (AoS) of the lanes of the mask to vectors (SoA): dword n of each goes to vector n.
    ///
    /// # Safety
    /// There are `N` vectors, one after the other, apart from the records.
    unsafe fn spread<const N: usize>(records: &Records<N>, mask: u64, to: *mut u32);

    /// Converts vectors (SoA) to records (AoS).
    ///
    /// # Safety
    /// The pointers are those of lane vectors.
    unsafe fn collect<const N: usize>(from: [*const u32; N]) -> Aligned<Records<N>>;

    /// Writes the vectors as adjacent records to guest memory.
    ///
    /// # Safety
    /// The contract of [`LaneMoves::collect`] and, for the records, of [`copy`].
    #[inline(always)]
    unsafe fn interleave<const N: usize>(from: [*const u32; N], to: *mut u8) {
        // SAFETY: by the caller's promise.
        unsafe {
            let records = Self::collect(from);
            copy::<Self, Records<N>>(records.0.as_ptr().cast(), to);
        }
    }
}

/// The dwords of 64 overlapping places, a dword apart, of up to four dwords each.
type Run = [u32; 64 + 3];

/// Records of `N` dwords, one for each lane.
pub type Records<const N: usize> = [[u32; N]; 64];

/// The offsets of lanes whose dwords are adjacent.
pub static NEIGHBOURS: Lanes = {
    let mut offsets = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        offsets[lane] = 4 * lane as u32;
        lane += 1;
    }
    offsets
};

/// [`LaneMoves::overlapping`] through a copy of the dwords, from which each vector is taken.
///
/// # Safety
/// The contract of [`LaneMoves::overlapping`].
#[inline(always)]
unsafe fn overlapping<R: LaneMoves, const N: usize>(from: *const u8, to: *mut u32) {
    let mut run = MaybeUninit::<Aligned<Run>>::uninit();
    let run = run.as_mut_ptr().cast::<u32>();
    // SAFETY: by the caller's promise; a run has as many dwords.
    unsafe {
        copy_dwords::<R>(from, run.cast(), from.addr() as u64, 4 * (63 + N));
        for n in 0..N {
            run.add(n).copy_to_nonoverlapping(to.add(64 * n), 64);
        }
    }
}

/// Copies a `T`, of 1, 2, 4, 8, 12, 16 or whole lines of 64 bytes, from or to guest memory, at any alignment. Data aligned to 8
/// bytes is moved by at least eight bytes at a time, data aligned to 16 by sixteen, as far as the host has such moves: the
/// invariant "Nothing is torn" of docs/explanation/architecture.md.
///
/// # Safety
/// The bytes are mapped on both sides, which are apart, and the target may be written. The processor has the features of `R`.
#[inline(always)]
pub unsafe fn copy<R: LaneMoves, T>(from: *const u8, to: *mut u8) {
    let bytes = const { size_of::<T>() };
    // SAFETY: these bytes, by the caller's promise.
    unsafe {
        if cfg!(miri) {
            // Miri does not support assembly; its tests access guest memory from one thread.
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

/// Copies dwords from or to guest memory. `guest` is their address there, a multiple of 4. Data aligned to 8 or 16 bytes is moved
/// as by [`copy`], wherever the dwords begin.
///
/// # Safety
/// The contract of [`copy`].
#[inline(always)]
pub unsafe fn copy_dwords<R: LaneMoves>(from: *const u8, to: *mut u8, guest: u64, bytes: usize) {
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

/// The dwords of a line of 64 bytes, moved at once.
type Line = [u32; 16];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::Reach;
    use proptest::prelude::*;

    /// Returns the result of a level's test, or of the plain loops if the processor lacks the level.
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
