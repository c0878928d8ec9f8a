//! Coverage: the instructions that have a meaning, found by lifting them.

use wavetank_gcn::tables::{Class, Kind, OperandSpec};
use wavetank_gcn::{Chip, Inst, MAX_OPERANDS, Mods, Op, Operand, Spelling};
use wavetank_ir::{Block, Op as Node, Terminator};

use crate::{Modes, lift_block};

/// The reason why an instruction would stop a kernel, a message that begins with its mnemonic; `None` if it is executed.
///
/// The instruction is lifted with plain operands and no modifiers. Some modifiers, such as GDS, may be refused although the
/// result is `None`.
///
/// ```
/// use wavetank_gcn::Chip;
/// use wavetank_gcn::tables::{Ds, Sop2};
/// use wavetank_lift::unsupported;
/// assert_eq!(unsupported(Sop2::S_ADD_U32, Chip::Gfx900), None);
/// let why = unsupported(Ds::DS_CONDXCHG32_RTN_B128, Chip::Gfx700);
/// assert!(why.is_some_and(|why| why.starts_with("ds_condxchg32_rtn_b128")));
/// ```
pub fn unsupported(op: impl Into<Op>, chip: Chip) -> Option<String> {
    match &alone(op.into(), chip).nodes.last()?.op {
        Node::End(Terminator::Unsupported { what }) if !what.is_empty() => Some(what.to_string()),
        _ => None,
    }
}

/// The block of an instruction with plain operands and no modifiers.
pub(crate) fn alone(op: Op, chip: Chip) -> Block {
    alone_in(op, chip, Modes::default())
}

/// The block of an instruction with plain operands, in some modes.
///
/// The code after it gives an error with an empty message, which cannot be confused with the instruction's own.
pub(crate) fn alone_in(op: Op, chip: Chip, modes: Modes) -> Block {
    let vector = op.row().class != Class::Salu;
    let mut operands = [Operand::None; MAX_OPERANDS];
    for (slot, spec) in operands.iter_mut().zip(op.row().operands) {
        *slot = plain(spec, vector);
    }
    let inst = Inst {
        op,
        chip,
        form: op.home(),
        len: 4,
        operands,
        mods: Mods::default(),
        spelling: Spelling::default(),
    };
    let code = |pc| match pc {
        0 => Ok(inst),
        _ => Err(String::new()),
    };
    lift_block(&code, 0, modes)
}

/// The simplest operand of a kind.
fn plain(spec: &OperandSpec, vector: bool) -> Operand {
    match spec.kind {
        Kind::Vgpr | Kind::Vector | Kind::Accumulator => Operand::Vgpr(0),
        Kind::Agpr => Operand::Agpr(0),
        Kind::Source if vector => Operand::Vgpr(0),
        Kind::Source | Kind::Sgpr | Kind::Scalar => Operand::Sgpr(0),
        Kind::Literal => Operand::Literal(0),
        _ => Operand::Imm(0),
    }
}
