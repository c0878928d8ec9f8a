//! Runs of cases, and their results.

use std::collections::HashMap;
use std::sync::Arc;

use wavetank::environment::KernelSettings;
use wavetank::front_end::{Engine, StoppedWave, WaveGroup, run_code, run_front_end};
use wavetank::{DEFAULT_CHIP, Simd};
use wavetank_gcn::{Chip, Generation, Inst};
use wavetank_ir::LANES;
use wavetank_memory::{Alignment, Lds, MemoryUnit, Registry, Surface, hwreg};
use wavetank_surface_isa::SurfaceIsa;
use wavetank_surface_isa::maxwell::lift::CONSTANTS;
use wavetank_translate::{Code as CodeOf, reads_exceptions};

use crate::expected_fault::{ExpectedFault, Stopped};
use crate::grid::Grid;
use crate::place::Target;
use crate::set::{Code, Line, Named, Set, suatoms, typed_atomics};
use crate::start::HANDLER;
use crate::state::{Changed, State, changes};
use crate::surface::place_of;
use crate::value::{Assignment, Buffers, Exactness, lane};
use crate::{Case, ExecError};

/// The address of the code of a case.
const BASE: u64 = 0x1000;
/// The number of threads in a warp of an instruction set other than GCN.
const WARP: usize = 32;

/// The state before and after a case.
pub struct Run {
    before: State,
    after: State,
    stopped: Option<Stopped>,
    buffers: Buffers,
    surfaces: Vec<(u32, Surface)>,
    /// The generation of GCN whose names of registers are used.
    generation: Generation,
    /// The names of registers in an instruction set other than GCN.
    names: Option<Vec<Named>>,
    expectations: Vec<Assignment>,
    fault: Option<(ExpectedFault, usize)>,
}

impl Case {
    /// Runs the instructions. A fault that stops them is part of the result ([`Run::stopped`]).
    ///
    /// # Errors
    /// If the start state cannot be made: it names an unknown buffer, or is too large.
    pub fn run(&self, engine: Engine) -> Result<Run, ExecError> {
        let registry = Registry::new();
        let buffers = self.make_buffers(&registry)?;
        let scratch = self.make_scratch(&registry)?;
        let mut memory = MemoryUnit::new(&registry);
        if let Set::Gcn(chip) = self.set {
            memory.set_alignment(Alignment::of(chip.generation()));
        }
        let table = self.border_colors.as_ref();
        let table = table.and_then(|(name, _)| buffers.get(name));
        memory.set_border_colors(table.map(|buffer| buffer.address));
        let mut surfaces = self.make_surfaces(&registry)?;
        memory.set_surfaces(Arc::new(surfaces.table().clone()));
        memory.set_lds(Lds::from_dwords(&self.fill_shares(&registry, &buffers)?));
        let bank = self.constant_bank(&registry)?;
        let wave = |index| {
            let mut wave = self.start(index, &buffers, &registry, scratch, HANDLER)?;
            if let Some(address) = bank {
                wave.set_s64(CONSTANTS, address);
            }
            Ok(wave)
        };
        let waves = || -> Result<Vec<_>, ExecError> { (0..self.sizes.waves).map(wave).collect() };
        let elements = || {
            let numbers = self.surfaces.iter().map(|declared| declared.number);
            numbers
                .filter_map(|n| Some((n, surfaces.elements(&registry, n)?)))
                .collect()
        };
        let seen = elements();
        let before = State::capture(waves()?, &mut memory, &buffers, scratch, seen, Vec::new());
        let mut group = WaveGroup::new(
            waves()?,
            scratch.address,
            scratch.wave_bytes,
            scratch.lane_bytes,
        );
        let stopped = self.execute(engine, &mut group, &mut memory)?;
        let WaveGroup { waves, exports, .. } = group;
        let seen = elements();
        let after = State::capture(waves, &mut memory, &buffers, scratch, seen, exports);
        let kept = surfaces.table().iter();
        let kept = kept.map(|(n, surface)| (n, surface.clone())).collect();
        Ok(Run {
            before,
            after,
            stopped,
            buffers,
            surfaces: kept,
            generation: self.chip().unwrap_or(DEFAULT_CHIP).generation(),
            names: self.set.names(&self.code),
            expectations: self.expectations.clone(),
            fault: self.fault.clone(),
        })
    }

