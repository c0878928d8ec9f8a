//! A worker thread: its back end, and the memory of its resident work-groups.

use std::sync::{Arc, Mutex, PoisonError};

use wavetank_check::WaveOf;
use wavetank_gcn::{Field, Operand, WaitCounter};
use wavetank_machine::gcn::Launch;
use wavetank_machine::schedule::Worker;
use wavetank_machine::{Backend, Event, Fault, Group, Leave};
use wavetank_memory::{
    AccessRun, Alignment, Lds, MemoryFault, MemoryFaultReason, MemoryUnit, RegistryError, Wave,
};
use wavetank_profile::{Counts, Site};
use wavetank_translate::Code;

use crate::calls::{call_to, return_addresses};
use crate::checks::{Checking, Denied, Resumer, Used};
use crate::code::ModuleCode;
use crate::engine::{Added, Engine, Mode, Way};
use crate::hooks::{AfterFault, Hooked, Hooking};
use crate::memory::{Allocation, Memory};
use crate::module::Module;
use crate::overrun::Overruns;
use crate::scratch_pool::ScratchPool;
use crate::trace::{Step, Stepper, Trace};

/// The data that the workers of a dispatch share.
pub(crate) struct Common<'a> {
    pub memory: &'a Memory,
    /// The scratch of earlier dispatches.
    pub scratch: &'a ScratchPool,
    pub module: &'a Module,
    pub engine: &'a Engine,
    pub launch: &'a Launch,
    /// Waves of a full work-group.
    pub waves: u32,
    /// The initial contents of its LDS. The rest is uninitialized.
    pub lds: &'a [u32],
    /// Whether scratch is initialized when a work-group starts.
    pub has_scratch: bool,
    /// The address of the table of border colors.
    pub border_colors: Option<u64>,
    /// Whether instructions are counted.
    pub count: bool,
    /// The traced waves.
    pub trace: Option<Trace<'a>>,
    /// The hooks, while the launch runs.
    pub hooking: Option<&'a Hooking<'a>>,
    /// Whether accesses beyond the LDS, and loads past the end of an allocation, are faults.
    pub strict: bool,
    /// The records of overruns, and of loads past the end of an allocation.
    pub overruns: &'a Overruns,
    /// The checks while waves run.
    pub checking: &'a Checking,
    /// The counts of workers that have ended, for a profile.
    pub profiled: Option<&'a Mutex<Counts>>,
}

impl Common<'_> {
    /// Whether something gets the accesses of waves.
    fn records(&self) -> bool {
        self.checking.watchers.is_some() || self.profiled.is_some()
    }

    /// The purpose of translation for waves that are not traced.
    pub(crate) fn mode(&self) -> Mode {
        let way = match (self.checking.way(), self.hooking) {
            // Hooks on faults see all registers.
            _ if self.profiled.is_some() => Way::Instrumented,
            (Way::Fast, Some(hooking)) if hooking.hooks.has_faults() => Way::Resumed,
            (way, _) => way,
        };
        Mode {
            count: self.count,
            way,
            added: Added {
                tallies: self.profiled.is_some(),
                ..self.checking.added()
            },
        }
    }
}

/// A worker of a dispatch.
pub(crate) struct Unit<'a> {
    common: &'a Common<'a>,
    backend: Box<dyn Backend + 'a>,
    /// Whether waves are observed.
    is_watched: bool,
    /// The runner of single instructions, for waves that are traced.
    stepper: Option<Stepper<'a>>,
    /// The caller of hooks, if there are any.
    hooked: Option<Hooked<'a>>,
    /// The resumer of waves after denied accesses, made at the first denial.
    resumer: Option<Resumer<'a>>,
    memory: MemoryUnit<'a>,
    /// The counts of its waves, for a profile.
    counts: Option<Counts>,
    /// The sites that are known so far, for a profile.
    sites: Vec<Arc<Site>>,
    /// Room for the accesses of a time slice, for watchers.
    accessed: Vec<AccessRun>,
    slots: Vec<Slot>,
    current: usize,
    group: Option<Group>,
}

/// The memory of one resident work-group.
struct Slot {
    /// The LDS of the group while another group runs.
    lds: Lds,
    scratch: Option<Allocation>,
}

