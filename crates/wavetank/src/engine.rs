//! The engines of modules.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use wavetank_check::{float, init};
use wavetank_gcn::Inst;
use wavetank_interp::{Program, Simd, Translation};
use wavetank_ir::{Block, HARDWARE_REGISTERS};
use wavetank_jit::{Compiled, Names};
use wavetank_machine::gcn::Launch;
use wavetank_machine::{Backend, Grid, Site};
use wavetank_profile::Sites;
use wavetank_translate::{Breakpoints, Code, Key, Modes, Pass, Translator};

use crate::backend::{EngineChoice, Executable};
use crate::code::ModuleCode;
use crate::hooks::{Filter, Places};
use crate::trace::{Stepper, SummaryCache};

/// The form in which a module's code is translated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mode {
    /// Whether instructions are counted by family.
    pub count: bool,
    /// The purpose of the translation.
    pub way: Way,
    /// The operations that are added.
    pub added: Added,
}

/// The purpose of a translation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// The code is only run.
    Fast,
    /// A wave may continue after a denied access: every register that an instruction reads has its value in the register file
    /// when the instruction accesses memory.
    Resumed,
    /// Accesses are recorded.
    Instrumented,
    /// Blocks are single instructions, and accesses are recorded.
    Stepped,
}

/// The operations that are added to each block of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Added {
    /// Whether undefined bits are tracked.
    pub follows: bool,
    /// Whether floats are checked.
    pub floats: bool,
    /// Whether executions are counted, for a profile.
    pub tallies: bool,
}

impl Added {
    /// Returns the pass that adds the operations, if there are any.
    fn pass(self, sites: &Arc<Sites>) -> Option<Arc<dyn Pass>> {
        if self == Added::default() {
            return None;
        }
        let sites = sites.clone();
        Some(Arc::new(move |block: &Block| {
            let mut block = Cow::Borrowed(block);
            if self.floats {
                block = Cow::Owned(float::watch(&block));
            }
            // The watcher of floats does not need shadows, so they come after it.
            if self.follows {
                block = Cow::Owned(init::follow(&block));
            }
            if self.tallies {
                block = Cow::Owned(sites.tally(&block));
            }
            block.into_owned()
        }))
    }
}

impl Mode {
    /// The number of modes.
    const COUNT: usize = 64;

    /// The mode for single-stepping.
    pub(crate) fn stepped(self) -> Mode {
        Mode {
            way: Way::Stepped,
            ..self
        }
    }

    fn index(self) -> usize {
        let Added {
            follows,
            floats,
            tallies,
        } = self.added;
        let bits = [self.count, follows, floats, tallies].map(usize::from);
        let added = (0..).zip(bits).map(|(n, bit)| bit << n);
        added.sum::<usize>() | (self.way as usize) << 4
    }
}

/// Code that has run.
#[derive(Default)]
struct Run {
    /// Blocks, with the index of the mode that they were translated for.
    blocks: HashSet<(usize, Key)>,
    /// Addresses of instructions.
    instructions: HashSet<u64>,
}

/// Vector registers, if they are known.
type Registers = Option<Arc<[u16]>>;

/// A module's translations, one for each mode, shared by the threads that run it.
pub(crate) struct Engine {
    code: Arc<ModuleCode>,
    simd: Simd,
    choice: EngineChoice,
    names: Option<Names>,
    programs: [OnceLock<Executable>; Mode::COUNT],
    /// The sites of programs that count executions.
    sites: Arc<Sites>,
    /// What was compiled in each mode as far as it has been reported.
    reported: Mutex<HashMap<usize, Compiled>>,
    /// What has run as far as it has been reported.
    run: Mutex<Run>,
    summaries: SummaryCache,
    /// The instructions before which waves leave the engine, for hooks.
    hooked: Vec<Places>,
    /// The vector registers that kernels read before they write them (live-ins), by entry and modes, and the number of registers
    /// with ids.
    live_in: Mutex<HashMap<(Key, usize), Registers>>,
}

impl Engine {
    /// The back ends of some code. Perf gets the names of compiled code, if there are any.
    pub(crate) fn new(
        code: ModuleCode,
        simd: Simd,
        choice: EngineChoice,
        names: Option<Names>,
    ) -> Self {
        Engine::of(Arc::new(code), simd, choice, names)
    }

    fn of(code: Arc<ModuleCode>, simd: Simd, choice: EngineChoice, names: Option<Names>) -> Engine {
        Engine {
            summaries: SummaryCache::new(Translator::new(code.clone(), false)),
            code,
            simd,
            choice,
            names,
            hooked: Vec::new(),
            programs: [const { OnceLock::new() }; Mode::COUNT],
            sites: Arc::default(),
            reported: Mutex::default(),
            run: Mutex::default(),
            live_in: Mutex::default(),
        }
    }

