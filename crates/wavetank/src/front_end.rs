//! Programs of any instruction set on waves without a device: the engines, and how the waves of a group run on one to their end.
//!
//! A [`Warp`](crate::Warp) and the cases of the test format (`wavetank-cases`) are run like this: the caller makes the waves and
//! the memory, and looks at both afterwards. Kernels are run by a [`Dispatch`](crate::Dispatch).

use std::sync::Arc;

use wavetank_interp::{Plain, PlainProgram, Program, Simd, Translation};
use wavetank_ir::LANES;
use wavetank_machine::{Backend, Event, GlobalSyncUnit, Leave, Sent, Ticket};
use wavetank_memory::{MemoryUnit, Wave};
use wavetank_translate::{Code, FrontEnd};

use crate::backend::{EngineChoice, Executable};
pub use crate::stopped_wave::{FaultKind, StoppedWave};

/// The maximum number of taken back edges.
const ROUNDS: u32 = 1 << 20;

/// The engine that executes the instructions. All engines must reach the same state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// The interpreter that runs kernels.
    Interpreter,
    /// The slow evaluator of the IR.
    Plain,
    /// Compiled code, where the host can run it; else the interpreter.
    Jit,
}

/// Switches off the lanes above those of a warp of 1 to 64 threads.
pub fn narrow(wave: &mut Wave, threads: usize) {
    wave.set_s64(126, u64::MAX >> (LANES - threads));
}

/// Runs instructions of GCN on waves, from an address on.
///
/// # Errors
/// The wave that stopped, and the reason.
pub fn run_code(
    code: Arc<dyn Code + Send + Sync>,
    entry: u64,
    engine: Engine,
    simd: Simd,
    group: &mut WaveGroup,
    memory: &mut MemoryUnit<'_>,
) -> Result<(), StoppedWave> {
    group.begin(entry);
    match engine {
        Engine::Plain => group.run_plain(&PlainProgram::new(code, false), memory),
        Engine::Interpreter | Engine::Jit => {
            let program = Program::new(code, once(simd));
            engine.run(program, simd, group, memory)
        }
    }
}

/// Runs a program of another instruction set than GCN on waves, from address 0 on.
///
/// # Errors
/// The wave that stopped, and the reason.
pub fn run_front_end(
    front_end: Arc<dyn FrontEnd + Send + Sync>,
    engine: Engine,
    simd: Simd,
    group: &mut WaveGroup,
    memory: &mut MemoryUnit<'_>,
) -> Result<(), StoppedWave> {
    group.begin(0);
    match engine {
        Engine::Plain => group.run_plain(&PlainProgram::of(front_end, false), memory),
        Engine::Interpreter | Engine::Jit => {
            let program = Program::of(front_end, once(simd));
            engine.run(program, simd, group, memory)
        }
    }
}

/// The translation of a program that runs once.
fn once(simd: Simd) -> Translation {
    Translation {
        count: false,
        step: false,
        instrumented: false,
        simd,
    }
}

impl Engine {
    /// Returns the engine that the environment selects: compiled code if it names that.
    pub fn of_environment(choice: Option<EngineChoice>) -> Engine {
        match choice {
            Some(EngineChoice::Jit) => Engine::Jit,
            _ => Engine::Interpreter,
        }
    }

    /// Runs waves on the interpreter, or on compiled code.
    fn run(
        self,
        program: Program,
        simd: Simd,
        group: &mut WaveGroup,
        memory: &mut MemoryUnit<'_>,
    ) -> Result<(), StoppedWave> {
        let choice = match self {
            Engine::Jit => EngineChoice::Jit,
            _ => EngineChoice::Interpreter,
        };
        let executable = Executable::new(program, once(simd), choice, true, None);
        group.run(&mut *executable.backend(), memory)
    }
}

/// Waves that run together.
pub struct WaveGroup {
    /// The state of each wave.
    pub waves: Vec<Wave>,
    /// The exports of the waves, with the number of the wave.
    pub exports: Vec<(u32, Sent)>,
    states: Vec<WaveState>,
    /// The address of the first wave's scratch, the bytes from a wave's to the next, and the bytes of a lane.
    scratch: (u64, usize, u32),
}

/// The state of a wave.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WaveState {
    Ready,
    Barrier,
    GlobalSync(Ticket),
    Ended,
}

/// The message for a wave that waits without a partner.
const ALONE: &str = "it waits for other waves, of which there are none";