impl<'a> Unit<'a> {
    pub(crate) fn new(common: &'a Common<'a>) -> Self {
        let mut memory = MemoryUnit::new(common.memory.registry());
        memory.set_alignment(Alignment::of(common.launch.chip.generation()));
        memory.set_strict(common.strict);
        memory.set_border_colors(common.border_colors);
        if common.checking.compares_lanes {
            memory.record_lds_conflicts();
        }
        Unit {
            common,
            backend: common.engine.backend(common.mode()),
            is_watched: common.trace.is_some()
                || common.hooking.is_some()
                || common.profiled.is_some()
                || common.checking.watches(),
            stepper: common.trace.map(|_| common.engine.stepper(common.mode())),
            hooked: common
                .hooking
                .map(|hooking| Hooked::new(hooking, common.engine, common.mode())),
            resumer: None,
            memory,
            counts: common.profiled.map(|_| Counts::new(common.launch.chip)),
            sites: Vec::new(),
            accessed: Vec::new(),
            slots: Vec::new(),
            current: 0,
            group: None,
        }
    }

    /// Adds the call chain to a fault of a stack overflow.
    fn find_calls(&self, wave: &Wave, fault: &mut MemoryFault) {
        let MemoryFaultReason::StackOverflow { offset, .. } = fault.reason else {
            return;
        };
        let bytes = self.common.launch.scratch_wave_bytes;
        let mut stack = vec![0; bytes.min(offset.saturating_mul(64)) as usize];
        if let Some(scratch) = &self.slots[self.current].scratch {
            scratch.read(u64::from(wave.index * bytes), &mut stack);
        }
        let vgprs = self.common.launch.vgprs as usize;
        fault.calls = return_addresses(self.common.engine.code(), wave, vgprs, &stack).into();
    }

    /// Prepares LDS and scratch for another work-group: all contents that are not initialized become undefined.
    fn forget(&mut self) {
        let given = 4 * self.common.lds.len() as u64;
        self.memory.lds().forget_after(given);
        let scratch = &self.slots[self.current].scratch;
        if let Some(scratch) = scratch.as_ref().filter(|_| !self.common.has_scratch) {
            let (registry, address) = (self.common.memory.registry(), scratch.address());
            let forgotten = registry.set_undefined(address, scratch.len(), true);
            forgotten.expect("the registry holds what was allocated");
        }
    }

    /// Reports to watchers the scratch that a work-group gets when it begins.
    fn announce_scratch(&self) {
        let (watchers, scratch) = (
            &self.common.checking.watchers,
            &self.slots[self.current].scratch,
        );
        if let (Some(watchers), Some(scratch)) = (watchers, scratch) {
            let bytes =
                u64::from(self.common.launch.scratch_wave_bytes) * u64::from(self.common.waves);
            let mut watchers = watchers.lock().unwrap_or_else(PoisonError::into_inner);
            watchers.scratch_begins(scratch.address()..scratch.address() + bytes);
        }
    }

    /// Runs a wave that is observed, step by step if it is traced.
    #[cold]
    #[inline(never)]
    fn watch(&mut self, wave: &mut Wave) -> Leave {
        let mut accessed = std::mem::take(&mut self.accessed);
        let leave = match (&mut self.hooked, self.group) {
            (Some(hooked), Some(group)) => {
                let recorded = self.common.records();
                let accessed = recorded.then_some(&mut accessed);
                hooked.run(&mut *self.backend, wave, &mut self.memory, group, accessed)
            }
            _ => self.trace(wave, &mut accessed),
        };
        self.correct_counts(wave, &leave);
        let leave = self.ended(wave, leave);
        if self.common.records() {
            if accessed.is_empty() {
                self.memory.move_access_runs(&mut accessed);
            } else {
                accessed.append(&mut self.memory.drain_access_runs());
            }
        }
        if let Some(counts) = &mut self.counts {
            let group = self.group.map_or(0, |group| group.index);
            let code = self.common.engine.code();
            counts.accesses((group, wave.index), &accessed, |pc| {
                left_in_flight(code, pc)
            });
            if let Leave::End(_) = leave {
                counts.wave_ends((group, wave.index));
            }
        }
        if let (Some(watchers), Some(group)) = (&self.common.checking.watchers, self.group) {
            let of = WaveOf {
                group,
                wave: wave.index,
                waves: group.waves(),
            };
            // Watchers may run for long, during which freed memory must not stay mapped.
            self.memory.leave();
            let mut watchers = watchers.lock().unwrap_or_else(PoisonError::into_inner);
            watchers.time_slice(of, &accessed, &leave, (wave.exec(), self.memory.lds()));
        }
        if let Some(group) = self.group {
            let checking = self.common.checking;
            checking.add_seen(group, wave.index, &mut self.memory);
        }
        accessed.clear();
        self.accessed = accessed;
        leave
    }

