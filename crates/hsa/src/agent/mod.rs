//! Agents: one CPU and the emulated GPUs, and the instruction sets of the GPUs.

mod answer;

use std::ffi::c_void;
use std::sync::OnceLock;

use wavetank::Device;

use crate::abi::{Agent, Isa, Status, Wavefront};
use crate::call::{Result, calls, put, text, traverse};
use crate::runtime::runtime;
use answer::Room;

/// Handles of agents: the CPU first.
const CPU: u64 = 0x1000;
/// Handles of instruction sets, numbered as the GPUs.
const ISA: u64 = 0x2001;
const WAVEFRONT: u64 = 0x3001;

/// An agent that exists.
#[derive(Clone, Copy)]
pub enum Which {
    Cpu,
    Gpu(usize, &'static Device),
}

/// The agent of a handle.
pub fn of(agent: Agent) -> Result<Which> {
    if agent.0 == CPU {
        return Ok(Which::Cpu);
    }
    let n = agent.0.wrapping_sub(CPU + 1) as usize;
    let gpu = runtime()?.gpus.get(n);
    gpu.map(|gpu| Which::Gpu(n, gpu))
        .ok_or(Status::ERROR_INVALID_AGENT)
}

/// The handle of the CPU.
pub fn cpu() -> Agent {
    Agent(CPU)
}

/// The handle of a GPU.
pub fn gpu(n: usize) -> Agent {
    Agent(CPU + 1 + n as u64)
}

/// The handles of all agents.
pub fn all() -> Result<Vec<Agent>> {
    let count = runtime()?.gpus.len();
    Ok(std::iter::once(cpu()).chain((0..count).map(gpu)).collect())
}

/// Bytes of memory that a GPU offers; the CPU offers none of that kind.
pub fn memory_bytes(agent: Agent) -> u64 {
    match (of(agent), runtime()) {
        (Ok(Which::Gpu(n, _)), Ok(runtime)) => runtime.memory[n],
        _ => 0,
    }
}

/// Bytes of memory that the host has.
pub fn host_bytes() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(|| {
        // SAFETY: asks for two numbers.
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
pub fn isa_of_chip(chip: &str) -> Option<Isa> {
    let gpus = &runtime().ok()?.gpus;
    let found = gpus.iter().position(|gpu| gpu.chip().name() == chip);
    found.map(isa_of)
}

/// The GPU that an instruction set belongs to.
fn isa_gpu(isa: Isa) -> Result<&'static Device> {
    let n = isa.0.wrapping_sub(ISA) as usize;
    runtime()?.gpus.get(n).ok_or(Status::ERROR_INVALID_ISA)
}

calls! {
    fn hsa_iterate_agents(callback: Option<unsafe extern "C" fn(Agent, *mut c_void) -> Status>, data: *mut c_void) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        // SAFETY: the program's own function, with its own argument.
        traverse(all()?, |agent| unsafe { callback(agent, data) })
    }

    fn hsa_agent_get_info(agent: Agent, attribute: u32, value: *mut c_void) {
        let which = of(agent)?;
        if value.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: the caller has room for what the attribute's type is.
        unsafe { answer::of_agent(which, attribute, &Room(value)) }
    }

    fn hsa_agent_iterate_isas(agent: Agent, callback: Option<unsafe extern "C" fn(Isa, *mut c_void) -> Status>, data: *mut c_void) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        let isas = match of(agent)? {
            Which::Cpu => vec![],
            Which::Gpu(n, _) => vec![isa_of(n)],
        };
        // SAFETY: the program's own function, with its own argument.
        traverse(isas, |isa| unsafe { callback(isa, data) })
    }

    fn hsa_isa_get_info_alt(isa: Isa, attribute: u32, value: *mut c_void) {
        // SAFETY: the caller has room for what the attribute's type is.
        unsafe { answer::of_isa(isa_gpu(isa)?, attribute, &Room(value)) }
    }

    fn hsa_isa_get_info(isa: Isa, attribute: u32, index: u32, value: *mut c_void) {
        if index != 0 {
            return Err(Status::ERROR_INVALID_INDEX);
        }
        // SAFETY: the program's promise (see `calls!`).
        match unsafe { hsa_isa_get_info_alt(isa, attribute, value) } {
            Status::SUCCESS => Ok(()),
            status => Err(status),
        }
    }

    fn hsa_isa_from_name(name: *const std::ffi::c_char, isa: *mut Isa) {
        // SAFETY: a text of the caller.
        let name = unsafe { text(name)? };
        let plain = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
        let same = |device: &Device| plain(device.facts().isa) == plain(name);
        let found = runtime()?.gpus.iter().position(same).ok_or(Status::ERROR_INVALID_ISA_NAME)?;
        // SAFETY: null, or room for a handle.
        unsafe { put(isa, isa_of(found)) }
    }

    fn hsa_isa_compatible(code: Isa, agent: Isa, result: *mut bool) {
        let same = isa_gpu(code)?.chip() == isa_gpu(agent)?.chip();
        // SAFETY: null, or room for the result.
        unsafe { put(result, same) }
    }

    fn hsa_isa_get_exception_policies(isa: Isa, _profile: u32, mask: *mut u16) {
        isa_gpu(isa)?;
        // SAFETY: null, or room for the mask.
        unsafe { put(mask, 0) }
    }

    fn hsa_isa_get_round_method(isa: Isa, width: u32, flush: u32, method: *mut u32) {
        isa_gpu(isa)?;
        if ![1, 2, 4].contains(&width) || ![1, 2].contains(&flush) {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // Fused multiply-add rounds once.
        // SAFETY: null, or room for the method.
        unsafe { put(method, 1) }
    }

    fn hsa_isa_iterate_wavefronts(isa: Isa, callback: Option<unsafe extern "C" fn(Wavefront, *mut c_void) -> Status>, data: *mut c_void) {
        isa_gpu(isa)?;
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        // SAFETY: the program's own function, with its own argument.
        traverse([Wavefront(WAVEFRONT)], |wavefront| unsafe { callback(wavefront, data) })
    }

    fn hsa_wavefront_get_info(wavefront: Wavefront, attribute: u32, value: *mut c_void) {
        if wavefront.0 != WAVEFRONT {
            return Err(Status::ERROR_INVALID_WAVEFRONT);
        }
        match attribute {
            // SAFETY: null, or room for a 32-bit number.
            0 => unsafe { put(value.cast(), answer::WAVE_SIZE) },
            _ => Err(Status::ERROR_INVALID_ARGUMENT),
        }
    }

    fn hsa_agent_get_exception_policies(agent: Agent, _profile: u32, mask: *mut u16) {
        of(agent)?;
        // SAFETY: null, or room for the mask.
        unsafe { put(mask, 0) }
    }

    fn hsa_agent_iterate_caches(agent: Agent, callback: Option<unsafe extern "C" fn(u64, *mut c_void) -> Status>, _data: *mut c_void) {
        of(agent)?;
        callback.map(drop).ok_or(Status::ERROR_INVALID_ARGUMENT)
    }

    fn hsa_cache_get_info(_cache: u64, _attribute: u32, _value: *mut c_void) {
        // Nobody was given one.
        Err(Status::ERROR_INVALID_CACHE)
    }
}
