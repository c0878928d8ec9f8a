//! The scheduler: assigns the work-groups of a grid to threads, in order.
//!
//! A thread runs a work-group to its end, and switches only when the group does not progress by itself (its waves sleep or spin,
//! or run for long). Then it starts the next group, up to the chip's occupancy, or else resumes one that it left before. So
//! groups may wait for earlier ones (look-back scans) and for all resident ones (grid barriers).

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use crate::aftermath::{ALLOWANCE, Aftermath, Verdict};
use crate::backend::Leave;
use crate::dispatch::{Grid, Group, Prepared, Site, StartWave};
use crate::export::Exported;
use crate::fault::Fault;
use crate::float_env::DefaultFloatEnv;
use crate::global_sync::GlobalSyncUnit;
use crate::help::Help;
use crate::queue::Queue;
use crate::time_slice::Schedule;
use crate::wave_pool::WavePool;
use crate::workgroup::{Round, WaveState, WorkGroup};
use wavetank_memory::Wave;

/// Rounds of the longest time slices that a work-group may spin before another one runs. Many kernels only compute for long, and
/// switching groups costs them their caches.
const PATIENCE: u32 = 16;

/// Rounds after which a thread reports progress, whether one work-group or many have run them: rounds may be short, and a report
/// costs more than a short work-group.
const REPORT_ROUNDS: u32 = 64;

/// The resources of one thread for running waves.
pub trait Worker {
    /// Adds room (LDS and scratch) for one more resident work-group: the next slot, counted from 0. Returns the guest address of
    /// its scratch.
    ///
    /// # Errors
    /// If there is no room; the dispatch fails with the fault.
    fn add_slot(&mut self) -> Result<u64, Fault>;

    /// Selects the work-group and slot of the waves that run next; `fresh` when the group starts.
    fn enter(&mut self, slot: usize, group: &Group, fresh: bool);

    /// Runs a wave until it leaves its engine. Its budget bounds its time slice.
    fn run(&mut self, wave: &mut Wave) -> Leave;

    /// Releases the memory of waves before the thread does anything else, such as waiting for memory to be out of use.
    fn rest(&mut self) {}
}

/// The options of a dispatch.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Threads, at least 1. With 1, everything runs on the calling thread, in a reproducible order.
    pub threads: usize,
    /// Work-groups that may be resident at once on all threads together; each thread may always have one.
    pub resident_groups: u32,
    /// The order and the time slices of the waves of a work-group.
    pub schedule: Schedule,
    /// The global wave synchronization of the device; without one the dispatch has its own.
    pub sync: Option<&'a GlobalSyncUnit>,
    /// The waves of earlier dispatches; without them the dispatch makes its own.
    pub waves: Option<&'a WavePool>,
    /// The time at which the dispatch is stopped.
    pub deadline: Option<Instant>,
    /// A flag that stops the dispatch as the deadline does.
    pub cancel: Option<&'a AtomicBool>,
    /// A flag by which an observer of waves stops the dispatch as the deadline does.
    pub stop: Option<&'a AtomicBool>,
    /// A callback at times while work-groups run, and after the last one of each thread, with the number of groups that have ended
    /// and the number of all.
    pub progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
    /// A callback for each export; without it, an export stops the kernel.
    pub exports: Option<&'a (dyn Fn(&Exported) + Sync)>,
    /// A callback for each `s_sendmsg`.
    pub message: Option<&'a (dyn Fn(Message) + Sync)>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            threads: 1,
            resident_groups: 1,
            schedule: Schedule::Fair,
            sync: None,
            waves: None,
            deadline: None,
            cancel: None,
            stop: None,
            progress: None,
            exports: None,
            message: None,
        }
    }
}

/// A message from a wave to the host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// The work-group of the sender.
    pub group: Group,
    /// The number of the wave in the work-group.
    pub wave: u32,
    /// The guest address of the `s_sendmsg`.
    pub pc: u64,
    /// The operand of `s_sendmsg`.
    pub code: u16,
    /// The value of M0, the payload.
    pub m0: u32,
}

/// Statistics of a dispatch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// The number of work-groups that ended.
    pub groups: u64,
    /// The number of waves of these work-groups.
    pub waves: u64,
    /// Instructions of these waves by family, in the order of `wavetank_ir::Family::ALL`; zeros when not counted.
    pub families: [u64; 8],
    /// Instructions times active lanes; zero when not counted.
    pub lane_instructions: u64,
    /// Guest instructions that compiled code executed, when counting.
    pub compiled: u64,
    /// The number of messages sent.
    pub messages: u64,
}

