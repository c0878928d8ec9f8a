//! The check of one access against the access history.

use std::collections::BTreeSet;

use wavetank_ir::{MemKind, Rmw};
use wavetank_memory::{AccessRecord, AccessRun, MemoryKind};

use super::access_history::{AccessHistory, Location, dwords};
use super::dedup::{Dedup, Pair, Rule, Verb};
use super::overwrites::Overwritten;
use super::slot::{Lane, Mode, Slot};
use super::sync_semantics::Semantics;
use super::values::Values;
use super::vector_clock::VectorClock;
use super::waves::Waves;

/// An access of a wave by one instruction.
pub(super) struct CheckAccess<'a> {
    pub waves: &'a mut Waves,
    pub found: &'a mut Dedup,
    pub values: &'a mut Values,
    pub overwritten: &'a mut Overwritten,
    /// Coherent loads that see unordered stores, by the number of their instruction.
    pub coherent: &'a mut BTreeSet<u16>,
    pub kind: Semantics,
    /// The slot of the access, without bytes and lane.
    pub slot: Slot,
    /// The earlier access that was tested last, and whether the wave is ordered after it.
    pub last: Option<(Slot, bool)>,
    /// The clock that was acquired last.
    pub learned: VectorClock,
}

/// A dword that a lane accesses.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub memory: MemoryKind,
    /// The number of the dword in memory.
    pub dword: u64,
    /// The accessed bytes, one bit each.
    pub mask: u8,
    pub lane: Lane,
}

/// Returns the dwords of an access.
pub(super) fn parts(record: &AccessRecord) -> impl Iterator<Item = Part> + use<> {
    let (memory, lane) = (record.memory, Lane::new(record.lane));
    let part = move |(dword, mask)| Part {
        memory,
        dword,
        mask,
        lane,
    };
    dwords(record.address, record.bytes).map(part)
}

