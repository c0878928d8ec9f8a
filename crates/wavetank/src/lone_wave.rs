//! A wave without a launch, which its owner steps and changes in between.
//!
//! It is the wave of a debugger's or an emulator's interface: registers and LDS are those that the owner sets, memory is that of the
//! module's device. Time slices, work-groups and scratch belong to launches.

use std::sync::Arc;

use wavetank_gcn::{Inst, decode, numbers};
use wavetank_interp::ROOM;
use wavetank_machine::gcn::{Launch, UserData};
use wavetank_machine::{Event, Leave};
use wavetank_memory::{Alignment, Lds, MemoryUnit, Wave};

use crate::device::Device;
use crate::engine::{Added, Engine, Mode, Way, hardware_at_start};
use crate::error::{Error, Result};
use crate::front_end::StoppedWave;
use crate::module::Module;

/// The initial MODE, encoded as in a kernel descriptor: round to nearest, denormals kept, DX10_CLAMP, IEEE, as compilers set it.
const RSRC1: u32 = 0xf0 << 12 | 1 << 21 | 1 << 23;

/// A wave that its owner steps through the code of a module.
///
/// ```
/// use wavetank::{Chip, Device, LoneWave};
///
/// let device = Device::new(Chip::Gfx900)?;
/// // s_add_u32 s0, s1, 5; s_endpgm
/// let code = [0x8000_8501u32, 0xbf81_0000].map(u32::to_le_bytes).concat();
/// let module = device.load_code(&code)?;
/// let (entry, _) = module.symbol("main").expect("the function of plain code");
/// let mut wave = LoneWave::new(&module, entry, 0);
/// wave.wave_mut().uniform_mut().s[1] = 7;
/// wave.step()?;
/// assert_eq!(wave.wave().uniform().s[0], 12);
/// assert!(!wave.has_ended());
/// wave.step()?;
/// assert!(wave.has_ended());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LoneWave {
    module: Module,
    engine: Arc<Engine>,
    wave: Wave,
    lds: Vec<u32>,
    has_ended: bool,
}

impl LoneWave {
    /// Returns a wave at a device address of the module's code, with all lanes active, zeros in its registers, and an LDS of so many
    /// bytes. The registers stay at their addresses while the wave lives.
    pub fn new(module: &Module, entry: u64, lds_bytes: u32) -> LoneWave {
        let mut wave = Wave::new(0);
        // As the engine does, which then leaves the files of registers where they are.
        wave.make_room(ROOM);
        let launch = Launch {
            chip: module.device().chip(),
            xccs: 1,
            entry,
            rsrc1: RSRC1,
            rsrc2: 0,
            vgprs: 256,
            acc_vgprs: 256,
            live_in: None,
            sgprs: 104,
            lds_bytes,
            scratch_wave_bytes: 0,
            user: UserData::default(),
            trap_handler: None,
        };
        wave.uniform_mut().hw = hardware_at_start(&launch);
        wave.uniform_mut().pc = entry;
        LoneWave {
            engine: module.engine(),
            module: module.clone(),
            wave,
            lds: vec![0; lds_bytes.div_ceil(4) as usize],
            has_ended: false,
        }
    }

    /// Returns a wave at the first instruction of plain code, which is loaded on a device, with an LDS of so many bytes.
    ///
    /// # Errors
    /// [`Error::WaveLds`] for more LDS than a work-group has, [`Error::OutOfMemory`].
    pub fn of_code(device: &Device, code: &[u8], lds_bytes: u32) -> Result<LoneWave> {
        let most = numbers::lds_of_group(device.chip().generation());
        if lds_bytes > most {
            return Err(Error::WaveLds {
                bytes: lds_bytes,
                most,
            });
        }
        let module = device.load_code(code)?;
        let entry = module.symbol("main").map_or(0, |(address, _)| address);
        Ok(LoneWave::new(&module, entry, lds_bytes))
    }

    /// Returns the instruction at PC, if there is one.
    pub fn next_instruction(&self) -> Option<Inst> {
        let device = self.module.device();
        let pc = self.wave.uniform().pc;
        let mut bytes = [0; 16];
        // The last instruction may be shorter than what is read.
        let length = [16, 12, 8, 4].into_iter().find(|length| {
            let part = &mut bytes[..*length];
            device.registry().read(pc, part).is_ok()
        })?;
        decode(&bytes[..length], device.chip()).ok()
    }

    /// The registers.
    pub fn wave(&self) -> &Wave {
        &self.wave
    }

    /// The registers, for changes. A new PC takes effect at the next step.
    pub fn wave_mut(&mut self) -> &mut Wave {
        &mut self.wave
    }

    /// The dwords of the LDS.
    pub fn lds_mut(&mut self) -> &mut [u32] {
        &mut self.lds
    }

    /// The module whose code it executes.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Whether it has executed `s_endpgm`.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Executes the instruction at PC; after the end, none. Barriers are passed, and exports and messages have no receiver.
    ///
    /// # Errors
    /// The fault of the instruction, which has changed nothing then.
    pub fn step(&mut self) -> std::result::Result<(), StoppedWave> {
        if self.has_ended {
            return Ok(());
        }
        let device = self.module.device();
        let mut memory = MemoryUnit::new(device.registry());
        memory.set_alignment(Alignment::of(device.chip().generation()));
        memory.set_lds(Lds::from_dwords(&self.lds));
        let mode = Mode {
            count: false,
            way: Way::Stepped,
            added: Added::default(),
        };
        let mut backend = self.engine.backend(mode);
        // A budget of one stops after each instruction.
        self.wave.uniform_mut().budget = 1;
        let leave = backend.run(&mut self.wave, &mut memory);
        drop(memory.drain_access_runs());
        let lds = memory.lds().dwords();
        let there = self.lds.len().min(lds.len());
        self.lds[..there].copy_from_slice(&lds[..there]);
        match leave {
            Leave::End(_) => self.has_ended = true,
            Leave::Other(event) => match *event {
                Event::Fault(fault) => return Err(StoppedWave::of(0, &fault)),
                Event::GlobalSync { pc, .. } => {
                    self.wave.uniform_mut().pc = pc;
                    let sentence = "a wave alone cannot wait for other waves of the device";
                    return Err(StoppedWave::endless(0, sentence));
                }
                Event::Export { .. } | Event::Message { .. } | Event::Breakpoint { .. } => {}
            },
            _ => {}
        }
        Ok(())
    }
}