    /// The code that is translated.
    pub(crate) fn code(&self) -> &ModuleCode {
        &self.code
    }

    /// The engine on other code of the module.
    pub(crate) fn of_code(&self, code: ModuleCode) -> Engine {
        Engine::new(code, self.simd, self.choice, self.names.clone())
    }

    /// The engine on the same code, from which waves leave before some instructions.
    pub(crate) fn with_hooks(&self, places: &[Places]) -> Engine {
        let code = self.code.clone();
        Engine {
            hooked: places.to_vec(),
            ..Engine::of(code, self.simd, self.choice, self.names.clone())
        }
    }

    /// Whether it translates the code that another engine does.
    pub(crate) fn is_on_code_of(&self, other: &Engine) -> bool {
        Arc::ptr_eq(&self.code, &other.code)
    }

    /// The places before which waves leave.
    pub(crate) fn hooked(&self) -> &[Places] {
        &self.hooked
    }

    /// The sites of programs that count executions.
    pub(crate) fn sites(&self) -> &Sites {
        &self.sites
    }

    /// The code of the module, for a separate translator.
    pub(crate) fn shared_code(&self) -> Arc<ModuleCode> {
        self.code.clone()
    }

    /// Returns a runner of single instructions, for one thread.
    pub(crate) fn stepper(&self, mode: Mode) -> Stepper<'_> {
        Stepper::new(self.backend(mode.stepped()), &self.summaries)
    }

    /// Returns the live-in vector registers of a launch's waves, if they are known.
    pub(crate) fn live_in(&self, launch: &Launch) -> Registers {
        if launch.trap_handler.is_some() {
            return None;
        }
        let (modes, ids) = (modes_at_start(launch), launch.ids());
        let mut known = self.live_in.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entry((Key::new(launch.entry, modes), ids));
        let find = || {
            let translator = Translator::new(self.code.clone(), false);
            let found = translator.live_in(launch.entry, modes, ids as u32);
            found.map(Arc::from)
        };
        entry.or_insert_with(find).clone()
    }

    /// Returns the counts of code compiled in a mode since the last call.
    pub(crate) fn newly_compiled(&self, mode: Mode) -> Compiled {
        let program = self.programs[mode.index()].get();
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        let all = program.map(Executable::compiled).unwrap_or_default();
        let before = reported.insert(mode.index(), all.clone());
        all.since(&before.unwrap_or_default())
    }

    /// The instructions that have run since this was last asked, by address: those of all blocks that waves have entered.
    pub(crate) fn newly_run(&self) -> BTreeMap<u64, Inst> {
        let mut run = self.run.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new = BTreeMap::new();
        for (mode, program) in self.programs.iter().enumerate() {
            let Some(program) = program.get() else {
                continue;
            };
            for key in program.entered() {
                if !run.blocks.insert((mode, key)) {
                    continue;
                }
                for pc in program.instructions(key) {
                    if run.instructions.insert(pc) {
                        // The address of a jump that went astray has no instruction.
                        new.extend(self.code.inst(pc).ok().map(|inst| (pc, inst)));
                    }
                }
            }
        }
        new
    }

    /// Returns a back end for one thread.
    pub(crate) fn backend(&self, mode: Mode) -> Box<dyn Backend + '_> {
        let Mode { count, way, added } = mode;
        let program = self.programs[mode.index()].get_or_init(|| {
            let how = Translation {
                count,
                step: way == Way::Stepped,
                instrumented: matches!(way, Way::Instrumented | Way::Stepped),
                simd: self.simd,
            };
            let filter = || {
                let filter = Filter::new(self.code.clone(), &self.hooked);
                Arc::new(filter) as Arc<dyn Breakpoints>
            };
            let is_hooked = way != Way::Stepped && !self.hooked.is_empty();
            let program = Program::new(self.code.clone(), how)
                .with_pass(added.pass(&self.sites))
                .with_breakpoints(is_hooked.then(filter));
            // A single step, or a repeated one, needs all registers in the state.
            let registers_observable = way != Way::Fast;
            let names = self.names.clone();
            Executable::new(program, how, self.choice, registers_observable, names)
        });
        program.backend()
    }
}

/// Returns the modes with which waves of a launch start.
pub(crate) fn modes_at_start(launch: &Launch) -> Modes {
    Modes::of_wave(&hardware_at_start(launch), 0)
}

/// Returns the hardware registers with which the first wave of a launch starts.
pub(crate) fn hardware_at_start(launch: &Launch) -> [u32; HARDWARE_REGISTERS] {
    let grid = Grid::new([64, 1, 1], [64, 1, 1]).expect("a wave is a grid");
    let site = Site {
        group: &grid.group(0),
        index: 0,
        scratch: 0,
        unit: 0,
        slot: 0,
    };
    launch.hardware(&site)
}
