//! Observation of programs: checks and their reports, statistics, deadlines, messages of slow kernels.

pub mod allocation_sites;
mod backtrace;
pub mod checks;
pub mod deadline;
pub mod happens_before;
mod launch;
mod leaks;
pub mod seed;
mod slow_dispatch;
pub mod statistics;
pub mod undefined;

pub use launch::{Launch, Outcome};