impl Counts {
    fn add_wave(&mut self, wave: &Wave) {
        let uniform = wave.uniform();
        self.waves += 1;
        self.lane_instructions += uniform.lane_count;
        self.compiled += uniform.compiled_count;
        for (sum, n) in self.families.iter_mut().zip(uniform.counts) {
            *sum += n;
        }
    }

    fn add(&mut self, other: &Counts) {
        self.groups += other.groups;
        self.waves += other.waves;
        self.lane_instructions += other.lane_instructions;
        self.compiled += other.compiled;
        self.messages += other.messages;
        for (sum, n) in self.families.iter_mut().zip(other.families) {
            *sum += n;
        }
    }
}

/// The reason why a dispatch failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// A fault of a wave, in the first work-group that has one.
    Fault {
        /// The work-group of the wave.
        group: Group,
        /// The number of the wave in the work-group.
        wave: u32,
        /// The fault of the wave.
        fault: Fault,
    },
    /// The deadline passed, or the dispatch was cancelled.
    Timeout {
        /// Work-groups that had ended.
        done: u64,
        /// The waves that had started and not ended, ordered by work-group and wave.
        waves: Vec<HungWave>,
    },
}

/// The state of a wave at a timeout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HungWave {
    /// The work-group of the wave.
    pub group: Group,
    /// The number of the wave in the work-group.
    pub wave: u32,
    /// The guest address of the instruction at which the wave waits, or of its next one if it could run.
    pub pc: u64,
    /// Whether it could run, or its reason for waiting.
    pub state: WaveState,
}

