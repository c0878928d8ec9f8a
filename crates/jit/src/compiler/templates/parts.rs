//! Access to the halves of vector registers.

use iced_x86::{Code, Register};

use crate::compiler::tile::Tile;

/// The lower half of a register.
pub(super) fn lower(register: Register) -> Register {
    Register::YMM0 + (register as u32 - Register::ZMM0 as u32)
}

impl Tile<'_, '_> {
    /// Lanes 0 to 7 (0) or 8 to 15 (1) of a register, as half a register; the latter in the lower half of `scratch`.
    pub(crate) fn eight(&mut self, from: Register, which: usize, scratch: Register) -> Register {
        if which == 0 {
            return lower(from);
        }
        let to = lower(scratch);
        let args = [to.into(), from.into(), 1.into()];
        self.asm
            .op(Code::EVEX_Vextracti32x8_ymmm256_k1z_zmm_imm8, &args);
        to
    }

    /// Joins the lower halves of two registers.
    pub(crate) fn join(&mut self, to: Register, [low, high]: [Register; 2]) {
        let args = [to.into(), low.into(), lower(high).into(), 1.into()];
        self.asm
            .op(Code::EVEX_Vinserti32x8_zmm_k1z_zmm_ymmm256_imm8, &args);
    }
}
