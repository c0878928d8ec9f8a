//! Counters of accesses. A counter is a file with a function that adds what it counts in one access, and a row in [`COUNTERS`].

mod banks;
mod bytes;
mod collisions;
mod lines;

use crate::access::Access;
use crate::model::Memory;

/// The bytes of an access, as disjoint ranges in ascending order.
type Ranges = [(u64, u64)];

/// The counters.
const COUNTERS: [fn(&Access<'_>, &Ranges, &mut Memory); 4] =
    [bytes::count, lines::count, banks::count, collisions::count];

/// Adds an access to the counts of its instruction.
pub(crate) fn count(access: &Access<'_>, ranges: &Ranges, to: &mut Memory) {
    to.accesses += 1;
    for counter in COUNTERS {
        counter(access, ranges, to);
    }
}
