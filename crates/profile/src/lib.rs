//! Exact counts of what kernels do, by instruction: executions, active lanes, lines of memory, bank conflicts. Nothing is sampled,
//! and no cycles of a chip are claimed.

#![warn(missing_docs)]

mod access;
mod counter;
mod counts;
pub mod instruction;
pub mod model;
mod sites;

pub use counts::{Counts, InstructionCounts};
pub use sites::{Site, Sites};
