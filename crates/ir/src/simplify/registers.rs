//! Forwarding of uniform registers: their known values, from the first node to the last.
//!
//! A register can be accessed alone and as half of a pair (`s[4:5]`, or the mask `m[4:5]`). A write through one view invalidates
//! the overlapping ones.

use crate::effects::{RegFile, Span};
use crate::operations::Op;
use crate::types::{Reg, Value};

/// The mark for an unknown value; a block never has that many nodes.
const UNKNOWN: u32 = u32::MAX;

/// The known values of registers.
pub(super) struct Known {
    single: [u32; 256],
    /// The values of pairs, by their first register; the type of a value distinguishes mask and number.
    pair: [u32; 256],
    scc: u32,
}

impl Default for Known {
    fn default() -> Self {
        Known {
            single: [UNKNOWN; 256],
            pair: [UNKNOWN; 256],
            scc: UNKNOWN,
        }
    }
}

impl Known {
    /// The slot of a register. Vector registers are never forwarded, and hardware registers may change by themselves.
    fn slot(&mut self, reg: Reg) -> Option<&mut u32> {
        match reg {
            Reg::S(n) => Some(&mut self.single[usize::from(n)]),
            Reg::S64(n) | Reg::Mask(n) => Some(&mut self.pair[usize::from(n)]),
            Reg::Scc => Some(&mut self.scc),
            Reg::V(_) | Reg::V64(_) | Reg::Hw(_) => None,
        }
    }

    /// The value of a register, possibly as the other view of a pair.
    pub(super) fn get(&mut self, reg: Reg) -> Option<Value> {
        let held = *self.slot(reg)?;
        (held != UNKNOWN).then_some(Value(held))
    }

    /// The values of the halves of a pair that were written separately.
    pub(super) fn halves(&self, pair: Reg) -> Option<[Value; 2]> {
        let (Reg::S64(n) | Reg::Mask(n)) = pair else {
            return None;
        };
        let halves = self.single.get(usize::from(n)..)?.first_chunk::<2>()?;
        let known = halves.iter().all(|v| *v != UNKNOWN);
        known.then(|| halves.map(Value))
    }

    /// Records that the register was read as this value.
    pub(super) fn read(&mut self, reg: Reg, v: Value) {
        if let Some(slot) = self.slot(reg) {
            *slot = v.0;
        }
    }

    /// Applies the register writes of an operation without a result.
    pub(super) fn effect(&mut self, op: &Op) {
        op.effects()
            .writes
            .iter()
            .for_each(|span| self.forget(span));
        if let Op::Write { reg, value, .. } = op {
            self.read(*reg, *value);
        }
    }

    /// Forgets the values of some registers, and of every pair that overlaps them.
    fn forget(&mut self, span: Span) {
        match span.file {
            RegFile::Uniform => {
                let first = span.first as usize;
                let end = (span.end() as usize).min(256);
                self.single[first..end].fill(UNKNOWN);
                self.pair[first.saturating_sub(1)..end].fill(UNKNOWN);
            }
            RegFile::Scc => self.scc = UNKNOWN,
            // The values of these registers are never recorded.
            RegFile::Hardware | RegFile::Vector => {}
        }
    }
}
