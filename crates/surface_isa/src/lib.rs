//! Instruction sets of which one instruction is known, an atomic on the elements of a surface: NVIDIA's SUATOM
//! ([`maxwell`]) and Intel's TYPED_ATOMIC ([`visa`]). [`SurfaceIsa`] is what both can do.

#![warn(missing_docs)]

mod block;
mod broken;
mod isa;
pub mod maxwell;
mod source;
mod text_error;
pub mod visa;

pub use broken::Broken;
pub use isa::{Program, SurfaceIsa};
pub use source::{Line, LineError};
pub use text_error::TextError;
