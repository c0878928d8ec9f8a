//! Runs GPU code objects on the CPU.
//!
//! A [`Device`] emulates one chip. A [`Module`] is a code object loaded on it, a [`Kernel`] an entry point of the module,
//! a [`Buffer`] memory that kernels can reach, and a [`Dispatch`] one run of a kernel over a grid of work-items.
//!
//! ```
//! use wavetank::{Chip, Device};
//!
//! # fn main() -> Result<(), wavetank::Error> {
//! let device = Device::new(Chip::Gfx900)?;
//! let module = device.load(include_bytes!("../../object/tests/data/vecadd-gfx900.hsaco"))?;
//! let n = 1000;
//! let a = device.buffer_from(&vec![1.5f32; n])?;
//! let b = device.buffer_from(&(0..n).map(|i| i as f32).collect::<Vec<_>>())?;
//! let c = device.buffer_zeroed(4 * n as u64)?;
//! module
//!     .kernel("vecadd")?
//!     .dispatch()
//!     .grid(n as u32)
//!     .block(64)
//!     .arg(&a)
//!     .arg(&b)
//!     .arg(&c)
//!     .arg(n as i32)
//!     .run()?;
//! assert_eq!(c.read::<f32>()?[999], 1000.5);
//! # Ok(())
//! # }
//! ```
//!
//! Everything that can go wrong is an [`Error`], which reads as a sentence: a wrong file, wrong arguments, an access
//! outside every buffer, an instruction that is not supported, a kernel that does not end in time.

#![warn(missing_docs)]

mod arg;
mod backend;
mod bare_launch;
mod buffer;
mod calls;
pub mod capture;
mod checks;
mod chips;
mod code;
mod device;
mod dispatch;
mod engine;
pub mod environment;
mod error;
pub mod executed;
pub mod found_file;
pub mod front_end;
mod hidden;
pub mod hooks;
mod host;
mod host_call;
mod host_code;
mod instruction_set;
mod kernel;
pub mod last_fault;
mod launch;
mod lone_wave;
mod memory;
mod module;
mod observers;
mod overrun;
pub mod profile;
mod profiler;
mod read_on;
mod report;
mod scratch_pool;
mod shared_file;
mod shown_finding;
pub mod stage;
pub mod statistics;
mod stopped_wave;
pub mod surfaces;
mod trace;
mod warp;
mod worker;

pub use arg::Arg;
pub use backend::{EngineChoice, UnknownEngine};
pub use bare_launch::BareLaunch;
pub use buffer::Buffer;
pub use checks::{CheckTimes, UndefinedStore};
pub use chips::{ChipFacts, DEFAULT_CHIP};
pub use device::{Device, DeviceBuilder};
pub use dispatch::{Dims, Dispatch, Packet};
pub use error::{Error, KernelFault, Result, Timeout};
pub use host_call::Stream;
pub use instruction_set::{UnknownInstructionSet, instruction_set, named_target};
pub use kernel::Kernel;
pub use lone_wave::LoneWave;
pub use module::Module;
pub use overrun::LdsOverrun;
pub use read_on::ReadOn;
pub use report::{InstructionCounts, Report};
pub use shown_finding::ShownFinding;
pub use surfaces::SurfaceError;
pub use trace::{Change, Step};
pub use warp::Warp;
pub use wavetank_check as check;
pub use wavetank_check::{Finding, Place, Tool, Tools};
pub use wavetank_gcn::Chip;
pub use wavetank_gcn::numbers;
pub use wavetank_images::{Clamp, ImageResource, ImageSampler, ImageType, Tiling};
pub use wavetank_interp::Simd;
pub use wavetank_ir as ir;
pub use wavetank_ir::{Dimensions, Family, MemKind};
pub use wavetank_jit::Compiled;
pub use wavetank_machine::Fault as MachineFault;
pub use wavetank_machine::gcn::{Occupancy, OccupancyLimit};
pub use wavetank_machine::schedule::Message;
pub use wavetank_machine::{DefaultFloatEnv, Exported, Sent};
pub use wavetank_machine::{Group, Schedule, SplitMix64};
pub use wavetank_memory::Wave;
pub use wavetank_memory::format::Format as ElementFormat;
pub use wavetank_memory::{ALIAS, Allocation, Hold, Registration, Registry, RegistryError, Rights};
pub use wavetank_memory::{AccessRecord, AccessRun, MemoryKind, Over, set_file_size};
pub use wavetank_memory::{Element, Layout, Surface, SurfaceFault};
pub use wavetank_object as object;
pub use wavetank_surface_isa as surface_isa;
pub use wavetank_surface_isa::{maxwell, visa};
pub use wavetank_translate::{FrontEnd, buffer_dialect, image_tiling};
