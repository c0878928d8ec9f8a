//! The checks of a dispatch while it runs: denied accesses, after which waves continue, and watchers of all accesses.
//!
//! Checks are enabled or disabled for a whole dispatch. Accesses are checked in any case, at full speed; this module handles
//! those that were denied. Watchers need another program, which records its accesses.

mod collect;
mod denials;
mod descriptor;
mod finding;
mod first;
mod floats;
mod hung;
mod lanes;
mod pace;
mod report_context;
mod resume;
mod room;
mod times;
mod undefined;

use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use wavetank_check::{
    Finding, Findings, Kept, Place, Race, SliceEnd, Stack, Synchronization, TimeSlice, Tool, Tools,
    Uncompared, Watcher, WaveOf,
};
use wavetank_gcn::Registers;
use wavetank_ir::LANES;
use wavetank_machine::{Event, Fault, Group, Leave};
use wavetank_memory::{AccessRun, Lds, MemoryUnit};
use wavetank_translate::Code;

use crate::engine::{Added, Way};
use crate::error::{Error, KernelFault, Result};
use crate::module::Module;

pub(crate) use collect::Collected;
pub(crate) use denials::{Denial, Denials};
pub(crate) use descriptor::Used;
pub(crate) use finding::{denied_access, missing_code};
pub(crate) use floats::Floats;
pub(crate) use pace::Pace;
pub(crate) use resume::{Denied, Resumer};
pub(crate) use room::Room;
pub use times::CheckTimes;
pub use undefined::UndefinedStore;
pub(crate) use undefined::{Follower, Shadowed, given_by, given_by_system};

/// The checks that a dispatch requests.
pub(crate) struct Checks {
    pub tools: Tools,
    /// Whether the host is known to read what kernels store; else stores of undefined bits are returned to the caller.
    pub host_reads: bool,
    /// Whether waves continue after a finding.
    pub keep_going: bool,
    /// The receiver of the launch's accesses for the tool `race`.
    pub footprint: Option<Kept>,
    /// The watchers of the tools, and those of the caller.
    pub watchers: Vec<Box<dyn Watcher>>,
}

impl Default for Checks {
    fn default() -> Self {
        Checks {
            tools: Tools::default(),
            host_reads: true,
            keep_going: true,
            footprint: None,
            watchers: Vec::new(),
        }
    }
}

impl Checks {
    /// Returns whether denied accesses become findings.
    pub(crate) fn memory(&self) -> bool {
        self.tools.has(Tool::Memory)
    }

    /// Returns whether `race` compares the lanes of a kernel's waves. If a work-group is a wave at most, compilers leave out its
    /// barriers (LLVM, `SIISelLowering.cpp`, `Intrinsic::amdgcn_s_barrier`), so that its lanes would seem unordered.
    fn compares_lanes(&self, kernel: &str, module: &Module) -> bool {
        let info = module.object().kernel(kernel);
        let most = info.and_then(|info| info.max_flat_workgroup_size);
        self.tools.subgroup().is_some() && most.is_none_or(|most| most > LANES as u32)
    }

    /// Returns the part that workers share, with the watchers that the tools need for a kernel of a module.
    ///
    /// # Errors
    /// [`Error::Checks`] if there is no memory for the data of a tool.
    pub(crate) fn begin(&mut self, kernel: &str, module: &Module) -> Result<Checking> {
        if self.tools.has(Tool::Init) {
            let kept = module.device().inner.memory.registry().keep_shadows();
            kept.map_err(|error| Error::Checks(error.to_string()))?;
        }
        let mut watchers = watchers(self, kernel, module);
        watchers.extend(self.watchers.drain(..).map(|watcher| (None, watcher)));
        let resumes = self.memory() && self.keep_going;
        Ok(Checking {
            denials: resumes.then(Denials::default),
            watchers: (!watchers.is_empty()).then(|| Mutex::new(Watchers::of(watchers))),
            compares_lanes: self.compares_lanes(kernel, module),
            follower: self.tools.has(Tool::Init).then(Follower::default),
            floats: self.tools.has(Tool::Float).then(Floats::default),
            astray: Mutex::default(),
        })
    }
}

/// The launch, for the messages of findings.
pub(crate) struct Launched<'a> {
    /// The kernel, or the function at which waves start.
    pub kernel: &'a str,
    pub module: &'a Module,
    pub checks: &'a Checks,
    /// The registers that are initialized when a wave starts.
    pub given: &'a Registers,
    pub room: Room,
    /// Whether work-groups were still ending when it stopped.
    pub goes_on: bool,
    /// Describes a fault of a wave by the memory and code at its place.
    pub explain: &'a dyn Fn(Group, u32, Fault) -> KernelFault,
    /// The host stacks of allocating and freeing the memory at an address.
    pub origins: Option<&'a dyn Fn(u64) -> Vec<Stack>>,
}

