//! Lanes and bytes of an access.

use crate::access::{Access, ByteRanges};
use crate::model::Memory;

/// Adds the lanes, the bytes that they ask for, and the different bytes.
pub(super) fn count(access: &Access<'_>, ranges: &ByteRanges, to: &mut Memory) {
    let (lanes, bytes) = access.asked();
    to.lanes += lanes;
    to.bytes += bytes;
    let lengths = ranges.iter().map(|(start, end)| end - start);
    to.different_bytes += lengths.sum::<u64>();
}
