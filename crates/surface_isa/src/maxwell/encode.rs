//! Encoding of NVIDIA's surface operations (Maxwell's SASS): instructions to 64-bit words.

use thiserror::Error;

use crate::maxwell::form::{FORMS, Field, Form};
use crate::maxwell::generation::Generation;
use crate::maxwell::inst::{Handle, Inst, Mode, Op, Pred, Reg, Size};

/// The reason for which an instruction has no word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum EncodeError {
    /// The instruction has a sparse status, for which it has no form.
    #[error(
        "a sparse status is there with `.D` only: in CAS, and with the handle in a register in other operations"
    )]
    Sparse,
    /// The instruction has a sparse status, on SPA 5.0.
    #[error("{0} has no sparse status: maxwell:52 has it")]
    SparseLater(Generation),
    /// The immediate handle has more than 13 bits.
    #[error("the index {0:#x} of the handle takes more than 13 bits: 0x1fff is the largest")]
    Index(u16),
    /// The instruction has a size, in a mode without sizes.
    #[error("`.P` takes its size from the surface: the instruction has none")]
    Size,
}

/// Encodes an instruction. Bits without meaning are 0.
///
/// # Errors
/// An [`EncodeError`] if no form of the instruction's generation can express it. An instruction that breaks the rules about
/// operands, such as RZ for the coordinates, has a word nevertheless; see [`operand_constraints`](crate::maxwell::operand_constraints).
pub fn encode(inst: &Inst) -> Result<u64, EncodeError> {
    let form = form_for(inst)?;
    if inst.mode == Mode::Formatted && inst.size != Size::U32 {
        return Err(EncodeError::Size);
    }
    match inst.handle {
        Handle::Immediate(index) if index > Handle::MAX => return Err(EncodeError::Index(index)),
        _ => {}
    }
    let prefix = form.prefix << (64 - form.prefix_width);
    let put = |word, placed: &crate::maxwell::form::Placed| {
        word | value(inst, placed.field) << placed.low
    };
    Ok(form.fields.iter().fold(prefix, put))
}

/// Returns the form that can express an instruction.
///
/// # Errors
/// [`EncodeError::Sparse`] or [`EncodeError::SparseLater`] if there is none.
pub fn form_for(inst: &Inst) -> Result<&'static Form, EncodeError> {
    let says = |form: &&Form| {
        form.is_formatted() == (inst.mode == Mode::Formatted)
            && form.is_cas() == (inst.op == Op::Cas)
            && form.has(Field::Imm) == matches!(inst.handle, Handle::Immediate(_))
            && match inst.sparse {
                // CAS has room for a status that is not used.
                None => !form.has(Field::Ps) || form.is_cas(),
                Some(_) => form.has(Field::Ps),
            }
    };
    let form = FORMS.iter().find(says).ok_or(EncodeError::Sparse)?;
    if (inst.sparse.is_some_and(|p| p != Pred::PT) || form.since > inst.generation)
        && inst.generation < Generation::Sm52
    {
        Err(EncodeError::SparseLater(inst.generation))
    } else {
        Ok(form)
    }
}

/// Returns the value of a field for an instruction.
fn value(inst: &Inst, field: Field) -> u64 {
    let reg = |reg: Reg| u64::from(reg.0);
    match field {
        Field::Rd => reg(inst.rd),
        Field::Ra => reg(inst.ra),
        Field::Rb => reg(inst.rb),
        Field::Pg => u64::from(inst.guard.pred.number()),
        Field::PgNot => u64::from(inst.guard.negated),
        Field::Ba => u64::from(inst.mode == Mode::Raw { bytes: true }),
        Field::Op => inst.op.code(),
        Field::Ps => u64::from(7 - inst.sparse.unwrap_or(Pred::PT).number()),
        Field::Dim => inst.dim.code(),
        Field::Size => inst.size.code(),
        Field::Clamp => inst.clamp.code(),
        Field::Rc => match inst.handle {
            Handle::Register(rc) => reg(rc),
            Handle::Immediate(_) => 0,
        },
        Field::Imm => match inst.handle {
            Handle::Immediate(index) => u64::from(index),
            Handle::Register(_) => 0,
        },
        Field::Zero => 0,
    }
}
