//! The set of accesses in flight at a location.

use wavetank_gcn::{Generation, Registers, WaitCounter};

use super::event::{Event, Kind, LdsAccess};

/// One that is in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pending {
    /// The instruction that left it.
    pub pc: u64,
    /// Its counter.
    pub counter: usize,
    /// What it is in order with.
    pub kind: Kind,
    /// How many of its kind have been issued since.
    pub age: u16,
    /// Registers that it will write.
    pub loads: Registers,
    /// Registers that it has still to read.
    pub locks: Registers,
    /// What it does with LDS.
    pub lds: Option<LdsAccess>,
    /// Whether EXEC has been written since: other lanes may be on.
    pub other_lanes: bool,
}

/// All that may be in flight at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    counters: &'static [WaitCounter; 3],
    /// By counter and address, each once, with the smallest age.
    pending: Vec<Pending>,
}

impl State {
    /// Nothing is in flight.
    pub fn new(generation: Generation) -> State {
        State {
            counters: WaitCounter::all(generation),
            pending: Vec::new(),
        }
    }

    /// All that may be in flight.
    pub fn all(&self) -> impl Iterator<Item = &Pending> {
        self.pending.iter()
    }

    /// An instruction leaves something in flight.
    pub fn issue(&mut self, pc: u64, event: &Event) {
        let counter = event.counter;
        for pending in &mut self.pending {
            let counted = pending.counter == counter && pending.kind == event.kind;
            pending.age = pending.age.saturating_add(counted.into());
        }
        let pending = Pending {
            pc,
            counter,
            kind: event.kind,
            age: 0,
            loads: event.loads,
            locks: event.locks,
            lds: event.lds,
            other_lanes: false,
        };
        match self.place(&pending) {
            Ok(known) => self.pending[known] = pending,
            Err(new) => self.pending.insert(new, pending),
        }
        // The counter does not go higher: a wave waits until it can.
        self.done(counter, self.counters[counter].max());
    }

    /// Registers are written. Those of other lanes than are loaded have nothing to wait for.
    pub fn write(&mut self, registers: &Registers, exec: bool) {
        for pending in &mut self.pending {
            if pending.other_lanes {
                pending.loads = pending.loads.without(registers);
            }
            pending.other_lanes |= exec;
        }
    }

    /// The wave waits until a counter is at most `number`.
    pub fn wait(&mut self, counter: usize, number: u16) {
        if number < self.counters[counter].max() {
            self.done(counter, number);
        }
    }

    /// Takes out what is done when a counter is at most `number`: what has so many of its own kind behind it. Of different
    /// kinds any may be left.
    fn done(&mut self, counter: usize, number: u16) {
        self.pending.retain(|p| {
            let left = !p.kind.is_in_order() || p.age < number;
            p.counter != counter || number > 0 && left
        });
    }

    /// The number to wait for, so that one is done.
    pub fn wait_for(&self, pending: &Pending) -> u16 {
        let most = self.counters[pending.counter].max() - 1;
        match pending.kind.is_in_order() {
            true => pending.age.min(most),
            false => 0,
        }
    }

    /// Adds what may be in flight on another path. Says whether that is anything new.
    pub fn join(&mut self, other: &State) -> bool {
        let mut changed = false;
        for pending in &other.pending {
            match self.place(pending) {
                Ok(known) => {
                    let known = &mut self.pending[known];
                    let joined = Pending {
                        age: known.age.min(pending.age),
                        loads: known.loads.or(&pending.loads),
                        other_lanes: known.other_lanes || pending.other_lanes,
                        ..*known
                    };
                    changed |= joined != *known;
                    *known = joined;
                }
                Err(new) => {
                    self.pending.insert(new, *pending);
                    changed = true;
                }
            }
        }
        changed
    }

    /// Where one stands, or should.
    fn place(&self, pending: &Pending) -> Result<usize, usize> {
        let key = |p: &Pending| (p.counter, p.pc);
        self.pending.binary_search_by_key(&key(pending), key)
    }
}
