//! Hooks: functions that are called while waves run, and may look at the waves and change them.
//!
//! A hook on instructions is called before each of them, one on accesses after the instruction that makes them. Code without
//! such instructions runs as it does without hooks, in the same engine. Threads of the device call hooks at the same time, for
//! different work-groups; in the order of the work-groups with one thread only
//! ([`DeviceBuilder::threads`](crate::DeviceBuilder::threads)).
//!
//! ```
//! use std::ops::ControlFlow;
//! use std::sync::atomic::{AtomicU32, Ordering};
//! use wavetank::hooks::{Hooks, Places};
//! use wavetank::stage::{Shader, Stage};
//! use wavetank::{Chip, Device};
//!
//! // v_mov_b32 v0, 7; v_mov_b32 v1, v0; s_endpgm
//! let code = [0x7e00_0287u32, 0x7e02_0300, 0xbf81_0000].map(u32::to_le_bytes).concat();
//! let device = Device::new(Chip::Gfx900)?;
//! let module = device.load_code(&code)?;
//! let seen = AtomicU32::new(0);
//! let hooks = Hooks::default().instructions(Places::all().mnemonic("v_mov_b32"), |at| {
//!     seen.fetch_add(at.wave().vgpr(0)[0], Ordering::Relaxed);
//!     ControlFlow::Continue(())
//! });
//! Shader::new(&module, Stage::Compute, "main")?.hooks(&hooks).run()?;
//! // 0 before the first of the two instructions, and 7 before the second.
//! assert_eq!(seen.load(Ordering::Relaxed), 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod places;
mod run;

use std::ops::ControlFlow;

use wavetank_gcn::Inst;
use wavetank_machine::Group;
use wavetank_memory::{AccessRecord, Lds, Wave};
use wavetank_translate::Code;

use crate::Place;
use crate::error::KernelFault;
use crate::module::Module;

pub(crate) use places::Filter;
pub use places::{Accesses, Places};
pub(crate) use run::{Hooked, Hooking};

/// A wave at a hook.
pub struct HookedWave<'a> {
    /// The work-group.
    pub group: Group,
    /// The wave in it.
    pub index: u32,
    /// The device address of the instruction that the hook is called for.
    pub pc: u64,
    module: &'a Module,
    wave: &'a mut Wave,
    lds: &'a mut Lds,
}

impl HookedWave<'_> {
    /// The registers. Its PC is the address of the next instruction.
    pub fn wave(&self) -> &Wave {
        self.wave
    }

    /// The registers, for changes. With a new PC the wave goes on there; a hook on instructions that sets it skips its
    /// instruction.
    pub fn wave_mut(&mut self) -> &mut Wave {
        self.wave
    }

    /// The dwords of the work-group's LDS.
    pub fn lds(&mut self) -> Vec<u32> {
        self.lds.dwords()
    }

    /// Sets the first dwords of the work-group's LDS, as far as it has them.
    pub fn set_lds(&mut self, dwords: &[u32]) {
        let mut all = self.lds.dwords();
        let count = dwords.len().min(all.len());
        all[..count].copy_from_slice(&dwords[..count]);
        self.lds.begin(&all);
    }

    /// The module whose code the wave executes.
    pub fn module(&self) -> &Module {
        self.module
    }

    /// The instruction that the hook is called for; `None` if there is none at its address.
    pub fn instruction(&self) -> Option<Inst> {
        self.module.engine().code().inst(self.pc).ok()
    }

    /// The place of the instruction: function, distance, text, line.
    pub fn place(&self) -> Place {
        self.module.place(self.pc)
    }
}

/// The continuation of a wave after a fault that a hook has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterFault {
    /// The launch fails with the fault.
    Fail,
    /// The wave goes on after the instruction. Lanes whose access was denied load 0 and store nothing; an instruction that is not
    /// executed, and a trap, are skipped.
    Skip,
    /// The wave executes the instruction again, or goes on at the PC that the hook has set.
    Retry,
}

