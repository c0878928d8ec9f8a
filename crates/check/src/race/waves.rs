//! The waves and work-groups of a launch, with their vector clocks, barriers and accesses in flight.

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use wavetank_machine::Group;

use super::access_history::AccessHistory;
use super::in_flight::{InFlight, Release};
use super::slot::Slot;
use super::vector_clock::{CHUNK, Fuel, Time, VectorClock};
use crate::watch::{SliceEnd, WaveOf};

/// All waves that have run, numbered in the order of their work-groups' appearance.
#[derive(Default)]
pub(super) struct Waves {
    waves: Vec<Wave>,
    groups: Vec<GroupOf>,
    numbers: FxHashMap<u64, usize>,
    /// For each resource of global wave synchronization, the joined clock of the waves that have used it.
    resources: HashMap<u8, VectorClock>,
    pub fuel: Fuel,
}

#[derive(Clone, Default)]
struct Wave {
    known: VectorClock,
    /// Earlier vector clocks with the times until which they were valid, the oldest first. A wave that reads a stored value
    /// acquires the clock of the store.
    before: Vec<(Time, VectorClock)>,
    /// The wave's writes in flight.
    in_flight: InFlight,
    group: usize,
    at: At,
    /// The resource that the wave used in its last time slice.
    resource: Option<u8>,
    /// The time at which its last barrier opened.
    met: Time,
    /// Loads that may spin: the instruction, the last address, and whether the wave has written since.
    spins: Vec<(u16, u64, bool)>,
}

/// The number of earlier vector clocks that are kept. The oldest replaces any older one: races may be missed, and never invented.
const BEFORE: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum At {
    #[default]
    Running,
    Barrier,
    End,
}

/// Evidence that a load is in a spin loop, from one execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum LoadsAgain {
    /// None: the first execution by this wave.
    Once,
    /// The wave loads from elsewhere, or has written since, as loops that do work.
    Works,
    /// The wave loads again from the same place, and cannot have changed it itself, so it waits for others.
    Spins,
}

/// A work-group of the launch.
pub(super) struct GroupOf {
    /// The work-group.
    pub group: Group,
    /// The number of its first wave.
    pub first: u32,
    waves: u32,
    running: u32,
    /// The history of its LDS, until the group has ended.
    pub lds: Option<Box<AccessHistory>>,
}

impl Waves {
    /// Returns the number of a wave.
    pub(super) fn number(&mut self, wave: WaveOf) -> u32 {
        let group = match self.numbers.get(&wave.group.index) {
            Some(&n) => n,
            None => self.add_group(wave.group, wave.waves.max(1)),
        };
        let group = &self.groups[group];
        group.first + wave.wave.min(group.waves - 1)
    }

    fn add_group(&mut self, group: Group, waves: u32) -> usize {
        let number = self.groups.len();
        let first = self.waves.len() as u32;
        // The waves of one group are in the same chunk of the clock, if possible.
        let fits = first % CHUNK + waves <= CHUNK;
        let first = if fits {
            first
        } else {
            first.next_multiple_of(CHUNK)
        };
        self.waves.resize((first + waves) as usize, Wave::default());
        for wave in &mut self.waves[first as usize..] {
            wave.group = number;
        }
        self.groups.push(GroupOf {
            group,
            first,
            waves,
            running: waves,
            lds: Some(Box::default()),
        });
        self.numbers.insert(group.index, number);
        number
    }

    /// Whether waves have run, and each work-group was a single one.
    pub(super) fn are_single(&self) -> bool {
        !self.groups.is_empty() && self.groups.iter().all(|group| group.waves == 1)
    }

    /// Returns the work-group of a wave.
    pub(super) fn group(&self, wave: u32) -> &GroupOf {
        &self.groups[self.waves[wave as usize].group]
    }

