//! What is particular to GCN: how a wave starts, its hardware registers, and how many fit on a chip.

pub mod aql;
mod occupancy;
mod stage;
mod start;

pub use occupancy::Occupancy;
pub use stage::StageLaunch;
pub use start::{Launch, SCRATCH_GRANULE, TrapHandler, UserData};
