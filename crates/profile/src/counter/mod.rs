//! Counters of accesses. A counter is a file with a function that adds what it counts in one access, and a row in [`COUNTERS`].

mod banks;
mod bytes;
mod collisions;
mod lines;

pub(crate) use banks::banks_of;

use crate::access::{Access, ByteRanges};
use crate::model::Memory;

/// The counters.
const COUNTERS: [fn(&Access<'_>, &ByteRanges, &mut Memory); 4] =
    [bytes::count, lines::count, banks::count, collisions::count];

/// Adds an access to the counts of its instruction.
pub(crate) fn count(access: &Access<'_>, ranges: &ByteRanges, to: &mut Memory) {
    to.accesses += 1;
    for counter in COUNTERS {
        counter(access, ranges, to);
    }
}
