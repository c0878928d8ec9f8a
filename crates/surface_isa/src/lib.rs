//! Two instructions of other vendors, atomics on the elements of a surface: NVIDIA's SUATOM ([`maxwell`]) and Intel vISA's
//! TYPED_ATOMIC ([`visa`]). A surface is an image or a buffer with a format.
//!
//! [`SurfaceIsa`] is their common interface: assembling, disassembling, and lifting to IR.

#![warn(missing_docs)]

mod broken;
mod isa;
mod lift_block;
pub mod maxwell;
mod source;
mod text_error;
pub mod visa;

pub use broken::Broken;
pub use isa::{Program, SurfaceIsa};
pub use source::{Line, LineError};
pub use text_error::TextError;
