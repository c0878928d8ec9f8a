//! The machine: waves in work-groups, the start of a dispatch, the scheduler, and the interface of engines.

#![warn(missing_docs)]

mod aftermath;
mod backend;
pub mod clock;
mod dispatch;
mod export;
mod fault;
mod float_env;
pub mod gcn;
mod global_sync;
mod ordered_count;
mod queue;
pub mod schedule;
mod time_slice;
mod workgroup;
mod yields;

pub use backend::{Backend, Ran, Stop, Why, YieldPoint};
pub use dispatch::{
    Grid, GridError, Group, MAX_GROUP_SIZE, Prepared, Site, StartWave, Starts, WorkItemIds,
};
pub use export::{Exported, Sent};
pub use fault::Fault;
pub use float_env::DefaultFloatEnv;
pub use global_sync::{GlobalSyncUnit, SyncRequest, Ticket};
pub use time_slice::{Schedule, UnknownSchedule};
pub use workgroup::WaveState;
pub use yields::{BlockCost, SpinLoop};
