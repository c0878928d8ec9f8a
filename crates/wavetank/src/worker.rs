//! One thread's means of running waves: a back end, and the memory of its resident work-groups.

use wavetank_machine::gcn::Launch;
use wavetank_machine::schedule::Worker;
use wavetank_machine::{Backend, Fault, Group, Ran, Why};
use wavetank_memory::{Alignment, Lds, MemoryFaultReason, MemoryUnit, Wave};

use crate::calls::return_addresses;
use crate::engine::{Engine, Mode};
use crate::memory::{Allocation, Memory};
use crate::module::Module;
use crate::overrun::Overruns;
use crate::trace::{Step, Stepper, Trace};

/// What the workers of a dispatch have in common.
pub(crate) struct Common<'a> {
    pub memory: &'a Memory,
    pub module: &'a Module,
    pub engine: &'a Engine,
    pub launch: &'a Launch,
    /// Waves of a full work-group.
    pub waves: u32,
    /// What its LDS begins with.
    pub lds: &'a [u32],
    /// Where the table of border colors is.
    pub border_colors: Option<u64>,
    /// Whether to count instructions.
    pub count: bool,
    /// Which waves to watch.
    pub trace: Option<Trace<'a>>,
    /// Whether accesses beyond the LDS are faults.
    pub strict: bool,
    /// Where they are noted.
    pub overruns: &'a Overruns,
}

/// A worker of a dispatch.
pub(crate) struct Unit<'a> {
    common: &'a Common<'a>,
    backend: Box<dyn Backend + 'a>,
    /// Runs one instruction at a time, for waves that are watched.
    stepper: Option<Stepper<'a>>,
    memory: MemoryUnit<'a>,
    slots: Vec<Slot>,
    current: usize,
    group: Option<Group>,
}

/// The memory of one resident work-group.
struct Slot {
    /// Its LDS, while another group runs.
    lds: Lds,
    scratch: Option<Allocation>,
}

impl<'a> Unit<'a> {
    pub fn new(common: &'a Common<'a>) -> Self {
        let mut memory = MemoryUnit::new(common.memory.registry());
        memory.set_alignment(Alignment::of(common.launch.generation));
        memory.set_strict_lds(common.strict);
        memory.set_border_colors(common.border_colors);
        let count = common.count;
        let step = false;
        Unit {
            common,
            backend: common.engine.backend(Mode { count, step }),
            stepper: common.trace.map(|_| common.engine.stepper(count)),
            memory,
            slots: Vec::new(),
            current: 0,
            group: None,
        }
    }

    /// Adds the call chain to a fault where a stack overflowed.
    #[cold]
    #[inline(never)]
    fn find_calls(&self, wave: &Wave, fault: &mut Fault) {
        let Fault::Memory(fault) = fault else {
            return;
        };
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

    /// Runs a wave, step by step if it is watched.
    #[cold]
    #[inline(never)]
    fn watch(&mut self, wave: &mut Wave) -> Ran {
        let (stepper, trace, group) = match (&mut self.stepper, self.common.trace, self.group) {
            (Some(stepper), Some(trace), Some(group)) if (trace.filter)(&group, wave.index) => {
                (stepper, trace, group)
            }
            _ => return self.backend.run_turn(wave, &mut self.memory),
        };
        let index = wave.index;
        let vgprs = self.common.launch.vgprs as usize;
        let step = |pc, changes, touches| {
            let place = self.common.module.place(pc);
            (trace.sink)(Step {
                group,
                wave: index,
                place,
                changes,
                touches,
            });
        };
        stepper.run(wave, &mut self.memory, vgprs, step).into()
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
        let allocate = || self.common.memory.allocate("scratch", bytes, 256);
        let scratch = (bytes > 0).then(allocate).transpose();
        let scratch = scratch.map_err(|error| Fault::Unsupported {
            pc: entry,
            what: format!("no scratch for another work-group: {error}"),
        })?;
        let address = scratch.as_ref().map_or(0, Allocation::address);
        let lds = Lds::new(lds_bytes);
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
        if fresh {
            self.memory.lds().begin(self.common.lds);
        }
    }

    fn run(&mut self, wave: &mut Wave) -> Ran {
        let bytes = self.common.launch.scratch_wave_bytes;
        if let Some(scratch) = &self.slots[self.current].scratch {
            let base = scratch.address() + u64::from(wave.index * bytes);
            self.memory.set_scratch(base, bytes / 64);
        }
        let mut ran = match self.stepper {
            None => self.backend.run_turn(wave, &mut self.memory),
            Some(_) => self.watch(wave),
        };
        if let Ran::Else(stop) = &mut ran
            && let Why::Fault(fault) = &mut stop.why
        {
            self.find_calls(wave, fault);
        }
        if let Some(seen) = self.memory.take_lds_overrun()
            && let Some(group) = self.group
        {
            self.common.overruns.add(group, wave.index, seen);
        }
        ran
    }

    fn rest(&mut self) {
        self.memory.leave();
    }
}