    /// Runs the waves to their end or to a fault, which is returned.
    fn execute(
        &self,
        engine: Engine,
        group: &mut WaveGroup,
        memory: &mut MemoryUnit<'_>,
    ) -> Result<Option<Stopped>, ExecError> {
        let wrong = |message: String| ExecError {
            line: None,
            message,
        };
        let simd = KernelSettings::from_env().map_err(|error| wrong(error.to_string()))?;
        let simd = simd.simd.map_or_else(Simd::detect, Simd::or_best);
        let ran = match self.set {
            Set::Gcn(chip) => execute_gcn(self, chip, engine, simd, group, memory),
            Set::Maxwell(generation) => {
                let program = generation.program(&suatoms(&self.code));
                let program = Arc::new(program.map_err(wrong)?);
                run_front_end(program, engine, simd, group, memory)
            }
            Set::Visa(version) => {
                let program = version.program(&typed_atomics(&self.code));
                let program = Arc::new(program.map_err(wrong)?);
                run_front_end(program, engine, simd, group, memory)
            }
        };
        let Err(stopped) = ran else {
            return Ok(None);
        };
        let wave = stopped.wave;
        let pc = group.waves[wave].uniform().pc;
        let line = self.line_at(pc);
        let mut sentence = stopped.sentence;
        if let Some(line) = line {
            sentence = format!("{}: {sentence}", line.code);
        }
        if group.waves.len() > 1 {
            sentence = format!("wave {wave}: {sentence}");
        }
        Ok(Some(Stopped {
            kind: stopped.kind,
            line: line.map(|line| line.number),
            sentence,
        }))
    }

    /// Returns whether the case can observe TRAPSTS.
    fn shows_exceptions(&self) -> bool {
        let named = |a: &Assignment| *a.target.place() == Target::Hardware(hwreg::TRAPSTS);
        self.expectations.iter().any(named) || self.instructions().any(reads_exceptions)
    }

    /// Returns the instructions with their addresses: those of GCN from [`BASE`] on, with the trap handler at [`HANDLER`]; others
    /// from 0 on.
    fn addresses(&self) -> impl Iterator<Item = (u64, &Line)> {
        let first = match self.set {
            Set::Gcn(_) => BASE,
            Set::Maxwell(_) | Set::Visa(_) => 0,
        };
        let bytes = |line: &Line| match &line.code {
            Code::Gcn(inst) => u64::from(inst.len),
            Code::Word(..) => 4,
            Code::Maxwell(_) | Code::Visa(_) => self.set.step(),
        };
        let placed = move |at: &mut u64, line| {
            let here = *at;
            *at += bytes(line);
            Some((here, line))
        };
        let code = self.code.iter().scan(first, placed);
        code.chain(self.handler.iter().scan(HANDLER, placed))
    }

    /// Returns the line of the instruction at an address.
    fn line_at(&self, pc: u64) -> Option<&Line> {
        let mut all = self.addresses();
        all.find(|(at, _)| *at == pc).map(|(_, line)| line)
    }
}

/// The instructions of a case, by address.
struct CaseCode {
    chip: Chip,
    code: HashMap<u64, Result<Inst, String>>,
    shows_exceptions: bool,
}

impl CodeOf for CaseCode {
    fn inst(&self, pc: u64) -> Result<Inst, String> {
        self.code.get(&pc).cloned().unwrap_or_else(|| {
            let (code, first) = match pc {
                HANDLER.. => ("trap handler", HANDLER),
                _ => ("code", BASE),
            };
            let offset = pc.wrapping_sub(first);
            Err(format!(
                "the {code} was left: nothing is at offset {offset:#x}"
            ))
        })
    }

    fn illegal(&self, pc: u64) -> Option<Chip> {
        self.code.get(&pc)?.is_err().then_some(self.chip)
    }

