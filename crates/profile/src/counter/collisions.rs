//! Atomics of several lanes at one place, which memory does one after another.

use crate::access::{Access, ByteRanges};
use crate::model::{Kind, Memory};

/// Adds the lanes whose place an earlier lane of the access has changed.
pub(super) fn count(access: &Access<'_>, _: &ByteRanges, to: &mut Memory) {
    if access.kind != Kind::Atomic {
        return;
    }
    if let Some(run) = access.only_run() {
        if run.step == 0 {
            to.collisions += u64::from(run.lanes) - 1;
        }
        return;
    }
    let records = access.runs.iter().copied().flat_map(|run| run.records());
    let mut places: Vec<u64> = records.map(|record| record.address).collect();
    let all = places.len();
    places.sort_unstable();
    places.dedup();
    to.collisions += (all - places.len()) as u64;
}
