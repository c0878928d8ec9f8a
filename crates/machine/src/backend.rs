//! The interface of an engine: run one wave until it leaves.

use crate::export::Sent;
use crate::fault::Fault;
use crate::global_sync::SyncRequest;
use wavetank_memory::MemoryUnit;
use wavetank_memory::Wave;

/// The reason for which a wave left its engine, with the guest address of the instruction at which it did. The wave's own PC is
/// the address at which it continues, or this address if it does not continue: after [`Leave::End`] and a fault.
///
/// Each variant has one word, so that the value is returned in two registers: time slices may be short, and a result that was
/// just written to memory in pieces is slow to copy. The copy waits for all stores of the wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leave {
    /// The wave has ended.
    End(u64),
    /// The wave waits at a barrier.
    Barrier(u64),
    /// The time slice is over, at [`YieldPoint::BackEdge`].
    BackEdge(u64),
    /// The time slice is over, at [`YieldPoint::Jump`].
    Jump(u64),
    /// The time slice is over, at [`YieldPoint::Wait`].
    Wait(u64),
    /// The wave waits for others, at [`YieldPoint::Spin`].
    Spin(u64),
    /// The wave waits for others, at [`YieldPoint::Sleep`].
    Sleep(u64),
    /// Less frequent reasons.
    Other(Box<Event>),
}

/// An event that takes a wave out of its engine for the host to handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The wave requests global wave synchronization.
    GlobalSync {
        /// The guest address of the instruction.
        pc: u64,
        /// The operation and its operands.
        request: SyncRequest,
    },
    /// The wave sends data out.
    Export {
        /// The guest address of the instruction.
        pc: u64,
        /// The data.
        sent: Sent,
    },
    /// The wave sent a message to the host.
    Message {
        /// The guest address of the instruction.
        pc: u64,
        /// The message.
        message: u16,
    },
    /// The wave is before an instruction at which an observer wants to see it.
    Breakpoint {
        /// The guest address of the instruction.
        pc: u64,
        /// The guest address of the block that was divided there. The instructions of it that have run are not charged yet.
        block: u64,
    },
    /// The kernel must stop.
    Fault(Fault),
}

/// The yield point at which a time slice ended, other than barriers (they are a [`Leave`] of their own).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum YieldPoint {
    /// The budget was used up at a taken back edge.
    BackEdge,
    /// The budget was used up at a computed jump.
    Jump,
    /// The budget was used up at a wait for loads, or, where the straight code ends before one, after the loads.
    Wait,
    /// An iteration of a spin loop without progress.
    Spin,
    /// The wave executed `s_sleep`.
    Sleep,
}

impl YieldPoint {
    /// Whether the wave waits for others, rather than having used its time slice up.
    pub fn waits(self) -> bool {
        matches!(self, YieldPoint::Spin | YieldPoint::Sleep)
    }
}

impl Leave {
    /// The wave yields at a point, at the instruction with this guest address.
    #[inline(always)]
    pub const fn yields(point: YieldPoint, pc: u64) -> Leave {
        match point {
            YieldPoint::BackEdge => Leave::BackEdge(pc),
            YieldPoint::Jump => Leave::Jump(pc),
            YieldPoint::Wait => Leave::Wait(pc),
            YieldPoint::Spin => Leave::Spin(pc),
            YieldPoint::Sleep => Leave::Sleep(pc),
        }
    }

    /// The point at which the wave yielded, if it did.
    #[inline(always)]
    pub const fn yield_point(&self) -> Option<YieldPoint> {
        match self {
            Leave::BackEdge(_) => Some(YieldPoint::BackEdge),
            Leave::Jump(_) => Some(YieldPoint::Jump),
            Leave::Wait(_) => Some(YieldPoint::Wait),
            Leave::Spin(_) => Some(YieldPoint::Spin),
            Leave::Sleep(_) => Some(YieldPoint::Sleep),
            Leave::End(_) | Leave::Barrier(_) | Leave::Other(_) => None,
        }
    }

    /// The guest address of the instruction at which the wave left.
    pub fn pc(&self) -> u64 {
        match self {
            Leave::End(pc)
            | Leave::Barrier(pc)
            | Leave::BackEdge(pc)
            | Leave::Jump(pc)
            | Leave::Wait(pc)
            | Leave::Spin(pc)
            | Leave::Sleep(pc) => *pc,
            Leave::Other(event) => event.pc(),
        }
    }

    /// The fault, if there was one.
    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Leave::Other(event) => match &**event {
                Event::Fault(fault) => Some(fault),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Event {
    /// The guest address of the instruction that caused it.
    pub fn pc(&self) -> u64 {
        match self {
            Event::GlobalSync { pc, .. }
            | Event::Export { pc, .. }
            | Event::Message { pc, .. }
            | Event::Breakpoint { pc, .. } => *pc,
            Event::Fault(fault) => fault.pc(),
        }
    }
}

impl From<Event> for Leave {
    #[cold]
    fn from(event: Event) -> Leave {
        Leave::Other(Box::new(event))
    }
}

impl From<Fault> for Leave {
    #[cold]
    fn from(fault: Fault) -> Leave {
        Event::Fault(fault).into()
    }
}

/// Runs waves. Implementations share the layout of [`Wave`].
pub trait Backend {
    /// Runs one wave until it ends, waits, yields or fails. Each block is charged by its [`BlockCost`](crate::BlockCost), which
    /// decides whether the wave yields there. The caller has entered the memory unit, and leaves it afterwards.
    fn run(&mut self, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Leave;
}
