//! Running a case, and what came of it.

use std::collections::HashMap;
use std::sync::Arc;

use wavetank_interp::{Interpreter, Plain, PlainProgram, Program, Simd, Translation};
use wavetank_ir::{LANES, Reg};
use wavetank_isa::{Chip, Inst};
use wavetank_maxwell::lift as maxwell;
use wavetank_memory::{Lds, MemoryUnit, Registry, Surface, VGPRS, Wave, hwreg};

use super::engine::{Engine, narrow, run_front_end, to_the_end};
use super::grid::Grid;
use super::set::{CONSTANTS, Code, Line, Set};
use super::value::{Assignment, Exactness, Target, lane};
use super::{Case, ExecError};
use crate::environment::KernelSettings;
use crate::surfaces::{Bound, Elements, places};

/// Where the code of a case stands.
const BASE: u64 = 0x1000;
/// Threads of a warp of another instruction set than GCN.
const WARP: usize = 32;
/// MODE at the start: round to nearest, denormals kept, DX10_CLAMP, IEEE, as compilers for Vega set it.
const MODE: u32 = 0x3f0;

/// The state before and after a case.
pub struct Run {
    before: State,
    after: State,
    buffers: HashMap<String, (u64, usize)>,
    surfaces: Vec<(u32, Surface)>,
    /// The registers that people see, where they are not those of GCN.
    names: Option<Vec<(String, Reg)>>,
    expectations: Vec<Assignment>,
}

/// What a case can see of the state.
struct State {
    wave: Wave,
    lds: Vec<u32>,
    memory: HashMap<String, Vec<u32>>,
    elements: Elements,
}

/// A register or a place in memory with another value than before.
#[derive(Clone, PartialEq, Debug)]
pub struct Changed {
    /// Its name: `v0`, `s4`, `vcc`, `lds[16]`, `a[8]`.
    pub name: String,
    /// The width of a value in bits.
    pub bits: u32,
    /// For a vector register the lanes that changed and their values; else one value.
    pub values: Vec<(Option<usize>, u64)>,
}

impl Case {
    /// Runs the instructions.
    ///
    /// # Errors
    /// An instruction that is not supported, an access outside every buffer, a state that names an unknown buffer.
    pub fn run(&self, engine: Engine) -> Result<Run, ExecError> {
        let registry = Registry::new();
        let mut buffers = HashMap::new();
        for a in &self.setup {
            if let Target::Memory { name } = a.target.place() {
                allocate(&registry, &mut buffers, name, a)?;
            }
        }
        let mut memory = MemoryUnit::new(&registry);
        let mut surfaces = self.make_surfaces(&registry)?;
        memory.set_surfaces(Arc::new(surfaces.table().clone()));
        let mut lds = vec![0; 1 << 14];
        let mut wave = start(self, &buffers, &mut lds)?;
        let bank = self.constant_bank(&registry)?;
        memory.set_lds(Lds::from_dwords(&lds));
        let mut first = start(self, &buffers, &mut lds)?;
        for wave in [&mut first, &mut wave] {
            if let Some(address) = bank {
                wave.set_s64(maxwell::CONSTANTS, address);
            }
        }
        let mut here = Here {
            registry: &registry,
            memory: &mut memory,
            buffers: &buffers,
            surfaces: &surfaces,
        };
        let before = here.capture(first, self);
        execute(self, engine, &mut wave, here.memory)?;
        let after = here.capture(wave, self);
        let kept = surfaces
            .table()
            .iter()
            .map(|(n, surface)| (n, surface.clone()));
        let kept = kept.collect();
        Ok(Run {
            before,
            after,
            buffers,
            surfaces: kept,
            names: self.set.names(&self.code),
            expectations: self.expectations.clone(),
        })
    }
}

