//! Instrumented accesses: records of the bytes that a wave accesses, for observers.
//!
//! Instrumentation is decided when a program is built, by the type of its steps: an instrumented operation is another
//! [`Operation`], and loops over single lanes are compiled with and without it. A program without observers makes no test for
//! them.

use std::cell::RefCell;
use std::rc::Rc;

use wavetank_ir::{LANES, MemKind};

use crate::access::{Context, Request};
use crate::access_log::{AccessRecord, AccessRun, MemoryKind, open, push_after};
use crate::global::ALIAS;
use crate::lane_conflict::{may_overlap, store_singly};
use crate::lanes::each;
use crate::memory_unit::MemoryUnit;
use crate::operation::Operation;
use crate::places::{PRIVATE_STEP, Places};
use crate::shadow;

impl MemoryUnit<'_> {
    /// Returns the accesses of instrumented programs since the last call, in the order of instructions and lanes. Bytes out of a
    /// space's range are not included. A denied access contributes nothing, except the texels that an image had returned before.
    pub fn drain_accesses(&mut self) -> Vec<AccessRecord> {
        self.drain_access_runs()
            .into_iter()
            .flat_map(AccessRun::records)
            .collect()
    }

    /// Returns the accesses since the last call, in runs of adjacent lanes, with the waits for them ([`AccessRun::wait`]).
    pub fn drain_access_runs(&mut self) -> Vec<AccessRun> {
        self.records.take()
    }

    /// Moves the accesses since the last call to a list, whose earlier contents are dropped and whose room is used for the next.
    pub fn move_access_runs(&mut self, to: &mut Vec<AccessRun>) {
        to.clear();
        std::mem::swap(to, &mut self.records.borrow_mut());
    }

    /// Records that an instrumented program has passed an instruction that waits for vector memory.
    pub fn record_wait(&mut self, pc: u64) {
        self.records.borrow_mut().push(AccessRun::wait(pc));
    }

    /// Requests that lanes of one store to LDS that overwrite each other's values are recorded as well as those of a store to
    /// global memory ([`AccessRun::over`]).
    pub fn record_lds_conflicts(&mut self) {
        self.lds_conflicts = true;
    }

    /// Discards the recorded accesses.
    pub fn clear_accesses(&mut self) {
        self.records.borrow_mut().clear();
    }
}

impl MemoryUnit<'_> {
    /// Marks the accessed bytes as defined, and restores the earlier records.
    pub fn define_accessed(&mut self, before: Vec<AccessRun>) {
        let accessed = self.records.replace(before);
        for record in accessed.into_iter().flat_map(AccessRun::records) {
            let start = match record.memory {
                MemoryKind::Global => record.address,
                MemoryKind::Lds => self.lds.extent().0 + record.address,
                // Accesses that convert elements never use these memories.
                MemoryKind::Gds | MemoryKind::Scratch => continue,
            };
            shadow::clear(start..start + u64::from(record.bytes));
        }
    }
}

/// Records one access of an instrumented program in the log of its unit.
#[derive(Clone, Copy)]
pub struct Recorder {
    log: *const RefCell<Vec<AccessRun>>,
    pc: u64,
    kind: MemKind,
    /// The address ranges of the LDS, the global data share and the scratch of the wave.
    lds: (u64, u64),
    gds: (u64, u64),
    scratch: (u64, u64),
    /// Whether conflicts of lanes in LDS are recorded.
    lds_conflicts: bool,
}

impl Recorder {
    /// Returns the recorder of an access.
    ///
    /// # Safety
    /// The recorder is not used after its memory unit is gone.
    pub unsafe fn new(unit: &MemoryUnit<'_>, step: &Request) -> Recorder {
        Recorder {
            log: Rc::as_ptr(&unit.records),
            pc: step.pc,
            kind: step.op.kind,
            lds: unit.lds.extent(),
            gds: unit.gds().extent(),
            scratch: unit.scratch.extent(),
            lds_conflicts: unit.lds_conflicts,
        }
    }

    /// Records an access of `bytes` bytes in each lane.
    pub fn lanes<P: Places>(self, places: &P, mask: u64, bytes: u32) {
        // SAFETY: the unit holds the log, and is there as `new` demands.
        let mut log = unsafe { &*self.log }.borrow_mut();
        if let Some(starts) = places.starts(mask, bytes)
            && self.in_one_memory(&mut log, mask, bytes, |lane| starts[lane & 63])
        {
            return;
        }
        let part = bytes.min(P::PIECE);
        let noted = log.len();
        each(mask, |lane| {
            let mut last: Option<AccessRecord> = None;
            for n in 0..bytes.div_ceil(part) as usize {
                let Some(address) = places.part(lane, n, part) else {
                    continue;
                };
                let next = self.record(Some(lane as u8), address, part);
                match &mut last {
                    Some(record) if record.is_before(&next) => record.bytes += part,
                    _ => {
                        if let Some(done) = last.replace(next) {
                            push_after(&mut log, noted, done);
                        }
                    }
                }
            }
            if let Some(done) = last {
                push_after(&mut log, noted, done);
            }
        });
        open(&mut log, noted);
    }

