//! Exact counts of what kernels do, by instruction: executions, active lanes, lines of memory, bank conflicts. Nothing is sampled,
//! and no cycles of a chip are claimed.

#![warn(missing_docs)]

mod access;
pub mod advice;
pub mod compare;
mod counter;
mod counts;
pub mod figures;
pub mod instruction;
mod join;
pub mod lines;
pub mod model;
pub mod number;
mod pattern;
pub mod peaks;
pub mod read;
pub mod report;
#[cfg(test)]
mod sample;
mod sites;
mod waits;

pub use counts::{Counts, InstructionCounts};
pub use sites::{Site, Sites};