    /// Corrects the counts of a wave that left its engine between the instructions of a site, which were counted together.
    fn correct_counts(&mut self, wave: &Wave, leave: &Leave) {
        let Some(counts) = &mut self.counts else {
            return;
        };
        let Some(site) = self.memory.take_last_tallied() else {
            return;
        };
        if site as usize >= self.sites.len() {
            self.sites = self.common.engine.sites().all();
        }
        let failed = leave.fault().is_some();
        let lanes = wave.exec().count_ones();
        counts.left(&self.sites[site as usize], leave.pc(), failed, lanes);
    }

    /// Runs a wave, step by step if it is traced; then the steps add their accesses.
    fn trace(&mut self, wave: &mut Wave, accessed: &mut Vec<AccessRun>) -> Leave {
        let (stepper, trace, group) = match (&mut self.stepper, self.common.trace, self.group) {
            (Some(stepper), Some(trace), Some(group)) if (trace.filter)(&group, wave.index) => {
                (stepper, trace, group)
            }
            _ => return self.backend.run(wave, &mut self.memory),
        };
        let index = wave.index;
        let vgprs = self.common.launch.vgprs as usize;
        let step = |pc, changes, runs: Vec<AccessRun>| {
            if self.common.records() {
                accessed.extend_from_slice(&runs);
            }
            let accesses = runs.into_iter().flat_map(AccessRun::records).collect();
            let place = self.common.module.place(pc);
            (trace.sink)(Step {
                group,
                wave: index,
                place,
                changes,
                accesses,
            });
        };
        stepper.run(wave, &mut self.memory, vgprs, step)
    }

    /// Handles the end of a wave's time slice: faults and their findings.
    #[inline(always)]
    fn ended(&mut self, wave: &mut Wave, mut leave: Leave) -> Leave {
        if let Leave::Other(event) = &mut leave
            && let Event::Fault(fault) = &mut **event
            && self.failed(wave, fault)
        {
            // The cost of the time slice until here is not known.
            leave = Leave::Wait(fault.pc());
        }
        if let Some(group) = self.group {
            let overruns = self.common.overruns;
            overruns.add(group, wave.index, &mut self.memory);
        }
        leave
    }

    /// Handles the fault of a wave. Returns whether the wave can continue.
    #[cold]
    #[inline(never)]
    fn failed(&mut self, wave: &mut Wave, fault: &mut Fault) -> bool {
        if let (Some(hooked), Some(group)) = (&self.hooked, self.group) {
            match hooked.failed(wave, &mut self.memory, group, fault) {
                AfterFault::Retry => return true,
                AfterFault::Skip => return self.skip(wave, fault),
                AfterFault::Fail => {}
            }
        }
        match fault {
            Fault::Memory(fault) => return self.was_denied(wave, fault),
            Fault::Unsupported { pc, .. } if !self.common.engine.code().has(*pc) => {
                let call = call_to(self.common.engine.code(), wave, *pc);
                if let (Some(call), Some(group)) = (call, self.group) {
                    self.common.checking.went_astray(&group, wave.index, call);
                }
            }
            Fault::Unsupported { .. } | Fault::Trap { .. } => {}
        }
        false
    }

    /// Skips the instruction at which a wave failed: denied lanes load 0 and store nothing. Returns whether that is possible.
    fn skip(&mut self, wave: &mut Wave, fault: &Fault) -> bool {
        if let Fault::Memory(fault) = fault {
            return self.pass(wave, fault).is_some();
        }
        let Ok(inst) = self.common.engine.code().inst(fault.pc()) else {
            return false;
        };
        wave.uniform_mut().pc = fault.pc() + u64::from(inst.len);
        true
    }

    /// Executes an instruction of which an access was denied, without the denied lanes, and returns these, if that is possible.
    fn pass(&mut self, wave: &mut Wave, fault: &MemoryFault) -> Option<Vec<Denied>> {
        let (engine, mode) = (self.common.engine, self.common.mode());
        let resumer = self
            .resumer
            .get_or_insert_with(|| Resumer::new(engine, mode));
        let denied = resumer.pass(wave, &mut self.memory, fault);
        if !self.common.records() {
            // The repeated accesses were recorded, and nothing gets them.
            self.memory.clear_accesses();
        }
        denied
    }

