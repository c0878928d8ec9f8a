//! How much of what a file claims is believed.

/// The largest memory image that is believed, in bytes: 1 TiB, more than a GPU has. What is not in the file takes no memory
/// here; whoever loads the image finds out whether there is enough.
pub const MAX_IMAGE_SIZE: u64 = 1 << 40;
/// The largest segment alignment that is believed, in bytes: 1 GiB, the largest page there is.
pub(crate) const MAX_ALIGN: u64 = 1 << 30;
/// Bytes that may lie between the contents of segments in memory, beside those of the file: each begins at a new page.
pub(crate) const MAX_GAPS: u64 = 1 << 30;
/// The largest compressed bundle that is believed, unpacked, in bytes: 4 GiB, what the first versions of the format can say.
pub(crate) const MAX_UNPACKED: u64 = 1 << 32;
/// How much longer than its stream a bundle is believed to be. Code shrinks to a tenth, padding to nothing.
pub(crate) const MAX_GROWTH: u64 = 4096;
