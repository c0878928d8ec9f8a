//! Limits of sizes that a file may claim.

/// The largest memory image that is believed, in bytes: 1 TiB, more than a GPU has. What is not in the file takes no memory
/// here; loading the image shows whether there is enough.
pub const MAX_IMAGE_SIZE: u64 = 1 << 40;
/// The largest segment alignment that is believed, in bytes: 1 GiB, the largest page there is.
pub(crate) const MAX_ALIGN: u64 = 1 << 30;
/// Bytes that may lie between the contents of segments in memory, beside those of the file: each begins at a new page.
pub(crate) const MAX_GAPS: u64 = 1 << 30;
/// What compressed bundles may have in any case when they are unpacked, in bytes: 256 MiB.
const UNPACKED: u64 = 1 << 28;
/// How much longer than what is compressed they may be beyond that. Code shrinks to a tenth; zlib takes zeros for a thousandth,
/// Zstandard for less.
const GROWTH: u64 = 64;

/// The most bytes that so many compressed ones are unpacked to.
pub(crate) fn most_unpacked(compressed: usize) -> u64 {
    (compressed as u64).saturating_mul(GROWTH).max(UNPACKED)
}