    /// Handles a denied access. Returns whether the wave can continue.
    fn was_denied(&mut self, wave: &mut Wave, fault: &mut MemoryFault) -> bool {
        let (Some(denials), Some(group)) = (&self.common.checking.denials, self.group) else {
            self.find_calls(wave, fault);
            return false;
        };
        if denials.is_reported(&group, wave.index, fault) {
            self.find_calls(wave, fault);
        }
        // The descriptor is read before a load overwrites it.
        let inst = self.common.engine.code().inst(fault.pc).ok();
        let descriptor = inst.and_then(|inst| Used::at(wave, &inst));
        let Some(denied) = self.pass(wave, fault) else {
            return false;
        };
        for Denied { lanes, fault } in denied {
            denials.add(group, wave.index, lanes, fault, descriptor);
        }
        true
    }
}

/// Returns the accesses to vector memory that the wait at an address leaves in flight.
fn left_in_flight(code: &ModuleCode, pc: u64) -> usize {
    let Ok(inst) = code.inst(pc) else {
        return 0;
    };
    let [vector, ..] = WaitCounter::all(inst.chip.generation());
    match inst.operand(Field::Simm16) {
        Operand::Imm(bits) => vector.get(bits as u16).into(),
        _ => 0,
    }
}

impl Drop for Unit<'_> {
    /// Hands in its counts, and keeps the scratch for the next dispatch.
    fn drop(&mut self) {
        if let (Some(mut counts), Some(profiled)) = (self.counts.take(), self.common.profiled) {
            counts.tallied(self.memory.take_tallies());
            let mut profiled = profiled.lock().unwrap_or_else(PoisonError::into_inner);
            profiled.add(counts);
        }
        let scratch = self.slots.drain(..).filter_map(|slot| slot.scratch);
        scratch.for_each(|scratch| self.common.scratch.put(scratch));
    }
}

impl Worker for Unit<'_> {
    fn add_slot(&mut self) -> Result<u64, Fault> {
        let Launch {
            scratch_wave_bytes,
            lds_bytes,
            entry,
            ..
        } = *self.common.launch;
        let bytes = u64::from(scratch_wave_bytes) * u64::from(self.common.waves);
        let Common {
            memory, scratch, ..
        } = *self.common;
        let scratch = (bytes > 0).then(|| scratch.take(memory, bytes));
        let scratch = scratch.transpose();
        let scratch = scratch.map_err(|error| Fault::Unsupported {
            pc: entry,
            what: format!("no scratch for another work-group: {error}"),
        })?;
        let address = scratch.as_ref().map_or(0, Allocation::address);
        let lds = Lds::new(lds_bytes);
        if self.common.checking.follower.is_some() {
            let pc = entry;
            let no_shadow = |error: RegistryError| Fault::Unsupported {
                pc,
                what: error.to_string(),
            };
            lds.keep_shadows().map_err(no_shadow)?;
        }
        self.slots.push(Slot { lds, scratch });
        Ok(address)
    }

    fn enter(&mut self, slot: usize, group: &Group, fresh: bool) {
        if self.group.is_none() || slot != self.current {
            let next = std::mem::replace(&mut self.slots[slot].lds, Lds::new(0));
            let last = self.memory.set_lds(next);
            if self.group.is_some() {
                self.slots[self.current].lds = last;
            }
            self.current = slot;
        }
        self.group = Some(*group);
        if let Some(hooked) = &mut self.hooked {
            // A hook may wait for memory to be out of use.
            self.memory.leave();
            hooked.enter(slot, group, fresh);
        }
        if fresh {
            self.memory.lds().begin(self.common.lds);
            self.announce_scratch();
            if self.common.checking.follower.is_some() {
                self.forget();
            }
        }
    }

    fn run(&mut self, wave: &mut Wave) -> Leave {
        let bytes = self.common.launch.scratch_wave_bytes;
        if let Some(scratch) = &self.slots[self.current].scratch {
            let base = scratch.address() + u64::from(wave.index * bytes);
            self.memory.set_scratch(base, bytes / 64);
        }
        if !self.is_watched {
            let leave = self.backend.run(wave, &mut self.memory);
            self.ended(wave, leave)
        } else {
            self.watch(wave)
        }
    }

    fn rest(&mut self) {
        self.memory.leave();
    }
}