/// Runs every work-group of a grid. `worker` creates the resources of each thread.
///
/// # Errors
/// A fault of any wave stops the dispatch: the work-groups after its own at once, those before it when they have ended, failed
/// themselves, or only wait. The deadline, checked whenever a wave has yielded, stops the dispatch too.
pub fn run<W: Worker>(
    grid: &Grid,
    start: &dyn StartWave,
    options: &Options<'_>,
    worker: impl Fn(usize) -> W + Sync,
) -> Result<Counts, Failure> {
    let threads = (options.threads.max(1) as u64).min(grid.count()) as usize;
    let sync = options
        .sync
        .map_or_else(GlobalSyncUnit::default, GlobalSyncUnit::of_dispatch);
    let shared = Shared {
        grid,
        start,
        options,
        sync: &sync,
        threads,
        started: AtomicUsize::new(threads),
        queue: Queue::new(grid.count(), threads),
        done: AtomicU64::new(0),
        aftermath: Aftermath::new(threads),
        outcome: Mutex::new(Outcome::default()),
    };
    std::thread::scope(|scope| {
        let (shared, worker) = (&shared, &worker);
        let start = |unit| {
            let run = move || Thread::new(shared, worker(unit), unit).run();
            std::thread::Builder::new().spawn_scoped(scope, run).ok()
        };
        let mut others = Vec::new();
        let mut start_others = || {
            // This thread takes the place of threads that the system does not start.
            others.extend((1..threads).map_while(start));
            shared.starts_only(1 + others.len());
        };
        let mut first = Thread::new(shared, worker(0), 0);
        if threads > 1 {
            first.alone = Some(Alone {
                help: Help::new(),
                start_others: &mut start_others,
            });
        }
        first.run();
        // The scope itself waits for the threads' work, but not for their exit, during which they take locks of the C library. A
        // fork of the program would copy these locks as taken.
        for other in others {
            other.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
    let done = shared.done.load(Ordering::Relaxed);
    let outcome = shared
        .outcome
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    outcome.finish(done)
}

/// The state that the threads of a dispatch share.
struct Shared<'a> {
    grid: &'a Grid,
    start: &'a dyn StartWave,
    options: &'a Options<'a>,
    sync: &'a GlobalSyncUnit,
    threads: usize,
    /// The number of threads that were started: the system may refuse some.
    started: AtomicUsize,
    /// The work-groups that have not started.
    queue: Queue,
    /// The number of work-groups that have ended, as far as threads have reported.
    done: AtomicU64,
    /// The decision which work-groups stop: because of a fault, or all of them at a timeout.
    aftermath: Aftermath,
    outcome: Mutex<Outcome>,
}

#[derive(Default)]
struct Outcome {
    counts: Counts,
    fault: Option<(Group, u32, Fault)>,
    timeout: bool,
    hung: Vec<HungWave>,
}

impl Outcome {
    fn finish(mut self, done: u64) -> Result<Counts, Failure> {
        if let Some((group, wave, fault)) = self.fault {
            return Err(Failure::Fault { group, wave, fault });
        }
        if self.timeout {
            self.hung.sort_by_key(|w| (w.group.index, w.wave));
            return Err(Failure::Timeout {
                done,
                waves: self.hung,
            });
        }
        Ok(self.counts)
    }

    /// Records a fault if it is the earliest.
    fn fault(&mut self, group: Group, wave: u32, fault: Fault) {
        let earlier = |(g, w, _): &(Group, u32, Fault)| (g.index, *w) <= (group.index, wave);
        if !self.fault.as_ref().is_some_and(earlier) {
            self.fault = Some((group, wave, fault));
        }
    }
}

impl Shared<'_> {
    /// The number of work-groups that a thread may hold. Together the threads hold as many as may be resident.
    fn slots(&self, unit: usize) -> usize {
        let resident = self.options.resident_groups as usize;
        let share = |unit| resident / self.threads + usize::from(unit < resident % self.threads);
        let absent = match unit {
            0 => self.started.load(Ordering::Relaxed)..self.threads,
            _ => 0..0,
        };
        let absent: usize = absent.map(share).sum();
        (share(unit) + absent).max(1)
    }

    /// Records the number of started threads, once. The others have no work-groups, and the first thread takes their room.
    fn starts_only(&self, started: usize) {
        self.started.store(started, Ordering::Relaxed);
        for _ in started..self.threads {
            self.aftermath.leave();
        }
    }

    /// Reports progress, after some work-groups may have ended.
    fn report_progress(&self, ended: &mut u64) {
        let ended = std::mem::take(ended);
        let done = self.done.fetch_add(ended, Ordering::Relaxed) + ended;
        if let Some(progress) = self.options.progress {
            progress(done, self.grid.count());
        }
    }

    /// The decision whether a work-group continues. Checks the deadline.
    #[inline]
    fn verdict(&self, group: u64) -> Verdict {
        let verdict = self.aftermath.verdict(group);
        if let Verdict::Drop | Verdict::Stop = verdict {
            return verdict;
        }
        let flags = [self.options.cancel, self.options.stop];
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        let cancelled = flags.into_iter().flatten().any(is_set);
        let late = || self.options.deadline.is_some_and(|d| Instant::now() >= d);
        if cancelled || late() {
            self.outcome().timeout = true;
            self.aftermath.stop_from(0);
            return Verdict::Stop;
        }
        verdict
    }

    /// Records a fault of a wave; its work-group and those after it stop.
    fn fail(&self, group: Group, wave: u32, fault: Fault) {
        self.outcome().fault(group, wave, fault);
        self.aftermath.stop_from(group.index);
    }

    fn outcome(&self) -> std::sync::MutexGuard<'_, Outcome> {
        self.outcome
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A thread and the work-groups that it holds.
struct Thread<'a, W> {
    shared: &'a Shared<'a>,
    worker: W,
    unit: usize,
    slots: Vec<Slot>,
    /// The slots with a running work-group, in the order in which they run.
    active: Vec<usize>,
    /// The slots without a work-group.
    free: Vec<usize>,
    /// Work-groups that this thread has taken but not started. Together with the active ones, they are at most as many as may be
    /// resident.
    taken: Range<u64>,
    /// Whether a work-group made no progress by itself: it may wait for one that another thread has taken but not started.
    stalled: bool,
    /// Whether any group of this thread did more than wait since all of them last ran.
    moved: bool,
    /// The number of work-groups that have ended but are not reported yet.
    unreported: u64,
    /// The number of rounds since the last report.
    rounds: u32,
    /// The slot of the work-group that the worker has entered.
    entered: Option<usize>,
    /// What starts the other threads, as long as they have not been started.
    alone: Option<Alone<'a>>,
    prepared: Prepared,
    counts: Counts,
}

struct Slot {
    scratch: u64,
    group: WorkGroup,
    /// Guest instructions that the group may still execute after a fault in a later one.
    allowance: i64,
}

/// The result of running a work-group.
enum GroupRun {
    Ended,
    Stalled,
    /// The group failed, or is dropped because an earlier one did.
    Dropped,
    Stop,
}

impl<'a, W: Worker> Thread<'a, W> {
    fn new(shared: &'a Shared<'a>, worker: W, unit: usize) -> Self {
        Thread {
            shared,
            worker,
            unit,
            slots: Vec::new(),
            active: Vec::new(),
            free: Vec::new(),
            taken: 0..0,
            stalled: false,
            moved: false,
            unreported: 0,
            rounds: 0,
            entered: None,
            alone: None,
            prepared: Prepared::default(),
            counts: Counts::default(),
        }
    }

    fn run(mut self) {
        let _env = DefaultFloatEnv::enter();
        let mut at = 0;
        let mut stalls = 0;
        while at < self.active.len() || self.admit() {
            match self.run_group(self.active[at]) {
                GroupRun::Stop => break,
                GroupRun::Ended | GroupRun::Dropped => {
                    self.look_for_help();
                    stalls = 0;
                    self.moved = true;
                    let slot = self.active[at];
                    if !self.begin_next(slot) {
                        self.active.remove(at);
                        self.free.push(slot);
                        at = if at < self.active.len() { at } else { 0 };
                    }
                }
                GroupRun::Stalled => {
                    // It may wait for work-groups that others would run.
                    start_others(&mut self.alone, self.shared);
                    self.stalled = true;
                    if self.admit() {
                        at = self.active.len() - 1;
                        self.moved = true;
                        continue;
                    }
                    at = (at + 1) % self.active.len();
                    stalls += 1;
                    if stalls >= self.active.len() {
                        // All groups wait, perhaps for groups of other threads.
                        stalls = 0;
                        self.worker.rest();
                        let moved = std::mem::take(&mut self.moved);
                        if self.shared.aftermath.has_begun() {
                            self.shared.aftermath.looked(self.unit, moved);
                        }
                        std::thread::yield_now();
                    }
                }
            }
        }
        self.report();
    }

    /// Starts the other threads if they are worth it.
    #[inline]
    fn look_for_help(&mut self) {
        look_for_help(&mut self.alone, self.shared, self.counts.groups);
    }

    /// Starts the next work-group in a free slot, if there is one and the chip has room.
    fn admit(&mut self) -> bool {
        if self.active.len() >= self.shared.slots(self.unit) {
            return false;
        }
        let Some(group) = self.next_group(self.active.len()) else {
            return false;
        };
        self.worker.rest();
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => match self.worker.add_slot() {
                Ok(scratch) => {
                    self.slots.push(Slot {
                        scratch,
                        group: WorkGroup::new(group),
                        allowance: 0,
                    });
                    self.slots.len() - 1
                }
                Err(fault) => {
                    self.shared.fail(group, 0, fault);
                    return false;
                }
            },
        };
        self.begin(slot, group);
        self.active.push(slot);
        true
    }

    /// Starts the next work-group in place of an active one that has ended.
    fn begin_next(&mut self, slot: usize) -> bool {
        let next = self.next_group(self.active.len() - 1);
        next.map(|group| self.begin(slot, group)).is_some()
    }

    /// The next work-group in order, for a thread with `active` others. After a fault, only groups before the failed one are
    /// left, and all of those have been taken.
    fn next_group(&mut self, active: usize) -> Option<Group> {
        let aftermath = &self.shared.aftermath;
        if self.taken.is_empty() && !aftermath.has_begun() {
            let room = if self.stalled {
                1
            } else {
                self.shared.slots(self.unit) - active
            };
            self.taken = self.shared.queue.take(room);
        }
        let next = self.taken.next();
        let next = next
            .filter(|index| !matches!(aftermath.verdict(*index), Verdict::Drop | Verdict::Stop));
        next.map(|index| self.shared.grid.group(index))
    }

    fn begin(&mut self, slot: usize, group: Group) {
        let Slot {
            scratch,
            group: room,
            allowance,
        } = &mut self.slots[slot];
        *allowance = ALLOWANCE;
        room.begin(
            group,
            self.shared.options.schedule,
            self.shared.options.waves,
        );
        for index in 0..group.waves() {
            let site = Site {
                group: &group,
                index,
                scratch: *scratch,
                unit: self.unit as u32,
                slot: slot as u32,
            };
            let wave = &mut room.waves[index as usize];
            wave.index = index;
            self.shared.start.start(wave, &site, &mut self.prepared);
        }
        self.worker.enter(slot, &group, true);
        self.entered = Some(slot);
    }

    /// Runs a work-group until it ends or does not progress by itself.
    fn run_group(&mut self, slot: usize) -> GroupRun {
        let run = self.rounds(slot);
        match run {
            GroupRun::Ended => self.ended(slot),
            GroupRun::Dropped => self.slots[slot].group.leave(self.shared.sync),
            GroupRun::Stalled | GroupRun::Stop => {}
        }
        run
    }

    fn rounds(&mut self, slot: usize) -> GroupRun {
        let Slot {
            group, allowance, ..
        } = &mut self.slots[slot];
        if self.entered != Some(slot) {
            self.worker.enter(slot, &group.group, false);
            self.entered = Some(slot);
        }
        let mut patience = PATIENCE;
        loop {
            let cost = match self.shared.verdict(group.group.index) {
                Verdict::Run => 0,
                Verdict::Finish if *allowance < 0 => return GroupRun::Dropped,
                Verdict::Finish => group.most_of_round(),
                Verdict::Drop => return GroupRun::Dropped,
                Verdict::Stop => return GroupRun::Stop,
            };
            if patience == 0 {
                return GroupRun::Stalled;
            }
            let counts = &mut self.counts;
            let mut message = |message| {
                counts.messages += 1;
                if let Some(hook) = self.shared.options.message {
                    hook(message);
                }
            };
            let exports = self.shared.options.exports;
            match group.round(&mut self.worker, self.shared.sync, exports, &mut message) {
                Round::Ended => return GroupRun::Ended,
                Round::Fault { wave, fault } => {
                    self.shared.fail(group.group, wave, fault);
                    return GroupRun::Dropped;
                }
                Round::Asleep => patience = 0,
                gets_on => {
                    self.moved = true;
                    *allowance -= cost;
                    patience = match gets_on {
                        Round::Busy => patience - 1,
                        _ => PATIENCE,
                    };
                }
            }
            look_for_help(&mut self.alone, self.shared, self.counts.groups);
            self.rounds += 1;
            if patience < PATIENCE || self.rounds >= REPORT_ROUNDS {
                self.rounds = 0;
                self.worker.rest();
                self.shared.report_progress(&mut self.unreported);
            }
        }
    }

    fn ended(&mut self, slot: usize) {
        let group = &self.slots[slot].group;
        for wave in &group.waves[..group.states.len()] {
            self.counts.add_wave(wave);
        }
        self.counts.groups += 1;
        self.unreported += 1;
        self.rounds += 1;
        if self.rounds >= REPORT_ROUNDS {
            self.rounds = 0;
            self.worker.rest();
            self.shared.report_progress(&mut self.unreported);
        }
    }

    /// Adds this thread's results to the outcome.
    fn report(mut self) {
        self.worker.rest();
        self.shared.report_progress(&mut self.unreported);
        for slot in &self.active {
            self.slots[*slot].group.leave(self.shared.sync);
        }
        self.shared.aftermath.leave();
        let mut outcome = self.shared.outcome();
        outcome.counts.add(&self.counts);
        if outcome.timeout {
            let groups = self.active.iter().map(|slot| &self.slots[*slot].group);
            outcome.hung.extend(groups.flat_map(hung));
        }
        drop(outcome);
        if let Some(pool) = self.shared.options.waves {
            pool.put(self.slots.into_iter().flat_map(|slot| slot.group.waves));
        }
    }
}

