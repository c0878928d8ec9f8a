//! What the uniform registers are known to hold on the way down.
//!
//! A register can be seen alone and as the half of a pair (`s[4:5]`, or the
//! mask `m[4:5]`). What one view writes, the overlapping ones forget.

use crate::mem::DataReg;
use crate::op::{Op, Value};
use crate::types::Reg;

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

    /// The register was read as this value.
    pub(super) fn read(&mut self, reg: Reg, v: Value) {
        if let Some(slot) = self.slot(reg) {
            *slot = v.0;
        }
    }

    /// What an operation without a result changes.
    pub(super) fn effect(&mut self, op: &Op) {
        match op {
            Op::Write { reg, value, .. } => self.write(*reg, *value),
            Op::WriteIndexedS { .. } => self.forget_file(),
            Op::Mem(m) => {
                if let Some(DataReg::S(first)) = m.ret {
                    self.forget(first, m.access.bytes().div_ceil(4) as usize);
                }
            }
            _ => {}
        }
    }

    fn write(&mut self, reg: Reg, v: Value) {
        match reg {
            Reg::S(n) => self.forget(n, 1),
            Reg::S64(n) | Reg::Mask(n) => self.forget(n, 2),
            // A front end's status register may hold SCC or part of EXEC.
            Reg::Hw(_) => {
                self.forget_file();
                self.scc = UNKNOWN;
            }
            Reg::Scc | Reg::V(_) | Reg::V64(_) => {}
        }
        self.read(reg, v);
    }

    fn forget_file(&mut self) {
        self.single.fill(UNKNOWN);
        self.pair.fill(UNKNOWN);
    }

    /// Forgets some registers and every pair that overlaps them.
    fn forget(&mut self, first: u8, count: usize) {
        let first = usize::from(first);
        let end = (first + count).min(256);
        self.single[first..end].fill(UNKNOWN);
        self.pair[first.saturating_sub(1)..end].fill(UNKNOWN);
    }
}
