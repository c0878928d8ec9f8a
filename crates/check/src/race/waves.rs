//! The waves and work-groups of a launch: vector clocks, barriers, accesses in flight.

use std::collections::HashMap;

use wavetank_machine::Group;

use super::access_history::{AccessHistory, Slot};
use super::in_flight::{InFlight, Release};
use super::vector_clock::{CHUNK, Fuel, Time, VectorClock};
use crate::watch::{SliceEnd, WaveOf};

/// All waves that have run, numbered as their work-groups came.
#[derive(Default)]
pub struct Waves {
    waves: Vec<Wave>,
    groups: Vec<GroupOf>,
    numbers: HashMap<u64, usize>,
    /// What all know that have used a resource of global wave synchronization.
    resources: HashMap<u8, VectorClock>,
    pub fuel: Fuel,
}

#[derive(Clone, Default)]
struct Wave {
    known: VectorClock,
    /// Earlier vector clocks with the times until which they were valid, the oldest first. A wave that reads a stored value
    /// acquires the clock of the store.
    before: Vec<(Time, VectorClock)>,
    /// Its writes that are in flight.
    in_flight: InFlight,
    group: usize,
    at: At,
    /// The resource that it has used last, if it has not gone on since.
    resource: Option<u8>,
    /// When its last barrier opened.
    met: Time,
    /// Loads that may spin, by their instructions: where they have last loaded from, and whether the wave has written since.
    spins: Vec<(u16, u64, bool)>,
}

/// The number of earlier vector clocks that are kept. In place of an older one, the oldest is used: more order than there
/// is, rather than less.
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
pub enum LoadsAgain {
    /// None: the first execution by this wave.
    Once,
    /// The wave loads from elsewhere, or has written since: so loops do that work.
    Works,
    /// The wave loads again from the same place, and cannot have changed it itself: it waits for others.
    Spins,
}

/// A work-group.
pub struct GroupOf {
    /// Its id in each dimension.
    pub id: [u32; 3],
    /// The number of its first wave.
    pub first: u32,
    waves: u32,
    running: u32,
    /// What is kept of its LDS, until it has ended.
    pub lds: Option<Box<AccessHistory>>,
}

