//! Waves with hooks: the calls, and the instructions at which waves have left their engine.
//!
//! The engine runs a wave to the next instruction with a hook. That instruction is executed alone, and the engine goes on after
//! it if the time slice then ends where it ends without hooks; else the rest of the block is executed alone, too.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use wavetank_machine::{Backend, BlockCost, Event, Fault, Group, Leave};
use wavetank_memory::{AccessRecord, AccessRun, MemoryUnit, Uniform, Wave, sreg};
use wavetank_translate::{Key, Modes, Translator, instructions};

use super::{AfterFault, At, Filter, HookedWave, Hooks};
use crate::engine::{Engine, Mode};
use crate::module::Module;

/// The hooks of a launch while it runs, shared by its workers.
pub(crate) struct Hooking<'a> {
    pub hooks: &'a Hooks<'a>,
    pub module: &'a Module,
    /// The kernel, or the function that waves begin with.
    pub function: &'a str,
    /// Set when a hook has ended the launch.
    pub stopped: AtomicBool,
}

impl Hooking<'_> {
    /// Notes whether a hook ends the launch.
    fn goes_on(&self, flow: ControlFlow<()>) -> bool {
        if flow.is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        flow.is_continue()
    }

    fn has_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// An instruction of a block.
struct Instruction {
    pc: u64,
    /// The numbers of its hooks.
    hooks: Vec<usize>,
    /// The cost of the block that begins with it, to which the rest of this block may be left. It is found at first use.
    rest: OnceCell<BlockCost>,
}

/// A block in which an instruction has a hook.
struct Block {
    instructions: Vec<Instruction>,
    modes: Modes,
    cost: BlockCost,
}

/// The waves of a work-group.
#[derive(Default)]
struct Waves {
    started: Vec<bool>,
    ended: usize,
}

/// A worker's part in a launch with hooks.
pub(crate) struct Hooked<'a> {
    hooking: &'a Hooking<'a>,
    filter: Filter,
    translator: Translator,
    /// The engine whose blocks are single instructions.
    stepper: Box<dyn Backend + 'a>,
    blocks: HashMap<Key, Rc<Block>>,
    /// The waves of the work-group in each slot.
    groups: Vec<Waves>,
    slot: usize,
}

impl<'a> Hooked<'a> {
    pub(crate) fn new(hooking: &'a Hooking<'a>, engine: &'a Engine, mode: Mode) -> Self {
        let code = engine.shared_code();
        Hooked {
            filter: Filter::new(code.clone(), hooking.hooks.places()),
            translator: Translator::new(code, false),
            stepper: engine.backend(mode.stepped()),
            blocks: HashMap::new(),
            groups: Vec::new(),
            slot: 0,
            hooking,
        }
    }

    /// Selects the work-group of the waves that run next.
    pub(crate) fn enter(&mut self, slot: usize, group: &Group, fresh: bool) {
        self.slot = slot;
        if self.groups.len() <= slot {
            self.groups.resize_with(slot + 1, Waves::default);
        }
        if !fresh {
            return;
        }
        let waves = &mut self.groups[slot];
        waves.started.clear();
        waves.started.resize(group.waves() as usize, false);
        waves.ended = 0;
        self.of_group(&self.hooking.hooks.group_starts, group);
    }

