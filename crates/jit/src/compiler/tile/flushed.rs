//! Numbers of single precision without denormals, for modes that flush operands: a number known to be flushed needs no code, and
//! others are flushed once.

use iced_x86::Register;
use wavetank_ir::Value;
use wavetank_lower::TooMany;

use super::Tile;
use super::vars::{Derived, Flushed, MASK, Slot, VarId};
use crate::compiler::asm::Under;

impl Tile<'_, '_> {
    /// The register of an operand without denormals in the active lanes. `flush` computes it into a register from another.
    pub(crate) fn flushed_once(
        &mut self,
        v: Value,
        flush: impl FnOnce(&mut Self, Register, Register),
    ) -> Result<Register, TooMany> {
        let var = self.var(v, 0);
        if self.is_flushed(var) {
            return self.register(var);
        }
        self.derived_once(v, Derived::WithoutDenormals, flush)
    }

    /// Whether the lanes that the node writes have no denormals.
    fn is_flushed(&mut self, var: VarId) -> bool {
        if let Some(Slot::Const(c)) = self.vars[var].slot {
            let exponent = c & 0x7f80_0000;
            return exponent != 0 || c << 1 == 0;
        }
        match (self.vars[var].flushed, self.merge) {
            (Some(Flushed::All), _) => true,
            (Some(Flushed::Under(lanes)), Some((_, Some(mask)))) => self.var(mask, MASK) == lanes,
            _ => false,
        }
    }

    /// Records that the node has written its result without denormals.
    pub(crate) fn has_flushed(&mut self, to: Register, under: Under) {
        let lanes = match (under, self.merge) {
            (Under::All, _) => Flushed::All,
            (_, Some((_, Some(mask)))) => Flushed::Under(self.var(mask, MASK)),
            _ => return,
        };
        if let Some(var) = self.used.get(to) {
            self.vars[var].flushed = Some(lanes);
        }
    }
}
