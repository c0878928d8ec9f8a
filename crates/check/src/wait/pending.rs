//! The set of accesses in flight at a location.

use wavetank_gcn::{Generation, Registers, WaitCounter};

use super::event::{Event, Kind, LdsAccess};

/// An access that is in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pending {
    /// The address of the instruction that issued it.
    pub pc: u64,
    /// The index of its counter.
    pub counter: usize,
    /// The kind of access, which determines the order.
    pub kind: Kind,
    /// The number of accesses of its kind issued since.
    pub age: u16,
    /// Registers that the access will write.
    pub loads: Registers,
    /// Registers that the access has yet to read.
    pub locks: Registers,
    /// The access to LDS, if it is one.
    pub lds: Option<LdsAccess>,
    /// Whether EXEC has been written since, so that other lanes may be active.
    pub other_lanes: bool,
}

/// All accesses that may be in flight at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct State {
    counters: &'static [WaitCounter; 3],
    /// The accesses by counter and address, each once, with the smallest age.
    pending: Vec<Pending>,
    /// All registers that the accesses write or have yet to read, by which most instructions are seen to have nothing to do with
    /// them.
    registers: Registers,
    /// Whether some access is to LDS.
    to_lds: bool,
}

impl State {
    /// Returns the state without accesses in flight.
    pub(super) fn new(generation: Generation) -> State {
        State {
            counters: WaitCounter::all(generation),
            pending: Vec::new(),
            registers: Registers::default(),
            to_lds: false,
        }
    }

    /// Whether an access in flight may write registers, or may have yet to read them.
    pub(super) fn concerns(&self, registers: &Registers) -> bool {
        self.registers.meets(registers)
    }

    /// Whether an access to LDS may be in flight.
    pub(super) fn has_lds(&self) -> bool {
        self.to_lds
    }

    /// Returns all accesses that may be in flight.
    pub(super) fn all(&self) -> impl Iterator<Item = &Pending> {
        self.pending.iter()
    }

    /// Returns an access as it is in flight here.
    pub(super) fn get(&self, pending: &Pending) -> Option<Pending> {
        Some(self.pending[self.place(pending).ok()?])
    }

    /// Removes an access.
    pub(super) fn remove(&mut self, pending: &Pending) {
        if let Ok(at) = self.place(pending) {
            self.pending.remove(at);
            self.summarize();
        }
    }

    /// Keeps one access alone, if it is in flight.
    pub(super) fn keep_only(&mut self, pending: &Pending) {
        let own = (pending.counter, pending.pc);
        self.pending
            .retain(|other| (other.counter, other.pc) == own);
        self.summarize();
    }

    /// Computes the union of the accesses' registers anew, after a change of them.
    fn summarize(&mut self) {
        self.registers = Registers::default();
        self.to_lds = false;
        for pending in &self.pending {
            self.registers.add_all(&pending.loads);
            self.registers.add_all(&pending.locks);
            self.to_lds |= pending.lds.is_some();
        }
    }

    /// Adds an access of an instruction.
    pub(super) fn issue(&mut self, pc: u64, event: &Event) {
        let counter = event.counter;
        let most = self.counters[counter].max();
        let mut is_full = false;
        for pending in &mut self.pending {
            let counted = pending.counter == counter && pending.kind == event.kind;
            pending.age = pending.age.saturating_add(counted.into());
            is_full |= counted && pending.age >= most;
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
            Ok(known) => {
                self.pending[known] = pending;
                self.summarize();
            }
            Err(new) => {
                self.pending.insert(new, pending);
                self.registers.add_all(&pending.loads);
                self.registers.add_all(&pending.locks);
                self.to_lds |= pending.lds.is_some();
            }
        }
        // The counter saturates: at its maximum, the wave waits until it can issue.
        if is_full {
            self.done(counter, most);
        }
    }

    /// Records a write to registers. If other lanes are active than at a load, its registers need no wait any more.
    pub(super) fn write(&mut self, registers: &Registers, exec: bool) {
        if !exec && !self.concerns(registers) {
            return;
        }
        for pending in &mut self.pending {
            if pending.other_lanes {
                pending.loads = pending.loads.without(registers);
            }
            pending.other_lanes |= exec;
        }
        self.summarize();
    }

    /// Records a wait until a counter is at most `number`.
    pub(super) fn wait(&mut self, counter: usize, number: u16) {
        if number < self.counters[counter].max() {
            self.done(counter, number);
        }
    }

    /// Removes the accesses that are done when a counter is at most `number`: those after which at least that many of the same
    /// kind were issued. Accesses of other kinds may remain in any order.
    fn done(&mut self, counter: usize, number: u16) {
        let before = self.pending.len();
        self.pending.retain(|p| {
            let left = !p.kind.is_in_order() || p.age < number;
            p.counter != counter || number > 0 && left
        });
        if self.pending.len() < before {
            self.summarize();
        }
    }

    /// Returns the number to wait for, so that an access is done.
    pub(super) fn wait_for(&self, pending: &Pending) -> u16 {
        let most = self.counters[pending.counter].max() - 1;
        if pending.kind.is_in_order() {
            pending.age.min(most)
        } else {
            0
        }
    }

    /// Adds the accesses that may be in flight on another path; returns whether any is new.
    pub(super) fn join(&mut self, other: &State) -> bool {
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
        if changed {
            self.summarize();
        }
        changed
    }

    /// Returns the index of an access, or the index at which to insert it.
    fn place(&self, pending: &Pending) -> Result<usize, usize> {
        let key = |p: &Pending| (p.counter, p.pc);
        self.pending.binary_search_by_key(&key(pending), key)
    }
}