    /// Records lanes with these host addresses, adjacent ones as runs, if all their bytes are in one memory other than scratch.
    /// Returns whether they are.
    #[inline(always)]
    fn in_one_memory(
        self,
        log: &mut Vec<AccessRun>,
        mask: u64,
        bytes: u32,
        start: impl Fn(usize) -> u64,
    ) -> bool {
        let noted = log.len();
        let (mut low, mut end) = (u64::MAX, 0);
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            let active = (rest >> lane).trailing_ones();
            let first = start(lane as usize) & !ALIAS;
            let distance = |n: u32| (start((lane + n) as usize) & !ALIAS).wrapping_sub(first);
            let second = (active > 1).then(|| distance(1));
            // The next lane continues at the next bytes, or accesses the same.
            let second = second.filter(|step| [0, u64::from(bytes)].contains(step));
            let (mut lanes, step) = (1 + u32::from(second.is_some()), second.unwrap_or(0));
            while (2..active).contains(&lanes) && distance(lanes) == step * u64::from(lanes) {
                lanes += 1;
            }
            low = low.min(first);
            end = end.max(first + step * u64::from(lanes - 1) + u64::from(bytes));
            log.push(AccessRun {
                first: AccessRecord {
                    pc: self.pc,
                    kind: self.kind,
                    lane: Some(lane as u8),
                    memory: MemoryKind::Global,
                    address: first,
                    bytes,
                },
                lanes: lanes as u8,
                step: step as u32,
                over: None,
                failed: false,
                opens: false,
            });
            rest &= u64::MAX.checked_shl(lane + lanes).unwrap_or(0);
        }
        let Some((memory, base)) = self.memory_of(low, end) else {
            log.truncate(noted);
            return false;
        };
        for run in &mut log[noted..] {
            (run.first.memory, run.first.address) = (memory, run.first.address - base);
        }
        open(log, noted);
        true
    }

    /// Returns the memory that contains the bytes from one host address to another, and its start. `None` for several memories or
    /// scratch.
    #[inline]
    fn memory_of(&self, first: u64, end: u64) -> Option<(MemoryKind, u64)> {
        let inside = |(start, bytes): (u64, u64)| start <= first && end <= start + bytes;
        let outside = |(start, bytes): (u64, u64)| end <= start || start + bytes <= first;
        let beside = outside(self.lds) && outside(self.gds) && outside(self.scratch);
        match () {
            () if inside(self.lds) => Some((MemoryKind::Lds, self.lds.0)),
            () if inside(self.gds) => Some((MemoryKind::Gds, self.gds.0)),
            () if beside => Some((MemoryKind::Global, 0)),
            () => None,
        }
    }

    /// Records an access of all lanes, each of which accesses the next `bytes` bytes from a host address on. Returns whether all
    /// bytes are in one memory other than scratch; otherwise nothing is recorded.
    pub fn row(self, start: u64, bytes: u32) -> bool {
        let end = start + LANES as u64 * u64::from(bytes);
        let Some((memory, base)) = self.memory_of(start, end) else {
            return false;
        };
        // SAFETY: the unit holds the log, and is there as `new` demands.
        unsafe { &*self.log }.borrow_mut().push(AccessRun {
            first: AccessRecord {
                pc: self.pc,
                kind: self.kind,
                lane: Some(0),
                memory,
                address: start - base,
                bytes,
            },
            lanes: LANES as u8,
            step: bytes,
            over: None,
            failed: false,
            opens: true,
        });
        true
    }

    /// Records an access of `bytes` bytes in each lane of a mask, at the host address that `start` returns. Returns whether all
    /// bytes are in one memory other than scratch, and lanes do not store to the same bytes; otherwise nothing is recorded.
    #[inline]
    pub fn apart(self, mask: u64, bytes: u32, start: impl Fn(usize) -> u64) -> bool {
        // SAFETY: the unit holds the log, and is there as `new` demands.
        let mut log = unsafe { &*self.log }.borrow_mut();
        let noted = log.len();
        if !self.in_one_memory(&mut log, mask, bytes, start) {
            return false;
        }
        let overlap = self.kind == MemKind::Store && may_overlap(&log[noted..], self.lds_conflicts);
        if overlap {
            log.truncate(noted);
        }
        !overlap
    }

    /// Records the stores of the lanes, and performs them. If lanes may store to the same bytes, the stores go lane by lane, and
    /// each record names the earlier value that it overwrites.
    ///
    /// # Safety
    /// As for [`Operation::run`].
    unsafe fn stores<O: Operation>(self, op: O, places: &impl Places, mask: u64) {
        // SAFETY: the unit holds the log, and is there as `new` demands. The operation that stores does not access it.
        let log = unsafe { &*self.log };
        let noted = log.borrow().len();
        self.lanes(places, mask, op.bytes());
        let mut log = log.borrow_mut();
        if !may_overlap(&log[noted..], self.lds_conflicts) {
            // SAFETY: by the caller's promise.
            return unsafe { op.run(places, mask) };
        }
        let runs = log.split_off(noted);
        // SAFETY: by the caller's promise.
        let over = unsafe { store_singly(op, places, mask) };
        for record in runs.into_iter().flat_map(AccessRun::records) {
            match over[usize::from(record.lane.unwrap_or(0)) & 63] {
                None => push_after(&mut log, noted, record),
                over => log.push(AccessRun {
                    over,
                    ..AccessRun::of(record)
                }),
            }
        }
        open(&mut log, noted);
    }

    /// Performs the atomics of the lanes, and records them with those that failed.
    ///
    /// # Safety
    /// As for [`Operation::run`].
    unsafe fn atomics<O: Operation>(self, op: O, places: &impl Places, mask: u64) {
        // SAFETY: the unit holds the log, and is there as `new` demands. The operation does not access it.
        let log = unsafe { &*self.log };
        let noted = log.borrow().len();
        self.lanes(places, mask, op.bytes());
        // SAFETY: by the caller's promise.
        let failed = unsafe { op.run_and_compare(places, mask) };
        if failed != 0 {
            let mut log = log.borrow_mut();
            let runs = log.split_off(noted);
            runs.into_iter()
                .for_each(|run| run.push_failed(failed, &mut log));
            open(&mut log, noted);
        }
    }

    /// Records an access of the wave as a whole.
    pub fn whole(self, address: u64, bytes: u32) {
        self.one_by_one().add(None, address, bytes);
    }

    /// Returns a recorder of an access whose parts are recorded one by one.
    pub fn one_by_one(self) -> OneByOne {
        // SAFETY: the unit holds the log, and is there as `new` demands.
        let noted = unsafe { &*self.log }.borrow().len();
        OneByOne {
            recorder: self,
            noted,
        }
    }

    /// Returns the record of an access of one lane, or of the wave as a whole.
    pub(crate) fn record(self, lane: Option<u8>, address: u64, bytes: u32) -> AccessRecord {
        let (memory, address) = self.locate(lane, address & !ALIAS);
        AccessRecord {
            pc: self.pc,
            kind: self.kind,
            lane,
            memory,
            address,
            bytes,
        }
    }

    /// Returns the memory that contains a host address, and the offset in it.
    fn locate(self, lane: Option<u8>, address: u64) -> (MemoryKind, u64) {
        let within = |(start, bytes): (u64, u64)| {
            let offset = address.wrapping_sub(start);
            (offset < bytes).then_some(offset)
        };
        if let Some(offset) = within(self.lds) {
            return (MemoryKind::Lds, offset);
        }
        if let Some(offset) = within(self.gds) {
            return (MemoryKind::Gds, offset);
        }
        match (within(self.scratch), lane) {
            // Dword d of lane l is at d * 256 + l * 4.
            (Some(at), Some(lane)) if at % PRIVATE_STEP / 4 == lane.into() => {
                (MemoryKind::Scratch, at / PRIVATE_STEP * 4 + at % 4)
            }
            _ => (MemoryKind::Global, address),
        }
    }
}

