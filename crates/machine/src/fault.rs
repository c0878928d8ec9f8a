//! Faults: the reasons for which a kernel stops before its end.

use wavetank_memory::MemoryFault;

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
    /// An access to memory that was refused.
    Memory(Box<MemoryFault>),
    /// `s_trap`.
    Trap {
        /// The guest address of the trap.
        pc: u64,
        /// Its number.
        id: u8,
    },
}

impl Fault {
    /// The guest address of the instruction that failed.
    pub fn pc(&self) -> u64 {
        match self {
            Fault::Unsupported { pc, .. } | Fault::Trap { pc, .. } => *pc,
            Fault::Memory(fault) => fault.pc,
        }
    }
}