    /// Takes the LDS history of a wave's work-group, to be returned later.
    pub(super) fn lend_lds(&mut self, wave: u32) -> Option<Box<AccessHistory>> {
        let group = self.waves[wave as usize].group;
        self.groups[group].lds.take()
    }

    /// Puts back the LDS history of a wave's work-group.
    pub(super) fn return_lds(&mut self, wave: u32, lds: Option<Box<AccessHistory>>) {
        let group = self.waves[wave as usize].group;
        self.groups[group].lds = lds;
    }

    /// Whether a wave is ordered after an access.
    #[inline]
    pub(super) fn is_ordered(&self, wave: u32, earlier: Slot) -> bool {
        earlier.wave == wave || self.waves[wave as usize].known.of(earlier.wave) >= earlier.time
    }

    /// Removes the clocks of all waves, after the end of the launch.
    pub(super) fn forget_knowledge(&mut self) {
        for wave in &mut self.waves {
            (wave.known, wave.before) = (VectorClock::default(), Vec::new());
        }
        self.resources = HashMap::new();
    }

    /// Whether a wave has passed no barrier since an access of its own.
    pub(super) fn has_just_done(&self, wave: u32, access: Slot) -> bool {
        access.time != 0 && access.wave == wave && access.time > self.waves[wave as usize].met
    }

    /// Records a load by an instruction that may spin; returns the evidence of this execution.
    pub(super) fn loads_again(&mut self, wave: u32, inst: u16, address: u64) -> LoadsAgain {
        let spins = &mut self.waves[wave as usize].spins;
        let Some(known) = spins.iter_mut().find(|(known, ..)| *known == inst) else {
            spins.push((inst, address, false));
            return LoadsAgain::Once;
        };
        let before = std::mem::replace(known, (inst, address, false));
        if before == *known {
            LoadsAgain::Spins
        } else {
            LoadsAgain::Works
        }
    }

    /// Records that a wave writes.
    pub(super) fn writes(&mut self, wave: u32) {
        let spins = &mut self.waves[wave as usize].spins;
        spins.iter_mut().for_each(|(.., written)| *written = true);
    }

    /// Returns a wave's writes in flight.
    pub(super) fn in_flight(&mut self, wave: u32) -> &mut InFlight {
        &mut self.waves[wave as usize].in_flight
    }

    /// Whether the wave of a write, if it is another one, has ever released with writes in flight.
    #[inline]
    pub(super) fn is_ever_early(&self, wave: u32, write: Slot) -> bool {
        wave != write.wave && self.waves[write.wave as usize].in_flight.is_ever_early()
    }

    /// Returns the release by which a wave is ordered after one of another work-group, if that wave's write to a dword was in
    /// flight at the release.
    pub(super) fn early_release(&self, wave: u32, write: Slot, dword: u64) -> Option<Release> {
        let (own, other) = (&self.waves[wave as usize], &self.waves[write.wave as usize]);
        if own.group == other.group || !other.in_flight.is_ever_early() {
            return None;
        }
        let known = own.known.of(write.wave);
        other.in_flight.early(write.time, dword, known)
    }

    /// Returns the clock that a wave releases: all that it has acquired and done.
    pub(super) fn passed_on(&mut self, wave: u32, now: Time) -> VectorClock {
        let known = &self.waves[wave as usize].known;
        known.with(wave, now, &mut self.fuel)
    }

    /// Returns the vector clock that a wave acquires when it sees that an access was done.
    pub(super) fn passed_on_by(&mut self, slot: Slot) -> VectorClock {
        let wave = &self.waves[slot.wave as usize];
        let then = wave.before.iter().find(|(until, _)| *until >= slot.time);
        let known = then.map_or(&wave.known, |(_, known)| known);
        known.with(slot.wave, slot.time, &mut self.fuel)
    }

    /// Orders a wave after an access, and after everything before that access.
    pub(super) fn learn_of(&mut self, wave: u32, slot: Slot, now: Time) {
        if slot.time != 0 && !self.is_ordered(wave, slot) {
            let known = self.passed_on_by(slot);
            self.learn(wave, &known, now);
        }
    }

