//! Waves, work-groups, memory and the interpreter of the wave IR.

#![warn(missing_docs)]

mod backend;
mod clock;
mod dispatch;
mod export;
mod fault;
mod float_env;
pub mod gcn;
mod global_sync;
mod interp;
mod memory;
pub mod schedule;
mod turns;
mod wave;
mod workgroup;

pub use backend::{Backend, Stop};
pub use dispatch::{Grid, GridError, Group, MAX_GROUP_SIZE, Site, StartWave, WorkItemIds};
pub use export::Exported;
pub use fault::{Fault, MemoryFault, MemoryFaultReason};
pub use float_env::DefaultFloatEnv;
pub use global_sync::{GlobalSyncUnit, SyncRequest, Ticket};
pub use interp::reference::{Reference, ReferenceProgram};
pub use interp::run::{Interpreter, Program, Simd, Translation, UnknownSimd};
pub use memory::{
    ALIAS, Alignment, Allocation, Hold, Lds, LdsOverrun, MemoryUnit, Part, Registration, Registry,
    RegistryError, Rights,
};
pub use turns::{Schedule, UnknownSchedule};
pub use wave::{Uniform, VGPRS, Wave, hwreg, sreg};
pub use workgroup::WaveState;