impl CheckAccess<'_> {
    /// Checks a load. A coherent one is ordered after the stores that it sees; any other must be ordered after them already.
    pub(super) fn load(&mut self, history: &mut AccessHistory, record: &AccessRecord) {
        for part in parts(record) {
            if self.kind.load_is_coherent {
                if self.kind.load_is_volatile && self.sees_unordered(history, part) {
                    self.coherent.insert(self.slot.pc);
                }
                self.learn(history, part);
                let (page, at) = history.at(part.dword);
                page.note_order(at);
                continue;
            }
            let new = self.slot.on(part.mask, part.lane);
            let (page, at) = history.at(part.dword);
            if page.writes(at).iter().any(|write| write.time != 0) {
                self.check_writes(history, part, new, Verb::Load);
            }
            let (page, at) = history.at(part.dword);
            page.put_read(at, new, |old| self.is_ordered(old));
            if self.kind.may_spin {
                // If the load does spin, accesses after it are in order.
                self.learn(history, part);
            }
        }
    }

    /// Whether a load sees a plain store of another wave that is not ordered before it.
    fn sees_unordered(&mut self, history: &mut AccessHistory, part: Part) -> bool {
        let (page, at) = history.at(part.dword);
        let is_plain = |write: &Slot| write.time != 0 && write.mode() == Mode::Plain;
        let mut writes = page.writes(at).into_iter().filter(is_plain);
        writes.any(|write| write.mask() & part.mask != 0 && !self.is_ordered(write))
    }

    /// Checks a store against earlier accesses.
    pub(super) fn store(&mut self, history: &mut AccessHistory, record: &AccessRecord) {
        for part in parts(record) {
            let (page, at) = history.at(part.dword);
            if page.is_new(at) && !self.kind.store_is_coherent {
                page.put_write(at, self.slot.on(part.mask, part.lane));
                self.values.stored(part.memory, part.dword..part.dword + 1);
                continue;
            }
            let mode = if self.kind.store_is_coherent || self.is_user(history, part) {
                Mode::Coherent
            } else {
                Mode::Plain
            };
            let new = self.slot_as(mode).on(part.mask, part.lane);
            self.check_writes(history, part, new, Verb::Store);
            self.check_reads(history, part, new, Verb::Store);
            let (page, at) = history.at(part.dword);
            page.put_write(at, new);
            self.values.stored(part.memory, part.dword..part.dword + 1);
        }
    }

    /// Checks the atomics of all lanes: they acquire the clocks of the values that they read, and then release the clock of the
    /// wave. A compare-and-swap that has failed is a load.
    pub(super) fn atomics(&mut self, history: &mut AccessHistory, runs: &[AccessRun]) {
        let mode = if self.kind.spins && self.kind.returns {
            Mode::Spin
        } else {
            Mode::Atomic
        };
        self.slot = self.slot_as(mode);
        let confirms = self.kind.returns || runs.first().is_some_and(|t| confirms(t.first.kind));
        for run in runs {
            let verb = if run.failed {
                Verb::Compare
            } else {
                Verb::Atomic
            };
            for part in run.records().flat_map(|record| parts(&record)) {
                let new = self.slot.on(part.mask, part.lane);
                if confirms {
                    self.find_guesses(history, part);
                }
                self.check_writes(history, part, new, verb);
                if !run.failed {
                    self.check_reads(history, part, new, verb);
                }
                if self.kind.returns {
                    self.learn(history, part);
                }
            }
        }
        let (failed, changed): (Vec<AccessRun>, _) = runs.iter().partition(|run| run.failed);
        self.put_compares(history, &failed);
        self.put_atomics(history, &changed);
    }

    /// Records compare-and-swaps that have failed: loads with which a plain store clashes. One of a spin loop waits for stores.
    fn put_compares(&mut self, history: &mut AccessHistory, failed: &[AccessRun]) {
        let records = failed.iter().flat_map(|run| run.records());
        for part in records.flat_map(|record| parts(&record)) {
            let new = self.slot.on(part.mask, part.lane);
            let (page, at) = history.at(part.dword);
            page.note_order(at);
            if new.mode() == Mode::Atomic {
                page.put_compare(at, new, |old| self.is_ordered(old));
            }
        }
    }

    /// Records atomics that have changed memory, which release the clock of the wave.
    fn put_atomics(&mut self, history: &mut AccessHistory, changed: &[AccessRun]) {
        let passed_on = self.waves.passed_on(self.slot.wave, self.slot.time);
        let records = changed.iter().flat_map(|run| run.records());
        for part in records.flat_map(|record| parts(&record)) {
            let new = self.slot.on(part.mask, part.lane);
            let (page, at) = history.at(part.dword);
            let last = page.writes(at)[0];
            if self.kind.returns {
                page.put_write(at, new);
            } else {
                page.put_write_after_reads(at, new);
            }
            if (last.wave, last.time, last.mask()) == (new.wave, new.time, new.mask()) {
                // Another lane has already updated this dword.
                continue;
            }
            let location = history.locations.entry(part.dword).or_default();
            location.users |= user(self.slot.wave);
            if !matches!(last.mode(), Mode::Atomic | Mode::Spin) {
                let is_plain = last.time != 0 && last.mode() == Mode::Plain;
                location.stored = is_plain.then_some(last);
            }
            if self.kind.returns {
                location.known = passed_on.clone();
                location.silent.clear();
                continue;
            }
            if !matches!(last.mode(), Mode::Atomic | Mode::Spin) {
                // The clock of an earlier store stays available to later atomics.
                *location = Location {
                    known: match last.time {
                        0 => Default::default(),
                        _ => self.waves.passed_on_by(last),
                    },
                    silent: Vec::new(),
                    stored: location.stored,
                    users: location.users,
                };
            }
            location.add_silent(new);
        }
    }

    /// Finds plain loads by which a wave has guessed whether an atomic is worth it. They are loads of a dword on which the wave
    /// then uses its first atomic, without a barrier in between.
    fn find_guesses(&mut self, history: &mut AccessHistory, part: Part) {
        let wave = self.slot.wave;
        let location = history.locations.get(&part.dword);
        if location.is_some_and(|location| location.users & user(wave) != 0) {
            return;
        }
        let (page, at) = history.at(part.dword);
        for read in page.reads(at) {
            let is_plain = read.mode() == Mode::Plain;
            if is_plain && read.mask() & part.mask != 0 && self.waves.has_just_done(wave, read) {
                self.found.guesses(read.pc);
            }
        }
    }

    /// Returns the access in another mode.
    pub(super) fn slot_as(&self, mode: Mode) -> Slot {
        Slot::new(self.slot.wave, self.slot.time, self.slot.pc, mode)
    }

    /// Whether the wave is ordered after an access.
    #[inline]
    pub(super) fn is_ordered(&mut self, earlier: Slot) -> bool {
        let key = earlier.on(0, Lane::new(None));
        match self.last {
            Some((last, answer)) if last == key => answer,
            _ => {
                let answer = self.waves.is_ordered(self.slot.wave, earlier);
                self.last = Some((key, answer));
                answer
            }
        }
    }

    /// Whether the wave is ordered after a write that was certainly complete.
    #[inline]
    pub(super) fn is_done(&mut self, write: Slot) -> bool {
        self.is_ordered(write) && !self.waves.is_ever_early(self.slot.wave, write)
    }

    /// Orders the wave after the writes to a dword.
    fn learn(&mut self, history: &mut AccessHistory, part: Part) {
        let (page, at) = history.at(part.dword);
        let (wave, now) = (self.slot.wave, self.slot.time);
        for earlier in page.writes(at) {
            if earlier.mask() & part.mask == 0 || earlier.wave == wave && earlier.time == now {
                continue;
            }
            self.last = None;
            let location = match earlier.mode() {
                Mode::Atomic | Mode::Spin => history.locations.get(&part.dword),
                Mode::Plain | Mode::Coherent => None,
            };
            let Some(location) = location else {
                self.learn_of(earlier, part);
                continue;
            };
            if !self.learned.same(&location.known) {
                self.waves.learn(wave, &location.known, now);
                self.waves.sees(wave, earlier, part.dword);
                self.learned = location.known.clone();
            }
            for silent in &location.silent {
                self.waves.learn_of(wave, *silent, now);
                self.waves.sees(wave, *silent, part.dword);
            }
        }
    }

    /// Orders the wave after an access to a dword.
    fn learn_of(&mut self, earlier: Slot, part: Part) {
        if earlier.time != 0 {
            self.waves.learn_of(self.slot.wave, earlier, self.slot.time);
            self.waves.sees(self.slot.wave, earlier, part.dword);
        }
    }

    /// Whether the wave has changed a dword by atomics that other waves also use in this way. Its stores there free a lock:
    /// compilers write them as plain stores after a wait. A wave whose compare-and-swaps have all failed holds no lock.
    pub(super) fn is_user(&mut self, history: &mut AccessHistory, part: Part) -> bool {
        let (page, at) = history.at(part.dword);
        let by_store = |slot: &Slot| slot.time == 0 || slot.mode() == Mode::Plain;
        if page.writes(at).iter().all(by_store) {
            return false;
        }
        let location = history.locations.get(&part.dword);
        location.is_some_and(|location| location.users & user(self.slot.wave) != 0)
    }

    /// Finds writes that are not ordered before an access.
    fn check_writes(&mut self, history: &mut AccessHistory, part: Part, new: Slot, verb: Verb) {
        let (page, at) = history.at(part.dword);
        let (writes, value) = (page.writes(at), page.value(at));
        for earlier in writes {
            self.check_write(part, earlier, new, verb, value);
            self.check_stored(history, part, earlier, new, verb);
            // Before an atomic without a result there may be others, with which the wave may not be ordered either.
            let is_atomic = matches!(earlier.mode(), Mode::Atomic);
            if earlier.time == 0 || !is_atomic || new.mode() != Mode::Plain {
                continue;
            }
            let Some(location) = history.locations.get(&part.dword) else {
                continue;
            };
            for silent in &location.silent {
                if (silent.wave, silent.time) != (earlier.wave, earlier.time) {
                    self.check_write(part, *silent, new, verb, None);
                }
            }
        }
    }

    /// Finds the store before earlier atomics, when another atomic follows: `count = 0` of a wave that then counts like all
    /// others. An atomic with a result is ordered after the store by the other atomics.
    fn check_stored(
        &mut self,
        history: &AccessHistory,
        part: Part,
        earlier: Slot,
        new: Slot,
        verb: Verb,
    ) {
        let is_atomic = matches!(earlier.mode(), Mode::Atomic | Mode::Spin);
        if !is_atomic || new.mode() != Mode::Atomic || self.kind.returns {
            return;
        }
        let location = history.locations.get(&part.dword);
        if let Some(stored) = location.and_then(|location| location.stored) {
            self.check_write(part, stored, new, verb, None);
        }
    }

    fn check_write(
        &mut self,
        part: Part,
        earlier: Slot,
        new: Slot,
        verb: Verb,
        value: Option<u32>,
    ) {
        let release = self
            .waves
            .early_release(self.slot.wave, earlier, part.dword);
        if !clash(earlier, new) || release.is_none() && self.is_ordered(earlier) {
            return;
        }
        let before = match earlier.mode() {
            Mode::Plain | Mode::Coherent => Verb::Store,
            Mode::Atomic | Mode::Spin => Verb::Atomic,
        };
        let rule = match verb {
            Verb::Load | Verb::Compare => Rule::WriteRead,
            Verb::Store | Verb::Atomic => Rule::WriteWrite,
        };
        let mut pair = pair(rule, part, (earlier, before), (new, verb));
        pair.release = release;
        // Several waves may store the same value: `found = 1`. In LDS only those of one instruction.
        let stores = before == Verb::Store && verb == Verb::Store;
        let may_agree = stores && pair.release.is_none() && part.memory != MemoryKind::Lds;
        match value {
            _ if earlier.pc == new.pc => {
                pair.rule = Rule::SameStore;
                self.values.suspect(pair, value);
            }
            Some(_) if may_agree => self.values.suspect(pair, value),
            _ => self.found.add(pair),
        }
    }

    /// Finds reads that are not ordered before a write.
    fn check_reads(&mut self, history: &mut AccessHistory, part: Part, new: Slot, verb: Verb) {
        let (page, at) = history.at(part.dword);
        let (writes, reads) = (page.writes(at), page.reads(at));
        let value = page.value(at).filter(|_| is_stored(writes, new));
        let value = value.filter(|_| part.memory != MemoryKind::Lds);
        // Before an atomic without a result there may be reads with which that one was in order. An atomic with a result is ordered
        // after them by the other atomics, and a store clashes with those.
        let counts = verb == Verb::Atomic && !self.kind.returns;
        for earlier in reads {
            if !clash(earlier, new)
                || !counts && is_before(earlier, writes)
                || self.is_ordered(earlier)
            {
                continue;
            }
            let before = match earlier.mode() {
                Mode::Plain | Mode::Coherent => Verb::Load,
                Mode::Atomic | Mode::Spin => Verb::Compare,
            };
            let pair = pair(Rule::ReadWrite, part, (earlier, before), (new, verb));
            match (verb, value) {
                // A store of the present value cannot be noticed by the reader: all work-groups may initialize with the same
                // value.
                (Verb::Store, Some(_)) => self.values.suspect(pair, value),
                _ => self.found.add(pair),
            }
        }
    }
}

