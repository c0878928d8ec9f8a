//! Why a kernel stopped before its end.

use wavetank_ir::MemKind;

/// What went wrong, where, in one lane of one wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An instruction that is not supported, or no instruction at all.
    Unsupported {
        /// The guest address.
        pc: u64,
        /// The sentence.
        what: String,
    },
    /// An access outside every allocation.
    Memory(MemoryFault),
    /// `s_trap`.
    Trap {
        /// The guest address of the trap.
        pc: u64,
        /// Its number.
        id: u8,
    },
}

/// An access to memory that belongs to nobody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryFault {
    /// The guest address of the instruction.
    pub pc: u64,
    /// What it tried.
    pub kind: MemKind,
    /// The first lane that failed; `None` for a scalar access.
    pub lane: Option<u8>,
    /// The address of that lane.
    pub address: u64,
    /// Bytes accessed there.
    pub bytes: u32,
    /// The allocation nearest to the address: name, start, length.
    pub nearest: Option<(String, u64, u64)>,
}
