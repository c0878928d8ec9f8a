//! The memory unit: the only place where emulated memory is accessed.
//!
//! A memory instruction is an [`Operation`](operation::Operation) (load,
//! store, atomic, by width) on the [`Places`](places::Places) that a space
//! (global, flat, scratch, LDS, buffer) makes of the lanes' addresses. A space
//! checks every address before the operation runs, so a fault leaves registers
//! and memory as they were. Each pair becomes one specialised function. A space
//! of another crate, such as images, is made of the parts in [`for_spaces`].
//!
//! ```
//! use wavetank_memory::{Registry, Wave};
//!
//! // The memory of a device, in which guest and host addresses are the same.
//! let registry = Registry::new();
//! let address = registry.allocate("input", 4096, 256)?.address;
//! registry.write(address + 8, b"wave")?;
//! let mut bytes = [0; 4];
//! registry.read(address + 8, &mut bytes)?;
//! assert_eq!(&bytes, b"wave");
//!
//! // The registers of a wave with 24 vector registers.
//! let mut wave = Wave::new(0);
//! wave.clear(24);
//! wave.vgpr_mut(3)[63] = 7;
//! assert_eq!(wave.vgpr(3)[63], 7);
//! # Ok::<(), wavetank_memory::RegistryError>(())
//! ```
//!
//! Unsafe code here rests on two contracts of `docs/explanation/unsafe.md`, which comments name:
//!
//! * **The wave is live**: the context's pointers are those of a wave that is borrowed for its time slice, and the request was
//!   made for it, so that its registers and offsets are in range. Engines promise it.
//! * **The places are checked**: each lane's address has passed the check of its space in this time slice. The bytes are mapped,
//!   and writable for stores, until the time slice ends (`registry/epoch.rs`).

// Lanes index several arrays at once.
#![allow(clippy::needless_range_loop)]
#![warn(missing_docs)]

mod access;
mod access_log;
mod alignment;
pub mod any_width;
mod atomic;
mod block;
mod bounds_cache;
mod bounds_caches;
mod convert;
mod element_check;
mod fault;
mod file_size;
pub mod for_spaces;
pub mod format;
mod global;
pub mod instrument;
mod lane_conflict;
pub mod lane_moves;
mod lanes;
mod memory_unit;
mod on_chip;
mod operands;
pub mod operation;
mod overrun;
pub mod places;
mod reach;
mod register_file;
mod registry;
pub mod shadow;
pub mod space;
pub mod surface;
mod tallies;

pub use access::{Context, Request, Source};
pub use access_log::{AccessRecord, AccessRun, MemoryKind, Over};
pub use alignment::Alignment;
pub use bounds_cache::{BoundsCache, Span};
pub use bounds_caches::Stride;
pub use fault::{Denied, MemoryFault, MemoryFaultReason};
pub use file_size::set_file_size;
pub use global::ALIAS;
pub use memory_unit::MemoryUnit;
pub use on_chip::lds::Lds;
pub use overrun::{LdsOverrun, ReadOn};
pub use reach::{Offsets, Reach};
pub use register_file::{
    MAX_OWN, Room, SHADOWS, SpinState, StartRegisters, Uniform, VECTOR_BYTES, VECTOR_REGISTERS,
    VGPRS, VectorRegisters, Wave, hwreg, sreg, vector_name,
};
pub use registry::{Allocation, Hold, Part, Placed, Registration, Registry, RegistryError, Rights};
pub use shadow::{ProbeHit, Undefined};
pub use space::buffer::Descriptor as BufferDescriptor;
pub use surface::{Element, Layout, Surface, SurfaceFault, Surfaces};
pub use tallies::{TALLY_PARTS, TALLY_ROW};
pub use wavetank_gcn::numbers::{PRIVATE_BASE, SHARED_BASE};
