//! The machine: waves in work-groups, the start of a dispatch, the scheduler, and the interface of engines.
//!
//! ```
//! use wavetank_machine::Grid;
//!
//! // 1000 work-items in work-groups of 256: four groups of four waves, the last with 232 work-items.
//! let grid = Grid::new([1000, 1, 1], [256, 1, 1])?;
//! assert_eq!((grid.count(), grid.waves()), (4, 4));
//! let last = grid.group(3);
//! assert_eq!(last.exec(0), u64::MAX);
//! assert_eq!(last.exec(3), (1 << (232 - 3 * 64)) - 1);
//! # Ok::<(), wavetank_machine::GridError>(())
//! ```

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
mod help;
mod ordered_count;
mod queue;
mod random;
pub mod schedule;
mod time_slice;
mod wave_pool;
mod workgroup;
mod yields;

pub use backend::{Backend, Event, Leave, YieldPoint};
pub use dispatch::{
    Grid, GridError, Group, MAX_GROUP_SIZE, Prepared, Site, StartWave, Starts, WorkItemIds,
};
pub use export::{Exported, Sent};
pub use fault::Fault;
pub use float_env::DefaultFloatEnv;
pub use global_sync::{GlobalSyncUnit, SyncRequest, Ticket};
pub use random::SplitMix64;
pub use time_slice::{Schedule, UnknownSchedule};
pub use wave_pool::WavePool;
pub use workgroup::WaveState;
pub use yields::{BlockCost, SpinLoop};
