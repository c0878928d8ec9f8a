//! Records of accesses, and runs of records of adjacent lanes.

use std::cell::RefCell;
use std::rc::Rc;

use wavetank_ir::MemKind;

/// Neighbouring bytes that a lane has read, written or changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessRecord {
    /// The guest address of the instruction.
    pub pc: u64,
    /// What it does there.
    pub kind: MemKind,
    /// The lane; `None` if the wave as a whole accesses scalar memory.
    pub lane: Option<u8>,
    /// The memory.
    pub memory: MemoryKind,
    /// Where in it: an address, or an offset from its beginning.
    pub address: u64,
    /// How many bytes.
    pub bytes: u32,
}

/// The memory that was accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryKind {
    /// Global memory, by address. Host memory that is locked has two guest addresses: it is that of the host.
    Global,
    /// The LDS of the work-group, by offset.
    Lds,
    /// The global data share, by offset.
    Gds,
    /// The scratch of the lane, by offset.
    Scratch,
}

/// Accesses of successive lanes by one instruction that are alike: those of each lane begin where those of the lane before end,
/// or all are of the same bytes. Rows of lanes are one or few of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AccessRun {
    /// The record of the first lane.
    pub first: AccessRecord,
    /// How many lanes; 1 if the wave as a whole accesses scalar memory; 0 where it accesses nothing, and waits for what it has
    /// accessed ([`AccessRun::wait`]).
    pub lanes: u8,
    /// Bytes from a lane to the next: the size of an access, or 0. It has no meaning for a single lane.
    pub step: u32,
    /// For a store to global memory: the earlier lane of the same instruction whose different value it overwrites. Such a
    /// run has one lane.
    pub over: Option<Over>,
}

/// What a store of a lane takes the place of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Over {
    /// The lane that stored it.
    pub lane: u8,
    /// The first byte that differs, counted from the first that the later lane stores.
    pub byte: u32,
}

impl AccessRun {
    /// One access.
    pub fn of(first: AccessRecord) -> AccessRun {
        AccessRun {
            first,
            lanes: 1,
            step: 0,
            over: None,
        }
    }

    /// None: the wave goes past an instruction that waits for vector memory.
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

    /// Whether it is a wait, and no access.
    pub fn is_wait(&self) -> bool {
        self.lanes == 0
    }

    /// The runs of accesses, in their order.
    pub fn all(records: &[AccessRecord]) -> Vec<AccessRun> {
        let mut runs = Vec::new();
        for record in records {
            push(&mut runs, *record);
        }
        runs
    }

    /// Where its bytes end.
    pub fn end(&self) -> u64 {
        let before = u64::from(self.step) * u64::from(self.lanes.saturating_sub(1));
        self.first.address + before + u64::from(self.first.bytes)
    }

    /// What its lanes access.
    pub fn records(self) -> impl Iterator<Item = AccessRecord> {
        (0..self.lanes).map(move |n| AccessRecord {
            lane: self.first.lane.map(|lane| lane + n),
            address: self.first.address + u64::from(self.step) * u64::from(n),
            ..self.first
        })
    }

    /// Goes on with the next lane, if its access is alike. Says whether it is.
    fn go_on(&mut self, next: &AccessRecord) -> bool {
        let first = &self.first;
        let (Some(lane), Some(next_lane)) = (first.lane, next.lane) else {
            return false;
        };
        let what = |record: &AccessRecord| (record.pc, record.kind, record.memory, record.bytes);
        if self.over.is_some() || lane + self.lanes != next_lane || what(first) != what(next) {
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

/// Adds an access to runs: to the last of them, if it goes on with it.
pub(crate) fn push(runs: &mut Vec<AccessRun>, record: AccessRecord) {
    let goes_on = runs.last_mut().is_some_and(|last| last.go_on(&record));
    if !goes_on {
        runs.push(AccessRun::of(record));
    }
}

/// The accesses since the last drain. The operation that records them holds on to it while the unit is used.
pub(crate) type Log = Rc<RefCell<Vec<AccessRun>>>;

impl AccessRecord {
    /// Whether the bytes of another begin where those of this one end.
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
            // Neighbours, then the same, then a lane that is left out, then one back.
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
        // What comes behind it is a run of its own.
        let mut runs = vec![AccessRun::of(record(0, 64)), wait];
        push(&mut runs, record(1, 72));
        assert_eq!(runs.len(), 3);
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
