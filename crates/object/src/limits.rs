//! Limits of the sizes in a file.

/// The largest accepted memory image in bytes: 1 TiB, more than a GPU has. Parts that are not in the file take no memory here;
/// loading the image shows whether there is enough.
pub const MAX_IMAGE_SIZE: u64 = 1 << 40;
/// The largest accepted segment alignment in bytes: 1 GiB, the largest page size.
pub(crate) const MAX_ALIGN: u64 = 1 << 30;
/// Limit of the gaps between segments in memory, in bytes, in addition to the file's contents: each segment begins at a new page.
pub(crate) const MAX_GAPS: u64 = 1 << 30;
/// The unpacked size that is accepted for any compressed bundle, in bytes: 256 MiB.
const UNPACKED: u64 = 1 << 28;
/// The accepted ratio of unpacked to compressed size above that. Code shrinks to a tenth; zlib compresses zeros to a thousandth,
/// Zstandard to less.
const GROWTH: u64 = 64;

/// Returns the largest accepted unpacked size for a compressed size.
pub(crate) fn most_unpacked(compressed: usize) -> u64 {
    (compressed as u64).saturating_mul(GROWTH).max(UNPACKED)
}