/// Whether an atomic without a result is correct for any present value, so that its wave may have guessed the value. This holds
/// for all except those that count.
fn confirms(kind: MemKind) -> bool {
    use Rmw::*;
    match kind {
        MemKind::Atomic(rmw) => matches!(rmw, CmpSwap | MinS | MinU | MaxS | MaxU | And | Or),
        MemKind::Load | MemKind::Store => false,
    }
}

/// Whether a read happened before one of the last writes to its bytes.
fn is_before(read: Slot, writes: [Slot; 2]) -> bool {
    let mut later = writes.iter().filter(|write| write.time > read.time);
    later.any(|write| write.mask() & read.mask() != 0)
}

/// Whether the bytes that a store overwrites were last written by stores, so that their value is known.
fn is_stored(writes: [Slot; 2], new: Slot) -> bool {
    let is_store = |slot: &&Slot| matches!(slot.mode(), Mode::Plain | Mode::Coherent);
    let stores = writes.iter().filter(is_store);
    let stored = stores.fold(0, |mask, slot| mask | slot.mask());
    new.mask() & !stored == 0
}

pub(super) fn pair(rule: Rule, part: Part, earlier: (Slot, Verb), later: (Slot, Verb)) -> Pair {
    Pair {
        rule,
        memory: part.memory,
        dword: part.dword,
        earlier,
        later,
        release: None,
    }
}

/// Returns the bit of a wave among the users of a location.
fn user(wave: u32) -> u64 {
    1 << (wave % 64)
}

/// Whether two accesses to a dword, one of which writes, need an order: they have bytes in common, and one of them is plain. An
/// atomic that spins waits for the stores of others.
pub(super) fn clash(earlier: Slot, later: Slot) -> bool {
    let (a, b) = (earlier.mode(), later.mode());
    let one_is_plain = a == Mode::Plain || b == Mode::Plain;
    let meet = earlier.mask() & later.mask() != 0;
    meet && one_is_plain && a != Mode::Spin && b != Mode::Spin
}