    fn shows_exceptions(&self) -> bool {
        self.shows_exceptions
    }
}

fn execute_gcn(
    case: &Case,
    chip: Chip,
    engine: Engine,
    simd: Simd,
    group: &mut WaveGroup,
    memory: &mut MemoryUnit<'_>,
) -> Result<(), StoppedWave> {
    let mut code: HashMap<u64, Result<Inst, String>> = HashMap::new();
    let mut end = BASE;
    for (pc, line) in case.addresses() {
        let (inst, len) = match &line.code {
            Code::Gcn(inst) => (Ok(*inst), inst.len),
            Code::Word(_, why) => (Err(why.clone()), 4),
            Code::Maxwell(_) | Code::Visa(_) => continue,
        };
        code.insert(pc, inst);
        if pc < HANDLER {
            end = pc + u64::from(len);
        }
    }
    let ends = wavetank_gcn::decode(&0xbf81_0000u32.to_le_bytes(), chip);
    code.insert(end, ends.map_err(|error| error.to_string()));
    let source = Arc::new(CaseCode {
        chip,
        code,
        shows_exceptions: case.shows_exceptions(),
    });
    run_code(source, BASE, engine, simd, group, memory)
}

impl Run {
    /// Returns the lanes of a vector register of the first wave after the run.
    ///
    /// # Panics
    /// If `register` is above 255.
    pub fn vector(&self, register: usize) -> &[u32; LANES] {
        self.after.waves[0].vgpr(register)
    }

    /// Returns a scalar register of the first wave after the run, by its source code: SGPRs from 0, VCC 106, M0 124, EXEC 126.
    ///
    /// # Panics
    /// If `register` is above 127.
    pub fn scalar(&self, register: usize) -> u32 {
        self.after.waves[0].uniform().s[register]
    }

    /// Returns SCC of the first wave after the run.
    pub fn scc(&self) -> u32 {
        self.after.waves[0].uniform().scc
    }

    /// Returns the fault that stopped the instructions before their end.
    pub fn stopped(&self) -> Option<&Stopped> {
        self.stopped.as_ref()
    }

    /// Returns a sentence for each expectation that is not met, and for an unexpected fault.
    pub fn failures(&self) -> Vec<String> {
        let stop = match (&self.fault, &self.stopped) {
            (Some((expected, line)), stopped) => {
                let failure = expected.failure(stopped.as_ref());
                failure.map(|failure| format!("line {line}: {failure}"))
            }
            (None, Some(stopped)) => Some(stopped.to_string()),
            (None, None) => None,
        };
        let values = self.expectations.iter();
        let values = values.flat_map(|a| {
            let waves = match a.target.wave() {
                Some(wave) => wave as usize..wave as usize + 1,
                None if a.target.is_of_waves() => 0..self.after.waves.len(),
                None => 0..1,
            };
            waves.filter_map(move |wave| self.failure(a, wave))
        });
        stop.into_iter().chain(values).collect()
    }

