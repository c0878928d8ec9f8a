//! Agents: one CPU and the emulated GPUs, with every attribute that clients ask for.

use std::ffi::c_void;
use std::sync::OnceLock;

use wavetank::Device;

use crate::abi::{Agent, Isa, Status, Wavefront};
use crate::call::{Result, calls, put, text, traverse};
use crate::image;
use crate::runtime::{runtime, ticks};

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

/// Room that the caller has for an attribute.
struct Room(*mut c_void);

impl Room {
    /// # Safety
    /// There is room for a `T`.
    unsafe fn put<T>(&self, value: T) -> Result {
        // SAFETY: there is room for a `T`.
        unsafe { put(self.0.cast(), value) }
    }

    /// A text in a field of some bytes, filled with zeros.
    ///
    /// # Safety
    /// There is room for `N` bytes.
    unsafe fn text<const N: usize>(&self, text: &str) -> Result {
        let mut bytes = [0u8; N];
        let length = text.len().min(N - 1);
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        // SAFETY: there is room for `N` bytes.
        unsafe { self.put(bytes) }
    }
}

/// Attributes that CPU and GPU answer alike, or differ in one value.
///
/// # Safety
/// There is room for the attribute's value.
unsafe fn common(which: Which, attribute: u32, room: &Room) -> Option<Result> {
    let is_gpu = matches!(which, Which::Gpu(..));
    let for_gpu = |value: u32| if is_gpu { value } else { 0 };
    // SAFETY: each arm writes the type that the headers give for its attribute.
    let result = unsafe {
        match attribute {
            1 if is_gpu => room.text::<64>("AMD"),
            1 => room.text::<64>("CPU"),
            2 => room.put(for_gpu(1)),         // features: kernel dispatch
            3 => room.put(1u32),               // machine model: large
            4 => room.put(u32::from(!is_gpu)), // profile: base; the CPU is full
            5 | 23 => room.put(2u32),          // rounding: near
            6 => room.put(for_gpu(64)),        // wavefront
            7 => room.put([for_gpu(1024) as u16; 3]), // work-group dimensions
            8 => room.put(for_gpu(1024)),      // work-group size
            9 => room.put([for_gpu(u32::MAX); 3]), // grid dimensions
            10 => room.put(for_gpu(u32::MAX)), // grid size
            11 => room.put(for_gpu(32)),       // fbarriers
            12 => room.put(for_gpu(128)),      // queues
            13 => room.put(for_gpu(64)),       // smallest queue
            14 => room.put(for_gpu(crate::queue::MAX_PACKETS)),
            15 => room.put(0u32),              // queue type: multi
            17 => room.put(u32::from(is_gpu)), // device type
            20 => room.put(extensions(is_gpu)),
            21 => room.put(1u16),
            22 => room.put(1u16),
            24 => room.put(is_gpu), // fast f16
            _ => return None,
        }
    };
    Some(result)
}

/// Which extensions of the standard an agent has, a bit each: images on GPUs.
fn extensions(is_gpu: bool) -> [u8; 128] {
    let mut bits = [0; 128];
    bits[0] = u8::from(is_gpu) << 1;
    bits
}

/// Limits of images, `hsa_ext_agent_info_t`: all 0 on the CPU, which has none.
///
/// The headers say `size_t`, but HIP's and OpenCL's runtime has room for 32-bit numbers (seen in 5.2.3).
///
/// # Safety
/// There is room for the attribute's value.
unsafe fn of_images(is_gpu: bool, attribute: u32, room: &Room) -> Option<Result> {
    let limit = |most: usize| if is_gpu { most as u32 } else { 0 };
    // SAFETY: each arm writes the type that the headers give for its attribute.
    let result = unsafe {
        match attribute {
            0x3000 | 0x3001 => room.put(limit(image::MAX_EXTENT)), // 1D, 1DA
            0x3002 => room.put(limit(image::MAX_BUFFER)),          // 1DB
            0x3003..=0x3006 => room.put([limit(image::MAX_EXTENT); 2]), // 2D, arrays, depth
            0x3007 => room.put([image::MAX_EXTENT, image::MAX_EXTENT, image::MAX_DEPTH].map(limit)),
            0x3008 => room.put(limit(image::MAX_LAYERS)),
            0x3009 | 0x300A => room.put(limit(image::MAX_HANDLES)),
            0x300B => room.put(limit(image::MAX_SAMPLERS)),
            0x300C => room.put(limit(image::ALIGNMENT)),
            _ => return None,
        }
    };
    Some(result)
}

