//! Running a case, and what came of it.

use std::collections::HashMap;
use std::sync::Arc;

use wavetank_interp::{Interpreter, Plain, PlainProgram, Program, Simd, Translation};
use wavetank_ir::LANES;
use wavetank_isa::Inst;
use wavetank_machine::{Backend, Fault, GlobalSyncUnit, Why};
use wavetank_memory::{Lds, MemoryFaultReason, MemoryUnit, Registry, VGPRS, Wave, hwreg};

use super::value::{Assignment, Exactness, Target, lane};
use super::{Case, Engine, ExecError};
use crate::environment::KernelSettings;

/// Where the code of a case stands.
const BASE: u64 = 0x1000;
/// How often it may go back.
const ROUNDS: u32 = 1 << 20;
/// MODE at the start: round to nearest, denormals kept, DX10_CLAMP, IEEE, as compilers for Vega set it.
const MODE: u32 = 0x3f0;

/// The state before and after a case.
pub struct Run {
    before: State,
    after: State,
    buffers: HashMap<String, (u64, usize)>,
    expectations: Vec<Assignment>,
}

/// What a case can see of the state.
struct State {
    wave: Wave,
    lds: Vec<u32>,
    memory: HashMap<String, Vec<u32>>,
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
            if let Target::Memory { name } = &a.target {
                allocate(&registry, &mut buffers, name, a)?;
            }
        }
        let mut memory = MemoryUnit::new(&registry);
        let mut lds = vec![0; 1 << 14];
        let mut wave = start(self, &buffers, &mut lds)?;
        memory.set_lds(Lds::from_dwords(&lds));
        let before = capture(
            start(self, &buffers, &mut lds)?,
            &mut memory,
            &registry,
            &buffers,
        );
        execute(self, engine, &mut wave, &mut memory)?;
        let after = capture(wave, &mut memory, &registry, &buffers);
        Ok(Run {
            before,
            after,
            buffers,
            expectations: self.expectations.clone(),
        })
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
    for a in &case.setup {
        let values: Result<Vec<u64>, String> = a.values.iter().map(|v| v.bits(buffers)).collect();
        let values = values.map_err(|message| ExecError {
            line: Some(a.line),
            message,
        })?;
        match a.target {
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
            Target::Memory { .. } => {}
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
    let mut code: HashMap<u64, Inst> = HashMap::new();
    let mut lines: HashMap<u64, (usize, String)> = HashMap::new();
    let mut pc = BASE;
    for line in &case.code {
        code.insert(pc, line.inst);
        lines.insert(pc, (line.number, line.inst.to_string()));
        pc += u64::from(line.inst.len);
    }
    let end = wavetank_isa::decode(&0xbf81_0000u32.to_le_bytes(), case.chip);
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
    let simd = KernelSettings::from_env().map_err(|error| ExecError {
        line: None,
        message: error.to_string(),
    });
    let simd = simd.map(|settings| settings.simd.map_or_else(Simd::detect, Simd::or_best));
    let stop = match engine {
        Engine::Plain => {
            let program = PlainProgram::new(source, false);
            to_the_end(&mut Plain::new(&program), wave, memory)
        }
        Engine::Interpreter => {
            let how = Translation {
                count: false,
                step: false,
                tap: false,
                simd: simd?,
            };
            let program = Program::new(source, how);
            to_the_end(&mut Interpreter::new(&program), wave, memory)
        }
    };
    stop.map_err(|message| {
        let at = lines.get(&wave.uniform().pc);
        let text = at.map(|(_, text)| format!("{text}: ")).unwrap_or_default();
        ExecError {
            line: at.map(|(number, _)| *number),
            message: format!("{text}{message}"),
        }
    })
}

/// Runs a wave over barriers and sleeps until it ends. It is alone: where it has to wait for others it hangs.
fn to_the_end(
    backend: &mut dyn Backend,
    wave: &mut Wave,
    memory: &mut MemoryUnit<'_>,
) -> Result<(), String> {
    let sync = GlobalSyncUnit::default();
    for _ in 0..ROUNDS {
        // Every round of a loop uses it up.
        wave.uniform_mut().budget = 1;
        let stop = backend.run(wave, memory);
        match stop.why {
            Why::End => return Ok(()),
            Why::GlobalSync(request) => {
                if sync.enter(request).is_some() {
                    wave.uniform_mut().pc = stop.pc;
                    return Err("it waits for other waves, of which there are none".into());
                }
            }
            Why::Export(_) => {
                wave.uniform_mut().pc = stop.pc;
                return Err("nobody takes exports here".into());
            }
            Why::Barrier | Why::Yield(_) | Why::Message(_) => {}
            Why::Fault(fault) => return Err(sentence(&fault)),
        }
    }
    Err("the instructions do not come to an end".into())
}

fn sentence(fault: &Fault) -> String {
    match fault {
        Fault::Unsupported { what, .. } => what.clone(),
        Fault::Trap { id, .. } => format!("trap {id}"),
        Fault::Memory(m) => {
            let lane = m.lane.map(|l| format!(" of lane {l}")).unwrap_or_default();
            if let MemoryFaultReason::StackOverflow { .. } | MemoryFaultReason::OutsideScratch =
                m.reason
            {
                return format!("the access{lane} is to scratch, which a case does not have");
            }
            let near = match &m.nearest {
                Some((name, start, bytes)) => {
                    let offset = m.address.wrapping_sub(*start) as i64;
                    format!("{offset} bytes from the start of buffer `{name}`, which has {bytes}")
                }
                None => "there is no buffer: write `mem NAME = …`".into(),
            };
            format!(
                "the access{lane} to {:#x} is outside every buffer; {near}",
                m.address
            )
        }
    }
}

fn capture(
    wave: Wave,
    memory: &mut MemoryUnit<'_>,
    registry: &Registry,
    buffers: &HashMap<String, (u64, usize)>,
) -> State {
    let read = |(address, dwords): &(u64, usize)| {
        let mut bytes = vec![0; dwords * 4];
        // The buffers were made here and are never freed.
        let _ = registry.read(*address, &mut bytes);
        let dword = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        bytes.chunks_exact(4).map(dword).collect()
    };
    let lds = memory.lds().dwords().to_vec();
    let memory = buffers
        .iter()
        .map(|(name, at)| (name.clone(), read(at)))
        .collect();
    State { wave, lds, memory }
}

impl State {
    /// The value of a target in a lane or, for memory, at an index.
    fn value(&self, target: &Target, n: usize) -> Option<u64> {
        let u = self.wave.uniform();
        Some(match *target {
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
        let vector = matches!(a.target, Target::Vector { .. });
        let count = if vector && values.len() == 1 {
            LANES
        } else {
            values.len()
        };
        let mut wrong = Vec::new();
        for n in 0..count {
            let expected = if vector { lane(&values, n)? } else { values[n] };
            let Some(got) = self.after.value(&a.target, n) else {
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

    /// What has another value than before.
    pub fn changes(&self) -> Vec<Changed> {
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
        let has_buffers = !self.buffers.is_empty();
        (has_buffers || same(&self.after.wave, &other.after.wave))
            && self.after.lds == other.after.lds
            && self.after.memory == other.after.memory
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
