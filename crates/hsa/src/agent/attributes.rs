//! The attributes of agents and instruction sets.
//!
//! Every attribute of a GPU has a value: a client that misses one silently drops the device.

use std::ffi::c_void;

use wavetank::{ChipFacts, Device};
use wavetank_gcn::numbers::{MAX_GROUP_SIZE, SIMDS_PER_UNIT, waves_per_unit};

use super::{Which, cpu, gpu, isa_of};
use crate::c_types::{Isa, Status, info};
use crate::call::{Result, put};
use crate::image;
use crate::state::{TICKS_PER_SECOND, ticks};

/// Work-items of a wave.
pub(super) const WAVE_SIZE: u32 = 64;
/// Bytes of a cache line, of the host and of a GPU.
const CACHE_LINE: u32 = 64;
/// Bytes of a typical L1 data cache of a host. No known client reads the other caches' sizes.
const CPU_CACHES: [u32; 4] = [32 << 10, 0, 0, 0];
/// Fbarriers of a work-group, as in ROCr.
const FBARRIERS: u32 = 32;
/// Queues that a GPU may have, as in ROCr; there is no limit here.
const QUEUES: u32 = 128;
/// Packets of the smallest queue.
const SMALLEST_QUEUE: u32 = 64;
/// The number of a debugger's watch points, as in Linux for Vega.
const WATCH_POINTS: u32 = 4;
/// The number of copy engines, as of Vega.
const COPY_ENGINES: u32 = 2;
/// "wave" in ASCII, the high half of the unique number of a GPU.
const UNIQUE: u64 = 0x7761_7665_0000_0000;

/// A bit of `hsa_agent_feature_t`, and values of enumerations of `hsa.h`.
const KERNEL_DISPATCH: u32 = 1;
const LARGE: u32 = 1;
const ROUND_NEAR: u32 = 2;
const QUEUE_MULTI: u32 = 0;
/// The version of the specification that is implemented, 1.1.
const VERSION: u16 = 1;

/// The caller's memory for an attribute.
pub(super) struct Room(pub *mut c_void);

impl Room {
    /// # Safety
    /// There is room for a `T`.
    unsafe fn put<T>(&self, value: T) -> Result {
        // SAFETY: there is room for a `T`.
        unsafe { put(self.0.cast(), value) }
    }

    /// Writes a text to a field of `N` bytes, padded with zeros.
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

    /// Writes a text with a terminating zero.
    ///
    /// # Safety
    /// Null, or there is room for the text and a zero.
    unsafe fn string(&self, text: &str) -> Result {
        if self.0.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null, so there is room for the text and a zero.
        unsafe {
            self.0.cast::<u8>().copy_from(text.as_ptr(), text.len());
            self.0.cast::<u8>().add(text.len()).write(0);
        }
        Ok(())
    }
}

/// Writes an attribute of an agent.
///
/// # Safety
/// There is room for the attribute's value.
pub(super) unsafe fn of_agent(which: Which, attribute: u32, room: &Room) -> Result {
    let is_gpu = matches!(which, Which::Gpu(..));
    // SAFETY: there is room for the attribute's value.
    unsafe {
        let shared = common(is_gpu, attribute, room);
        match (shared.or_else(|| of_images(is_gpu, attribute, room)), which) {
            (Some(result), _) => result,
            (None, Which::Cpu) => of_cpu(attribute, room),
            (None, Which::Gpu(n, device)) => of_gpu(n, device, attribute, room),
        }
    }
}

