//! Watchers: tools that observe a program while it runs.

use std::ops::Range;

use wavetank_machine::Group;
use wavetank_memory::{AccessRecord, AccessRun};

use crate::finding::Findings;

/// A wave of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaveOf {
    /// Its work-group.
    pub group: Group,
    /// Which wave of the group it is.
    pub wave: u32,
    /// How many waves the group has.
    pub waves: u32,
}

/// How a time slice of a wave ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SliceEnd {
    /// The wave goes on later.
    GoesOn,
    /// It waits at the barrier of its work-group, which stands at this address: it goes on when all waves of the group that
    /// have not ended are at one.
    Barrier(u64),
    /// It has used this resource of global wave synchronization (`ds_gws_*`), at which waves of different work-groups meet. It
    /// goes on later: if it has to wait, when others have come.
    Resource(u8),
    /// The wave has ended.
    Ended,
}

/// A tool that gets the accesses of waves, in the order of execution.
pub trait Watcher: Send {
    /// A time slice of a wave has ended, with these accesses.
    fn time_slice(&mut self, wave: WaveOf, records: &[AccessRecord], end: SliceEnd);

    /// As [`time_slice`](Self::time_slice), with accesses of adjacent lanes in runs, and with waits for vector memory
    /// ([`AccessRun::wait`]). The library calls this method only.
    fn runs(&mut self, wave: WaveOf, runs: &[AccessRun], end: SliceEnd) {
        let records: Vec<AccessRecord> =
            runs.iter().copied().flat_map(AccessRun::records).collect();
        self.time_slice(wave, &records, end);
    }

    /// A work-group begins, and gets these bytes of global memory as its scratch. They may have been that of another one,
    /// which has ended.
    fn scratch_begins(&mut self, _bytes: Range<u64>) {}

    /// The launch is over: adds what has been found.
    fn end(&mut self, findings: &mut Findings);
}
