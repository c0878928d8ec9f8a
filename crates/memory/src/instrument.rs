//! Instrumented accesses: records of the bytes that a wave accesses, for observers.
//!
//! Instrumentation is decided when a program is built, by the type of its steps: an instrumented operation is another
//! [`Operation`], and loops over single lanes are compiled with and without it. A program without observers makes no test for
//! them.

use std::cell::RefCell;
use std::rc::Rc;

use wavetank_ir::MemKind;

use crate::access::{Context, Request};
use crate::access_log::{AccessRecord, AccessRun, MemoryKind, push};
use crate::global::ALIAS;
use crate::lane_conflict::{may_overlap, store_singly};
use crate::lanes::{each, which};
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
            && let Some((memory, base)) = self.locate_all(&starts, mask, bytes)
        {
            return self.rows(&mut log, &starts, mask, bytes, (memory, base));
        }
        let part = bytes.min(P::PIECE);
        each(mask, |lane| {
            let mut open: Option<AccessRecord> = None;
            for n in 0..bytes.div_ceil(part) as usize {
                let Some(address) = places.part(lane, n, part) else {
                    continue;
                };
                let next = self.record(Some(lane as u8), address, part);
                match &mut open {
                    Some(record) if record.is_before(&next) => record.bytes += part,
                    _ => {
                        if let Some(done) = open.replace(next) {
                            push(&mut log, done);
                        }
                    }
                }
            }
            if let Some(done) = open {
                push(&mut log, done);
            }
        });
    }

    /// Records lanes whose bytes are all in one memory, which begins at `base`.
    fn rows(
        self,
        log: &mut Vec<AccessRun>,
        starts: &[u64; 64],
        mask: u64,
        bytes: u32,
        (memory, base): (MemoryKind, u64),
    ) {
        // Lanes whose next lane is active too, and continues at the next bytes or accesses the same.
        let pairs = mask & mask >> 1;
        let next = |lane: usize| starts[(lane + 1) & 63].wrapping_sub(starts[lane & 63]);
        let goes_on = pairs & which(|lane| next(lane) == u64::from(bytes));
        let stays = pairs & which(|lane| next(lane) == 0);
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            let (neighbours, same) = (
                (goes_on >> lane).trailing_ones(),
                (stays >> lane).trailing_ones(),
            );
            let lanes = 1 + neighbours.max(same);
            let address = (starts[lane as usize] & !ALIAS).wrapping_sub(base);
            log.push(AccessRun {
                first: AccessRecord {
                    pc: self.pc,
                    kind: self.kind,
                    lane: Some(lane as u8),
                    memory,
                    address,
                    bytes,
                },
                lanes: lanes as u8,
                step: if neighbours > 0 { bytes } else { 0 },
                over: None,
                failed: false,
            });
            let done = u64::MAX.checked_shl(lane + lanes).unwrap_or(0);
            rest &= done;
        }
    }

    /// Returns the memory that contains all bytes of all lanes, and its start. `None` for several memories or scratch.
    fn locate_all(&self, starts: &[u64; 64], mask: u64, bytes: u32) -> Option<(MemoryKind, u64)> {
        let first = starts[mask.trailing_zeros() as usize & 63] & !ALIAS;
        let (mut low, mut high) = (first, first);
        for lane in 0..64 {
            let on = mask >> lane & 1 != 0;
            let start = if on { starts[lane] & !ALIAS } else { first };
            (low, high) = (low.min(start), high.max(start));
        }
        let end = high + u64::from(bytes);
        let inside = |(start, bytes): (u64, u64)| start <= low && end <= start + bytes;
        let outside = |(start, bytes): (u64, u64)| end <= start || start + bytes <= low;
        let beside = outside(self.lds) && outside(self.gds) && outside(self.scratch);
        match () {
            () if inside(self.lds) => Some((MemoryKind::Lds, self.lds.0)),
            () if inside(self.gds) => Some((MemoryKind::Gds, self.gds.0)),
            () if beside => Some((MemoryKind::Global, 0)),
            () => None,
        }
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
                None => push(&mut log, record),
                over => log.push(AccessRun {
                    over,
                    ..AccessRun::of(record)
                }),
            }
        }
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
        }
    }

    /// Records an access of one lane, or of the wave as a whole.
    pub fn one(self, lane: Option<u8>, address: u64, bytes: u32) {
        let record = self.record(lane, address, bytes);
        // SAFETY: the unit holds the log, and is there as `new` demands.
        push(&mut unsafe { &*self.log }.borrow_mut(), record);
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
