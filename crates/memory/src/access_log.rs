//! The access log: records of the bytes that each lane accesses, with adjacent lanes joined to runs.

use std::cell::RefCell;
use std::rc::Rc;

use wavetank_ir::MemKind;

/// Adjacent bytes that a lane has read, written or changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessRecord {
    /// The guest address of the instruction.
    pub pc: u64,
    /// The kind of the access: load, store or atomic.
    pub kind: MemKind,
    /// The lane; `None` if the wave as a whole accesses scalar memory.
    pub lane: Option<u8>,
    /// The memory that the address refers to.
    pub memory: MemoryKind,
    /// An address in global memory, or an offset from the beginning of another memory.
    pub address: u64,
    /// The length in bytes.
    pub bytes: u32,
}

/// The memory that was accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryKind {
    /// Global memory, by address. For locked host memory, which has two guest addresses, it is the address on the host.
    Global,
    /// The LDS of the work-group, by offset.
    Lds,
    /// The global data share, by offset.
    Gds,
    /// The scratch of the lane, by offset.
    Scratch,
}

/// Accesses of successive lanes by one instruction that differ only in their address: each lane begins where the previous one
/// ends, or all lanes access the same bytes. Lanes with adjacent addresses give one run or a few.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessRun {
    /// The record of the first lane.
    pub first: AccessRecord,
    /// The number of lanes; 1 if the wave as a whole accesses scalar memory; 0 for a wait for earlier accesses
    /// ([`AccessRun::wait`]).
    pub lanes: u8,
    /// Bytes from a lane to the next: the size of an access, or 0. Without meaning for a single lane.
    pub step: u32,
    /// For a store to global memory, and to LDS if that is requested ([`MemoryUnit::record_lds_conflicts`]): the earlier lane of
    /// the same instruction whose different value it overwrites. Such a run has one lane.
    ///
    /// [`MemoryUnit::record_lds_conflicts`]: crate::MemoryUnit::record_lds_conflicts
    pub over: Option<Over>,
    /// Whether the access is a compare-and-swap that has left memory as it was: it only reads.
    pub failed: bool,
    /// Whether the run is the first of an access of the wave. An instruction makes one, or several that the hardware makes one after
    /// another.
    pub opens: bool,
}

/// The earlier value that a store of a lane overwrites.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Over {
    /// The lane that stored the earlier value.
    pub lane: u8,
    /// The first byte that differs, counted from the first that the later lane stores.
    pub byte: u32,
}

impl AccessRun {
    /// Returns a run of one access.
    pub fn of(first: AccessRecord) -> AccessRun {
        AccessRun {
            first,
            lanes: 1,
            step: 0,
            over: None,
            failed: false,
            opens: false,
        }
    }

    /// Returns a run without an access: the wave has passed an instruction that waits for vector memory.
    pub fn wait(pc: u64) -> AccessRun {
        let nothing = AccessRecord {
            pc,
            kind: MemKind::Load,
            lane: None,
            memory: MemoryKind::Global,
            address: 0,
            bytes: 0,
        };
        AccessRun {
            lanes: 0,
            ..AccessRun::of(nothing)
        }
    }

    /// Returns whether the run is a wait and not an access.
    pub fn is_wait(&self) -> bool {
        self.lanes == 0
    }

    /// Returns the accesses joined to runs, in their order.
    pub fn all(records: &[AccessRecord]) -> Vec<AccessRun> {
        let mut runs = Vec::new();
        for record in records {
            push(&mut runs, *record);
        }
        runs
    }

    /// Returns the address or offset after the last byte of the run.
    pub fn end(&self) -> u64 {
        let before = u64::from(self.step) * u64::from(self.lanes.saturating_sub(1));
        self.first.address + before + u64::from(self.first.bytes)
    }

    /// Returns the accesses of the run, lane by lane.
    pub fn records(self) -> impl Iterator<Item = AccessRecord> {
        (0..self.lanes).map(move |n| AccessRecord {
            lane: self.first.lane.map(|lane| lane + n),
            address: self.first.address + u64::from(self.step) * u64::from(n),
            ..self.first
        })
    }

    /// Adds the run to a log with the lanes of a mask marked as compare-and-swaps that have failed. Lanes of one kind stay together.
    pub(crate) fn push_failed(self, failed: u64, log: &mut Vec<AccessRun>) {
        let has_failed = |record: &AccessRecord| {
            let lane = record.lane.unwrap_or(0);
            failed >> lane & 1 == 1
        };
        let records: Vec<AccessRecord> = self.records().collect();
        for part in records.chunk_by(|a, b| has_failed(a) == has_failed(b)) {
            log.push(AccessRun {
                first: part[0],
                lanes: part.len() as u8,
                failed: has_failed(&part[0]),
                opens: false,
                ..self
            });
        }
    }

