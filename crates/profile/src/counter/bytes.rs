//! Lanes and bytes of an access.

use crate::access::Access;
use crate::model::Memory;

/// Adds the lanes, the bytes that they ask for, and the different bytes.
pub(super) fn count(access: &Access<'_>, to: &mut Memory) {
    let (lanes, bytes) = access.asked();
    to.lanes += lanes;
    to.bytes += bytes;
    let lengths = access.ranges.iter().map(|(start, end)| end - start);
    to.different_bytes += lengths.sum::<u64>();
}
