//! Counters of accesses. A counter is a file with a function that adds what it counts in one access, and a row in [`COUNTERS`].

mod banks;
mod bytes;
mod collisions;
mod lines;

use crate::access::Access;
use crate::model::Memory;

/// The counters.
const COUNTERS: [fn(&Access<'_>, &mut Memory); 4] =
    [bytes::count, lines::count, banks::count, collisions::count];

/// Adds an access to the counts of its instruction.
pub(crate) fn count(access: &Access<'_>, to: &mut Memory) {
    to.accesses += 1;
    for counter in COUNTERS {
        counter(access, to);
    }
}