impl WaveGroup {
    /// Returns a group of waves, with the address of the first wave's scratch, the bytes from a wave's to the next, and the bytes
    /// of a lane.
    pub fn new(waves: Vec<Wave>, scratch: u64, wave_bytes: usize, lane_bytes: u32) -> WaveGroup {
        WaveGroup {
            states: vec![WaveState::Ready; waves.len()],
            waves,
            exports: Vec::new(),
            scratch: (scratch, wave_bytes, lane_bytes),
        }
    }

    /// Sets the PC of all waves to an address.
    fn begin(&mut self, pc: u64) {
        for wave in &mut self.waves {
            wave.uniform_mut().pc = pc;
        }
    }

    /// Runs the waves on the evaluator of the IR.
    fn run_plain(
        &mut self,
        program: &PlainProgram,
        memory: &mut MemoryUnit<'_>,
    ) -> Result<(), StoppedWave> {
        self.run(&mut Plain::new(program), memory)
    }

    /// Runs the waves in turns, across barriers and sleeps, until all have ended.
    ///
    /// # Errors
    /// The wave that stopped, and the reason. Its PC is that of the instruction.
    fn run(
        &mut self,
        backend: &mut dyn Backend,
        memory: &mut MemoryUnit<'_>,
    ) -> Result<(), StoppedWave> {
        let sync = GlobalSyncUnit::default();
        for _ in 0..ROUNDS {
            let mut moved = false;
            for n in 0..self.waves.len() {
                if let WaveState::GlobalSync(ticket) = self.states[n]
                    && !sync.is_waiting(ticket)
                {
                    self.states[n] = WaveState::Ready;
                }
                if self.states[n] == WaveState::Ready {
                    moved = true;
                    self.time_slice(n, backend, memory, &sync)?;
                }
            }
            self.pass_barrier();
            let Some(waiting) = self.states.iter().position(|s| *s != WaveState::Ended) else {
                return Ok(());
            };
            if !moved && !self.states.contains(&WaveState::Ready) {
                return Err(StoppedWave::endless(waiting, ALONE));
            }
        }
        let running = self.states.iter().position(|s| *s != WaveState::Ended);
        let sentence = "the instructions do not come to an end";
        Err(StoppedWave::endless(running.unwrap_or(0), sentence))
    }

    /// Runs a wave until it stops.
    fn time_slice(
        &mut self,
        n: usize,
        backend: &mut dyn Backend,
        memory: &mut MemoryUnit<'_>,
        sync: &GlobalSyncUnit,
    ) -> Result<(), StoppedWave> {
        let (scratch, wave_bytes, lane_bytes) = self.scratch;
        memory.set_scratch(scratch + (n * wave_bytes) as u64, lane_bytes);
        let wave = &mut self.waves[n];
        // Every iteration of a loop uses up the budget.
        wave.uniform_mut().budget = 1;
        match backend.run(wave, memory) {
            Leave::End(_) => self.states[n] = WaveState::Ended,
            Leave::Barrier(_) => self.states[n] = WaveState::Barrier,
            Leave::Other(event) => return self.handle(n, *event, sync),
            _ => {}
        }
        Ok(())
    }

    /// Handles the event with which a wave left its engine.
    fn handle(&mut self, n: usize, event: Event, sync: &GlobalSyncUnit) -> Result<(), StoppedWave> {
        match event {
            Event::GlobalSync { pc, request } => {
                if let Some(ticket) = sync.enter(request) {
                    self.states[n] = WaveState::GlobalSync(ticket);
                    if self.others_ended(n) {
                        self.waves[n].uniform_mut().pc = pc;
                        return Err(StoppedWave::endless(n, ALONE));
                    }
                }
            }
            Event::Export { sent, .. } => self.exports.push((n as u32, sent)),
            Event::Message { .. } | Event::Breakpoint { .. } => {}
            Event::Fault(fault) => return Err(StoppedWave::of(n, &fault)),
        }
        Ok(())
    }

    fn others_ended(&self, n: usize) -> bool {
        let mut others = self.states.iter().enumerate().filter(|(m, _)| *m != n);
        others.all(|(_, state)| *state == WaveState::Ended)
    }

    /// Releases the waves when all that have not ended are at the barrier.
    fn pass_barrier(&mut self) {
        let waits = |state: &WaveState| matches!(state, WaveState::Barrier | WaveState::Ended);
        if self.states.iter().all(waits) {
            for state in &mut self.states {
                if *state == WaveState::Barrier {
                    *state = WaveState::Ready;
                }
            }
        }
    }
}
