//! A work-group at run time: its waves take turns on one thread and meet at barriers.

use crate::backend::{Event, Leave};
use crate::dispatch::Group;
use crate::export::Exported;
use crate::fault::Fault;
use crate::global_sync::{GlobalSyncUnit, Ticket};
use crate::schedule::{Message, Worker};
use crate::time_slice::{Schedule, TimeSlices};
use crate::wave_pool::WavePool;
use wavetank_memory::{Wave, sreg};

/// The state of a wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WaveState {
    /// The wave can run.
    Ready,
    /// The wave waits at a barrier.
    Barrier,
    /// The wave waits for waves of other work-groups.
    GlobalSync(Ticket),
    /// The wave has ended.
    Ended,
}

/// A work-group that has started, with the waves of its slot that it uses.
pub(crate) struct WorkGroup {
    pub group: Group,
    /// At least `states.len()` waves; the others are left over from larger groups.
    pub waves: Vec<Wave>,
    pub states: Vec<WaveState>,
    /// The guest address of the instruction at which each wave left its engine last.
    pub stopped_at: Vec<u64>,
    slices: TimeSlices,
    /// The waves in the order of their time slices.
    order: Vec<u32>,
}

/// The effect of a round, one time slice for every wave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Round {
    /// The work-group is done.
    Ended,
    /// A wave ended, a barrier was passed, or time slices have become longer.
    Progress,
    /// Every wave that can run used up a time slice of the maximum length.
    Busy,
    /// Every wave that can run sleeps or spins. No wave gets a long time slice before the others had theirs.
    Asleep,
    /// A wave failed.
    Fault { wave: u32, fault: Fault },
}

/// The effect of one wave's time slice.
struct SliceEffect {
    /// The state of the wave after it.
    state: WaveState,
    /// Whether the wave ended, or its next time slice is longer.
    progress: bool,
    /// Whether the wave can continue at once.
    busy: bool,
}

impl WorkGroup {
    /// Returns a slot with a work-group.
    pub(crate) fn new(group: Group) -> Self {
        WorkGroup {
            group,
            waves: Vec::new(),
            states: Vec::new(),
            stopped_at: Vec::new(),
            slices: TimeSlices::default(),
            order: Vec::new(),
        }
    }

    /// Starts another work-group in this slot: every wave of it is ready.
    pub(crate) fn begin(&mut self, group: Group, schedule: Schedule, pool: Option<&WavePool>) {
        let count = group.waves();
        self.group = group;
        if self.states.len() != count as usize {
            self.resize(count, pool);
        }
        for state in &mut self.states {
            *state = WaveState::Ready;
        }
        self.slices.begin(schedule, group.index);
        if let Schedule::Random(_) = schedule {
            // The previous work-group may have left another order.
            self.order.sort_unstable();
        }
    }

    /// Makes room for the waves of a group: groups at the edge of a grid have fewer.
    #[cold]
    fn resize(&mut self, count: u32, pool: Option<&WavePool>) {
        self.states.resize(count as usize, WaveState::Ready);
        self.stopped_at.resize(count as usize, 0);
        self.slices.resize(count as usize);
        self.order.clear();
        self.order.extend(0..count);
        let more = (count as usize).saturating_sub(self.waves.len());
        match pool {
            Some(pool) => pool.take(more, &mut self.waves),
            None => self.waves.extend((0..more).map(|_| Wave::default())),
        }
    }

    /// Runs each wave that can run for one time slice.
    pub(crate) fn round(
        &mut self,
        worker: &mut impl Worker,
        sync: &GlobalSyncUnit,
        exports: Option<&(dyn Fn(&Exported) + Sync)>,
        message: &mut dyn FnMut(Message),
    ) -> Round {
        let (mut progress, mut busy) = (false, false);
        self.slices.shuffle(&mut self.order);
        for at in 0..self.order.len() {
            let n = self.order[at] as usize;
            progress |= self.resume(n, sync);
            if self.states[n] != WaveState::Ready {
                continue;
            }
            let leave = self.time_slice(n, worker, message);
            match self.after(n, leave, sync, exports) {
                Ok(ran) => {
                    self.states[n] = ran.state;
                    progress |= ran.progress;
                    busy |= ran.busy;
                }
                Err(fault) => {
                    let wave = n as u32;
                    return Round::Fault { wave, fault };
                }
            }
        }
        if self.states.iter().all(|s| *s == WaveState::Ended) {
            return Round::Ended;
        }
        progress |= self.release_barrier();
        if progress {
            Round::Progress
        } else if busy {
            Round::Busy
        } else {
            Round::Asleep
        }
    }

