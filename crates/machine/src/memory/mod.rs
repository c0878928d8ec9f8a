//! The memory unit: the only place where emulated memory is touched.
//!
//! A memory instruction is an [`Operation`](operation::Operation) (load,
//! store, atomic, by width) on the [`Places`](places::Places) that a space
//! (global, flat, scratch, LDS, buffer) makes of the lanes' addresses. A space
//! checks every address before the operation runs, so a fault leaves registers
//! and memory as they were. Each pair becomes one specialised function.
//!
//! What is unsafe here rests on two promises, named where they are used:
//!
//! * **The wave is live**: the context's pointers are those of a wave that is borrowed for its turn, and the step was lowered
//!   for it, so that its registers and offsets are in range. [`StepFn`](crate::interp::step::StepFn) asks for it.
//! * **The places are checked**: each lane's address has passed the check of its space in this turn. The bytes are mapped, and
//!   writable for what stores, until the turn ends (`registry/epoch.rs`).

// Lanes index several arrays at once.
#![allow(clippy::needless_range_loop)]

mod alignment;
pub(crate) mod atomic;
pub(crate) mod buffer;
mod filter;
pub(crate) mod flat;
pub(crate) mod format;
pub(crate) mod gds;
mod global;
pub(crate) mod image;
pub(crate) mod lanes;
pub(crate) mod lds;
pub(crate) mod operation;
mod overrun;
pub(crate) mod places;
mod registry;
mod sample;
pub(crate) mod scalar;
pub(crate) mod scratch;
mod space;
mod surface;
mod unit;

pub use alignment::Alignment;
pub use global::ALIAS;
pub use lds::Lds;
pub use overrun::LdsOverrun;
pub use registry::{Allocation, Hold, Part, Registration, Registry, RegistryError, Rights};
pub(crate) use space::Space;
pub(crate) use unit::Denied;
pub use unit::MemoryUnit;
