//! What a back end does: run one wave until it stops.

use crate::export::Sent;
use crate::fault::Fault;
use crate::global_sync::SyncRequest;
use crate::yields::YieldPoint;
use wavetank_memory::MemoryUnit;
use wavetank_memory::Wave;

/// Why a back end returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The wave is done.
    End,
    /// The wave waits at a barrier; its PC is after it.
    Barrier,
    /// Others may run.
    Yield(YieldPoint),
    /// The wave asks for global wave synchronization; its PC is after that.
    GlobalSync {
        /// What it asks for.
        request: SyncRequest,
        /// The guest address of the instruction.
        pc: u64,
    },
    /// The wave sends data out; its PC is after that.
    Export {
        /// What, and where to.
        export: Box<Sent>,
        /// The guest address of the instruction.
        pc: u64,
    },
    /// The wave sent a message to the host.
    Message(u16),
    /// The kernel must stop. The PC of the wave is that of the instruction.
    Fault(Fault),
}

/// Runs waves. Implementations share the layout of [`Wave`].
pub trait Backend {
    /// Runs one wave until it ends, waits, yields or fails. Each block is paid
    /// for by its [`Toll`](crate::Toll), which says whether the wave yields there.
    /// The unit is entered, and left by the caller.
    fn run(&mut self, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Stop;
}
