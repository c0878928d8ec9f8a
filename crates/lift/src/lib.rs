//! The meaning of GCN instructions, written in the wave IR.
//!
//! [`lift_block`] turns the instructions of a basic block into a
//! [`wavetank_ir::Block`]. Each family of instructions is one exhaustive
//! `match`; each meaning is one arm.

#![warn(missing_docs)]

mod block;
mod modes;

pub use block::{Code, MAX_INSTS, lift_block};
pub use modes::Modes;
