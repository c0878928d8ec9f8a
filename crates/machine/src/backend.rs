//! The interface of an engine: run one wave until it stops.

use crate::export::Sent;
use crate::fault::Fault;
use crate::global_sync::SyncRequest;
use wavetank_memory::MemoryUnit;
use wavetank_memory::Wave;

/// Where and why a back end returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The guest address of the instruction that made the wave stop. The wave's own PC is where it goes on, or this one
    /// where it does not: after [`Why::End`] and [`Why::Fault`].
    pub pc: u64,
    /// Why it stopped.
    pub why: Why,
}

/// Why a back end returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The wave is done.
    End,
    /// The wave waits at a barrier.
    Barrier,
    /// Others may run.
    Yield(YieldPoint),
    /// The wave asks for global wave synchronization.
    GlobalSync(SyncRequest),
    /// The wave sends data out.
    Export(Box<Sent>),
    /// The wave sent a message to the host.
    Message(u16),
    /// The kernel must stop.
    Fault(Fault),
}

/// The yield point at which a time slice ended, other than barriers (they have a [`Why`] of their own).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum YieldPoint {
    /// The budget was used up at a taken back edge.
    BackEdge,
    /// The budget was used up at a computed jump.
    Jump,
    /// Its budget was spent where it waits for loads, or, where the straight code ends before that, after them.
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

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        let pc = fault.pc();
        let why = Why::Fault(fault);
        Stop { pc, why }
    }
}

/// A [`Stop`] as a function returns it that is called often: with one word beside its kind it goes through registers. What has
/// just been written to memory piece by piece is slow to copy.
#[derive(Debug)]
pub enum Ran {
    /// [`Why::End`], at this instruction.
    End(u64),
    /// [`Why::Barrier`].
    Barrier(u64),
    /// A [`Why::Yield`], where others have their time slice because this one is over.
    BackEdge(u64),
    /// The same.
    Jump(u64),
    /// The same.
    Wait(u64),
    /// A [`Why::Yield`], where the wave waits for others.
    Spin(u64),
    /// The same.
    Sleep(u64),
    /// All others.
    Else(Box<Stop>),
}

impl Ran {
    /// A [`Why::Yield`] at an instruction.
    #[inline]
    pub fn to(point: YieldPoint, pc: u64) -> Ran {
        match point {
            YieldPoint::BackEdge => Ran::BackEdge(pc),
            YieldPoint::Jump => Ran::Jump(pc),
            YieldPoint::Wait => Ran::Wait(pc),
            YieldPoint::Spin => Ran::Spin(pc),
            YieldPoint::Sleep => Ran::Sleep(pc),
        }
    }
}

impl From<Stop> for Ran {
    fn from(stop: Stop) -> Ran {
        let pc = stop.pc;
        match stop.why {
            Why::End => Ran::End(pc),
            Why::Barrier => Ran::Barrier(pc),
            Why::Yield(point) => Ran::to(point, pc),
            _ => Ran::Else(Box::new(stop)),
        }
    }
}

impl From<Ran> for Stop {
    fn from(ran: Ran) -> Stop {
        let (pc, why) = match ran {
            Ran::End(pc) => (pc, Why::End),
            Ran::Barrier(pc) => (pc, Why::Barrier),
            Ran::BackEdge(pc) => (pc, Why::Yield(YieldPoint::BackEdge)),
            Ran::Jump(pc) => (pc, Why::Yield(YieldPoint::Jump)),
            Ran::Wait(pc) => (pc, Why::Yield(YieldPoint::Wait)),
            Ran::Spin(pc) => (pc, Why::Yield(YieldPoint::Spin)),
            Ran::Sleep(pc) => (pc, Why::Yield(YieldPoint::Sleep)),
            Ran::Else(stop) => return *stop,
        };
        Stop { pc, why }
    }
}

/// Runs waves. Implementations share the layout of [`Wave`].
pub trait Backend {
    /// Runs one wave until it ends, waits, yields or fails. Each block is charged
    /// by its [`BlockCost`](crate::BlockCost), which says whether the wave yields there.
    /// The unit is entered, and left by the caller.
    fn run(&mut self, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Stop;

    /// As [`run`](Self::run), with a result that is cheap to return: for many short time slices.
    fn run_time_slice(&mut self, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Ran {
        self.run(wave, memory).into()
    }
}