/// A function that is called with a wave; if it breaks, the launch ends.
type WaveFn<'a> = Box<dyn Fn(&mut HookedWave<'_>) -> ControlFlow<()> + Sync + 'a>;
/// A function that is called with a wave and the accesses of its last instruction.
type AccessFn<'a> =
    Box<dyn Fn(&mut HookedWave<'_>, &[AccessRecord]) -> ControlFlow<()> + Sync + 'a>;
/// A function that is called with a wave and its fault.
type FaultFn<'a> = Box<dyn Fn(&mut HookedWave<'_>, &KernelFault) -> AfterFault + Sync + 'a>;
/// A function that is called with a work-group.
type GroupFn<'a> = Box<dyn Fn(&Group) -> ControlFlow<()> + Sync + 'a>;

/// A function that is called at some instructions.
enum At<'a> {
    Instruction(WaveFn<'a>),
    Access(Accesses, AccessFn<'a>),
}

/// The hooks of a launch. A hook that returns [`ControlFlow::Break`] ends the launch, with
/// [`Error::Stopped`](crate::Error::Stopped).
#[derive(Default)]
pub struct Hooks<'a> {
    places: Vec<Places>,
    /// The function of each of the places.
    at: Vec<At<'a>>,
    wave_starts: Vec<WaveFn<'a>>,
    faults: Vec<FaultFn<'a>>,
    group_starts: Vec<GroupFn<'a>>,
    group_ends: Vec<GroupFn<'a>>,
}

impl<'a> Hooks<'a> {
    /// Adds a function that is called before each execution of some instructions. With [`Places::barriers`] it is called when a
    /// wave comes to a barrier, with [`Places::ends`] at the end of each wave.
    pub fn instructions(
        mut self,
        places: Places,
        hook: impl Fn(&mut HookedWave<'_>) -> ControlFlow<()> + Sync + 'a,
    ) -> Hooks<'a> {
        self.places.push(places);
        self.at.push(At::Instruction(Box::new(hook)));
        self
    }

    /// Adds a function that is called with the accesses of an instruction, lane by lane, after it was executed. It gets those of
    /// the accesses that it asks for, if there are any.
    pub fn accesses(
        mut self,
        accesses: Accesses,
        hook: impl Fn(&mut HookedWave<'_>, &[AccessRecord]) -> ControlFlow<()> + Sync + 'a,
    ) -> Hooks<'a> {
        self.places.push(accesses.places());
        self.at.push(At::Access(accesses, Box::new(hook)));
        self
    }

    /// Adds a function that is called before the first instruction of each wave.
    pub fn wave_start(
        mut self,
        hook: impl Fn(&mut HookedWave<'_>) -> ControlFlow<()> + Sync + 'a,
    ) -> Hooks<'a> {
        self.wave_starts.push(Box::new(hook));
        self
    }

    /// Adds a function that is called at each fault, before the launch fails, and decides whether it does. The first of several
    /// that does not let it fail decides.
    pub fn fault(
        mut self,
        hook: impl Fn(&mut HookedWave<'_>, &KernelFault) -> AfterFault + Sync + 'a,
    ) -> Hooks<'a> {
        self.faults.push(Box::new(hook));
        self
    }

    /// Adds a function that is called when a work-group begins.
    pub fn group_start(
        mut self,
        hook: impl Fn(&Group) -> ControlFlow<()> + Sync + 'a,
    ) -> Hooks<'a> {
        self.group_starts.push(Box::new(hook));
        self
    }

    /// Adds a function that is called when the last wave of a work-group has ended.
    pub fn group_end(mut self, hook: impl Fn(&Group) -> ControlFlow<()> + Sync + 'a) -> Hooks<'a> {
        self.group_ends.push(Box::new(hook));
        self
    }

    /// The places of the hooks on instructions and accesses.
    pub(crate) fn places(&self) -> &[Places] {
        &self.places
    }

    /// Whether a hook gets faults, so that registers must be exact there.
    pub(crate) fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }
}