/// A watcher, with its tool unless it is the caller's.
type Watching = (Option<Tool>, Box<dyn Watcher>);

/// Returns the watchers of tools. They may leave places to be resolved by the caller.
fn watchers(checks: &Checks, kernel: &str, module: &Module) -> Vec<Watching> {
    let of = |tool: Tool| -> Option<Watching> {
        match tool {
            // Tools that watch accesses.
            Tool::Race => Some((Some(tool), Box::new(race(checks, kernel, module)))),
            Tool::Sync => Some((Some(tool), Box::new(Synchronization::new(kernel)))),
            // These tools do not watch accesses: they use denials, operations added to programs, or the code.
            Tool::Memory | Tool::Init | Tool::Float | Tool::Wait | Tool::Hazard | Tool::Limits => {
                None
            }
        }
    };
    checks.tools.iter().filter_map(of).collect()
}

/// Returns the tool `race`, which uses instructions and accesses to global memory.
fn race(checks: &Checks, kernel: &str, module: &Module) -> Race {
    let engine = module.engine();
    let inst_at = Box::new(move |pc| engine.code().inst(pc).ok());
    let registry = module.device().inner.memory.shared_registry();
    let reader = Box::new(move |address, to: &mut [u8]| registry.read(address, to).is_ok());
    let subgroup = checks.tools.subgroup();
    let subgroup = subgroup.filter(|_| checks.compares_lanes(kernel, module));
    let race = Race::new(kernel, inst_at)
        .with_reader(reader)
        .with_subgroup(subgroup);
    race.with_footprint(checks.footprint.clone())
}

/// The part of a dispatch's checks that its workers share.
pub(crate) struct Checking {
    /// The denied accesses, if waves continue after them.
    pub denials: Option<Denials>,
    /// The watchers that get the accesses of waves.
    pub watchers: Option<Mutex<Watchers>>,
    /// Whether lanes of a wave are compared.
    pub compares_lanes: bool,
    /// The follower that gets undefined bits.
    pub follower: Option<Follower>,
    /// The collector that gets events of floats.
    pub floats: Option<Floats>,
    /// Calls to addresses without code: work-group, wave, and address of the call.
    astray: Mutex<Vec<(u64, u32, u64)>>,
}

impl Checking {
    /// Records that a wave called an address without code.
    pub(crate) fn went_astray(&self, group: &Group, wave: u32, call: u64) {
        let mut astray = self.astray.lock().unwrap_or_else(PoisonError::into_inner);
        astray.push((group.index, wave, call));
    }

    /// Returns the call by which a wave arrived at an address without code.
    pub(crate) fn call_of(&self, group: &Group, wave: u32) -> Option<u64> {
        let astray = self.astray.lock().unwrap_or_else(PoisonError::into_inner);
        let of_it = astray
            .iter()
            .find(|(g, w, _)| (*g, *w) == (group.index, wave));
        of_it.map(|(.., call)| *call)
    }

    /// Returns the purpose of translation for waves that are not traced.
    pub(crate) fn way(&self) -> Way {
        match (&self.watchers, &self.denials) {
            (Some(_), _) => Way::Instrumented,
            (None, Some(_)) => Way::Resumed,
            (None, None) => Way::Fast,
        }
    }

    /// Returns the operations that are added to the program.
    pub(crate) fn added(&self) -> Added {
        Added {
            follows: self.follower.is_some(),
            floats: self.floats.is_some(),
            tallies: false,
        }
    }

    /// Returns whether each time slice of a wave is passed to a tool.
    pub(crate) fn watches(&self) -> bool {
        self.watchers.is_some() || self.notes()
    }

    /// Returns whether programs have probes.
    fn notes(&self) -> bool {
        self.follower.is_some() || self.floats.is_some()
    }

    /// Passes the probe hits of a time slice to their tools.
    pub(crate) fn add_seen(&self, group: Group, wave: u32, memory: &mut MemoryUnit<'_>) {
        if !self.notes() {
            return;
        }
        let Some((mut hits, undefined)) = memory.take_seen() else {
            return;
        };
        if let Some(floats) = &self.floats {
            floats.add(group, wave, &mut hits);
        }
        if let Some(follower) = &self.follower {
            follower.add(group, wave, (hits, undefined));
        }
    }