impl Case {
    /// Makes the surfaces of the case, and sets single elements.
    fn make_surfaces(&self, registry: &Registry) -> Result<Bound, ExecError> {
        let mut bound = Bound::default();
        for declared in &self.surfaces {
            let mut elements = declared.elements();
            let set = self.setup.iter().filter_map(|a| match *a.target.place() {
                Target::Element { number, at } if number == declared.number => Some((at, a)),
                _ => None,
            });
            for (at, a) in set {
                let places = places(&declared.surface);
                elements.resize(places.len(), 0);
                let first = at.and_then(|at| places.iter().position(|place| *place == at));
                let values = a.values.iter().map(|v| v.bits(&HashMap::new()));
                for (to, value) in elements[first.unwrap_or(0)..].iter_mut().zip(values) {
                    *to = value.map_err(|message| ExecError {
                        line: Some(a.line),
                        message,
                    })?;
                }
            }
            let made = bound.bind(
                registry,
                declared.number,
                declared.surface.clone(),
                &elements,
            );
            made.map_err(|error| ExecError {
                line: Some(declared.line),
                message: error.to_string(),
            })?;
        }
        bound.table().set_maximum(self.maximum);
        Ok(bound)
    }

    /// Makes the constant bank, where the instruction set has one; gives its address.
    fn constant_bank(&self, registry: &Registry) -> Result<Option<u64>, ExecError> {
        if !matches!(self.set, Set::Maxwell(_)) {
            return Ok(None);
        }
        let wrong = |line: Option<usize>, message: String| ExecError { line, message };
        let made = registry.allocate("the constant bank", CONSTANTS as u64, 256);
        let made = made.map_err(|error| wrong(None, error.to_string()))?;
        for a in &self.setup {
            let Target::Constant { offset } = *a.target.place() else {
                continue;
            };
            for (n, value) in a.values.iter().enumerate() {
                let value = value.bits(&HashMap::new());
                let value = value.map_err(|message| wrong(Some(a.line), message))? as u32;
                let at = made.address + (offset + 4 * n) as u64;
                let written = registry.write(at, &value.to_le_bytes());
                written.map_err(|error| wrong(Some(a.line), error.to_string()))?;
            }
        }
        Ok(Some(made.address))
    }
}

fn allocate(
    registry: &Registry,
    buffers: &mut HashMap<String, (u64, usize)>,
    name: &str,
    a: &Assignment,
) -> Result<(), ExecError> {
    let wrong = |message: String| ExecError {
        line: Some(a.line),
        message,
    };
    let bytes = a.values.len() * 4;
    let made = registry
        .allocate(name, bytes as u64, 256)
        .map_err(|e| wrong(e.to_string()))?;
    let data = a.values.iter().map(|v| v.bits(buffers).map(|b| b as u32));
    let data: Result<Vec<u32>, String> = data.collect();
    let data: Vec<u8> = data
        .map_err(wrong)?
        .iter()
        .flat_map(|d| d.to_le_bytes())
        .collect();
    registry
        .write(made.address, &data)
        .map_err(|e| wrong(e.to_string()))?;
    buffers.insert(name.to_owned(), (made.address, a.values.len()));
    Ok(())
}

/// The wave with the state of a case.
fn start(
    case: &Case,
    buffers: &HashMap<String, (u64, usize)>,
    lds: &mut [u32],
) -> Result<Wave, ExecError> {
    let mut wave = Wave::new(0);
    wave.uniform_mut().hw[usize::from(hwreg::MODE)] = MODE;
    narrow(&mut wave, case.set.threads());
    for a in &case.setup {
        let values: Result<Vec<u64>, String> = a.values.iter().map(|v| v.bits(buffers)).collect();
        let values = values.map_err(|message| ExecError {
            line: Some(a.line),
            message,
        })?;
        match *a.target.place() {
            Target::Vector { register, wide } => {
                for l in 0..LANES {
                    let Some(value) = lane(&values, l) else { break };
                    wave.vgpr_mut(register)[l] = value as u32;
                    if wide {
                        wave.vgpr_mut(register + 1)[l] = (value >> 32) as u32;
                    }
                }
            }
            Target::Scalar {
                register,
                wide: true,
            } => wave.set_s64(register as u8, values[0]),
            Target::Scalar { register, .. } => wave.uniform_mut().s[register] = values[0] as u32,
            Target::Scc => wave.uniform_mut().scc = u32::from(values[0] != 0),
            Target::Mode => wave.uniform_mut().hw[usize::from(hwreg::MODE)] = values[0] as u32,
            Target::Lds { offset } => {
                for (to, value) in lds[offset / 4..].iter_mut().zip(&values) {
                    *to = *value as u32;
                }
            }
            // Memory is made before; the others have registers by now.
            Target::Memory { .. }
            | Target::Constant { .. }
            | Target::Element { .. }
            | Target::Variable(_)
            | Target::Predicate(_)
            | Target::Named { .. } => {}
        }
    }
    Ok(wave)
}

