//! One wave with everything it can reach, and loops to run on it.

use std::collections::HashMap;
use std::sync::Arc;

use nix::time::{ClockId, clock_gettime};
use wavetank::{Chip, Registry, Simd};
use wavetank_gcn::{Inst, encode, parse};
use wavetank_interp::{Interpreter, Program, Translation};
use wavetank_jit::{CompileOptions, Jit, Jitted};
use wavetank_machine::{Backend, Event, Leave};
use wavetank_memory::{Lds, MemoryUnit, Wave, hwreg, sreg};

use crate::kinds::Kind;

/// MODE: round to nearest, denormals kept, DX10_CLAMP, IEEE, as compilers for Vega set it.
const MODE: u32 = 0x3f0;
/// The register that counts passes down.
const COUNTER: usize = 90;
/// The first of the scalar registers that copies of an instruction have for themselves, two each.
const OWN: usize = 40;
/// The first of the vector registers that they have for themselves.
const OWN_VECTOR: usize = 60;
/// Bytes of the buffer that global, flat, buffer and scalar accesses reach.
pub(crate) const BYTES: u32 = 1 << 20;
/// Bytes of LDS.
pub(crate) const LDS: u32 = 1 << 16;
/// Bytes of scratch of a lane.
pub(crate) const SCRATCH: u32 = 1 << 12;
/// Texels in a row of the image, and rows.
const TEXELS: u32 = 64;

/// The wave, its memory, and the level that it runs on.
pub(crate) struct Tank<'r> {
    wave: Wave,
    memory: MemoryUnit<'r>,
    buffer: u64,
    simd: Simd,
}

/// Code that repeats an instruction, for both engines if there are two.
pub(crate) struct Loop {
    interpreted: Program,
    compiled: Option<Jit>,
}

/// Who runs a loop.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Engine {
    Interpreter,
    Compiled,
}

impl Loop {
    /// Copies in a pass.
    const COPIES: usize = 16;
    /// What a pass counts for: the copies, and all that stands around them as one more.
    pub(crate) const INSTRUCTIONS: f64 = 17.0;

    /// Whether compiled code is had.
    pub(crate) fn is_compiled(&self) -> bool {
        self.compiled.is_some()
    }

    /// The operations that compiled code leaves to the interpreter's steps, once it has run.
    pub(crate) fn by_helpers(&self) -> Vec<String> {
        let compiled = self.compiled.as_ref().map(Jit::compiled);
        compiled.map_or_else(Vec::new, |c| c.by_helpers.into_keys().collect())
    }

    fn engine(&self, engine: Engine) -> Result<Box<dyn Backend + '_>, String> {
        match (engine, &self.compiled) {
            (Engine::Interpreter, _) => Ok(Box::new(Interpreter::new(&self.interpreted))),
            (Engine::Compiled, Some(jit)) => Ok(Box::new(Jitted::new(jit))),
            (Engine::Compiled, None) => Err("this host runs no compiled code".to_owned()),
        }
    }
}

impl<'r> Tank<'r> {
    /// A wave with a buffer, LDS and scratch.
    pub(crate) fn new(
        registry: &'r Registry,
        simd: Simd,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let buffer = registry.allocate("the buffer", BYTES.into(), 4096)?.address;
        let scratch = registry.allocate("scratch", u64::from(SCRATCH) * 64, 256)?;
        let mut memory = MemoryUnit::new(registry);
        memory.set_lds(Lds::new(LDS));
        memory.set_scratch(scratch.address, SCRATCH);
        Ok(Tank {
            wave: Wave::new(0),
            memory,
            buffer,
            simd,
        })
    }

    /// The loop of an instruction (or of several, in lines, that count as one).
    pub(crate) fn assemble(&self, text: &str) -> Result<Loop, String> {
        let one = |line: &str| {
            let inst = parse(line, Chip::Gfx900).map_err(|e| format!("{line}: {e}"))?;
            encode(&inst).map_err(|e| format!("{line}: {e}"))?;
            Ok::<Inst, String>(inst)
        };
        let mut code = Vec::new();
        for copy in 0..Loop::COPIES {
            let own = OWN + 2 * copy;
            let text = text.replace("{s}", &own.to_string());
            let text = text.replace("{v}", &(OWN_VECTOR + copy).to_string());
            for line in text.replace("{t}", &(own + 1).to_string()).lines() {
                code.push(one(line)?);
            }
        }
        code.push(one("s_waitcnt 0")?);
        code.push(one(&format!("s_sub_u32 s{COUNTER}, s{COUNTER}, 1"))?);
        let words: usize = code.iter().map(|inst| usize::from(inst.len) / 4).sum();
        code.push(one(&format!("s_cbranch_scc0 {}", 0xffff - words))?);
        code.push(one("s_endpgm")?);
        let mut pc = 0;
        let mut places = HashMap::new();
        for inst in code {
            places.insert(pc, inst);
            pc += u64::from(inst.len);
        }
        let source = Arc::new(move |pc: u64| {
            let inst = places.get(&pc).copied();
            inst.ok_or_else(|| format!("nothing is at {pc:#x}"))
        });
        let (count, step, instrumented, simd) = (false, false, false, self.simd);
        let how = Translation {
            count,
            step,
            instrumented,
            simd,
        };
        let program = || Program::new(source.clone(), how);
        let how = CompileOptions {
            count,
            simd,
            registers_observable: true,
            instrumented: false,
        };
        Ok(Loop {
            interpreted: program(),
            compiled: Jit::new(program(), how, 0).ok(),
        })
    }

