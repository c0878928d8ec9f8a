//! A checked run: a case is launched as one work-group while the tools watch it.
//!
//! The instructions are encoded into a module, so that they are in memory as those of a kernel are.

use std::time::Duration;

use wavetank::{BareLaunch, Module};
use wavetank_check::{Finding, Tools};
use wavetank_gcn::tables::SCC;
use wavetank_gcn::{Chip, Registers, encode, parse};
use wavetank_machine::gcn::Launch;
use wavetank_machine::{Prepared, Site, StartWave};
use wavetank_memory::{Registry, Wave};

use crate::place::{FIRST_ACCUMULATOR, Target};
use crate::set::{Code, Line};
use crate::start::{ROW, ScratchOfWaves};
use crate::value::Buffers;
use crate::{Case, ExecError};

/// The time limit of a checked run. The case has ended without tools, but it may load other values this time, and loop.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The name of the function that contains the instructions of the case.
const MAIN: &str = "main";

/// The encoded instructions of a case.
pub(crate) struct EncodedCase {
    /// The machine code: the instructions, S_ENDPGM and the trap handler.
    pub bytes: Vec<u8>,
    /// The offset of the trap handler in `bytes`.
    pub handler: u64,
    /// The offset of each instruction, with its line and column.
    pub lines: Vec<(u64, u32, u32)>,
}

impl EncodedCase {
    /// Encodes the instructions, S_ENDPGM and the trap handler.
    pub(crate) fn of(case: &Case, chip: Chip) -> EncodedCase {
        let mut code = EncodedCase {
            bytes: Vec::new(),
            handler: 0,
            lines: Vec::new(),
        };
        case.code.iter().for_each(|line| code.add(line));
        let end = parse("s_endpgm", chip).ok().map(Code::Gcn);
        end.iter().for_each(|end| code.write(end));
        code.handler = code.bytes.len() as u64;
        case.handler.iter().for_each(|line| code.add(line));
        code
    }

    fn add(&mut self, line: &Line) {
        let at = self.bytes.len() as u64;
        self.lines
            .push((at, line.number as u32, line.column as u32));
        self.write(&line.code);
    }

    fn write(&mut self, code: &Code) {
        match code {
            // Text that was parsed can be encoded.
            Code::Gcn(inst) => {
                let encoded = encode(inst);
                let bytes = encoded.iter().flat_map(wavetank_gcn::Encoded::as_bytes);
                self.bytes.extend(bytes);
            }
            Code::Word(word, _) => self.bytes.extend(word.to_le_bytes()),
            Code::Maxwell(_) | Code::Visa(_) => {}
        }
    }
}

impl Case {
    /// Runs the case with tools, and returns their findings. `module` contains its code, with the trap handler at the offset
    /// `handler`.
    ///
    /// # Errors
    /// If the state before the case cannot be made, or there is no memory for the data of the tools.
    pub(crate) fn find_mistakes(
        &self,
        tools: Tools,
        module: &Module,
        handler: u64,
    ) -> Result<Vec<Finding>, ExecError> {
        let (device, registry) = (module.device(), module.device().registry());
        let buffers = self.make_buffers(registry)?;
        let mut lds = self.fill_shares(registry, &buffers)?;
        lds.truncate(self.given_lds());
        let launch = Launch {
            entry: module.address_of(0),
            scratch_wave_bytes: self.sizes.scratch_bytes.div_ceil(4) * ROW as u32,
            ..self.launch(device.chip())
        };
        let table = self.border_colors.as_ref();
        let table = table.and_then(|(name, _)| buffers.get(name));
        let starts = Starts {
            case: self,
            buffers: &buffers,
            registry,
            launch: &launch,
            handler: module.address_of(handler),
        };
        let bare = BareLaunch {
            module,
            function: MAIN,
            launch: &launch,
            grid: self.grid().map_err(ExecError::of)?,
            starts: &starts,
            given: &self.given(),
            lds: &lds,
            has_scratch: self.sets_scratch(),
            border_colors: table.map(|buffer| buffer.address),
            tools,
            timeout: TIMEOUT,
        };
        bare.findings().map_err(ExecError::of)
    }
}

/// The part of the start state that the case sets. The rest is undefined to the tool `init`.
impl Case {
    /// Returns the registers that the case sets.
    fn given(&self) -> Registers {
        let mut given = Registers::default();
        for a in &self.setup {
            match *a.target.place() {
                Target::Vector { register, wide } => {
                    let count = 1 + u8::from(wide);
                    match register.checked_sub(FIRST_ACCUMULATOR) {
                        Some(n) => given.add_accumulators(n as u8, count),
                        None => given.add_vectors(register as u8, count),
                    }
                }
                Target::Scalar { register, wide } => {
                    given.add_scalars(register as u8, 1 + u8::from(wide));
                }
                Target::Scc => given.add_state(SCC),
                _ => {}
            }
        }
        given
    }

    /// Returns the number of dwords of LDS up to the last one that the case sets.
    fn given_lds(&self) -> usize {
        let ends = self.setup.iter().filter_map(|a| match *a.target.place() {
            Target::Lds { offset } => Some(offset / 4 + a.values.len()),
            _ => None,
        });
        ends.max().unwrap_or(0)
    }

    /// Returns whether the case sets scratch memory.
    fn sets_scratch(&self) -> bool {
        let is_scratch = |target: &Target| matches!(target, Target::Scratch { .. });
        self.setup.iter().any(|a| is_scratch(a.target.place()))
    }
}

/// The start states of the waves of a case, for its launch.
struct Starts<'a> {
    case: &'a Case,
    buffers: &'a Buffers,
    registry: &'a Registry,
    launch: &'a Launch,
    /// The address of the trap handler.
    handler: u64,
}

impl StartWave for Starts<'_> {
    fn start(&self, wave: &mut Wave, site: &Site<'_>, _: &mut Prepared) {
        let scratch = ScratchOfWaves {
            address: site.scratch,
            wave_bytes: self.launch.scratch_wave_bytes as usize,
            lane_bytes: self.case.sizes.scratch_bytes,
        };
        let (buffers, registry) = (self.buffers, self.registry);
        let made = self
            .case
            .start(site.index, buffers, registry, scratch, self.handler);
        // The same state was made before, for the run without tools.
        *wave = made.expect("a state that can be made");
        wave.uniform_mut().pc = self.launch.entry;
    }
}
