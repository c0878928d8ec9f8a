//! The parts of the machine that are specific to GCN: start state, hardware registers, occupancy.

pub mod aql;
mod occupancy;
mod stage;
mod start;

pub use occupancy::Occupancy;
pub use stage::StageLaunch;
pub use start::{Launch, SCRATCH_GRANULE, TrapHandler, UserData};