    /// Gives the registers what `kinds.rs` says they hold.
    pub(crate) fn set_up(&mut self, kind: &Kind) {
        self.wave.clear(256);
        let uniform = self.wave.uniform_mut();
        uniform.hw[usize::from(hwreg::MODE)] = MODE;
        let low = self.buffer as u32;
        let high = (self.buffer >> 32) as u32;
        // A buffer without stride, an image of 32 bits a texel (8_8_8_8 unorm, 2-D, linear), a sampler that interpolates.
        let buffer = [low, high, BYTES, 0x0002_7fac];
        let at = self.buffer >> 8;
        let sizes = (TEXELS - 1) | (TEXELS - 1) << 14;
        let image = [
            at as u32,
            (at >> 32) as u32 | 0x00a0_0000,
            sizes,
            0x9000_0fac,
            (TEXELS - 1) << 13,
            0,
            0,
            0,
        ];
        let sampler = [0x92, 0x00ff_f000, 0x0050_0000, 0];
        uniform.s[0..2].copy_from_slice(&[low, high]);
        uniform.s[4..8].copy_from_slice(&buffer);
        uniform.s[8..16].copy_from_slice(&image);
        uniform.s[16..20].copy_from_slice(&sampler);
        uniform.s[24..28].copy_from_slice(&[3, 0x1234_5678, 0x0f0f_00ff, 0x0706_0c01]);
        for lane in 0..64 {
            self.lane(kind, lane);
        }
    }

    fn lane(&mut self, kind: &Kind, lane: usize) {
        let number = lane as f32 * 0.37 + 0.61;
        let wide = f64::from(number).to_bits();
        let halves = u32::from(half::f16::from_f32(number).to_bits()) * 0x0001_0001;
        let offset = kind.offsets[lane];
        let address = self.buffer + u64::from(offset);
        let mut set = |register: usize, value: u32| self.wave.vgpr_mut(register)[lane] = value;
        set(0, lane as u32);
        set(1, number.to_bits());
        set(2, address as u32);
        set(3, (address >> 32) as u32);
        set(4, offset);
        set(5, halves);
        set(6, wide as u32);
        set(7, (wide >> 32) as u32);
        set(8, lane as u32 % TEXELS);
        set(9, 5);
        set(10, (lane as f32 / 64.0).to_bits());
        set(11, 0.3f32.to_bits());
        set(12, 0x0504_0100 + lane as u32 % 3 * 0x0101_0101);
    }

    /// The processor time of so many passes of a loop with these lanes on, in seconds.
    pub(crate) fn seconds(
        &mut self,
        code: &Loop,
        engine: Engine,
        exec: u64,
        passes: u32,
    ) -> Result<f64, String> {
        self.wave.set_s64(sreg::EXEC, exec);
        let state = self.wave.uniform_mut();
        (state.pc, state.s[COUNTER], state.budget) = (0, passes - 1, i64::MAX);
        let mut engine = code.engine(engine)?;
        let start = processor_time()?;
        self.memory.enter();
        let leave = loop {
            match engine.run(&mut self.wave, &mut self.memory) {
                // Exports are taken, and forgotten.
                Leave::Other(event) if matches!(*event, Event::Export { .. }) => {}
                leave => break leave,
            }
        };
        self.memory.leave();
        match leave {
            Leave::End(_) => Ok(processor_time()? - start),
            leave => Err(format!("stopped: {leave:?}")),
        }
    }
}

/// The processor time of this thread so far, in seconds.
pub(crate) fn processor_time() -> Result<f64, String> {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_err(|e| e.to_string())?;
    Ok(time.tv_sec() as f64 + time.tv_nsec() as f64 * 1e-9)
}
