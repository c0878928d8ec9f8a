//! Races between lanes of one wave, on request: lanes, or halves of a wave, count as threads that the lockstep of the wave does not
//! order.
//!
//! A program that relies on lockstep is correct on this chip, and wrong where waves are narrower or lanes go on alone. What orders
//! lanes is the same as for waves: barriers, and what they see of each other's atomics and coherent stores. Compilers leave
//! nothing of `__syncwarp()` in machine code, so it orders none.

use std::collections::HashMap;

use wavetank_ir::{LANES, MemKind};
use wavetank_memory::{AccessRun, MemoryKind};

use super::check_access::{Part, clash, pair, parts};
use super::dedup::{Dedup, Rule, Verb};
use super::slot::{Lane, Mode, Slot};
use super::sync_semantics::Semantics;

/// The time of an access of a wave: the number of the executed instruction since the wave began.
type Step = u32;

/// Limit of the dwords that are kept of a wave between two barriers. When it is reached all are dropped, so that races may be
/// missed, and none is invented.
const MAX_DWORDS: usize = 1 << 18;

/// Limit of the accesses that are kept of a dword.
const MAX_ACCESSES: usize = 8;

/// The accesses of all running waves since their last barrier.
pub(super) struct LaneOrder {
    /// The number of lanes of a thread: 1 or 32.
    size: u8,
    waves: HashMap<u32, WaveLanes>,
}

#[derive(Default)]
struct WaveLanes {
    now: Step,
    dwords: HashMap<Place, Vec<Access>>,
    order: Order,
}

/// A dword of LDS or of global memory.
type Place = (bool, u64);

#[derive(Clone, Copy)]
struct Access {
    step: Step,
    slot: Slot,
    thread: u8,
    verb: Verb,
}

impl LaneOrder {
    /// Returns the check of threads of `size` lanes.
    pub(super) fn new(size: u8) -> LaneOrder {
        LaneOrder {
            size,
            waves: HashMap::new(),
        }
    }

    /// Forgets the accesses of a wave that has reached a barrier, or has ended.
    pub(super) fn forget(&mut self, wave: u32) {
        self.waves.remove(&wave);
    }

    /// Checks the accesses of one instruction, which may have been executed several times in a row.
    pub(super) fn step(
        &mut self,
        runs: &[AccessRun],
        (slot, kind): (Slot, Semantics),
        found: &mut Dedup,
    ) {
        let wave = self.waves.entry(slot.wave).or_default();
        if wave.dwords.len() > MAX_DWORDS {
            wave.dwords.clear();
        }
        let mut last = None;
        for run in runs {
            let is_shared = matches!(run.first.memory, MemoryKind::Lds | MemoryKind::Global);
            let Some(lane) = run.first.lane.filter(|_| is_shared) else {
                continue;
            };
            if last.is_none_or(|last| lane <= last) {
                wave.now += 1;
            }
            last = Some(lane + run.lanes - 1);
            let verb = match run.first.kind {
                MemKind::Load => Verb::Load,
                MemKind::Store => Verb::Store,
                MemKind::Atomic(_) if run.failed => Verb::Compare,
                MemKind::Atomic(_) => Verb::Atomic,
            };
            for record in run.records() {
                let thread = record.lane.unwrap_or(0) / self.size;
                for part in parts(&record) {
                    wave.access(part, (slot, kind), (thread, verb), found);
                }
            }
            if let Some(over) = run.over.filter(|_| run.first.memory == MemoryKind::Lds)
                && over.lane / self.size != lane / self.size
                && !kind.store_is_coherent
            {
                overwrites(run, over.lane, over.byte, slot, found);
            }
        }
    }
}

/// Reports a store of a lane to LDS over another value of a lane of the same instruction.
fn overwrites(run: &AccessRun, lane: u8, byte: u32, slot: Slot, found: &mut Dedup) {
    let at = (run.first.address + u64::from(byte)) / 4;
    if let Some(part) = parts(&run.first).find(|part| part.dword == at) {
        let by = |lane| (slot.on(part.mask, Lane::new(lane)), Verb::Store);
        found.add(pair(Rule::Lanes, part, by(Some(lane)), by(run.first.lane)));
    }
}

impl WaveLanes {
    fn access(
        &mut self,
        part: Part,
        (slot, kind): (Slot, Semantics),
        (thread, verb): (u8, Verb),
        found: &mut Dedup,
    ) {
        let place = (part.memory == MemoryKind::Lds, part.dword);
        let accesses = self.dwords.entry(place).or_default();
        let uses_atomics = self.order.is_user(thread, place);
        let mode = match verb {
            Verb::Load if kind.load_is_coherent => Mode::Coherent,
            Verb::Store if kind.store_is_coherent || uses_atomics => Mode::Coherent,
            Verb::Load | Verb::Store => Mode::Plain,
            Verb::Atomic | Verb::Compare if kind.spins && kind.returns => Mode::Spin,
            Verb::Atomic | Verb::Compare => Mode::Atomic,
        };
        let new = Access {
            step: self.now,
            slot: Slot::new(slot.wave, slot.time, slot.pc, mode).on(part.mask, part.lane),
            thread,
            verb,
        };
        let acquires = match verb {
            Verb::Load => kind.load_is_coherent,
            Verb::Store => false,
            Verb::Atomic | Verb::Compare => kind.returns,
        };
        // A coherent load waits for stores, and clashes with none.
        let waits = (verb, mode) == (Verb::Load, Mode::Coherent);
        for old in accesses.iter().filter(|_| !waits) {
            if old.is_race(&new) && !self.order.is_ordered(thread, old) {
                add(*old, new, part, found);
            }
        }
        if acquires {
            let written = accesses.iter().filter(|old| old.verb == Verb::Store);
            self.order.acquire(thread, place, written);
        }
        if verb == Verb::Atomic || verb == Verb::Store && mode == Mode::Coherent {
            self.order.release(thread, place, self.now);
        }
        if mode != Mode::Spin && !waits {
            put(accesses, new);
        }
    }
}

