//! A run of waves of a stage, from its set-up to its outcome.

use std::sync::{Mutex, PoisonError};

use wavetank_gcn::Registers;
use wavetank_gcn::numbers::lds_of_group;
use wavetank_gcn::tables::M0;
use wavetank_ir::LANES;
use wavetank_machine::gcn::{Launch, Occupancy, SCRATCH_GRANULE, StageLaunch, UserData};
use wavetank_machine::schedule::Message;
use wavetank_machine::{Exported, Grid};
use wavetank_object::{Segment, Symbol};

use super::{Outcome, Stage};
use crate::arg::Arg;
use crate::checks::given_by_system;
use crate::error::{Error, Result};
use crate::launch::ReadyWaves;
use crate::module::Module;
use crate::observers::{Observers, observed};

/// The number of SGPRs of a wave, without the special registers.
const SGPRS: usize = 102;
/// The number of VGPRs.
const VGPRS: usize = 256;
/// MODE as drivers set it for graphics: denormals of single precision are flushed, others kept; DX10_CLAMP; IEEE is off
/// (LLVM's guide for AMDGPU, `FLOAT_MODE`; its calling conventions of shaders).
const MODE: u32 = 0xc0 | 1 << 8;

/// A run of waves of a stage, set up step by step. See [the module](super).
///
/// Every active lane has an item: a vertex, a primitive, a pixel or a work-item, by the stage.
#[must_use = "a shader does nothing until `run` is called"]
pub struct Shader<'a> {
    module: Module,
    stage: Stage,
    function: String,
    entry: u64,
    items: u32,
    group: u32,
    shared: Vec<u32>,
    own: Vec<Vec<u32>>,
    m0: u32,
    inputs: Vec<Vec<u32>>,
    lds: Vec<u32>,
    lds_bytes: u32,
    scratch: u32,
    border_colors: Option<u64>,
    mode: u32,
    args: Vec<Arg>,
    observers: Observers<'a>,
}

observed!(Shader);

