//! Exact counts of what kernels do, by instruction: executions, active lanes, lines of memory, bank conflicts. Nothing is sampled,
//! and no cycles of a chip are claimed.

#![warn(missing_docs)]

pub mod model;
