//! Faults: the reasons why a kernel stops before its end.

use wavetank_memory::MemoryFault;

/// A failure of one instruction in one wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An instruction that is not supported, or invalid code.
    Unsupported {
        /// The guest address of the instruction.
        pc: u64,
        /// A message that names the unsupported feature.
        what: String,
    },
    /// An access to memory that was refused.
    Memory(Box<MemoryFault>),
    /// An `s_trap` instruction that ends the wave.
    Trap {
        /// The guest address of the trap.
        pc: u64,
        /// The number of the trap.
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