    /// Returns a sentence if an expectation is not met in a wave.
    fn failure(&self, a: &Assignment, wave: usize) -> Option<String> {
        let values = match a.bits(&self.buffers) {
            Ok(values) => values,
            Err(error) => return Some(error.to_string()),
        };
        let place = a.target.place();
        let first = self.first(place);
        let lanes = self.lanes(place, wave);
        let by_lane = a.target.is_by_lane();
        let count = match values.len() {
            1 if by_lane => LANES,
            count => count,
        };
        let what = match a.target.wave() {
            None if self.after.waves.len() > 1 && a.target.is_of_waves() => {
                format!("wave {wave} {}", a.target)
            }
            _ => a.target.to_string(),
        };
        let mut wrong = Vec::new();
        for n in 0..count {
            // A single value is compared with the existing or exporting lanes only; a list is compared with each of its lanes.
            if by_lane && values.len() == 1 && lanes >> n & 1 == 0 {
                continue;
            }
            let expected = if by_lane {
                lane(&values, n)?
            } else {
                values[n]
            };
            let Some(got) = self.after.value(wave, place, first + n) else {
                return Some(format!("line {}: {what}: {}", a.line, absent(place)));
            };
            if !matches(got, expected, a.target.bits() == 64, a.exactness) {
                let place = match count {
                    1 => String::new(),
                    _ => format!("[{n}] "),
                };
                wrong.push(format!("{place}{got:#x}, expected {expected:#x}"));
            }
        }
        let more = wrong.len().saturating_sub(4);
        wrong.truncate(4);
        let rest = match more {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        (!wrong.is_empty()).then(|| format!("line {}: {what}: {}{rest}", a.line, wrong.join("; ")))
    }

    /// Returns the lanes that are compared with a single value of a place.
    fn lanes(&self, place: &Target, wave: usize) -> u64 {
        match *place {
            Target::Export { target, .. } => match self.after.exporting(wave, target) {
                // Nothing was exported: comparing the first lane reports that.
                0 => 1,
                lanes => lanes,
            },
            _ if self.names.is_some() => u64::MAX >> (LANES - WARP),
            _ => u64::MAX,
        }
    }

    /// Returns the index of an element, or of the first one of a level, in its surface.
    fn first(&self, target: &Target) -> usize {
        let Target::Element { number, level, at } = *target else {
            return 0;
        };
        let surface = self.surfaces.iter().find(|(n, _)| *n == number);
        let place = surface.and_then(|(_, surface)| place_of(surface, level, at));
        place.unwrap_or(usize::MAX)
    }

    /// Returns the changed elements of surfaces, a grid for each level of each surface.
    pub fn grids(&self) -> Vec<Grid> {
        let (before, after) = (&self.before.elements, &self.after.elements);
        let grids = |(number, surface): &(u32, Surface)| {
            let elements = (before.get(number)?, after.get(number)?);
            Some(Grid::of(*number, surface, elements.0, elements.1))
        };
        self.surfaces.iter().filter_map(grids).flatten().collect()
    }

    /// Returns the changed parts of the state, except elements of surfaces ([`grids`](Self::grids)).
    pub fn changes(&self) -> Vec<Changed> {
        let names = self.names.as_deref();
        changes(&self.before, &self.after, self.generation, names)
    }

    /// Returns whether two runs of a case reached the same state.
    pub fn same_as(&self, other: &Run) -> bool {
        let addresses = !self.buffers.is_empty() || self.names.is_some() || self.has_scratch();
        self.after.same_as(&other.after, addresses) && self.stopped_alike(other)
    }

    /// Returns whether registers may hold an address of scratch.
    fn has_scratch(&self) -> bool {
        self.before
            .value(0, &Target::Scratch { offset: 0 }, 0)
            .is_some()
    }

    /// Returns whether both ended, or stopped at the same instruction by the same kind of fault.
    fn stopped_alike(&self, other: &Run) -> bool {
        let what = |stopped: &Stopped| (stopped.kind, stopped.line);
        self.stopped.as_ref().map(what) == other.stopped.as_ref().map(what)
    }
}

/// Returns the reason for which a place has no value.
fn absent(place: &Target) -> &'static str {
    match place {
        Target::Export { .. } => "it was not exported",
        Target::Memory { .. } => "the buffer is shorter, or does not exist",
        _ => "there is no such place",
    }
}

/// Returns whether a value meets an expectation.
fn matches(got: u64, expected: u64, wide: bool, exactness: Exactness) -> bool {
    let Exactness::Ulps(most) = exactness else {
        return got == expected;
    };
    // Maps floats to integers in the order of their values, so that a difference counts the floats between.
    let order = |bits: u64| {
        let (sign, magnitude) = if wide {
            (bits >> 63, bits & (u64::MAX >> 1))
        } else {
            (bits >> 31, bits & 0x7fff_ffff)
        };
        if sign == 1 {
            -(magnitude as i128)
        } else {
            i128::from(magnitude)
        }
    };
    (order(got) - order(expected)).unsigned_abs() <= u128::from(most)
}
