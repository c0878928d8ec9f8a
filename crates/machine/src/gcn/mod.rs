//! The GCN parts of the machine: start state, hardware registers, occupancy.

pub mod aql;
mod occupancy;
mod stage;
mod start;

pub use occupancy::{Occupancy, OccupancyLimit};
pub use stage::StageLaunch;
pub use start::{Launch, SCRATCH_GRANULE, TrapHandler, UserData};