    /// Records that a wave is ordered after an access to a dword by another wave.
    pub(super) fn sees(&mut self, wave: u32, slot: Slot, dword: u64) {
        if self.waves[wave as usize].group != self.waves[slot.wave as usize].group {
            self.in_flight(slot.wave).seen(slot.time, slot.pc, dword);
        }
    }

    /// Joins a clock to that of a wave.
    pub(super) fn learn(&mut self, wave: u32, known: &VectorClock, now: Time) {
        let wave = &mut self.waves[wave as usize];
        let joined = wave.known.join(known, &mut self.fuel);
        if joined.same(&wave.known) {
            return;
        }
        let old = std::mem::replace(&mut wave.known, joined);
        let until = now - 1;
        if wave.before.last().is_none_or(|(last, _)| *last < until) {
            if wave.before.len() == BEFORE {
                wave.before.remove(0);
            }
            wave.before.push((until, old));
        }
    }

    /// Begins a time slice. If the wave has met others at a resource, they have arrived by now: it is ordered after all that have
    /// used the resource so far, which is too much rather than too little.
    pub(super) fn begin_slice(&mut self, wave: u32, now: Time) {
        let met = self.waves[wave as usize].resource.take();
        let known = met.and_then(|resource| self.resources.get(&resource));
        if let Some(known) = known.cloned() {
            self.learn(wave, &known, now.saturating_add(1));
        }
    }

    /// Records the use of a resource by a wave, which releases its clock there.
    fn meet(&mut self, wave: u32, resource: u8, now: Time) {
        self.waves[wave as usize].resource = Some(resource);
        let passed_on = self.passed_on(wave, now);
        let known = self.resources.entry(resource).or_default();
        *known = known.join(&passed_on, &mut self.fuel);
    }

    /// Ends a time slice of a wave.
    pub(super) fn end_slice(&mut self, wave: u32, end: SliceEnd, now: Time) {
        let was = self.waves[wave as usize].at;
        let at = match end {
            SliceEnd::GoesOn => At::Running,
            SliceEnd::Resource(resource) => {
                self.meet(wave, resource, now);
                At::Running
            }
            SliceEnd::Barrier(_) => At::Barrier,
            SliceEnd::Ended => At::End,
        };
        self.waves[wave as usize].at = at;
        match at {
            At::Running => {}
            // A missing wait before the barrier is reported by another tool.
            At::Barrier => self.in_flight(wave).wait(0, now),
            At::End => self.in_flight(wave).end(now),
        }
        let n = self.waves[wave as usize].group;
        let group = &mut self.groups[n];
        group.running += u32::from(at == At::Running);
        group.running -= u32::from(was == At::Running);
        if group.running == 0 {
            self.open_barrier(n, now);
        }
    }

    /// Opens the barrier, after all waves of a group have arrived or ended.
    fn open_barrier(&mut self, group: usize, now: Time) {
        let GroupOf { first, waves, .. } = self.groups[group];
        let all = first..first + waves;
        let waiting = |waves: &[Wave], n: u32| waves[n as usize].at == At::Barrier;
        let left: Vec<u32> = (all.clone()).filter(|n| waiting(&self.waves, *n)).collect();
        if left.is_empty() {
            self.groups[group].lds = None;
            return;
        }
        if waves > 1 {
            let mut known = VectorClock::default();
            for n in all {
                let passed_on = self.passed_on(n, now);
                known = known.join(&passed_on, &mut self.fuel);
            }
            for n in &left {
                self.learn(*n, &known, now.saturating_add(1));
            }
        }
        for n in &left {
            let wave = &mut self.waves[*n as usize];
            (wave.at, wave.met) = (At::Running, now);
            wave.spins
                .iter_mut()
                .for_each(|(.., written)| *written = true);
        }
        self.groups[group].running = left.len() as u32;
    }
}
