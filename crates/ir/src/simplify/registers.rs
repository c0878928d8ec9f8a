//! Forwarding of uniform registers: their known values, from the first node to the last.
//!
//! A register can be seen alone and as the half of a pair (`s[4:5]`, or the
//! mask `m[4:5]`). What one view writes, the overlapping ones forget.

use crate::effects::{RegFile, Span};
use crate::operations::Op;
use crate::types::{Reg, Value};

/// No value is known; a block never has that many nodes.
const UNKNOWN: u32 = u32::MAX;

/// The values registers are known to hold.
pub(super) struct Known {
    single: [u32; 256],
    /// Pairs, by their first register; the type of the value tells mask and
    /// number apart.
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
    /// Vector registers are never forwarded, hardware registers may change
    /// by themselves.
    fn slot(&mut self, reg: Reg) -> Option<&mut u32> {
        match reg {
            Reg::S(n) => Some(&mut self.single[usize::from(n)]),
            Reg::S64(n) | Reg::Mask(n) => Some(&mut self.pair[usize::from(n)]),
            Reg::Scc => Some(&mut self.scc),
            Reg::V(_) | Reg::V64(_) | Reg::Hw(_) => None,
        }
    }

    /// The value a register holds, perhaps as the other view of a pair.
    pub(super) fn get(&mut self, reg: Reg) -> Option<Value> {
        let held = *self.slot(reg)?;
        (held != UNKNOWN).then_some(Value(held))
    }

    /// The values that the halves of a pair hold, which were written apart.
    pub(super) fn halves(&self, pair: Reg) -> Option<[Value; 2]> {
        let (Reg::S64(n) | Reg::Mask(n)) = pair else {
            return None;
        };
        let halves = self.single.get(usize::from(n)..)?.first_chunk::<2>()?;
        let known = halves.iter().all(|v| *v != UNKNOWN);
        known.then(|| halves.map(Value))
    }

    /// The register was read as this value.
    pub(super) fn read(&mut self, reg: Reg, v: Value) {
        if let Some(slot) = self.slot(reg) {
            *slot = v.0;
        }
    }

    /// What an operation without a result changes.
    pub(super) fn effect(&mut self, op: &Op) {
        op.effects()
            .writes
            .iter()
            .for_each(|span| self.forget(span));
        if let Op::Write { reg, value, .. } = op {
            self.read(*reg, *value);
        }
    }

    /// Forgets some registers and every pair that overlaps them.
    fn forget(&mut self, span: Span) {
        match span.file {
            RegFile::Uniform => {
                let first = span.first as usize;
                let end = (span.end() as usize).min(256);
                self.single[first..end].fill(UNKNOWN);
                self.pair[first.saturating_sub(1)..end].fill(UNKNOWN);
            }
            RegFile::Scc => self.scc = UNKNOWN,
            // They are never known.
            RegFile::Hardware | RegFile::Vector => {}
        }
    }
}