    /// Adds the next lane to the run if its access continues it. Returns whether it does.
    fn go_on(&mut self, next: &AccessRecord) -> bool {
        let first = &self.first;
        let (Some(lane), Some(next_lane)) = (first.lane, next.lane) else {
            return false;
        };
        let what = |record: &AccessRecord| (record.pc, record.kind, record.memory, record.bytes);
        if self.over.is_some()
            || self.failed
            || lane + self.lanes != next_lane
            || what(first) != what(next)
        {
            return false;
        }
        let step = match self.lanes {
            1 if next.address == first.address => 0,
            1 => first.bytes,
            _ => self.step,
        };
        let end = first.address + u64::from(step) * u64::from(self.lanes);
        if next.address != end {
            return false;
        }
        (self.lanes, self.step) = (self.lanes + 1, step);
        true
    }
}

/// Adds an access to the last of the runs if it continues that one, else as a new run.
pub(crate) fn push(runs: &mut Vec<AccessRun>, record: AccessRecord) {
    let goes_on = runs.last_mut().is_some_and(|last| last.go_on(&record));
    if !goes_on {
        runs.push(AccessRun::of(record));
    }
}

/// Adds an access as [`push`] does, but for runs before the first `noted`, which it does not continue.
pub(crate) fn push_after(runs: &mut Vec<AccessRun>, noted: usize, record: AccessRecord) {
    if runs.len() > noted {
        push(runs, record);
    } else {
        runs.push(AccessRun::of(record));
    }
}

/// Marks the first of the runs after the first `noted` as that which opens an access.
pub(crate) fn open(runs: &mut [AccessRun], noted: usize) {
    if let Some(first) = runs.get_mut(noted) {
        first.opens = true;
    }
}

/// The accesses since the last drain. An operation that records accesses shares the log while the memory unit is in use.
pub(crate) type Log = Rc<RefCell<Vec<AccessRun>>>;

impl AccessRecord {
    /// Returns whether the bytes of the next record begin where those of this one end.
    pub(crate) fn is_before(&self, next: &AccessRecord) -> bool {
        self.memory == next.memory && self.address + u64::from(self.bytes) == next.address
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(lane: u8, address: u64) -> AccessRecord {
        AccessRecord {
            pc: 0x100,
            kind: MemKind::Load,
            lane: Some(lane),
            memory: MemoryKind::Global,
            address,
            bytes: 8,
        }
    }

    #[test]
    fn runs_are_what_they_were_made_of() {
        let list = [
            // Two adjacent addresses, an address twice, a lane that is left out, and a lower address.
            (0, 64),
            (1, 72),
            (2, 80),
            (3, 80),
            (4, 80),
            (6, 88),
            (7, 80),
        ];
        let records = list.map(|(lane, address)| record(lane, address));
        let runs = AccessRun::all(&records);
        let shape: Vec<_> = runs.iter().map(|run| (run.lanes, run.step)).collect();
        assert_eq!(shape, [(3, 8), (2, 0), (1, 0), (1, 0)]);
        let again: Vec<AccessRecord> = runs.into_iter().flat_map(AccessRun::records).collect();
        assert_eq!(again, records);
    }

    #[test]
    fn a_wait_accesses_nothing() {
        let wait = AccessRun::wait(0x104);
        assert!(wait.is_wait() && !AccessRun::of(record(0, 64)).is_wait());
        assert_eq!((wait.records().count(), wait.end()), (0, 0));
        // An access after the wait starts a run of its own.
        let mut runs = vec![AccessRun::of(record(0, 64)), wait];
        push(&mut runs, record(1, 72));
        assert_eq!(runs.len(), 3);
    }

    #[test]
    fn lanes_that_fail_are_runs_of_their_own() {
        let records = [0, 1, 2, 3].map(|lane| record(lane, 64));
        let [run] = AccessRun::all(&records)[..] else {
            panic!("one run");
        };
        let mut log = Vec::new();
        run.push_failed(0b1011, &mut log);
        let shape: Vec<_> = log
            .iter()
            .map(|r| (r.first.lane, r.lanes, r.failed))
            .collect();
        let wanted = [(Some(0), 2, true), (Some(2), 1, false), (Some(3), 1, true)];
        assert_eq!(shape, wanted);
        let again: Vec<AccessRecord> = log.into_iter().flat_map(AccessRun::records).collect();
        assert_eq!(again, records);
        // The next lane does not join a run that has failed.
        let mut runs = vec![AccessRun {
            failed: true,
            ..AccessRun::of(record(0, 64))
        }];
        push(&mut runs, record(1, 72));
        assert_eq!(runs.len(), 2);
    }

    #[test]
    fn a_wave_as_a_whole_is_a_run_of_its_own() {
        let whole = AccessRecord {
            lane: None,
            ..record(0, 64)
        };
        assert_eq!(AccessRun::all(&[whole, whole]).len(), 2);
    }
}
