//! Comparison of random launches with an oracle that keeps vector clocks by their definition.

use std::collections::HashMap;

use proptest::prelude::*;

use wavetank_memory::AccessRecord;

use super::script::*;
use crate::watch::SliceEnd;

const WAVES: usize = 3;
/// The number of waves: two groups of three.
const ALL: usize = 2 * WAVES;

type Clock = [u32; ALL];

fn join(a: &mut Clock, b: &Clock) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = (*a).max(*b);
    }
}

/// An event of a wave.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// An access of adjacent lanes: wave, operation, address, and number of dwords.
    Access(usize, Op, u64, u8),
    Wait(usize),
    Barrier(usize),
    End(usize),
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Read,
    Write,
    CoherentRead,
    CoherentWrite,
    Atomic { returns: bool },
}

fn way(op: Op) -> Way {
    match op {
        Load => Way::Read,
        Store | OtherStore => Way::Write,
        CoherentLoad => Way::CoherentRead,
        CoherentStore => Way::CoherentWrite,
        Add => Way::Atomic { returns: true },
        _ => Way::Atomic { returns: false },
    }
}

/// An access that was executed: its wave, its time by the wave's own clock, and its kind.
struct Done {
    wave: usize,
    time: u32,
    /// The time from which on it is ordered before everything that its wave does: at once, or for writes from the first access
    /// after a wait.
    over: Option<u32>,
    op: Op,
    address: u64,
}

/// All accesses with the clocks of their waves, without any optimization.
#[derive(Default)]
struct Oracle {
    clocks: [Clock; ALL],
    waits: [bool; ALL],
    ended: [bool; ALL],
    done: Vec<Done>,
    /// The clocks that places pass on to waves that see them.
    passed_on: HashMap<u64, Clock>,
    races: Vec<(Op, Op, bool)>,
    /// Whether writes are visible without a wait.
    strong: bool,
}

impl Oracle {
    fn access(&mut self, wave: usize, op: Op, address: u64) {
        self.clocks[wave][wave] += 1;
        let learns = matches!(way(op), Way::CoherentRead | Way::Atomic { returns: true });
        let seen = self.passed_on.get(&address).copied().unwrap_or_default();
        // An access that needs an order must have it before it acquires one itself.
        for before in self.done.iter().filter(|done| done.address == address) {
            let known = self.clocks[wave][before.wave];
            let over = before.over.is_some_and(|over| known >= over);
            let ordered = over || known == before.time;
            if !ordered && before.wave != wave && clash(way(before.op), way(op)) {
                self.races
                    .push((before.op, op, way(before.op) == Way::Read));
            }
        }
        if learns {
            join(&mut self.clocks[wave], &seen);
        }
        let own = self.clocks[wave];
        match way(op) {
            Way::Write | Way::CoherentWrite => {
                self.passed_on.insert(address, own);
            }
            Way::Atomic { .. } => join(self.passed_on.entry(address).or_default(), &own),
            Way::Read | Way::CoherentRead => {}
        }
        let time = own[wave];
        let reads = matches!(way(op), Way::Read | Way::CoherentRead);
        self.done.push(Done {
            wave,
            time,
            over: (reads || self.strong).then_some(time),
            op,
            address,
        });
    }

    fn wait(&mut self, wave: usize) {
        let next = self.clocks[wave][wave] + 1;
        let own = self.done.iter_mut().filter(|done| done.wave == wave);
        for done in own {
            done.over.get_or_insert(next);
        }
    }

    fn stop(&mut self, wave: usize, ends: bool) {
        self.wait(wave);
        self.clocks[wave][wave] += 1;
        self.waits[wave] = !ends;
        self.ended[wave] = ends;
        let group = wave / WAVES * WAVES..(wave / WAVES + 1) * WAVES;
        if group.clone().all(|n| self.waits[n] || self.ended[n]) {
            let mut all = Clock::default();
            for n in group.clone() {
                join(&mut all, &self.clocks[n]);
            }
            for n in group.filter(|n| self.waits[*n]).collect::<Vec<_>>() {
                self.clocks[n] = all;
                self.waits[n] = false;
            }
        }
    }
}

fn clash(a: Way, b: Way) -> bool {
    let plain = |way| matches!(way, Way::Read | Way::Write);
    let reads = |way| matches!(way, Way::Read | Way::CoherentRead);
    let meets = |way| way != Way::CoherentRead;
    (plain(a) || plain(b)) && !(reads(a) && reads(b)) && meets(a) && meets(b)
}

/// Runs events on both. Events of waves that wait or have ended are skipped. If the oracle is `strong`, writes are visible
/// without a wait, as within a work-group.
fn both(events: &[Event], strong: bool) -> (Script, Oracle) {
    let mut script = Script::new(WAVES as u32);
    let mut oracle = Oracle {
        strong,
        ..Oracle::default()
    };
    for event in events {
        let (Event::Access(n, ..) | Event::Wait(n) | Event::Barrier(n) | Event::End(n)) = *event;
        if oracle.waits[n] || oracle.ended[n] {
            continue;
        }
        let wave = ((n / WAVES) as u64, (n % WAVES) as u32);
        match *event {
            Event::Access(_, op, address, lanes) => {
                let record = |lane| op.record(lane, address + 4 * u64::from(lane), 4);
                let records: Vec<AccessRecord> = (0..lanes).map(record).collect();
                for record in &records {
                    oracle.access(n, op, record.address);
                }
                script.time_slice(wave, &records, SliceEnd::GoesOn);
            }
            Event::Wait(_) => {
                oracle.wait(n);
                script.go(wave, &[(Wait, 0)]);
            }
            Event::Barrier(_) => {
                oracle.stop(n, false);
                script.time_slice(wave, &[], SliceEnd::Barrier(0));
            }
            Event::End(_) => {
                oracle.stop(n, true);
                script.time_slice(wave, &[], SliceEnd::Ended);
            }
        }
    }
    (script, oracle)
}