impl Access {
    /// Whether two atomics are of different threads in one execution.
    fn is_beside(&self, other: &Access) -> bool {
        let atomics = self.verb == Verb::Atomic && other.verb == Verb::Atomic;
        atomics && self.step == other.step && self.thread != other.thread
    }

    /// Whether two accesses of different threads need an order.
    fn is_race(&self, later: &Access) -> bool {
        let writes = |of: &Access| matches!(of.verb, Verb::Store | Verb::Atomic);
        let others = self.thread != later.thread && self.step != later.step;
        // Stores of one instruction mostly store the same value.
        let repeats = self.slot.pc == later.slot.pc && self.verb == Verb::Store;
        let one_writes = writes(self) || writes(later);
        others && one_writes && !repeats && clash(self.slot, later.slot)
    }
}

fn add(old: Access, new: Access, part: Part, found: &mut Dedup) {
    let rule = match (old.verb, new.verb) {
        (Verb::Load | Verb::Compare, _) => Rule::ReadWrite,
        (_, Verb::Load | Verb::Compare) => Rule::WriteRead,
        _ => Rule::WriteWrite,
    };
    found.add(pair(rule, part, (old.slot, old.verb), (new.slot, new.verb)));
}

/// Records an access in place of those that a later one need not be compared with.
fn put(accesses: &mut Vec<Access>, new: Access) {
    let covered = |old: &Access| old.slot.mask() & !new.slot.mask() == 0;
    match new.verb {
        // An access after this store that clashes with an earlier one clashes with the store, too.
        Verb::Store => accesses.retain(|old| !covered(old)),
        // Later atomics clash with earlier plain accesses. Of the atomics of one execution two are kept, so that a lane that has one
        // of them finds another lane's.
        Verb::Atomic => {
            let mut others = accesses.iter().filter(|old| old.is_beside(&new)).count();
            accesses.retain(|old| {
                let is_second = old.is_beside(&new) && others == 1;
                others -= usize::from(old.is_beside(&new));
                old.verb != Verb::Atomic || !covered(old) || is_second
            });
        }
        Verb::Load | Verb::Compare => {
            accesses
                .retain(|old| (old.verb, old.thread) != (new.verb, new.thread) || !covered(old));
        }
    }
    if accesses.len() == MAX_ACCESSES {
        // Two reads of different lanes are enough for any writer.
        let oldest = accesses.iter().position(|old| old.verb == new.verb);
        accesses.remove(oldest.unwrap_or(0));
    }
    accesses.push(new);
}

/// The order of lanes that atomics and coherent accesses have made since the last barrier.
#[derive(Default)]
struct Order {
    /// For each thread, the step up to which it is ordered after every other; empty while there is no order.
    known: Vec<Clock>,
    /// The clocks that atomics and coherent stores have released.
    released: HashMap<Place, Released>,
}

type Clock = [Step; LANES];

struct Released {
    clock: Clock,
    /// The threads that have changed the dword by atomics or coherent stores, one bit each.
    users: u64,
}

impl Order {
    fn is_ordered(&self, thread: u8, earlier: &Access) -> bool {
        let known = self.known.get(usize::from(thread));
        known.is_some_and(|known| known[usize::from(earlier.thread)] >= earlier.step)
    }

    fn is_user(&self, thread: u8, place: Place) -> bool {
        let released = self.released.get(&place);
        released.is_some_and(|released| released.users >> thread & 1 == 1)
    }

    /// Orders a thread after the clock that was released at a place, and after the stores that it sees there.
    fn acquire<'a>(&mut self, thread: u8, place: Place, written: impl Iterator<Item = &'a Access>) {
        let released = self.released.get(&place).map(|released| released.clock);
        let mut clock = released.unwrap_or([0; LANES]);
        for old in written {
            let other = usize::from(old.thread);
            let known = self.known.get(other).copied().unwrap_or([0; LANES]);
            join(&mut clock, &known);
            clock[other] = clock[other].max(old.step);
        }
        if clock.iter().any(|step| *step != 0) {
            join(self.known(thread), &clock);
        }
    }

    fn release(&mut self, thread: u8, place: Place, now: Step) {
        let known = self.known.get(usize::from(thread)).copied();
        let released = self.released.entry(place).or_insert(Released {
            clock: [0; LANES],
            users: 0,
        });
        join(&mut released.clock, &known.unwrap_or([0; LANES]));
        released.clock[usize::from(thread)] = now;
        released.users |= 1 << thread;
    }

    fn known(&mut self, thread: u8) -> &mut Clock {
        if self.known.is_empty() {
            self.known = vec![[0; LANES]; LANES];
        }
        &mut self.known[usize::from(thread)]
    }
}

fn join(clock: &mut Clock, other: &Clock) {
    for (step, other) in clock.iter_mut().zip(other) {
        *step = (*step).max(*other);
    }
}
