//! The engines, and how a wave runs on one to its end.

use std::sync::Arc;

use wavetank_interp::{Interpreter, Plain, PlainProgram, Program, Simd, Translation};
use wavetank_ir::LANES;
use wavetank_machine::{Backend, Fault, GlobalSyncUnit, Why};
use wavetank_memory::{MemoryFaultReason, MemoryUnit, Wave};
use wavetank_translate::FrontEnd;

/// How often it may go back.
const ROUNDS: u32 = 1 << 20;

/// What executes the instructions. Both must reach the same state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    /// The interpreter that runs kernels.
    Interpreter,
    /// The slow evaluator of the IR.
    Plain,
}

/// The lanes above a narrow warp are off.
pub(crate) fn narrow(wave: &mut Wave, threads: usize) {
    wave.set_s64(126, u64::MAX >> (LANES - threads));
}

/// Runs a program of another instruction set than GCN on a wave.
pub(crate) fn run_front_end(
    front_end: Arc<dyn FrontEnd + Send + Sync>,
    engine: Engine,
    simd: Simd,
    wave: &mut Wave,
    memory: &mut MemoryUnit<'_>,
) -> Result<(), String> {
    match engine {
        Engine::Plain => {
            let program = PlainProgram::of(front_end, false);
            to_the_end(&mut Plain::new(&program), wave, memory)
        }
        Engine::Interpreter => {
            let how = Translation {
                count: false,
                step: false,
                tap: false,
                simd,
            };
            let program = Program::of(front_end, how);
            to_the_end(&mut Interpreter::new(&program), wave, memory)
        }
    }
}

/// Runs a wave over barriers and sleeps until it ends. It is alone: where it has to wait for others it hangs.
pub(crate) fn to_the_end(
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
            if let MemoryFaultReason::Surface(surface) = m.reason {
                return format!("the access{lane} is to {surface}");
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
