//! A work-group at run time: its waves take turns on one thread and meet at barriers.

use crate::backend::{Stop, Why};
use crate::dispatch::Group;
use crate::export::Exported;
use crate::fault::Fault;
use crate::global_sync::{GlobalSyncUnit, Ticket};
use crate::schedule::{Message, Worker};
use crate::turns::{Schedule, Turns};
use wavetank_memory::Wave;

/// What a wave is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaveState {
    /// It can run.
    Ready,
    /// It waits at a barrier.
    Barrier,
    /// It waits for waves of other work-groups.
    GlobalSync(Ticket),
    /// It has ended.
    Ended,
}

/// A work-group that has started, with the waves that it uses of its slot.
pub(crate) struct WorkGroup {
    pub group: Group,
    /// At least `states.len()` waves; more are left from larger groups.
    pub waves: Vec<Wave>,
    pub states: Vec<WaveState>,
    /// The instruction at which each stopped last.
    pub stopped_at: Vec<u64>,
    turns: Turns,
    /// The waves in the order of their turns.
    order: Vec<u32>,
}

/// What one turn of every wave brought.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Round {
    /// The work-group is done.
    Ended,
    /// A wave ended, a barrier was passed, or turns have become longer.
    Progress,
    /// Every wave that can run used one of the longest turns up.
    Busy,
    /// Every wave that can run sleeps or polls: none has a long turn before others had theirs.
    Asleep,
    /// A wave failed.
    Fault { wave: u32, fault: Fault },
}

impl WorkGroup {
    /// Room for a work-group.
    pub fn new(group: Group) -> Self {
        WorkGroup {
            group,
            waves: Vec::new(),
            states: Vec::new(),
            stopped_at: Vec::new(),
            turns: Turns::default(),
            order: Vec::new(),
        }
    }

    /// Starts another work-group here: every wave of it is ready.
    pub fn begin(&mut self, group: Group, schedule: Schedule) {
        let count = group.waves();
        self.group = group;
        self.states.clear();
        self.states.resize(count as usize, WaveState::Ready);
        self.stopped_at.resize(count as usize, 0);
        self.turns.begin(schedule, group.index, count as usize);
        self.order.clear();
        self.order.extend(0..count);
        for index in self.waves.len() as u32..count {
            self.waves.push(Wave::new(index));
        }
    }

    /// Lets each wave that can run do so once.
    pub fn round(
        &mut self,
        worker: &mut impl Worker,
        sync: &GlobalSyncUnit,
        exports: Option<&(dyn Fn(&Exported) + Sync)>,
        message: &mut dyn FnMut(Message),
    ) -> Round {
        let (mut progress, mut asleep) = (false, true);
        self.turns.shuffle(&mut self.order);
        for turn in 0..self.order.len() {
            let n = self.order[turn] as usize;
            match self.states[n] {
                WaveState::Ready => {}
                WaveState::GlobalSync(ticket) if !sync.is_waiting(ticket) => {
                    self.turns.met(n);
                    progress = true;
                }
                WaveState::GlobalSync(_) | WaveState::Barrier | WaveState::Ended => continue,
            }
            self.states[n] = WaveState::Ready;
            let stop = self.run_wave(n, worker, message);
            self.stopped_at[n] = stop.pc;
            match stop.why {
                Why::End => (self.states[n], progress) = (WaveState::Ended, true),
                Why::Barrier => self.states[n] = WaveState::Barrier,
                Why::Fault(fault) => {
                    return Round::Fault {
                        wave: n as u32,
                        fault,
                    };
                }
                Why::Yield(point) if point.waits() => {}
                Why::Yield(_) => {
                    progress |= self.turns.spent(n);
                    asleep = false;
                }
                Why::GlobalSync(request) => match sync.enter(request) {
                    Some(ticket) => self.states[n] = WaveState::GlobalSync(ticket),
                    None => asleep = false,
                },
                Why::Export(export) => {
                    worker.rest();
                    let exported = Exported {
                        group: self.group,
                        wave: self.waves[n].index,
                        export: *export,
                    };
                    match exports {
                        Some(take) => take(&exported),
                        None => {
                            return Round::Fault {
                                wave: n as u32,
                                fault: exported.refused(stop.pc),
                            };
                        }
                    }
                    asleep = false;
                }
                Why::Message(_) => unreachable!("run_wave goes on after messages"),
            }
        }
        if self.states.iter().all(|s| *s == WaveState::Ended) {
            return Round::Ended;
        }
        progress |= self.release_barrier();
        match (progress, asleep) {
            (true, _) => Round::Progress,
            (false, true) => Round::Asleep,
            (false, false) => Round::Busy,
        }
    }

    /// Runs one wave until it stops for something else than a message.
    fn run_wave(
        &mut self,
        n: usize,
        worker: &mut impl Worker,
        message: &mut dyn FnMut(Message),
    ) -> Stop {
        let wave = &mut self.waves[n];
        wave.uniform_mut().budget = self.turns.budget(n);
        loop {
            let stop = worker.run(wave);
            match stop.why {
                Why::Message(code) => {
                    worker.rest();
                    message(Message {
                        group: self.group,
                        wave: n as u32,
                        pc: stop.pc,
                        code,
                        m0: wave.uniform().s[usize::from(wavetank_memory::sreg::M0)],
                    });
                }
                _ => return stop,
            }
        }
    }

    /// The waves that wait for waves of other work-groups do so no more.
    pub fn leave(&self, sync: &GlobalSyncUnit) {
        for state in &self.states {
            if let WaveState::GlobalSync(ticket) = *state {
                sync.leave(ticket);
            }
        }
    }

    /// A barrier opens when every wave that has not ended is there (Vega ISA, 4.2 "S_BARRIER": ended waves do not count).
    fn release_barrier(&mut self) -> bool {
        let elsewhere = |s: &WaveState| matches!(s, WaveState::Ready | WaveState::GlobalSync(_));
        if self.states.iter().any(elsewhere) {
            return false;
        }
        for (n, state) in self.states.iter_mut().enumerate() {
            if *state == WaveState::Barrier {
                *state = WaveState::Ready;
                self.turns.met(n);
            }
        }
        true
    }
}
