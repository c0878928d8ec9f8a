//! Lane accesses: masked stores, masks of lanes and other loops that the compiler does not vectorize well.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod halves;
mod permute;
mod plain;

use wavetank_ir::{LANES, LaneLoop, LaneLoops};

pub(crate) use self::halves::{Halves, PairConversions};
pub(crate) use self::permute::{Permute, permute};
pub(crate) use self::plain::Plain;
#[cfg(target_arch = "x86_64")]
pub(crate) use self::{avx2::Store256, avx512::Store512};
pub(crate) use wavetank_memory::lane_moves::Aligned;

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

    /// Joins the halves `low` and `high` to words of 64 bits.
    ///
    /// # Safety
    /// Both point to a lane vector, `to` to room for 64 words of 64 bits. The processor has the level's features.
    unsafe fn join(low: *const u32, high: *const u32, to: *mut u64);

    /// Splits words of 64 bits into halves, the inverse of `join`.
    ///
    /// # Safety
    /// Both `low` and `high` point to room for a lane vector; the processor has the level's features.
    unsafe fn split(from: &[u64; LANES], low: *mut u32, high: *mut u32);

    /// Converts halves in the low 16 bits of lanes to bits of single precision, exactly. A NaN becomes quiet.
    ///
    /// # Safety
    /// `from` points to a lane vector, `to` to room for one; the processor has the level's features.
    unsafe fn widen(from: *const u32, to: *mut u32);

    /// Converts bits of single precision to halves, like [`half::narrow`](crate::half::narrow) for the roundings 0 (to nearest)
    /// and 3 (toward zero).
    ///
    /// # Safety
    /// `to` points to room for a lane vector; the processor has the level's features.
    unsafe fn narrow<const ROUND: i32>(from: &[u32; LANES], to: *mut u32);

    /// Whether the level has estimates of reciprocal roots, and they are faster than the root instructions.
    const ESTIMATES_ROOTS: bool = false;

    /// The reciprocals of the square roots of positive normal numbers, with an error of at most 2^-14.
    ///
    /// # Safety
    /// `to` points to room for 64 numbers; the processor has the level's features. Only for levels with `ESTIMATES_ROOTS`.
    unsafe fn estimate_reciprocal_roots(_from: &[f64; LANES], _to: *mut f64) {
        unreachable!("this level has no estimates of roots")
    }

    /// Returns the mask of the lanes whose highest bit is set.
    ///
    /// # Safety
    /// The processor has the level's features.
    unsafe fn mask(r: &[u32; LANES]) -> u64;

    /// Returns the loop of a lane function compiled for this level.
    fn of(loops: &LaneLoops) -> LaneLoop;
}
