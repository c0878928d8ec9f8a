//! Hand-made instructions, and the blocks they are lifted to.

use wavetank_ir::Block;
use wavetank_isa::{Chip, Field, Inst, MAX_OPERANDS, Mods, Operand};
use wavetank_lift::{Code, Modes, lift_block};

/// A program of one instruction at address 0x1000.
pub const PC: u64 = 0x1000;

struct One(Inst);

impl Code for One {
    fn inst(&self, pc: u64) -> Result<Inst, String> {
        if pc == PC {
            Ok(self.0)
        } else {
            Err(format!("nothing at {pc:#x}"))
        }
    }
}

/// An instruction for gfx900 with operands by field.
pub fn inst(op: impl Into<wavetank_isa::Op>, operands: &[(Field, Operand)]) -> Inst {
    let op = op.into();
    let mut all = [Operand::None; MAX_OPERANDS];
    for (slot, spec) in all.iter_mut().zip(op.row().operands) {
        let given = operands.iter().find(|(field, _)| *field == spec.field);
        *slot = given.map_or(Operand::None, |(_, operand)| *operand);
    }
    Inst {
        op,
        chip: Chip::Gfx900,
        form: op.home(),
        len: 4,
        operands: all,
        mods: Mods::default(),
    }
}

/// The block of one instruction.
pub fn lift(inst: Inst) -> Block {
    lift_in(inst, Modes::default())
}

/// The block of one instruction in some modes.
pub fn lift_in(inst: Inst, modes: Modes) -> Block {
    lift_block(&One(inst), PC, modes)
}