/// Answers of a GPU.
///
/// # Safety
/// There is room for the attribute's value.
unsafe fn of_gpu(n: usize, device: &Device, attribute: u32, room: &Room) -> Result {
    let chip = device.chip();
    let known = device.facts();
    let units = device.compute_units();
    // SAFETY: each arm writes the type that the headers give for its attribute.
    unsafe {
        match attribute {
            0 => room.text::<64>(chip.name()),
            16 | 0xA004 => room.put(n as u32 + 1), // node
            18 => room.put([16u32 << 10, 4 << 20, 0, 0]), // caches
            19 => room.put(Isa(ISA + n as u64)),
            0xA000 => room.put(known.chip_id),
            0xA001 => room.put(64u32), // cache line
            0xA002 | 0xA014 => room.put(units),
            0xA003 => room.put(known.clock),
            0xA005 => room.put(4u32),                // watch points
            0xA006 => room.put((n as u32 + 1) << 8), // bus, device, function
            0xA007 => room.put(known.memory_bits),
            0xA008 => room.put(known.memory_clock),
            0xA009 => room.text::<64>(known.product),
            0xA00A => room.put(40u32), // waves a unit
            0xA00B => room.put(4u32),  // SIMDs a unit
            0xA00C => room.put(known.engines),
            0xA00D => room.put(known.arrays),
            0xA00E => room.put([0u64; 2]), // HDP flush registers: none needed
            0xA00F | 0xA012 => room.put(0u32), // PCI domain, revision
            0xA010 => room.put(true),      // cooperative queues
            0xA011 => room.text::<24>(&format!("GPU-{:016x}", 0x7761_7665_0000_0000 + n as u64)),
            0xA013 => room.put(false), // SVM: host memory directly
            0xA015 => room.put(crate::memory::available(gpu(n))),
            0xA016 => room.put(1_000_000_000u64), // clock
            0xA107 => room.put(known.family),
            0xA108 | 0xA109 => room.put(0u32), // firmware
            0xA10A => room.put(2u32),          // copy engines
            0xA10B..=0xA10F => room.put(0u32),
            0xA110 => room.put(1u32), // dies
            0xA111 => room.put(n as u32),
            0xA112 => room.put(cpu()),
            0xA113 | 0xA114 => room.put([0u8; 8]), // memory properties, AQL extensions
            0xA115 | 0xA116 => room.put(0u64),     // scratch limits
            0xA117 => room.put([ticks(), ticks(), ticks(), 1_000_000_000u64]),
            _ => Err(Status::ERROR_INVALID_ARGUMENT),
        }
    }
}

/// Answers of the CPU.
///
/// # Safety
/// There is room for the attribute's value.
unsafe fn of_cpu(attribute: u32, room: &Room) -> Result {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()) as u32;
    // SAFETY: each arm writes the type that the headers give for its attribute.
    unsafe {
        match attribute {
            0 | 0xA009 => room.text::<64>("CPU"),
            16 | 0xA004 => room.put(0u32),
            18 => room.put([32u32 << 10, 0, 0, 0]),
            19 => room.put(Isa(0)),
            0xA001 => room.put(64u32),
            0xA002 => room.put(threads),
            0xA00E => room.put([0u64; 2]),
            0xA010 | 0xA013 => room.put(false),
            0xA011 => room.text::<24>("CPU-XX"),
            0xA015 | 0xA115 | 0xA116 => room.put(0u64),
            0xA016 => room.put(1_000_000_000u64),
            0xA112 => room.put(cpu()),
            0xA113 | 0xA114 => room.put([0u8; 8]),
            0xA117 => room.put([ticks(), ticks(), ticks(), 1_000_000_000u64]),
            0xA000..=0xA014 | 0xA107..=0xA111 => room.put(0u32),
            _ => Err(Status::ERROR_INVALID_ARGUMENT),
        }
    }
}

/// The GPU that an instruction set belongs to.
fn isa_gpu(isa: Isa) -> Result<&'static Device> {
    let n = isa.0.wrapping_sub(ISA) as usize;
    runtime()?.gpus.get(n).ok_or(Status::ERROR_INVALID_ISA)
}

/// Writes the name of an instruction set with the zero at its end.
///
/// # Safety
/// There is room for the name and a zero.
unsafe fn put_name(name: &str, to: *mut c_void) -> Result {
    if to.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    // SAFETY: not null, so there is room for the name and a zero.
    unsafe {
        to.cast::<u8>().copy_from(name.as_ptr(), name.len());
        to.cast::<u8>().add(name.len()).write(0);
    }
    Ok(())
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
        let room = Room(value);
        // SAFETY: the caller has room for what the attribute's type is.
        unsafe {
            let is_gpu = matches!(which, Which::Gpu(..));
            let shared = common(which, attribute, &room).or_else(|| of_images(is_gpu, attribute, &room));
            match (shared, which) {
                (Some(result), _) => result,
                (None, Which::Cpu) => of_cpu(attribute, &room),
                (None, Which::Gpu(n, device)) => of_gpu(n, device, attribute, &room),
            }
        }
    }

    fn hsa_agent_iterate_isas(agent: Agent, callback: Option<unsafe extern "C" fn(Isa, *mut c_void) -> Status>, data: *mut c_void) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        let isas = match of(agent)? {
            Which::Cpu => vec![],
            Which::Gpu(n, _) => vec![Isa(ISA + n as u64)],
        };
        // SAFETY: the program's own function, with its own argument.
        traverse(isas, |isa| unsafe { callback(isa, data) })
    }

    fn hsa_isa_get_info_alt(isa: Isa, attribute: u32, value: *mut c_void) {
        let name = isa_gpu(isa)?.facts().isa;
        let room = Room(value);
        // SAFETY: the caller has room for what the attribute's type is.
        unsafe {
            match attribute {
                0 => room.put(name.len() as u32),
                1 => put_name(name, value),
                2 => room.put(1u32),
                3 => room.put(64u32),
                4 => room.put(40u32),
                5 => room.put([false, true]),            // machine models: large
                6 => room.put([true, false]),            // profiles: base
                7 | 8 => room.put([false, false, true]), // rounding: near
                9 => room.put(true),
                12 => room.put([1024u16; 3]),
                13 => room.put(1024u32),
                14 => room.put([u32::MAX; 3]),
                16 => room.put(u64::from(u32::MAX)),
                17 => room.put(32u32),
                _ => Err(Status::ERROR_INVALID_ARGUMENT),
            }
        }
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
        unsafe { put(isa, Isa(ISA + found as u64)) }
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
            0 => unsafe { put(value.cast(), 64u32) },
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
}