fn execute(
    case: &Case,
    engine: Engine,
    wave: &mut Wave,
    memory: &mut MemoryUnit<'_>,
) -> Result<(), ExecError> {
    let simd = KernelSettings::from_env().map_err(|error| ExecError {
        line: None,
        message: error.to_string(),
    })?;
    let simd = simd.simd.map_or_else(Simd::detect, Simd::or_best);
    let (first, stop) = match case.set {
        Set::Gcn(chip) => (BASE, execute_gcn(case, chip, engine, simd, wave, memory)),
        set @ (Set::Maxwell(_) | Set::Visa) => {
            wave.uniform_mut().pc = 0;
            let ran = set.front_end(&case.code);
            (
                0,
                ran.and_then(|code| run_front_end(code, engine, simd, wave, memory)),
            )
        }
    };
    stop.map_err(|message| {
        let at = case.line_at(wave.uniform().pc.wrapping_sub(first));
        let text = at
            .map(|line| format!("{}: ", line.code))
            .unwrap_or_default();
        ExecError {
            line: at.map(|line| line.number),
            message: format!("{text}{message}"),
        }
    })
}

impl Case {
    /// The instruction at an offset from the first.
    fn line_at(&self, offset: u64) -> Option<&Line> {
        let mut at = 0;
        self.code.iter().find(|line| {
            let here = at;
            at += match &line.code {
                Code::Gcn(inst) => u64::from(inst.len),
                Code::Maxwell(_) | Code::Visa(_) => self.set.step(),
            };
            here == offset
        })
    }
}

fn execute_gcn(
    case: &Case,
    chip: Chip,
    engine: Engine,
    simd: Simd,
    wave: &mut Wave,
    memory: &mut MemoryUnit<'_>,
) -> Result<(), String> {
    let mut code: HashMap<u64, Inst> = HashMap::new();
    let mut pc = BASE;
    for inst in case.instructions() {
        code.insert(pc, *inst);
        pc += u64::from(inst.len);
    }
    let end = wavetank_isa::decode(&0xbf81_0000u32.to_le_bytes(), chip);
    if let Ok(end) = end {
        code.insert(pc, end);
    }
    let source = Arc::new(move |pc: u64| {
        let inst = code.get(&pc).copied();
        inst.ok_or_else(|| {
            format!(
                "the code was left: nothing is at offset {:#x}",
                pc.wrapping_sub(BASE)
            )
        })
    });
    wave.uniform_mut().pc = BASE;
    match engine {
        Engine::Plain => {
            let program = PlainProgram::new(source, false);
            to_the_end(&mut Plain::new(&program), wave, memory)
        }
        Engine::Interpreter => {
            let how = Translation {
                count: false,
                step: false,
                tap: false,
                simd,
            };
            let program = Program::new(source, how);
            to_the_end(&mut Interpreter::new(&program), wave, memory)
        }
    }
}

/// What a case runs on.
struct Here<'h, 'm> {
    registry: &'m Registry,
    memory: &'h mut MemoryUnit<'m>,
    buffers: &'h HashMap<String, (u64, usize)>,
    surfaces: &'h Bound,
}

impl Here<'_, '_> {
    /// What can be seen.
    fn capture(&mut self, wave: Wave, case: &Case) -> State {
        let read = |(address, dwords): &(u64, usize)| {
            let mut bytes = vec![0; dwords * 4];
            // The buffers were made here and are never freed.
            let _ = self.registry.read(*address, &mut bytes);
            let dword = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            bytes.chunks_exact(4).map(dword).collect()
        };
        let buffers = self.buffers.iter();
        let numbers = case.surfaces.iter().map(|declared| declared.number);
        State {
            wave,
            lds: self.memory.lds().dwords().to_vec(),
            memory: buffers.map(|(name, at)| (name.clone(), read(at))).collect(),
            elements: numbers
                .filter_map(|n| Some((n, self.surfaces.elements(self.registry, n)?)))
                .collect(),
        }
    }
}