/// Records one access part by part.
#[derive(Clone, Copy)]
pub struct OneByOne {
    recorder: Recorder,
    /// The number of runs before the access.
    noted: usize,
}

impl OneByOne {
    /// Records the part of one lane, or of the wave as a whole.
    pub fn add(self, lane: Option<u8>, address: u64, bytes: u32) {
        let record = self.recorder.record(lane, address, bytes);
        // SAFETY: the unit holds the log, and is there as `Recorder::new` demands.
        let mut log = unsafe { &*self.recorder.log }.borrow_mut();
        push_after(&mut log, self.noted, record);
        open(&mut log, self.noted);
    }
}

/// An operation that records its accesses.
#[derive(Clone, Copy)]
pub struct Instrumented<O> {
    op: O,
    recorder: Recorder,
}

impl<O: Operation> Operation for Instrumented<O> {
    const STORES: bool = O::STORES;
    const ATOMIC: bool = O::ATOMIC;
    type Moves = O::Moves;

    unsafe fn new(ctx: &Context<'_, '_>, step: &Request) -> Self {
        Instrumented {
            // SAFETY: by the caller's promise.
            op: unsafe { O::new(ctx, step) },
            // SAFETY: an operation is performed in the context that it was made for.
            recorder: unsafe { Recorder::new(ctx.memory, step) },
        }
    }

    fn bytes(self) -> u32 {
        self.op.bytes()
    }

    unsafe fn run<P: Places>(self, places: &P, mask: u64) {
        // SAFETY: by the caller's promise.
        unsafe {
            if O::ATOMIC {
                return self.recorder.atomics(self.op, places, mask);
            }
            if O::STORES {
                return self.recorder.stores(self.op, places, mask);
            }
            self.recorder.lanes(places, mask, self.op.bytes());
            self.op.run(places, mask);
        }
    }
}