impl<'a> Shader<'a> {
    /// Returns a run that starts at a function of a module: of shaders that compilers for graphics made (`_amdgpu_ps_main`), or
    /// of plain code (`main`).
    ///
    /// # Errors
    /// [`Error::UnknownFunction`], which lists the functions of the module.
    pub fn new(module: &Module, stage: Stage, function: &str) -> Result<Shader<'static>> {
        Ok(Shader {
            module: module.clone(),
            stage,
            function: function.to_owned(),
            entry: entry(module, function)?,
            items: LANES as u32,
            group: LANES as u32,
            shared: Vec::new(),
            own: Vec::new(),
            m0: 0,
            inputs: Vec::new(),
            lds: Vec::new(),
            lds_bytes: 0,
            scratch: 0,
            border_colors: None,
            mode: MODE,
            args: Vec::new(),
            observers: Observers::default(),
        })
    }

    /// Sets the number of items; the last wave may have fewer lanes than 64. The default is 64.
    pub fn items(mut self, items: u32) -> Self {
        self.items = items;
        self
    }

    /// Sets the number of items whose waves share LDS and barriers, at most 1024. The default is 64: one wave.
    pub fn group(mut self, items: u32) -> Self {
        self.group = items;
        self
    }

    /// Adds SGPRs with the same values in all waves, from s0 on. They include the values that hardware puts before the user data
    /// of a driver, such as the first eight SGPRs of hull and geometry shaders from gfx9 on.
    pub fn user_data(mut self, values: &[u32]) -> Self {
        self.shared.extend(values);
        self
    }

    /// Adds a number or an address to the user data: each in as many SGPRs as it has dwords. A buffer stays alive.
    pub fn arg(mut self, arg: impl Into<Arg>) -> Self {
        let arg = arg.into();
        let dwords = arg.bytes();
        self.shared.extend(dwords.chunks(4).map(|bytes| {
            let mut dword = [0; 4];
            dword[..bytes.len()].copy_from_slice(bytes);
            u32::from_le_bytes(dword)
        }));
        self.args.push(arg);
        self
    }

    /// Adds an SGPR after the user data that has a value of its own in each wave, in the order of their numbers: of pixels
    /// the mask of primitives for M0, the offset of a wave in a ring, its number among ordered ones.
    pub fn own(mut self, values: &[u32]) -> Self {
        self.own.push(values.to_vec());
        self
    }

    /// Sets the initial M0. The default is 0.
    pub fn m0(mut self, m0: u32) -> Self {
        self.m0 = m0;
        self
    }

    /// Adds a VGPR, from v0 on: a value for each item, or one for all.
    pub fn input(mut self, values: &[u32]) -> Self {
        self.inputs.push(values.to_vec());
        self
    }

    /// Sets the initial dwords of each work-group's LDS: for pixels, the parameters of their primitives
    /// ([`parameters`](super::parameters)).
    pub fn lds(mut self, dwords: &[u32]) -> Self {
        self.lds = dwords.to_vec();
        self
    }

    /// Sets the LDS of a work-group in bytes; it is at least as large as its initial contents.
    pub fn lds_bytes(mut self, bytes: u32) -> Self {
        self.lds_bytes = bytes;
        self
    }

    /// Sets the scratch of an item in bytes, for flat and `scratch_` accesses. The default is 0. Scratch that is accessed by a
    /// descriptor is a buffer of the caller: the descriptor is in the user data, and the start of each wave's part is a register
    /// of its [own](Self::own).
    pub fn scratch(mut self, bytes: u32) -> Self {
        self.scratch = bytes;
        self
    }

    /// Sets the device address of the table of border colors, with entries of 16 bytes that image samplers select (the value that
    /// a driver writes to `TA_BC_BASE_ADDR`). Without it, a sample that needs an entry stops the waves.
    pub fn border_colors(mut self, address: u64) -> Self {
        self.border_colors = Some(address);
        self
    }

    /// Sets bits 9:0 of MODE: rounding, denormals, DX10_CLAMP, IEEE. The default is 0x1c0, as drivers set it for graphics:
    /// denormals of single precision are flushed.
    pub fn mode(mut self, mode: u32) -> Self {
        self.mode = mode;
        self
    }

    /// Runs the waves to their end.
    ///
    /// # Errors
    /// [`Error::Shader`] for registers, items or LDS that are not possible, before any wave runs; afterwards [`Error::Fault`] and
    /// [`Error::Timeout`].
    pub fn run(mut self) -> Result<Outcome> {
        let grid = self.grid()?;
        let start = self.start(&grid)?;
        let exports: Mutex<Vec<Exported>> = Mutex::default();
        let messages: Mutex<Vec<Message>> = Mutex::default();
        let take_export = |exported: &Exported| push(&exports, exported.clone());
        let take_message = |message| push(&messages, message);
        let observers = Observers {
            exports: Some(&take_export),
            message: Some(&take_message),
            ..std::mem::take(&mut self.observers)
        };
        let waves = ReadyWaves {
            module: &self.module,
            engine: &self.module.engine_for(observers.places()),
            function: &self.function,
            launch: &start.launch,
            grid,
            starts: &start,
            given: self.registers(),
            vgprs: VGPRS,
            resident_groups: self.resident(&start.launch, &grid),
            lds: &self.lds,
            has_scratch: false,
            border_colors: self.border_colors,
            explain: &|group, wave, fault| self.module.explain(&self.function, group, wave, fault),
        };
        let report = waves.run(observers)?;
        let mut exports = taken(exports);
        exports.sort_by_key(|e| (e.group.index, e.wave));
        let mut messages = taken(messages);
        messages.sort_by_key(|m| (m.group.index, m.wave));
        Ok(Outcome {
            stage: self.stage,
            exports,
            messages,
            report,
            items: self.items as usize,
            group_items: self.group as usize,
            waves: (0..grid.count()).map(|n| grid.group(n).waves()).collect(),
        })
    }

    fn wrong(&self, problem: String) -> Error {
        Error::Shader {
            function: self.function.clone(),
            stage: self.stage,
            problem,
        }
    }

    fn grid(&self) -> Result<Grid> {
        let grid = Grid::new([self.items, 1, 1], [self.group, 1, 1]);
        grid.map_err(|problem| self.wrong(problem.to_string()))
    }

    /// Returns the start state of the waves, if it can be made.
    fn start(&self, grid: &Grid) -> Result<StageLaunch> {
        let waves: u32 = (0..grid.count()).map(|n| grid.group(n).waves()).sum();
        let sgprs = self.shared.len() + self.own.len();
        if sgprs > SGPRS {
            let problem = format!("{sgprs} SGPRs are given, and a wave has {SGPRS}");
            return Err(self.wrong(problem));
        }
        if self.inputs.len() > VGPRS {
            let given = self.inputs.len();
            return Err(self.wrong(format!("{given} VGPRs are given, and a lane has {VGPRS}")));
        }
        let counts = |all: &[Vec<u32>], count: u32, one: bool| {
            let fits = |len: usize| len == count as usize || one && len == 1;
            all.iter().position(|values| !fits(values.len()))
        };
        if let Some(n) = counts(&self.own, waves, false) {
            let (given, register) = (self.own[n].len(), self.shared.len() + n);
            return Err(self.wrong(format!(
                "s{register} has {given} values of waves, of which there are {waves}: give each wave one"
            )));
        }
        if let Some(n) = counts(&self.inputs, self.items, true) {
            let (given, items) = (self.inputs[n].len(), self.items);
            return Err(self.wrong(format!(
                "v{n} has {given} values, and there are {items} items: give each one, or one for all"
            )));
        }
        let chip = self.module.device().chip();
        let lds_bytes = u64::from(self.lds_bytes).max(4 * self.lds.len() as u64);
        let most = lds_of_group(chip.generation());
        let Some(lds_bytes) = u32::try_from(lds_bytes).ok().filter(|bytes| *bytes <= most) else {
            return Err(self.wrong(format!(
                "it would have {lds_bytes} bytes of LDS, and a work-group has at most {most}"
            )));
        };
        let scratch = self.scratch.checked_mul(LANES as u32);
        let scratch = scratch.and_then(|bytes| bytes.checked_next_multiple_of(SCRATCH_GRANULE));
        let scratch_wave_bytes = scratch
            .ok_or_else(|| self.wrong(format!("{} bytes of scratch are too many", self.scratch)))?;
        let mode = self.mode;
        Ok(StageLaunch {
            launch: Launch {
                chip,
                xccs: 1,
                entry: self.entry,
                // FLOAT_MODE 19:12, DX10_CLAMP 21, IEEE 23.
                rsrc1: (mode & 0xff) << 12 | (mode >> 8 & 1) << 21 | (mode >> 9 & 1) << 23,
                rsrc2: 0,
                vgprs: VGPRS as u32,
                acc_vgprs: VGPRS as u32,
                live_in: None,
                sgprs: SGPRS as u32,
                lds_bytes,
                scratch_wave_bytes,
                trap_handler: None,
                user: UserData::default(),
            },
            group_items: self.group,
            shared: self.shared.clone(),
            own: self.own.clone(),
            m0: self.m0,
            inputs: self.inputs.clone(),
        })
    }

    /// Returns the initialized registers of waves.
    fn registers(&self) -> Registers {
        let mut given = given_by_system();
        given.add_scalars(0, (self.shared.len() + self.own.len()) as u8);
        let vectors = (0..=255).take(self.inputs.len());
        vectors.for_each(|n| given.add_vectors(n, 1));
        // An input that is not given is 0.
        given.add_state(M0);
        given
    }

    /// Returns the number of work-groups that the chip holds at once.
    fn resident(&self, launch: &Launch, grid: &Grid) -> u32 {
        let occupancy = Occupancy {
            chip: launch.chip,
            vgprs: launch.vgprs,
            sgprs: launch.sgprs,
            lds_bytes: launch.lds_bytes,
            waves_per_group: grid.waves(),
        };
        occupancy.groups_per_unit() * self.module.device().compute_units()
    }
}

/// Returns the device address of a function.
fn entry(module: &Module, function: &str) -> Result<u64> {
    let object = module.object();
    let code = |symbol: &&Symbol| {
        let holds = |s: &Segment| s.executable && s.contains(symbol.address, 4);
        object.segments().iter().any(holds)
    };
    if let Some(symbol) = object.symbol(function).filter(code) {
        return Ok(module.address_of(symbol.address));
    }
    let all = object.symbols().iter().filter(code);
    let (functions, similar) = wavetank_quote::similar(function, all.map(|s| s.name.as_str()));
    Err(Error::UnknownFunction {
        name: function.to_owned(),
        similar,
        functions: functions.into_iter().map(str::to_owned).collect(),
    })
}

fn push<T>(all: &Mutex<Vec<T>>, one: T) {
    all.lock().unwrap_or_else(PoisonError::into_inner).push(one);
}

fn taken<T>(all: Mutex<Vec<T>>) -> Vec<T> {
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}
