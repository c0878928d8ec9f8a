//! Memory faults: the reasons for refusing an access.

use wavetank_ir::MemKind;

use crate::surface::SurfaceFault;

/// The reason for refusing an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryFaultReason {
    /// No allocation contains all bytes of the access.
    Unmapped,
    /// The allocation that contained the first byte was freed.
    Freed,
    /// A write to memory that is read-only for the guest.
    ReadOnly,
    /// The address is not a multiple of the required alignment: for an atomic its width.
    Misaligned {
        /// The required alignment in bytes.
        align: u32,
    },
    /// An access past the end of the lane's scratch: the lane's stack overflowed.
    StackOverflow {
        /// The offset in the lane's scratch.
        offset: u32,
        /// The size of the lane's scratch in bytes.
        stack_bytes: u32,
    },
    /// An access below the start of the lane's scratch.
    OutsideScratch,
    /// An access beyond the LDS of the work-group, in a unit where that is a fault.
    OutsideLds {
        /// The offset in the LDS.
        offset: u32,
        /// The size of the LDS in bytes.
        lds_bytes: u32,
    },
    /// An access that hits no element of a surface.
    Surface(SurfaceFault),
}

/// An access to memory that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFault {
    /// The guest address of the instruction.
    pub pc: u64,
    /// The kind of the access: load, store or atomic.
    pub kind: MemKind,
    /// The first lane that failed; `None` for a scalar access.
    pub lane: Option<u8>,
    /// The lanes known to fail for the same reason; there may be more.
    pub lanes: u64,
    /// The address of the first failing lane.
    pub address: u64,
    /// The size of one lane's access in bytes.
    pub bytes: u32,
    /// The reason for the refusal.
    pub reason: MemoryFaultReason,
    /// The allocation nearest to the address, or the freed one at the address: name, start, length.
    pub nearest: Option<(String, u64, u64)>,
    /// For a stack overflow, the return addresses on the stack, innermost first.
    pub calls: Box<[u64]>,
}

/// The first lane whose address is in no allocation that allows the access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Denied {
    /// The lane; `None` for a scalar access.
    pub lane: Option<u8>,
    /// The address of that lane.
    pub address: u64,
    /// The size of one lane's access in bytes.
    pub bytes: u32,
    /// The reason for the refusal.
    pub reason: MemoryFaultReason,
}