    /// Returns the number of threads that may run a dispatch. Watchers and traces get events in the order of execution, so they
    /// need one thread.
    pub(crate) fn threads(&self, threads: usize, is_traced: bool) -> usize {
        if is_traced || self.watchers.is_some() {
            1
        } else {
            threads
        }
    }

    /// Collects the findings after the dispatch: denied accesses in the order of waves, watchers, undefined bits, floats.
    pub(crate) fn end(self) -> (Vec<Denial>, Watchers, Option<Follower>, Option<Floats>) {
        let denials = self.denials.map_or_else(Vec::new, Denials::in_order);
        let watchers = self.watchers.unwrap_or_default();
        let watchers = watchers.into_inner();
        let watchers = watchers.unwrap_or_else(PoisonError::into_inner);
        (denials, watchers, self.follower, self.floats)
    }
}

/// The watchers of a dispatch.
#[derive(Default)]
pub(crate) struct Watchers {
    all: Vec<Watching>,
    times: CheckTimes,
}

impl Watchers {
    fn of(all: Vec<Watching>) -> Watchers {
        let times = CheckTimes::default();
        Watchers { all, times }
    }

    /// Passes a time slice of a wave to the watchers, with EXEC and LDS at its end.
    pub(crate) fn time_slice(
        &mut self,
        wave: WaveOf,
        runs: &[AccessRun],
        leave: &Leave,
        (exec, lds): (u64, &Lds),
    ) {
        let end = match leave {
            Leave::End(_) => SliceEnd::Ended,
            Leave::Barrier(pc) => SliceEnd::Barrier(*pc),
            Leave::Other(event) => match &**event {
                Event::GlobalSync { request, .. } => SliceEnd::Resource(request.resource),
                _ => SliceEnd::GoesOn,
            },
            _ => SliceEnd::GoesOn,
        };
        let slice = TimeSlice {
            wave,
            runs,
            end,
            exec,
            lds,
        };
        for (tool, watcher) in &mut self.all {
            let start = Instant::now();
            watcher.slice(&slice);
            self.times.watched(*tool, start);
        }
    }

    /// Passes the scratch of a work-group that starts to the watchers.
    pub(crate) fn scratch_begins(&mut self, bytes: Range<u64>) {
        for (_, watcher) in &mut self.all {
            watcher.scratch_begins(bytes.clone());
        }
    }

    /// Collects the watchers' findings, and resolves their addresses to places. Returns the time that the watchers took, and what
    /// they have not compared.
    pub(crate) fn end(
        mut self,
        kernel: &str,
        place: &dyn Fn(u64) -> Place,
        findings: &mut Findings,
    ) -> (CheckTimes, Option<Uncompared>) {
        let mut found = Findings::default();
        let mut uncompared = None;
        for (tool, watcher) in &mut self.all {
            let start = Instant::now();
            watcher.end(&mut found);
            uncompared = uncompared.or(watcher.uncompared(place));
            self.times.watched(*tool, start);
        }
        for finding in found.iter() {
            findings.add(completed(finding.clone(), kernel, place));
        }
        (self.times, uncompared)
    }
}

/// Returns a finding with its kernel and its places.
fn completed(finding: Finding, kernel: &str, place: &dyn Fn(u64) -> Place) -> Finding {
    let mut completed = finding.moved(place);
    if completed.kernel.is_empty() {
        completed.kernel = kernel.to_owned();
    }
    completed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    #[test]
    fn unchecked_launches_run_as_before() {
        let device = Device::new(wavetank_gcn::Chip::Gfx900).expect("a device");
        let blank = include_bytes!("../../tests/data/blank-gfx900.hsaco");
        let module = device.load(blank).expect("a code object");
        let way = |tools: &[Tool]| {
            let mut checks = Checks {
                tools: Tools::of(tools),
                ..Checks::default()
            };
            let checking = checks.begin("blank", &module).expect("memory for shadows");
            (checking.way(), checking.added())
        };
        let none = Added::default();
        assert_eq!(way(&[]), (Way::Fast, none));
        // Tools that only read code do not change the program.
        let code = [Tool::Wait, Tool::Hazard, Tool::Limits];
        assert_eq!(way(&code), (Way::Fast, none));
        assert_eq!(way(&[Tool::Memory]), (Way::Resumed, none));
        assert_eq!(way(&[Tool::Race]), (Way::Instrumented, none));
        let (follows, floats) = (true, true);
        let bits = Added { follows, ..none };
        assert_eq!(way(&[Tool::Init]), (Way::Fast, bits));
        let floats = Added { floats, ..none };
        assert_eq!(way(&[Tool::Float]), (Way::Fast, floats));
    }
}