impl State {
    /// The value of a target in a lane or, for memory, at an index.
    fn value(&self, target: &Target, n: usize) -> Option<u64> {
        let u = self.wave.uniform();
        Some(match *target.place() {
            Target::Vector { register, wide } => {
                let low = u64::from(self.wave.vgpr(register)[n]);
                let high = if wide {
                    u64::from(self.wave.vgpr(register + 1)[n])
                } else {
                    0
                };
                low | high << 32
            }
            Target::Scalar {
                register,
                wide: true,
            } => self.wave.s64(register as u8),
            Target::Scalar { register, .. } => u.s[register].into(),
            Target::Scc => u.scc.into(),
            Target::Mode => u.hw[usize::from(hwreg::MODE)].into(),
            Target::Lds { offset } => (*self.lds.get(offset / 4 + n)?).into(),
            Target::Memory { ref name } => (*self.memory.get(name)?.get(n)?).into(),
            // Of a single element `n` is where it stands.
            Target::Element { number, .. } => *self.elements.get(&number)?.get(n)?,
            Target::Constant { .. }
            | Target::Variable(_)
            | Target::Predicate(_)
            | Target::Named { .. } => return None,
        })
    }
}

impl Run {
    /// The lanes of a vector register afterwards.
    ///
    /// # Panics
    /// If `register` is above 255.
    pub fn vector(&self, register: usize) -> &[u32; LANES] {
        self.after.wave.vgpr(register)
    }

    /// The scalar register of a source code afterwards: SGPRs from 0, VCC 106, M0 124, EXEC 126.
    ///
    /// # Panics
    /// If `register` is above 127.
    pub fn scalar(&self, register: usize) -> u32 {
        self.after.wave.uniform().s[register]
    }

    /// One sentence for each expectation that is not met.
    pub fn failures(&self) -> Vec<String> {
        self.expectations
            .iter()
            .filter_map(|a| self.failure(a))
            .collect()
    }

    fn failure(&self, a: &Assignment) -> Option<String> {
        let values: Result<Vec<u64>, String> =
            a.values.iter().map(|v| v.bits(&self.buffers)).collect();
        let values = match values {
            Ok(values) => values,
            Err(message) => return Some(format!("line {}: {message}", a.line)),
        };
        let vector = matches!(a.target.place(), Target::Vector { .. });
        let first = self.first(a.target.place());
        let count = if vector && values.len() == 1 {
            self.wave_lanes()
        } else {
            values.len()
        };
        let mut wrong = Vec::new();
        for n in 0..count {
            let expected = if vector { lane(&values, n)? } else { values[n] };
            let Some(got) = self.after.value(&a.target, first + n) else {
                return Some(format!(
                    "line {}: the buffer is shorter, or does not exist",
                    a.line
                ));
            };
            if !matches(got, expected, a.target.is_wide(), a.exactness) {
                let place = if count > 1 {
                    format!("[{n}] ")
                } else {
                    String::new()
                };
                wrong.push(format!("{place}{got:#x}, expected {expected:#x}"));
            }
        }
        let more = wrong.len().saturating_sub(4);
        wrong.truncate(4);
        let rest = if more > 0 {
            format!("; and {more} more")
        } else {
            String::new()
        };
        let what = &a.target;
        (!wrong.is_empty()).then(|| format!("line {}: {what}: {}{rest}", a.line, wrong.join("; ")))
    }

    /// Lanes that a wave has.
    fn wave_lanes(&self) -> usize {
        match self.names {
            None => LANES,
            Some(_) => WARP,
        }
    }

    /// Where a single element stands among those of its surface.
    fn first(&self, target: &Target) -> usize {
        let Target::Element {
            number,
            at: Some(at),
        } = target
        else {
            return 0;
        };
        let surface = self.surfaces.iter().find(|(n, _)| n == number);
        let place = surface.and_then(|(_, s)| places(s).iter().position(|place| place == at));
        place.unwrap_or(usize::MAX)
    }

    /// The elements of surfaces that have changed, a grid for each surface.
    pub fn grids(&self) -> Vec<Grid> {
        let grid = |(number, surface): &(u32, Surface)| {
            let (before, after) = (&self.before.elements, &self.after.elements);
            Grid::of(*number, surface, before.get(number)?, after.get(number)?)
        };
        self.surfaces.iter().filter_map(grid).collect()
    }

