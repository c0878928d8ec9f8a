//! Hand-made instructions, and the blocks they are lifted to.

use wavetank_gcn::{Chip, Field, Inst, MAX_OPERANDS, Mods, Operand};
use wavetank_ir::Block;
use wavetank_lift::{Modes, lift_block};

/// Where the program of one instruction lies.
pub(crate) const PC: u64 = 0x1000;

/// An instruction for gfx900 with operands by field.
pub(crate) fn inst(op: impl Into<wavetank_gcn::Op>, operands: &[(Field, Operand)]) -> Inst {
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
        spelling: Default::default(),
    }
}

/// The block of one instruction.
pub(crate) fn lift(inst: Inst) -> Block {
    lift_in(inst, Modes::default())
}

/// The block of one instruction on a chip.
pub(crate) fn lift_on(inst: Inst, chip: Chip) -> Block {
    lift(Inst { chip, ..inst })
}

/// The block of one instruction in some modes.
pub(crate) fn lift_in(inst: Inst, modes: Modes) -> Block {
    let one = |pc| {
        if pc == PC {
            Ok(inst)
        } else {
            Err(format!("nothing at {pc:#x}"))
        }
    };
    lift_block(&one, PC, modes)
}
