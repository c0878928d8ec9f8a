//! Instruction sets of which one instruction is known, an atomic on the elements of a surface: NVIDIA's SUATOM
//! ([`maxwell`]) and Intel's TYPED_ATOMIC ([`visa`]).

#![warn(missing_docs)]

pub mod maxwell;
pub mod visa;
