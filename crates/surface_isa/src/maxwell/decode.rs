//! Decoding: words to instructions.

use thiserror::Error;

use crate::maxwell::form::{FORMS, Field, Form};
use crate::maxwell::generation::Generation;
use crate::maxwell::inst::{Clamp, Dim, Guard, Handle, Inst, Mode, Op, Pred, Reg, Size};

/// The reason for which a word is not a SUATOM.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DecodeError {
    /// The word is not a form of SUATOM.
    #[error(
        "the word {0:#018x} is not a SUATOM: those begin with 0xea or 0xeb and one of nine patterns"
    )]
    Other(u64),
    /// A field has a value without meaning.
    #[error("the field `{field}` of {word:#018x} has the value {value}, which stands for nothing")]
    Field {
        /// The word.
        word: u64,
        /// The field's name.
        field: &'static str,
        /// The value of the field.
        value: u64,
    },
    /// The word has a sparse status, on SPA 5.0.
    #[error("{word:#018x} has a sparse status, which {generation} lacks and maxwell:52 has")]
    Later {
        /// The word.
        word: u64,
        /// The generation, which lacks it.
        generation: Generation,
    },
}

/// Returns the form whose prefix a word has, on any generation.
pub fn form_of(word: u64) -> Option<&'static Form> {
    FORMS.iter().find(|form| form.matches(word))
}

/// Decodes a word. Bits without meaning may have any value. Packed halves on SPA 5.0, which lacks them, are decoded to an
/// instruction with that size, as nvdisasm prints it; the assembler refuses them.
///
/// # Errors
/// A [`DecodeError`] for a word that is not an instruction of this generation.
///
/// ```
/// use wavetank_surface_isa::maxwell::{Generation, decode};
/// let inst = decode(0xea70_0086_0047_020a, Generation::Sm52)?;
/// assert_eq!(inst.to_string(), "SUATOM.D.2D.ADD.IGN R10, [R2], R4, R1;");
/// # Ok::<(), wavetank_surface_isa::maxwell::DecodeError>(())
/// ```
pub fn decode(word: u64, generation: Generation) -> Result<Inst, DecodeError> {
    let form = form_of(word).ok_or(DecodeError::Other(word))?;
    let fields = Fields { word, form };
    let sparse = fields.sparse();
    if generation < form.since || sparse.is_some() && generation < Generation::Sm52 {
        return Err(DecodeError::Later { word, generation });
    }
    if fields.get(Field::Zero) != 0 {
        return Err(fields.wrong(Field::Zero));
    }
    let op = if form.is_cas() {
        Op::Cas
    } else {
        fields.named(Field::Op, Op::from_code)?
    };
    let size = fields.named(Field::Size, Size::from_code)?;
    Ok(Inst {
        generation,
        guard: Guard {
            pred: fields.pred(Field::Pg),
            negated: fields.get(Field::PgNot) != 0,
        },
        mode: if form.is_formatted() {
            Mode::Formatted
        } else {
            Mode::Raw {
                bytes: fields.get(Field::Ba) != 0,
            }
        },
        dim: fields.named(Field::Dim, Dim::from_code)?,
        op,
        size,
        clamp: fields.named(Field::Clamp, Clamp::from_code)?,
        sparse,
        rd: fields.reg(Field::Rd),
        ra: fields.reg(Field::Ra),
        rb: fields.reg(Field::Rb),
        handle: if form.has(Field::Imm) {
            Handle::Immediate(fields.get(Field::Imm) as u16)
        } else {
            Handle::Register(fields.reg(Field::Rc))
        },
    })
}

/// A word, and the form that has its fields.
struct Fields {
    word: u64,
    form: &'static Form,
}

impl Fields {
    /// Returns the value of a field; 0 if the form lacks it.
    fn get(&self, field: Field) -> u64 {
        self.form.field(field).map_or(0, |p| p.of(self.word))
    }

    fn reg(&self, field: Field) -> Reg {
        Reg(self.get(field) as u8)
    }

    /// Returns the predicate in a field, which has three bits.
    fn pred(&self, field: Field) -> Pred {
        Pred::new(self.get(field) as u8).unwrap_or(Pred::PT)
    }

    /// Returns the predicate of the sparse status, whose bits are inverted in the field.
    fn sparse(&self) -> Option<Pred> {
        let bits = self.form.field(Field::Ps)?.of(self.word) as u8;
        let pred = Pred::new(7 - bits)?;
        // The text of CAS leaves PT out.
        (pred != Pred::PT || !self.form.is_cas()).then_some(pred)
    }

    fn named<T>(&self, field: Field, of: fn(u64) -> Option<T>) -> Result<T, DecodeError> {
        of(self.get(field)).ok_or_else(|| self.wrong(field))
    }

    fn wrong(&self, field: Field) -> DecodeError {
        DecodeError::Field {
            word: self.word,
            field: field.name(),
            value: self.get(field),
        }
    }
}