impl Waves {
    /// The number of a wave.
    pub fn number(&mut self, wave: WaveOf) -> u32 {
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
        // Those of one group stand together in their knowledge.
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
            id: group.id,
            first,
            waves,
            running: waves,
            lds: Some(Box::default()),
        });
        self.numbers.insert(group.index, number);
        number
    }

    /// The work-group of a wave.
    pub fn group(&self, wave: u32) -> &GroupOf {
        &self.groups[self.waves[wave as usize].group]
    }

    /// Takes what is kept of the LDS of a wave's work-group, to be given back.
    pub fn lend_lds(&mut self, wave: u32) -> Option<Box<AccessHistory>> {
        let group = self.waves[wave as usize].group;
        self.groups[group].lds.take()
    }

    /// Returns the history of a group's LDS.
    pub fn return_lds(&mut self, wave: u32, lds: Option<Box<AccessHistory>>) {
        let group = self.waves[wave as usize].group;
        self.groups[group].lds = lds;
    }

    /// Whether a wave comes behind an access.
    #[inline]
    pub fn is_behind(&self, wave: u32, earlier: Slot) -> bool {
        earlier.wave == wave || self.waves[wave as usize].known.of(earlier.wave) >= earlier.time
    }

    /// Forgets what waves know: the launch is over.
    pub fn forget_knowledge(&mut self) {
        for wave in &mut self.waves {
            (wave.known, wave.before) = (VectorClock::default(), Vec::new());
        }
        self.resources = HashMap::new();
    }

    /// Whether a wave has come by no barrier since an access of its own.
    pub fn has_just_done(&self, wave: u32, access: Slot) -> bool {
        access.time != 0 && access.wave == wave && access.time > self.waves[wave as usize].met
    }

    /// What a wave shows of an instruction that may spin, when it loads with that.
    pub fn loads_again(&mut self, wave: u32, inst: u16, address: u64) -> LoadsAgain {
        let spins = &mut self.waves[wave as usize].spins;
        let Some(known) = spins.iter_mut().find(|(known, ..)| *known == inst) else {
            spins.push((inst, address, false));
            return LoadsAgain::Once;
        };
        let before = std::mem::replace(known, (inst, address, false));
        match before == *known {
            true => LoadsAgain::Spins,
            false => LoadsAgain::Works,
        }
    }

    /// A wave writes.
    pub fn writes(&mut self, wave: u32) {
        let spins = &mut self.waves[wave as usize].spins;
        spins.iter_mut().for_each(|(.., written)| *written = true);
    }

    /// A wave's writes that are in flight.
    pub fn in_flight(&mut self, wave: u32) -> &mut InFlight {
        &mut self.waves[wave as usize].in_flight
    }

    /// Whether the wave of a write, another one, has ever let others go on while it wrote.
    #[inline]
    pub fn is_ever_early(&self, wave: u32, write: Slot) -> bool {
        wave != write.wave && self.waves[write.wave as usize].in_flight.is_ever_early()
    }

    /// What a wave has come behind of the wave of a write to a dword, of another work-group, if that was done while the write was
    /// in flight.
    pub fn early_release(&self, wave: u32, write: Slot, dword: u64) -> Option<Release> {
        let (own, other) = (&self.waves[wave as usize], &self.waves[write.wave as usize]);
        if own.group == other.group || !other.in_flight.is_ever_early() {
            return None;
        }
        let known = own.known.of(write.wave);
        other.in_flight.early(write.time, dword, known)
    }

    /// What others learn of a wave that passes on all it knows and has done.
    pub fn passed_on(&mut self, wave: u32, now: Time) -> VectorClock {
        let known = &self.waves[wave as usize].known;
        known.with(wave, now, &mut self.fuel)
    }

    /// The vector clock that a wave acquires by seeing that an access was done.
    pub fn passed_on_by(&mut self, slot: Slot) -> VectorClock {
        let wave = &self.waves[slot.wave as usize];
        let then = wave.before.iter().find(|(until, _)| *until >= slot.time);
        let known = then.map_or(&wave.known, |(_, known)| known);
        known.with(slot.wave, slot.time, &mut self.fuel)
    }

    /// A wave comes behind an access, and behind all that this one came behind.
    pub fn learn_of(&mut self, wave: u32, slot: Slot, now: Time) {
        if slot.time != 0 && !self.is_behind(wave, slot) {
            let known = self.passed_on_by(slot);
            self.learn(wave, &known, now);
        }
    }

    /// A wave has come behind an access to a dword by which another one lets it go on.
    pub fn sees(&mut self, wave: u32, slot: Slot, dword: u64) {
        if self.waves[wave as usize].group != self.waves[slot.wave as usize].group {
            self.in_flight(slot.wave).seen(slot.time, slot.pc, dword);
        }
    }

    /// A wave learns what is known elsewhere.
    pub fn learn(&mut self, wave: u32, known: &VectorClock, now: Time) {
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

    /// A wave goes on. If it has met others at a resource, they have come by now: it comes behind all that have used it so
    /// far, which is too much rather than too little.
    pub fn begin_slice(&mut self, wave: u32, now: Time) {
        let met = self.waves[wave as usize].resource.take();
        let known = met.and_then(|resource| self.resources.get(&resource));
        if let Some(known) = known.cloned() {
            self.learn(wave, &known, now.saturating_add(1));
        }
    }

    /// A wave uses a resource: those that it meets there learn what it knows.
    fn meet(&mut self, wave: u32, resource: u8, now: Time) {
        self.waves[wave as usize].resource = Some(resource);
        let passed_on = self.passed_on(wave, now);
        let known = self.resources.entry(resource).or_default();
        *known = known.join(&passed_on, &mut self.fuel);
    }

    /// A time slice of a wave is over.
    pub fn end_slice(&mut self, wave: u32, end: SliceEnd, now: Time) {
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
            // A wait that is missing before it is not told here.
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

    /// All waves of a group have come to the barrier, or have ended.
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
