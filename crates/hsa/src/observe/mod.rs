//! Observation of programs: checks and their reports, statistics, deadlines, messages of slow kernels.

pub(crate) mod allocation_sites;
mod backtrace;
mod capture;
pub(crate) mod checks;
pub(crate) mod deadline;
pub(crate) mod fault_record;
mod fidelity;
pub(crate) mod happens_before;
mod launch;
mod leaks;
pub(crate) mod profile;
pub(crate) mod seed;
mod slow_dispatch;
pub(crate) mod statistics;
mod turn;
pub(crate) mod undefined;

pub(crate) use launch::{Launch, Outcome};