/// Writes an attribute that CPU and GPU share, or that differs in one value; `None` if it is another attribute.
///
/// # Safety
/// There is room for the attribute's value.
unsafe fn common(is_gpu: bool, attribute: u32, room: &Room) -> Option<Result> {
    use info::agent::*;
    let for_gpu = |value: u32| if is_gpu { value } else { 0 };
    // SAFETY: each arm writes the type that the headers give for its attribute.
    let result = unsafe {
        match attribute {
            VENDOR_NAME if is_gpu => room.text::<64>("AMD"),
            VENDOR_NAME => room.text::<64>("CPU"),
            FEATURE => room.put(for_gpu(KERNEL_DISPATCH)),
            MACHINE_MODEL => room.put(LARGE),
            // The base profile; the CPU has the full one.
            PROFILE => room.put(u32::from(!is_gpu)),
            DEFAULT_FLOAT_ROUNDING_MODE | BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES => {
                room.put(ROUND_NEAR)
            }
            WAVEFRONT_SIZE => room.put(for_gpu(WAVE_SIZE)),
            WORKGROUP_MAX_DIM => room.put([for_gpu(MAX_GROUP_SIZE) as u16; 3]),
            WORKGROUP_MAX_SIZE => room.put(for_gpu(MAX_GROUP_SIZE)),
            GRID_MAX_DIM => room.put([for_gpu(u32::MAX); 3]),
            GRID_MAX_SIZE => room.put(for_gpu(u32::MAX)),
            FBARRIER_MAX_SIZE => room.put(for_gpu(FBARRIERS)),
            QUEUES_MAX => room.put(for_gpu(QUEUES)),
            QUEUE_MIN_SIZE => room.put(for_gpu(SMALLEST_QUEUE)),
            QUEUE_MAX_SIZE => room.put(for_gpu(crate::queue::MAX_PACKETS)),
            QUEUE_TYPE => room.put(QUEUE_MULTI),
            DEVICE => room.put(u32::from(is_gpu)),
            EXTENSIONS => room.put(extensions(is_gpu)),
            VERSION_MAJOR | VERSION_MINOR => room.put(VERSION),
            FAST_F16_OPERATION => room.put(is_gpu),
            CACHELINE_SIZE => room.put(CACHE_LINE),
            TIMESTAMP_FREQUENCY => room.put(TICKS_PER_SECOND),
            // No flush is needed.
            HDP_FLUSH => room.put([0u64; 2]),
            // Host memory that was not registered is not accessible.
            SVM_DIRECT_HOST_ACCESS => room.put(false),
            DOMAIN | ASIC_REVISION | UCODE_VERSION..=SDMA_UCODE_VERSION => room.put(0u32),
            NUM_SDMA_XGMI_ENG..=IOMMU_SUPPORT => room.put(0u32),
            NEAREST_CPU => room.put(cpu()),
            MEMORY_PROPERTIES | AQL_EXTENSIONS => room.put([0u8; 8]),
            SCRATCH_LIMIT_MAX | SCRATCH_LIMIT_CURRENT => room.put(0u64),
            // The clocks of the GPU, the CPU and the system, and their frequency: one clock here.
            CLOCK_COUNTERS => room.put([ticks(), ticks(), ticks(), TICKS_PER_SECOND]),
            _ => return None,
        }
    };
    Some(result)
}

/// The standard extensions of an agent, a bit each: images on GPUs.
fn extensions(is_gpu: bool) -> [u8; 128] {
    let mut bits = [0; 128];
    bits[0] = u8::from(is_gpu) << 1;
    bits
}

/// Writes a limit of images: all 0 on the CPU, which has none.
///
/// The headers say `size_t`, but HIP's and OpenCL's runtime has room for 32-bit numbers (seen in 5.2.3).
///
/// # Safety
/// There is room for the attribute's value.
unsafe fn of_images(is_gpu: bool, attribute: u32, room: &Room) -> Option<Result> {
    use info::agent::*;
    let limit = |max: usize| if is_gpu { max as u32 } else { 0 };
    // SAFETY: each arm writes the type that the headers give for its attribute.
    let result = unsafe {
        match attribute {
            IMAGE_1D_MAX_ELEMENTS | IMAGE_1DA_MAX_ELEMENTS => room.put(limit(image::MAX_EXTENT)),
            IMAGE_1DB_MAX_ELEMENTS => room.put(limit(image::MAX_BUFFER)),
            // Plain images and arrays, and both with depth.
            IMAGE_2D_MAX_ELEMENTS..=IMAGE_2DADEPTH_MAX_ELEMENTS => {
                room.put([limit(image::MAX_EXTENT); 2])
            }
            IMAGE_3D_MAX_ELEMENTS => {
                room.put([image::MAX_EXTENT, image::MAX_EXTENT, image::MAX_DEPTH].map(limit))
            }
            IMAGE_ARRAY_MAX_LAYERS => room.put(limit(image::MAX_LAYERS)),
            MAX_IMAGE_RD_HANDLES | MAX_IMAGE_RORW_HANDLES => room.put(limit(image::MAX_HANDLES)),
            MAX_SAMPLER_HANDLERS => room.put(limit(image::MAX_SAMPLERS)),
            IMAGE_LINEAR_ROW_PITCH_ALIGNMENT => room.put(limit(image::ALIGNMENT)),
            _ => return None,
        }
    };
    Some(result)
}