    /// The registers with another value, by the names of an instruction set beside GCN.
    fn named_changes(&self, names: &[(String, Reg)]) -> Vec<Changed> {
        let (old, new) = (&self.before.wave, &self.after.wave);
        let changed = |(name, register): &(String, Reg)| {
            let (bits, values) = match *register {
                Reg::V(n) => {
                    let (old, new) = (old.vgpr(n.into()), new.vgpr(n.into()));
                    let lanes = (0..LANES).filter(|l| old[*l] != new[*l]);
                    (32, lanes.map(|l| (Some(l), new[l].into())).collect())
                }
                Reg::Mask(n) if old.s64(n) != new.s64(n) => (32, vec![(None, new.s64(n))]),
                _ => (32, Vec::new()),
            };
            let name = name.clone();
            Changed { name, bits, values }
        };
        names
            .iter()
            .map(changed)
            .filter(|c| !c.values.is_empty())
            .collect()
    }

    /// What has another value than before, but for elements of surfaces ([`grids`](Self::grids)).
    pub fn changes(&self) -> Vec<Changed> {
        if let Some(names) = &self.names {
            return self.named_changes(names);
        }
        let (old, new) = (&self.before.wave, &self.after.wave);
        let mut changes = Vec::new();
        for n in 0..VGPRS {
            let lanes = (0..LANES).filter(|l| old.vgpr(n)[*l] != new.vgpr(n)[*l]);
            let values: Vec<_> = lanes.map(|l| (Some(l), new.vgpr(n)[l].into())).collect();
            if !values.is_empty() {
                changes.push(Changed {
                    name: format!("v{n}"),
                    bits: 32,
                    values,
                });
            }
        }
        let one = |name: String, bits, value| Changed {
            name,
            bits,
            values: vec![(None, value)],
        };
        for (code, name) in [(106, "vcc"), (126, "exec")] {
            if old.s64(code) != new.s64(code) {
                changes.push(one(name.into(), 64, new.s64(code)));
            }
        }
        let (a, b) = (old.uniform(), new.uniform());
        for n in (0..128).filter(|n| !matches!(n, 106 | 107 | 126 | 127)) {
            if a.s[n] != b.s[n] {
                let name = if n == 124 {
                    "m0".into()
                } else {
                    format!("s{n}")
                };
                changes.push(one(name, 32, b.s[n].into()));
            }
        }
        if a.scc != b.scc {
            changes.push(one("scc".into(), 32, b.scc.into()));
        }
        let mode = usize::from(hwreg::MODE);
        if a.hw[mode] != b.hw[mode] {
            changes.push(one("mode".into(), 32, b.hw[mode].into()));
        }
        for (i, (x, y)) in self.before.lds.iter().zip(&self.after.lds).enumerate() {
            if x != y {
                changes.push(one(format!("lds[{}]", 4 * i), 32, (*y).into()));
            }
        }
        let mut names: Vec<_> = self.after.memory.keys().collect();
        names.sort();
        for name in names {
            let pairs = self.before.memory[name]
                .iter()
                .zip(&self.after.memory[name])
                .enumerate();
            for (i, (_, y)) in pairs.filter(|(_, (x, y))| x != y) {
                changes.push(one(format!("{name}[{i}]"), 32, (*y).into()));
            }
        }
        changes
    }

    /// Whether two runs of a case reached the same state.
    pub fn same_as(&self, other: &Run) -> bool {
        let same = |a: &Wave, b: &Wave| {
            let (x, y) = (a.uniform(), b.uniform());
            (x.s, x.scc, x.hw) == (y.s, y.scc, y.hw) && (0..VGPRS).all(|n| a.vgpr(n) == b.vgpr(n))
        };
        // Addresses differ from run to run: runs that keep some in registers are not compared.
        let has_buffers = !self.buffers.is_empty() || self.names.is_some();
        (has_buffers || same(&self.after.wave, &other.after.wave))
            && self.after.lds == other.after.lds
            && self.after.memory == other.after.memory
            && self.after.elements == other.after.elements
    }
}

/// Whether a value meets an expectation.
fn matches(got: u64, expected: u64, wide: bool, exactness: Exactness) -> bool {
    let Exactness::Ulps(most) = exactness else {
        return got == expected;
    };
    // Floats in the order of their values: the distance counts the floats between.
    let order = |bits: u64| {
        let (sign, magnitude) = match wide {
            true => (bits >> 63, bits & (u64::MAX >> 1)),
            false => (bits >> 31, bits & 0x7fff_ffff),
        };
        if sign == 1 {
            -(magnitude as i128)
        } else {
            i128::from(magnitude)
        }
    };
    (order(got) - order(expected)).unsigned_abs() <= u128::from(most)
}
