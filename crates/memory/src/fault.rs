//! Memory faults: the reasons for which an access is refused.

use wavetank_ir::MemKind;

use crate::surface::SurfaceFault;

/// Why an access was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryFaultReason {
    /// No allocation holds all of its bytes.
    Unmapped,
    /// The allocation that held its first byte was freed.
    Freed,
    /// A write to memory that the guest may only read.
    ReadOnly,
    /// Its address is no multiple of what it has to be a multiple of: for an
    /// atomic its width.
    Misaligned {
        /// Bytes.
        align: u32,
    },
    /// An access beyond the scratch of its lane: the lane's stack overflowed.
    StackOverflow {
        /// The offset in the lane's scratch.
        offset: u32,
        /// Bytes of the lane's scratch.
        stack_bytes: u32,
    },
    /// An access below the scratch of its lane.
    OutsideScratch,
    /// An access beyond the LDS of the work-group, where that is a fault.
    OutsideLds {
        /// The offset in the LDS.
        offset: u32,
        /// Bytes of the LDS.
        lds_bytes: u32,
    },
    /// An access without an element of a surface.
    Surface(SurfaceFault),
}

/// An access to memory that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFault {
    /// The guest address of the instruction.
    pub pc: u64,
    /// What it tried.
    pub kind: MemKind,
    /// The first lane that failed; `None` for a scalar access.
    pub lane: Option<u8>,
    /// The lanes of which it is known that they would fail for the same reason; there may be more.
    pub lanes: u64,
    /// The address of that lane.
    pub address: u64,
    /// Bytes accessed there.
    pub bytes: u32,
    /// Why it was refused.
    pub reason: MemoryFaultReason,
    /// The allocation nearest to the address, or the freed one that was there: name, start, length.
    pub nearest: Option<(String, u64, u64)>,
    /// For a stack overflow, the return addresses on it, the innermost first.
    pub calls: Box<[u64]>,
}

/// The first lane whose address is in no allocation that allows the access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Denied {
    /// `None` for a scalar access.
    pub lane: Option<u8>,
    /// Its address.
    pub address: u64,
    /// Bytes accessed there.
    pub bytes: u32,
    /// The reason for the refusal.
    pub reason: MemoryFaultReason,
}