/// Writes an attribute of a GPU.
///
/// # Safety
/// There is room for the attribute's value.
unsafe fn of_gpu(n: usize, device: &Device, attribute: u32, room: &Room) -> Result {
    use info::agent::*;
    let facts = device.facts();
    // The CPU is the first node, and is on the first bus.
    let node = n as u32 + 1;
    // SAFETY: each arm writes the type that the headers give for its attribute.
    unsafe {
        match attribute {
            NAME => room.text::<64>(facts.chip.name()),
            NODE | DRIVER_NODE_ID => room.put(node),
            CACHE_SIZE => room.put(cache_sizes(facts)),
            ISA => room.put(isa_of(n)),
            CHIP_ID => room.put(facts.chip_id),
            COMPUTE_UNIT_COUNT | COOPERATIVE_COMPUTE_UNIT_COUNT => room.put(facts.compute_units),
            MAX_CLOCK_FREQUENCY => room.put(facts.clock),
            MAX_ADDRESS_WATCH_POINTS => room.put(WATCH_POINTS),
            // Bus 15:8, device 7:3, function 2:0.
            BDFID => room.put(node << 8),
            MEMORY_WIDTH => room.put(facts.memory_bits),
            MEMORY_MAX_FREQUENCY => room.put(facts.memory_clock),
            PRODUCT_NAME => room.text::<64>(facts.product),
            MAX_WAVES_PER_CU => room.put(waves_per_unit(facts.chip)),
            NUM_SIMDS_PER_CU => room.put(SIMDS_PER_UNIT),
            NUM_SHADER_ENGINES => room.put(facts.engines),
            NUM_SHADER_ARRAYS_PER_SE => room.put(facts.arrays),
            COOPERATIVE_QUEUES => room.put(true),
            UUID => room.text::<24>(&format!("GPU-{:016x}", UNIQUE + n as u64)),
            MEMORY_AVAIL => room.put(crate::memory::available(gpu(n))),
            ASIC_FAMILY_ID => room.put(facts.family),
            NUM_SDMA_ENG => room.put(COPY_ENGINES),
            NUM_XCC => room.put(facts.xccs),
            DRIVER_UID => room.put(n as u32),
            _ => Err(Status::ERROR_INVALID_ARGUMENT),
        }
    }
}

/// Returns the sizes of the caches of a GPU in bytes, from L1 to L4.
fn cache_sizes(facts: &ChipFacts) -> [u32; 4] {
    let [l1, l2, l3] = facts.caches.map(|kibibytes| kibibytes << 10);
    [l1, l2, l3, 0]
}

/// Writes an attribute of the CPU.
///
/// # Safety
/// There is room for the attribute's value.
unsafe fn of_cpu(attribute: u32, room: &Room) -> Result {
    use info::agent::*;
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get()) as u32;
    // SAFETY: each arm writes the type that the headers give for its attribute.
    unsafe {
        match attribute {
            NAME | PRODUCT_NAME => room.text::<64>("CPU"),
            NODE | DRIVER_NODE_ID => room.put(0u32),
            CACHE_SIZE => room.put(CPU_CACHES),
            ISA => room.put(Isa(0)),
            COMPUTE_UNIT_COUNT => room.put(threads),
            COOPERATIVE_QUEUES => room.put(false),
            UUID => room.text::<24>("CPU-XX"),
            MEMORY_AVAIL => room.put(0u64),
            // 32-bit numbers that are meaningless for a CPU.
            CHIP_ID..=COOPERATIVE_COMPUTE_UNIT_COUNT | ASIC_FAMILY_ID..=DRIVER_UID => {
                room.put(0u32)
            }
            _ => Err(Status::ERROR_INVALID_ARGUMENT),
        }
    }
}

/// Writes an attribute of the instruction set of a GPU.
///
/// # Safety
/// There is room for the attribute's value.
pub(super) unsafe fn of_isa(device: &Device, attribute: u32, room: &Room) -> Result {
    use info::isa::*;
    let facts = device.facts();
    let name = facts.isa;
    // SAFETY: each arm writes the type that the headers give for its attribute.
    unsafe {
        match attribute {
            NAME_LENGTH => room.put(name.len() as u32),
            NAME => room.string(name),
            CALL_CONVENTION_COUNT => room.put(1u32),
            CALL_CONVENTION_INFO_WAVEFRONT_SIZE => room.put(WAVE_SIZE),
            CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT => {
                room.put(waves_per_unit(facts.chip))
            }
            // The small model, and the large one.
            MACHINE_MODELS => room.put([false, true]),
            // The base profile, and the full one.
            PROFILES => room.put([true, false]),
            // The default rounding, to zero, and to nearest.
            DEFAULT_FLOAT_ROUNDING_MODES | BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES => {
                room.put([false, false, true])
            }
            FAST_F16_OPERATION => room.put(true),
            WORKGROUP_MAX_DIM => room.put([MAX_GROUP_SIZE as u16; 3]),
            WORKGROUP_MAX_SIZE => room.put(MAX_GROUP_SIZE),
            GRID_MAX_DIM => room.put([u32::MAX; 3]),
            GRID_MAX_SIZE => room.put(u64::from(u32::MAX)),
            FBARRIER_MAX_SIZE => room.put(FBARRIERS),
            _ => Err(Status::ERROR_INVALID_ARGUMENT),
        }
    }
}
