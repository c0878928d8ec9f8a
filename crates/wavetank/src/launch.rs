//! A launch: waves of a module that are ready to run, and their run under observers.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use wavetank_check::Finding;
use wavetank_gcn::Registers;
use wavetank_jit::Compiled;
use wavetank_machine::gcn::Launch;
use wavetank_machine::schedule::{self, Counts, Failure, Options};
use wavetank_machine::{Fault, Grid, Group, StartWave};
use wavetank_profile::Counts as ProfileCounts;

use crate::checks::{Checking, Collected, Launched, Pace, Room, Shadowed};
use crate::engine::Engine;
use crate::error::{Error, KernelFault, Result, Timeout};
use crate::hooks::Hooking;
use crate::module::Module;
use crate::observers::Observers;
use crate::overrun::Overruns;
use crate::profiler;
use crate::report::{InstructionCounts, Report};
use crate::worker::{Common, Unit};

/// Waves of a module that are ready to run.
pub(crate) struct ReadyWaves<'a> {
    pub module: &'a Module,
    pub engine: &'a Engine,
    /// The kernel, or the function that waves begin with.
    pub function: &'a str,
    pub launch: &'a Launch,
    pub grid: Grid,
    /// The start state of each wave.
    pub starts: &'a dyn StartWave,
    /// The registers that hold something then.
    pub given: Registers,
    /// Vector registers of a wave that may be undefined.
    pub vgprs: usize,
    /// Work-groups that the chip holds at once.
    pub resident_groups: u32,
    /// The initial contents of the LDS. The rest is uninitialized.
    pub lds: &'a [u32],
    /// Whether there is something in scratch when a work-group begins.
    pub has_scratch: bool,
    /// The address of the table of border colors.
    pub border_colors: Option<u64>,
    /// Describes a fault of a wave by the memory and code at its place.
    pub explain: &'a dyn Fn(Group, u32, Fault) -> KernelFault,
}

/// The result of a launch.
struct Ended {
    counts: std::result::Result<Counts, Failure>,
    checked: Collected,
    overruns: Overruns,
    threads: usize,
    /// The counts of compiled code, if instructions are counted.
    compiled: Option<Compiled>,
    wall: Duration,
    /// Whether a hook ended the launch.
    stopped: bool,
}

