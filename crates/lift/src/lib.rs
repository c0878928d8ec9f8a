//! The meaning of GCN instructions, written in the wave IR.
//!
//! `lift_block` turns the instructions of a basic block into a
//! [`wavetank_ir::Block`]. Each family of instructions is one exhaustive
//! `match`; each meaning is one arm.

#![warn(missing_docs)]

#[allow(dead_code)] // until vector instructions have landed
mod lane_fn;
mod modes;
#[allow(dead_code)] // until the families that use it have landed
mod value;

pub use modes::Modes;