    /// Makes a wave ready if it waited for waves of other work-groups and these have arrived. Returns whether it did.
    #[inline]
    fn resume(&mut self, n: usize, sync: &GlobalSyncUnit) -> bool {
        match self.states[n] {
            WaveState::GlobalSync(ticket) if !sync.is_waiting(ticket) => {
                self.states[n] = WaveState::Ready;
                self.slices.met(n);
                true
            }
            _ => false,
        }
    }

    /// Runs a wave for a time slice. The messages that it sends are delivered, and do not end the slice.
    #[inline]
    fn time_slice(
        &mut self,
        n: usize,
        worker: &mut impl Worker,
        message: &mut dyn FnMut(Message),
    ) -> Leave {
        let wave = &mut self.waves[n];
        wave.uniform_mut().budget = self.slices.budget(n);
        loop {
            let leave = worker.run(wave);
            let Leave::Other(event) = &leave else {
                return leave;
            };
            worker.rest();
            let Event::Message { pc, message: code } = **event else {
                return leave;
            };
            message(message_of(self.group, n, pc, code, wave));
        }
    }

    /// Records where a wave left its engine, and handles its event. Returns the effect of its time slice, or the fault.
    #[inline]
    fn after(
        &mut self,
        n: usize,
        leave: Leave,
        sync: &GlobalSyncUnit,
        exports: Option<&(dyn Fn(&Exported) + Sync)>,
    ) -> Result<SliceEffect, Fault> {
        self.stopped_at[n] = leave.pc();
        let mut ran = SliceEffect {
            state: WaveState::Ready,
            progress: false,
            busy: false,
        };
        match leave {
            Leave::End(_) => (ran.state, ran.progress) = (WaveState::Ended, true),
            Leave::Barrier(_) => ran.state = WaveState::Barrier,
            Leave::Spin(_) | Leave::Sleep(_) => {}
            Leave::BackEdge(_) | Leave::Jump(_) | Leave::Wait(_) => {
                (ran.progress, ran.busy) = (self.slices.used_up(n), true);
            }
            Leave::Other(event) => {
                ran.state = self.handle(n, *event, sync, exports)?;
                ran.busy = ran.state == WaveState::Ready;
            }
        }
        Ok(ran)
    }

    /// Returns the maximum number of guest instructions of the next round.
    pub(crate) fn most_of_round(&self) -> i64 {
        let is_ready = |n: &usize| self.states[*n] == WaveState::Ready;
        let ready = (0..self.states.len()).filter(is_ready);
        ready.map(|n| self.slices.most(n)).sum()
    }

    /// Handles the event with which a wave left. Returns the new state, or the fault.
    #[cold]
    fn handle(
        &mut self,
        n: usize,
        event: Event,
        sync: &GlobalSyncUnit,
        exports: Option<&(dyn Fn(&Exported) + Sync)>,
    ) -> Result<WaveState, Fault> {
        match event {
            Event::GlobalSync { request, .. } => {
                let ticket = sync.enter(request);
                Ok(ticket.map_or(WaveState::Ready, WaveState::GlobalSync))
            }
            Event::Export { pc, sent } => {
                let exported = Exported {
                    group: self.group,
                    wave: self.waves[n].index,
                    export: sent,
                };
                let take = exports.ok_or_else(|| exported.refused(pc))?;
                take(&exported);
                Ok(WaveState::Ready)
            }
            Event::Fault(fault) => Err(fault),
            Event::Message { .. } | Event::Breakpoint { .. } => {
                unreachable!("messages and breakpoints do not end time slices")
            }
        }
    }

    /// Removes the waves that wait for waves of other work-groups from the queues.
    pub(crate) fn leave(&self, sync: &GlobalSyncUnit) {
        for state in &self.states {
            if let WaveState::GlobalSync(ticket) = *state {
                sync.leave(ticket);
            }
        }
    }

    /// Opens the barrier if every wave that has not ended has arrived (Vega ISA, 4.2 "S_BARRIER": ended waves do not count).
    fn release_barrier(&mut self) -> bool {
        let elsewhere = |s: &WaveState| matches!(s, WaveState::Ready | WaveState::GlobalSync(_));
        if self.states.iter().any(elsewhere) {
            return false;
        }
        for (n, state) in self.states.iter_mut().enumerate() {
            if *state == WaveState::Barrier {
                *state = WaveState::Ready;
                self.slices.met(n);
            }
        }
        true
    }
}

/// Returns the message that a wave sent.
#[cold]
fn message_of(group: Group, wave: usize, pc: u64, code: u16, of: &Wave) -> Message {
    let (wave, m0) = (wave as u32, of.uniform().s[usize::from(sreg::M0)]);
    Message {
        group,
        wave,
        pc,
        code,
        m0,
    }
}
