//! Watchers: tools that observe a program while it runs.

use std::ops::Range;

use wavetank_machine::Group;
use wavetank_memory::{AccessRecord, AccessRun, Lds};

use crate::finding::Findings;
use crate::place::Place;
use crate::uncompared::Uncompared;

/// A wave of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WaveOf {
    /// The work-group of the wave.
    pub group: Group,
    /// The number of the wave in its group.
    pub wave: u32,
    /// The number of waves in the group.
    pub waves: u32,
}

/// The way in which a time slice of a wave ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SliceEnd {
    /// The wave continues later.
    GoesOn,
    /// The wave waits at the barrier of its work-group, whose address this is. It continues when all waves of the group that have
    /// not ended are at a barrier.
    Barrier(u64),
    /// The wave has used this resource of global wave synchronization (`ds_gws_*`), at which waves of different work-groups meet.
    /// It continues later, or if it has to wait, when others have arrived.
    Resource(u8),
    /// The wave has ended.
    Ended,
}

/// A time slice of a wave that has ended.
#[derive(Clone, Copy)]
pub struct TimeSlice<'a> {
    /// The wave.
    pub wave: WaveOf,
    /// The accesses, those of adjacent lanes in runs, and the waits for vector memory ([`AccessRun::wait`]).
    pub runs: &'a [AccessRun],
    /// The way in which the time slice ended.
    pub end: SliceEnd,
    /// EXEC at its end.
    pub exec: u64,
    /// The LDS of the work-group at its end.
    pub lds: &'a Lds,
}

/// A tool that gets the accesses of waves, in the order of execution.
pub trait Watcher: Send {
    /// Observes that a time slice of a wave has ended, with these accesses.
    fn time_slice(&mut self, wave: WaveOf, records: &[AccessRecord], end: SliceEnd);

    /// Observes the same as [`time_slice`](Self::time_slice), and the state that the time slice has left. The library calls only
    /// this method.
    fn slice(&mut self, slice: &TimeSlice<'_>) {
        let runs = slice.runs.iter().copied();
        let records: Vec<AccessRecord> = runs.flat_map(AccessRun::records).collect();
        self.time_slice(slice.wave, &records, slice.end);
    }

    /// Observes the start of a work-group with these bytes of global memory as its scratch. They may have belonged to another
    /// group that has ended.
    fn scratch_begins(&mut self, _bytes: Range<u64>) {}

    /// Observes the end of the launch, and adds the findings.
    fn end(&mut self, findings: &mut Findings);

    /// Returns what the tool has not compared, after the end of the launch. `place` returns the place at an address.
    fn uncompared(&self, _place: &dyn Fn(u64) -> Place) -> Option<Uncompared> {
        None
    }
}