/// The addresses of accesses, around the boundary of two pages.
const PLACE: u64 = 0x3f8;

fn events(ops: &'static [Op], waves: usize, length: usize) -> impl Strategy<Value = Vec<Event>> {
    let wave = 0..waves;
    let lanes = prop_oneof![2 => Just(1u8), 1 => 2u8..8];
    let access = (wave.clone(), proptest::sample::select(ops), 0u64..4, lanes);
    let event = prop_oneof![
        12 => access.prop_map(|(wave, op, at, lanes)| {
            // An atomic passes on its acquired clock only when all its lanes are done.
            let lanes = if matches!(way(op), Way::Atomic { .. }) { 1 } else { lanes };
            Event::Access(wave, op, PLACE + 4 * at, lanes)
        }),
        3 => wave.clone().prop_map(Event::Wait),
        4 => wave.clone().prop_map(Event::Barrier),
        1 => wave.prop_map(Event::End),
    ];
    proptest::collection::vec(event, 1..length)
}

/// Keeps plain stores away from dwords that atomics use: such stores are taken for those of a lock and are not reported.
fn apart(events: Vec<Event>) -> Vec<Event> {
    let place = |event| match event {
        Event::Access(n, op, at, lanes) if matches!(way(op), Way::Atomic { .. }) => {
            Event::Access(n, op, at | 0x1000, lanes)
        }
        event => event,
    };
    events.into_iter().map(place).collect()
}

/// Moves each wave to a group of its own, and flags to separate places.
fn of_two_groups(events: Vec<Event>) -> Vec<Event> {
    let event = |event| match event {
        Event::Access(n, op @ (Load | Store), at, _) => Event::Access(n * WAVES, op, at, 1),
        Event::Access(n, op, at, _) => Event::Access(n * WAVES, op, at | 0x1000, 1),
        Event::Wait(n) => Event::Wait(n * WAVES),
        Event::Barrier(n) | Event::End(n) => Event::Wait(n * WAVES),
    };
    events.into_iter().map(event).collect()
}

const EVERYTHING: &[Op] = &[
    Load,
    Store,
    OtherStore,
    CoherentLoad,
    CoherentStore,
    Add,
    SilentAdd,
];
const FLAGS: &[Op] = &[Store, Load, CoherentLoad, CoherentStore];
const USUAL: &[Op] = &[Load, Load, Store, OtherStore, Add, Add];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Every finding is a race.
    #[test]
    fn what_is_found_is_a_race(events in events(EVERYTHING, ALL, 60)) {
        let (mut script, oracle) = both(&events, false);
        for finding in script.findings() {
            let is = |(first, second, _): &(Op, Op, bool)| {
                (first.pc(), second.pc()) == (finding.related[0].place.pc, finding.at.place.pc)
            };
            prop_assert!(oracle.races.iter().any(is), "{}", finding.message);
        }
    }

    /// At least one of the races on a place is found, except for stores of one instruction.
    #[test]
    fn a_race_is_found(events in events(USUAL, 2, 40).prop_map(apart)) {
        let (mut script, oracle) = both(&events, true);
        let races = oracle.races.iter().filter(|(first, second, _)| first != second);
        let found = script.rules();
        if races.count() > 0 && found.is_empty() {
            let silent = oracle.races.iter().any(|(first, second, _)| first == second);
            prop_assert!(silent, "{:?}", events);
        }
    }

    /// Races of many waves are found, if they do not depend on more readers than are recorded.
    #[test]
    fn a_race_of_writes_is_found(events in events(USUAL, ALL, 60).prop_map(apart)) {
        let (mut script, oracle) = both(&events, true);
        let same = oracle.races.iter().any(|(first, second, _)| first == second);
        let writes = oracle.races.iter().any(|(_, _, reads)| !reads);
        if writes && !same {
            prop_assert!(!script.rules().is_empty());
        }
    }

    /// Writes in flight at a release are found. The launches have few enough waits that all are recorded.
    #[test]
    fn a_wait_that_is_missing_is_found(events in events(FLAGS, 2, 18).prop_map(of_two_groups)) {
        let (mut script, oracle) = both(&events, false);
        let same = oracle.races.iter().any(|(first, second, _)| first == second);
        let writes = oracle.races.iter().any(|(_, _, reads)| !reads);
        if writes && !same {
            prop_assert!(!script.rules().is_empty(), "{:?}", events);
        }
    }

    /// Everything between taking a lock and freeing it is ordered.
    #[test]
    fn under_one_lock_there_is_no_race(
        slices in proptest::collection::vec(
            (0..ALL, proptest::collection::vec((proptest::sample::select(EVERYTHING), 0u64..4), 0..5), any::<bool>()),
            1..40,
        ),
    ) {
        let mut script = Script::new(WAVES as u32);
        for (n, accesses, stores) in slices {
            let wave = ((n / WAVES) as u64, (n % WAVES) as u32);
            script.go(wave, &[(Swap, 0x8000)]);
            for (op, at) in accesses {
                script.go(wave, &[(op, 0x40 + 4 * at)]);
            }
            script.go(wave, &[(Wait, 0)]);
            script.go(wave, &[(if stores { Store } else { Add }, 0x8000)]);
        }
        prop_assert!(script.rules().is_empty());
    }
}
