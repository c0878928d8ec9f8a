//! Agents: one CPU and the emulated GPUs, and the instruction sets of the GPUs.

mod attributes;
mod calls;

use std::sync::OnceLock;

use wavetank::Device;

use crate::c_types::{Agent, Isa, Result, Status};
use crate::state::runtime;

/// The first handle of agents, that of the CPU.
const CPU: u64 = 0x1000;
/// The first handle of instruction sets, numbered like the GPUs.
const ISA: u64 = 0x2001;

/// An agent that exists.
#[derive(Clone, Copy)]
pub(crate) enum Which {
    Cpu,
    Gpu(usize, &'static Device),
}

/// Finds the agent of a handle.
pub(crate) fn of(agent: Agent) -> Result<Which> {
    if agent.0 == CPU {
        return Ok(Which::Cpu);
    }
    let n = agent.0.wrapping_sub(CPU + 1) as usize;
    let gpu = runtime()?.gpus.get(n);
    gpu.map(|gpu| Which::Gpu(n, gpu))
        .ok_or(Status::ERROR_INVALID_AGENT)
}

/// The handle of the CPU.
pub(crate) fn cpu() -> Agent {
    Agent(CPU)
}

/// The handle of a GPU.
pub(crate) fn gpu(n: usize) -> Agent {
    Agent(CPU + 1 + n as u64)
}

/// The handles of all agents.
pub(crate) fn all() -> Result<Vec<Agent>> {
    let count = runtime()?.gpus.len();
    Ok(std::iter::once(cpu()).chain((0..count).map(gpu)).collect())
}

/// Bytes of memory that a GPU offers; 0 for the CPU.
pub(crate) fn memory_bytes(agent: Agent) -> u64 {
    match (of(agent), runtime()) {
        (Ok(Which::Gpu(n, _)), Ok(runtime)) => runtime.memory[n],
        _ => 0,
    }
}

/// Bytes of memory that the host has.
pub(crate) fn host_bytes() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(|| {
        // SAFETY: queries two numbers.
        let (pages, size) = unsafe {
            (
                libc::sysconf(libc::_SC_PHYS_PAGES),
                libc::sysconf(libc::_SC_PAGESIZE),
            )
        };
        pages.max(1) as u64 * size.max(1) as u64
    })
}

/// The instruction set of a GPU.
fn isa_of(n: usize) -> Isa {
    Isa(ISA + n as u64)
}

/// The instruction set of the first GPU with a chip of this name.
pub(crate) fn isa_of_chip(chip: &str) -> Option<Isa> {
    let gpus = &runtime().ok()?.gpus;
    let found = gpus.iter().position(|gpu| gpu.chip().name() == chip);
    found.map(isa_of)
}

/// The GPU that an instruction set belongs to.
fn isa_gpu(isa: Isa) -> Result<&'static Device> {
    let n = isa.0.wrapping_sub(ISA) as usize;
    runtime()?.gpus.get(n).ok_or(Status::ERROR_INVALID_ISA)
}
