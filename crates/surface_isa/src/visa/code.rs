//! The bytes of a TYPED_ATOMIC, little-endian throughout.

use thiserror::Error;

use crate::visa::instruction::{
    Channels, Combine, FIXED, Ids, Mask, OPERANDS, Part, Predicate, Raw, TYPED_ATOMIC, TypedAtomic,
};
use crate::visa::operation::Operation;

/// The reason for which bytes are not a TYPED_ATOMIC.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("byte {offset}: {message}")]
pub struct DecodeError {
    /// The byte that is wrong, counted from the opcode.
    pub offset: usize,
    /// The error in the byte, and the valid values.
    pub message: String,
}

/// The reason for which a TYPED_ATOMIC has no encoding.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EncodeError {
    /// A variable's number is too large for 16 bits.
    #[error(
        "{} is V{variable}: before vISA 3.4 variables have 16 bits; take one up to V65535, or a later version",
        .part.name()
    )]
    Variable {
        /// The operand.
        part: Part,
        /// The variable.
        variable: u32,
    },
    /// The number of a predicate is not valid.
    #[error("the predicate is P{0}: there are P1 to P4095")]
    Predicate(u16),
}

impl EncodeError {
    /// Returns the part of the instruction that is wrong.
    pub fn part(&self) -> Part {
        match self {
            EncodeError::Variable { part, .. } => *part,
            EncodeError::Predicate(_) => Part::Predicate,
        }
    }
}

/// Bits of the predicate word (vISA, "Predication").
const VARIABLE: u16 = 0xfff;
const RESERVED: u16 = 1 << 12;
const ANY: u16 = 1 << 13;
const ALL: u16 = 1 << 14;
const INVERSE: u16 = 1 << 15;
/// Bit 5 of the operation byte: elements of 16 bits.
const WORD: u8 = 1 << 5;

/// Decodes a TYPED_ATOMIC from [`Ids::instruction`] bytes.
///
/// # Errors
/// A [`DecodeError`] that names the byte. The rules about operands are not checked: see [`check`](crate::visa::check).
pub fn decode(bytes: &[u8], ids: Ids) -> Result<TypedAtomic, DecodeError> {
    let length = ids.instruction();
    let Some(bytes) = bytes.get(..length) else {
        let message = format!(
            "the bytes end here, and a TYPED_ATOMIC has {length} ({} are missing)",
            length - bytes.len()
        );
        return wrong(bytes.len(), message);
    };
    if bytes[0] != TYPED_ATOMIC {
        let message = format!("opcode {:#04x} is not TYPED_ATOMIC (0x73)", bytes[0]);
        return wrong(0, message);
    }
    let operation = operation(bytes[1])?;
    let channels = channels(bytes[2])?;
    let predicate = predicate(u16::from_le_bytes([bytes[3], bytes[4]]))?;
    let size = ids.bytes() + 2;
    let [u, v, r, lod, src0, src1, dst] = std::array::from_fn::<Raw, OPERANDS, _>(|n| {
        let operand = &bytes[FIXED + n * size..][..size];
        let (id, offset) = operand.split_at(ids.bytes());
        let variable = id.iter().rev().fold(0, |id, b| id << 8 | u32::from(*b));
        Raw::new(variable, u16::from_le_bytes([offset[0], offset[1]]))
    });
    Ok(TypedAtomic {
        operation,
        word: bytes[1] & WORD != 0,
        channels,
        mask: Mask::from_code(bytes[2] >> 4),
        predicate,
        surface: bytes[5],
        u,
        v,
        r,
        lod,
        src0,
        src1,
        dst,
    })
}

fn wrong<T>(offset: usize, message: String) -> Result<T, DecodeError> {
    Err(DecodeError { offset, message })
}

fn operation(byte: u8) -> Result<Operation, DecodeError> {
    if byte >> 6 != 0 {
        let message = format!("bits 7–6 of the operation ({byte:#04x}) must be 0");
        return wrong(1, message);
    }
    match Operation::from_code(byte & 31) {
        Some(operation) => Ok(operation),
        None => wrong(
            1,
            format!(
                "{} is not an operation: there are 0 (add) to 13 (predec) and 16 (fmax) to 20 (fsub)",
                byte & 31
            ),
        ),
    }
}

fn channels(byte: u8) -> Result<Channels, DecodeError> {
    if byte & 8 != 0 {
        let message = format!("bit 3 of the execution size ({byte:#04x}) must be 0");
        return wrong(2, message);
    }
    match Channels::from_code(byte & 7) {
        Some(channels) => Ok(channels),
        None => wrong(
            2,
            format!(
                "{} is not an execution size: there are 0 (1 channel) to 4 (16 channels)",
                byte & 7
            ),
        ),
    }
}

fn predicate(word: u16) -> Result<Option<Predicate>, DecodeError> {
    if word & RESERVED != 0 {
        let message = format!("bit 12 of the predicate ({word:#06x}) must be 0");
        return wrong(3, message);
    }
    let combine = match word & (ANY | ALL) {
        0 => Combine::Each,
        ANY => Combine::Any,
        ALL => Combine::All,
        _ => {
            return wrong(
                4,
                format!("the predicate ({word:#06x}) is both `any` (bit 13) and `all` (bit 14)"),
            );
        }
    };
    match word & VARIABLE {
        0 if word == 0 => Ok(None),
        0 => wrong(
            3,
            format!(
                "the predicate ({word:#06x}) names no variable: bits 11–0 are 0, so the others must be"
            ),
        ),
        variable => Ok(Some(Predicate {
            variable,
            combine,
            inverse: word & INVERSE != 0,
        })),
    }
}

/// Encodes a TYPED_ATOMIC as [`Ids::instruction`] bytes.
///
/// # Errors
/// An [`EncodeError`] for a number that does not fit its field.
pub fn encode(inst: &TypedAtomic, ids: Ids) -> Result<Vec<u8>, EncodeError> {
    let mut bytes = Vec::with_capacity(ids.instruction());
    let word = if inst.word { WORD } else { 0 };
    let size = inst.channels.code() | inst.mask.code() << 4;
    bytes.extend([TYPED_ATOMIC, inst.operation.code() | word, size]);
    bytes.extend(predicate_word(inst.predicate)?.to_le_bytes());
    bytes.push(inst.surface);
    for (part, raw) in Part::OPERANDS.iter().zip(inst.operands()) {
        match (ids, u16::try_from(raw.variable)) {
            (Ids::Wide, _) => bytes.extend(raw.variable.to_le_bytes()),
            (Ids::Narrow, Ok(variable)) => bytes.extend(variable.to_le_bytes()),
            (Ids::Narrow, Err(_)) => {
                return Err(EncodeError::Variable {
                    part: *part,
                    variable: raw.variable,
                });
            }
        }
        bytes.extend(raw.offset.to_le_bytes());
    }
    Ok(bytes)
}

fn predicate_word(predicate: Option<Predicate>) -> Result<u16, EncodeError> {
    let Some(predicate) = predicate else {
        return Ok(0);
    };
    if !(1..=VARIABLE).contains(&predicate.variable) {
        return Err(EncodeError::Predicate(predicate.variable));
    }
    let combine = match predicate.combine {
        Combine::Each => 0,
        Combine::Any => ANY,
        Combine::All => ALL,
    };
    let inverse = if predicate.inverse { INVERSE } else { 0 };
    Ok(predicate.variable | combine | inverse)
}