impl ReadyWaves<'_> {
    /// Runs the waves to their end.
    ///
    /// # Errors
    /// [`Error::Checks`], [`Error::Fault`] and [`Error::Timeout`].
    pub(crate) fn run(&self, observers: Observers<'_>) -> Result<Report> {
        let is_counted = observers.count;
        let ended = self.end(observers)?;
        let counts = match ended.counts {
            Ok(counts) => counts,
            Err(Failure::Timeout { .. }) if ended.stopped => {
                let kernel = self.function.to_owned();
                return Err(Error::Stopped { kernel });
            }
            Err(failure) => return Err(self.error(failure).with_findings(ended.checked.findings)),
        };
        let (lds_overruns, read_on) = ended.overruns.describe(self.function, self.module);
        Ok(Report {
            groups: counts.groups,
            waves: counts.waves,
            threads: ended.threads,
            messages: counts.messages,
            instructions: is_counted.then(|| InstructionCounts::new(&counts)),
            compiled: ended.compiled,
            lds_overruns,
            read_on,
            findings: ended.checked.findings,
            undefined_stores: ended.checked.undefined_stores,
            check_times: ended.checked.times,
            uncompared: ended.checked.uncompared,
            wall: ended.wall,
        })
    }

    /// Runs the waves to their end or to a fault, and returns the findings of the checks.
    ///
    /// # Errors
    /// [`Error::Checks`].
    pub(crate) fn findings(&self, observers: Observers<'_>) -> Result<Vec<Finding>> {
        Ok(self.end(observers)?.checked.findings)
    }

    fn end(&self, mut observers: Observers<'_>) -> Result<Ended> {
        if observers.hooks.is_some() && observers.trace.is_some() {
            let kernel = self.function.to_owned();
            return Err(Error::TracedHooks { kernel });
        }
        let hooking = observers.hooks.map(|hooks| Hooking {
            hooks,
            module: self.module,
            function: self.function,
            stopped: AtomicBool::new(false),
        });
        let device = self.module.device();
        let checking = observers.checks.begin(self.function, self.module)?;
        let threads = checking.threads(device.threads(), observers.trace.is_some());
        let begin = Instant::now();
        let pace = Pace::new(begin);
        let progress = |done, all| {
            pace.ended(done);
            if let Some(progress) = observers.progress {
                progress(done, all);
            }
        };
        let is_timed = observers.timeout.is_some();
        let options = Options {
            threads,
            resident_groups: self.resident_groups,
            schedule: device.schedule().of_dispatch(self.launch.user.dispatch_id),
            sync: Some(&device.inner.sync),
            waves: Some(&device.inner.waves),
            stop: hooking.as_ref().map(|hooking| &hooking.stopped),
            progress: if is_timed {
                Some(&progress)
            } else {
                observers.progress
            },
            ..observers.options(begin)
        };
        let overruns = Overruns::default();
        let profiled = observers.profiler;
        let profiled = profiled.map(|_| Mutex::new(ProfileCounts::new(self.launch.chip)));
        let common = Common {
            hooking: hooking.as_ref(),
            profiled: profiled.as_ref(),
            ..self.common(&observers, &checking, &overruns)
        };
        // Short dispatches without shadows do not make those of 128 registers.
        let follower = checking.follower.as_ref();
        let shadowed = follower.map(|_| Shadowed::new(self.starts, &self.given, self.vgprs));
        let starts = match &shadowed {
            Some(shadowed) => shadowed as &dyn StartWave,
            None => self.starts,
        };
        let counts = schedule::run(&self.grid, starts, &options, |_| Unit::new(&common));
        let wall = begin.elapsed();
        let mode = common.mode();
        if let (Some(profiler), Some(profiled)) = (observers.profiler, &profiled) {
            self.profile(profiler, profiled, counts.as_ref().ok(), wall);
        }
        let launched = Launched {
            kernel: self.function,
            module: self.module,
            checks: &observers.checks,
            given: &self.given,
            room: Room {
                groups: self.grid.count(),
                resident: self.resident_groups.into(),
            },
            goes_on: pace.goes_on(wall),
            explain: self.explain,
            origins: observers.origins,
        };
        let checked = launched.collect_findings(checking, counts.as_ref().err());
        Ok(Ended {
            counts,
            checked,
            overruns,
            threads,
            compiled: observers.count.then(|| self.engine.newly_compiled(mode)),
            wall,
            stopped: hooking.is_some_and(|hooking| hooking.stopped.into_inner()),
        })
    }

    /// Adds the launch to a profile.
    fn profile(
        &self,
        profiler: &profiler::Profiler,
        profiled: &Mutex<ProfileCounts>,
        counts: Option<&Counts>,
        wall: Duration,
    ) {
        let launched = profiler::Launched {
            module: self.module,
            engine: self.engine,
            kernel: self.function,
            launch: self.launch,
            grid: &self.grid,
            ran: counts.map(|counts| (counts.groups, counts.waves)),
            wall,
        };
        let profiled = profiled.lock().unwrap_or_else(PoisonError::into_inner);
        profiler.add(&launched, &profiled, self.engine.sites());
    }

    /// The data that the workers share.
    fn common<'b>(
        &'b self,
        observers: &Observers<'b>,
        checking: &'b Checking,
        overruns: &'b Overruns,
    ) -> Common<'b> {
        let device = self.module.device();
        Common {
            memory: &device.inner.memory,
            scratch: &device.inner.scratch,
            module: self.module,
            engine: self.engine,
            launch: self.launch,
            waves: self.grid.waves(),
            lds: self.lds,
            has_scratch: self.has_scratch,
            border_colors: self.border_colors,
            count: observers.count,
            trace: observers.trace,
            hooking: None,
            profiled: None,
            strict: device.inner.strict || observers.checks.memory(),
            overruns,
            checking,
        }
    }

    fn error(&self, failure: Failure) -> Error {
        match failure {
            Failure::Fault { group, wave, fault } => {
                Error::Fault(Box::new((self.explain)(group, wave, fault)))
            }
            Failure::Timeout { done, waves } => Error::Timeout(Box::new(Timeout {
                kernel: self.function.to_owned(),
                groups_done: done,
                groups: self.grid.count(),
                waves: waves
                    .into_iter()
                    .map(|wave| (wave, self.module.place(wave.pc)))
                    .collect(),
                schedule: self.module.device().schedule(),
                findings: Vec::new(),
            })),
        }
    }
}
