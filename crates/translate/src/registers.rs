//! Sets of vector registers, and the successors of a block.

use wavetank_ir::{Block, DataReg, Half, MemKind, MemOp, Op, RegFile, Space, Span, Terminator};

/// The number of vector registers that a wave can name.
const REGISTERS: u16 = 512;

/// A set of vector registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RegisterSet([u64; 8]);

impl RegisterSet {
    /// The set of all registers.
    pub const ALL: RegisterSet = RegisterSet([!0; 8]);

    /// The registers of a span of vector registers; the empty set for another span.
    pub fn of(span: Span) -> RegisterSet {
        let mut set = RegisterSet::default();
        if span.file != RegFile::Vector {
            return set;
        }
        for n in span.first..span.end().min(u32::from(REGISTERS)) {
            set.0[n as usize / 64] |= 1 << (n % 64);
        }
        set
    }

    /// The union of two sets.
    pub fn with(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(std::array::from_fn(|n| self.0[n] | other.0[n]))
    }

    /// The difference of two sets.
    pub fn without(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(std::array::from_fn(|n| self.0[n] & !other.0[n]))
    }

    /// The intersection of two sets.
    pub fn both(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(std::array::from_fn(|n| self.0[n] & other.0[n]))
    }

    /// Whether a register is in the set.
    pub fn has(&self, register: u16) -> bool {
        register < REGISTERS && self.0[usize::from(register) / 64] >> (register % 64) & 1 != 0
    }

    /// The register numbers in the set, in order.
    pub fn iter(&self) -> impl Iterator<Item = u16> {
        let set = *self;
        (0..REGISTERS).filter(move |n| set.has(*n))
    }
}

/// The successors of a block, if they are known.
pub(crate) fn successors(block: &Block) -> Option<[Option<u64>; 2]> {
    let Op::End(end) = &block.nodes.last()?.op else {
        return None;
    };
    match end {
        Terminator::Branch(next) | Terminator::Barrier { next } | Terminator::Sleep { next } => {
            Some([Some(*next), None])
        }
        Terminator::CondBranch { taken, next, .. } => Some([Some(*next), Some(*taken)]),
        Terminator::EndProgram => Some([None; 2]),
        _ => None,
    }
}

/// Whether a block writes hardware registers, on which later blocks depend.
pub fn changes_modes(block: &Block) -> bool {
    let writes = |op: &Op| {
        let writes = op.effects().writes;
        writes.iter().any(|span| span.file == RegFile::Hardware)
    };
    block.nodes.iter().any(|node| writes(&node.op))
}

/// The registers that an access writes as a whole in all active lanes.
pub fn loaded(op: &MemOp) -> Span {
    let plain = match op.space {
        Space::Global { .. } | Space::Flat { .. } | Space::Scratch { .. } | Space::Lds { .. } => {
            !matches!(op.half, Half::Low | Half::High) && op.kind == MemKind::Load
        }
        _ => false,
    };
    match op.ret {
        Some(DataReg::V(first)) if plain => {
            Span::new(RegFile::Vector, first.into(), op.registers())
        }
        _ => Span::new(RegFile::Vector, 0, 0),
    }
}
