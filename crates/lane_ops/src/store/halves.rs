//! Halves side by side, and the conversions of them.

use wavetank_ir::LANES;

use super::aligned::Aligned;

/// The halves of a row, in the order in which they stand in memory.
pub type Halves<T> = [T; 2 * LANES];

/// Halves side by side to single precision and back, at one level of processor features.
pub trait PairConversions {
    /// Both halves of each lane as [`Store::widen`](super::Store::widen) has them.
    ///
    /// # Safety
    /// The processor has the level's features.
    unsafe fn widen_pairs(from: &[u32; LANES]) -> Aligned<Halves<u32>>;

    /// The opposite: to nearest.
    ///
    /// # Safety
    /// The processor has the level's features.
    unsafe fn narrow_pairs(from: &Halves<u32>) -> Aligned<[u32; LANES]>;
}
