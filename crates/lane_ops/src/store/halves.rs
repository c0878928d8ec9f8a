//! Adjacent halves in the words of a row, and their conversions.

use wavetank_ir::LANES;

use super::Aligned;

/// The halves of a row, in the order of memory.
pub(crate) type Halves<T> = [T; 2 * LANES];

/// Conversion of adjacent halves to single precision and back, at one level of processor features.
pub trait PairConversions {
    /// Converts both halves of each lane like [`Store::widen`](super::Store::widen).
    ///
    /// # Safety
    /// The processor has the level's features.
    unsafe fn widen_pairs(from: &[u32; LANES]) -> Aligned<Halves<u32>>;

    /// Converts back to halves, rounding to nearest.
    ///
    /// # Safety
    /// The processor has the level's features.
    unsafe fn narrow_pairs(from: &Halves<u32>) -> Aligned<[u32; LANES]>;
}