    fn of_group(&self, hooks: &[super::GroupFn<'_>], group: &Group) {
        for hook in hooks {
            if self.hooking.has_stopped() || !self.hooking.goes_on(hook(group)) {
                return;
            }
        }
    }

    /// Runs a wave for the rest of its time slice. Accesses that are recorded are added to `accessed`, but for the last ones.
    pub(crate) fn run(
        &mut self,
        backend: &mut dyn Backend,
        wave: &mut Wave,
        memory: &mut MemoryUnit<'_>,
        group: Group,
        accessed: Option<&mut Vec<AccessRun>>,
    ) -> Leave {
        let mut visit = Visit {
            group,
            wave,
            memory,
            accessed,
        };
        let index = visit.wave.index as usize;
        let started = &mut self.groups[self.slot].started[index];
        if !std::mem::replace(started, true) && !self.wave_starts(&mut visit) {
            return visit.yields();
        }
        let leave = loop {
            if self.hooking.has_stopped() {
                return visit.yields();
            }
            let leave = backend.run(visit.wave, visit.memory);
            let Leave::Other(event) = &leave else {
                break leave;
            };
            let Event::Breakpoint { block, .. } = **event else {
                break leave;
            };
            if let ControlFlow::Break(leave) = self.step(&mut visit, block) {
                break leave;
            }
        };
        if let Leave::End(_) = leave {
            let waves = &mut self.groups[self.slot];
            waves.ended += 1;
            if waves.ended == waves.started.len() {
                visit.memory.leave();
                self.of_group(&self.hooking.hooks.group_ends, &group);
            }
        }
        leave
    }

    /// Calls the hooks on the start of a wave. Returns whether the launch goes on.
    fn wave_starts(&self, visit: &mut Visit<'_, '_>) -> bool {
        let pc = visit.wave.uniform().pc;
        let mut hooks = self.hooking.hooks.wave_starts.iter();
        hooks.all(|hook| {
            let flow = hook(&mut visit.at(self.hooking, pc));
            self.hooking.goes_on(flow)
        })
    }

    /// Executes instructions alone, from the present one of a block on, until the engine can go on.
    fn step(&mut self, visit: &mut Visit<'_, '_>, block: u64) -> ControlFlow<Leave> {
        let block = self.block(Key::new(block, visit.modes()));
        let pc = visit.wave.uniform().pc;
        let first = block.instructions.iter().position(|i| i.pc == pc);
        let first = first.expect("the block was divided at this instruction");
        visit.take_accesses();
        for at in first..block.instructions.len() {
            let now = &block.instructions[at];
            if !self.before(visit, now) {
                return ControlFlow::Break(visit.yields());
            }
            if visit.wave.uniform().pc != now.pc {
                // The hook has sent the wave elsewhere. It may do so without end, so others get their turn.
                return ControlFlow::Break(visit.yields());
            }
            let budget = visit.wave.uniform().budget;
            // A budget of one stops after the instruction.
            visit.wave.uniform_mut().budget = 1;
            let leave = self.stepper.run(visit.wave, visit.memory);
            visit.wave.uniform_mut().budget = budget;
            let runs = visit.take_accesses();
            if leave.fault().is_none() && !self.after(visit, now, &runs) {
                return ControlFlow::Break(visit.yields());
            }
            if !matches!(leave, Leave::BackEdge(_)) {
                return ControlFlow::Break(leave);
            }
            let Some(next) = block.instructions.get(at + 1) else {
                break;
            };
            let uniform = visit.wave.uniform_mut();
            if uniform.pc != next.pc {
                // A hook on accesses has sent the wave elsewhere.
                return ControlFlow::Break(visit.yields());
            }
            if self.leaves_rest(&block, next, uniform) {
                return ControlFlow::Continue(());
            }
        }
        let (uniform, vector) = visit.wave.files();
        let leave = block
            .cost
            .charge(block.cost.edge(uniform.pc), uniform, vector);
        leave.map_or(ControlFlow::Continue(()), ControlFlow::Break)
    }

    /// Returns a block of the code as it is without breakpoints.
    fn block(&mut self, key: Key) -> Rc<Block> {
        let (filter, translator) = (&self.filter, &self.translator);
        let make = || {
            let (pc, modes) = key.parts();
            let block = translator.lift(pc, modes);
            let found = instructions(&block).map(|(pc, nodes)| Instruction {
                pc,
                hooks: filter.at(pc, nodes),
                rest: OnceCell::new(),
            });
            Rc::new(Block {
                instructions: found.collect(),
                modes,
                cost: translator.block_cost(&block, modes),
            })
        };
        self.blocks.entry(key).or_insert_with(make).clone()
    }

    /// Charges a wave in advance for the part of a block before one of its instructions. Returns whether the engine can execute
    /// the rest.
    fn leaves_rest(&self, block: &Block, next: &Instruction, wave: &mut Uniform) -> bool {
        let find = || {
            let rest = self.translator.lift(next.pc, block.modes);
            self.translator.block_cost(&rest, block.modes)
        };
        next.hooks.is_empty() && block.cost.charge_before(next.rest.get_or_init(find), wave)
    }

    /// Calls the hooks before an instruction. Returns whether the launch goes on.
    fn before(&self, visit: &mut Visit<'_, '_>, now: &Instruction) -> bool {
        let mut hooks = now
            .hooks
            .iter()
            .filter_map(|n| match &self.hooking.hooks.at[*n] {
                At::Instruction(hook) => Some(hook),
                At::Access(..) => None,
            });
        hooks.all(|hook| {
            let flow = hook(&mut visit.at(self.hooking, now.pc));
            self.hooking.goes_on(flow)
        })
    }

    /// Calls the hooks on accesses after an instruction. Returns whether the launch goes on.
    fn after(&self, visit: &mut Visit<'_, '_>, now: &Instruction, runs: &[AccessRun]) -> bool {
        now.hooks.iter().all(|n| {
            let At::Access(accesses, hook) = &self.hooking.hooks.at[*n] else {
                return true;
            };
            let records = runs.iter().flat_map(|run| run.records());
            let wanted: Vec<AccessRecord> = records.filter(|r| accesses.include(r)).collect();
            if wanted.is_empty() {
                return true;
            }
            let flow = hook(&mut visit.at(self.hooking, now.pc), &wanted);
            self.hooking.goes_on(flow)
        })
    }

    /// Calls the hooks on faults. Returns how the wave goes on.
    pub(crate) fn failed(
        &self,
        wave: &mut Wave,
        memory: &mut MemoryUnit<'_>,
        group: Group,
        fault: &Fault,
    ) -> AfterFault {
        let hooking = self.hooking;
        if hooking.hooks.faults.is_empty() || hooking.has_stopped() {
            return AfterFault::Fail;
        }
        let index = wave.index;
        let fault = hooking
            .module
            .explain(hooking.function, group, index, fault.clone());
        let mut visit = Visit {
            group,
            wave,
            memory,
            accessed: None,
        };
        let answers = hooking.hooks.faults.iter();
        let mut answers =
            answers.map(|hook| hook(&mut visit.at(hooking, fault.fault.pc()), &fault));
        let decided = answers.find(|answer| *answer != AfterFault::Fail);
        decided.unwrap_or(AfterFault::Fail)
    }
}

/// A wave in its time slice.
struct Visit<'v, 'm> {
    group: Group,
    wave: &'v mut Wave,
    memory: &'v mut MemoryUnit<'m>,
    accessed: Option<&'v mut Vec<AccessRun>>,
}

impl Visit<'_, '_> {
    /// Takes the accesses that have been recorded, and keeps them for watchers.
    fn take_accesses(&mut self) -> Vec<AccessRun> {
        let runs = self.memory.drain_access_runs();
        if let Some(accessed) = &mut self.accessed {
            accessed.extend_from_slice(&runs);
        }
        runs
    }

    fn modes(&self) -> Modes {
        let uniform = self.wave.uniform();
        Modes::of_wave(&uniform.hw, uniform.s[usize::from(sreg::M0)])
    }

    /// The wave at an instruction, for a hook. Meanwhile freed memory does not stay mapped for it.
    fn at<'w>(&'w mut self, hooking: &'w Hooking<'_>, pc: u64) -> HookedWave<'w> {
        self.memory.leave();
        HookedWave {
            group: self.group,
            index: self.wave.index,
            pc,
            module: hooking.module,
            wave: self.wave,
            lds: self.memory.lds(),
        }
    }

    /// Gives the turn away. The scheduler looks whether the launch is over.
    fn yields(&self) -> Leave {
        Leave::Wait(self.wave.uniform().pc)
    }
}