/// The first thread of a dispatch as long as the others have not been started.
struct Alone<'a> {
    help: Help,
    start_others: &'a mut dyn FnMut(),
}

/// Starts the other threads if they are worth it, after `ended` work-groups. They take those that this thread has not taken.
#[inline]
fn look_for_help(alone: &mut Option<Alone<'_>>, shared: &Shared<'_>, ended: u64) {
    if let Some(Alone { help, .. }) = alone
        && help.is_worth_it(ended, shared.queue.left())
    {
        start_others(alone, shared);
    }
}

/// Starts the other threads, once. After a fault they would take no work-groups.
#[cold]
fn start_others(alone: &mut Option<Alone<'_>>, shared: &Shared<'_>) {
    match alone.take() {
        Some(_) if shared.aftermath.has_begun() => shared.starts_only(1),
        Some(alone) => (alone.start_others)(),
        None => {}
    }
}

fn hung(group: &WorkGroup) -> impl Iterator<Item = HungWave> {
    let states = group.states.iter().copied().enumerate();
    let alive = states.filter(|(_, state)| *state != WaveState::Ended);
    alive.map(|(n, state)| HungWave {
        group: group.group,
        wave: n as u32,
        pc: match state {
            WaveState::Ready => group.waves[n].uniform().pc,
            _ => group.stopped_at[n],
        },
        state,
    })
}
