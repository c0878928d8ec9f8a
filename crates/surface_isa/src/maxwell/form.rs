//! The forms of SUATOM: the prefix of each word, and the positions of its fields.
//!
//! The reference text does not give the encoding. The layout was found word by word with nvdisasm 12.4.

use crate::maxwell::generation::Generation;

/// The meaning of a field of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// The register for the old value.
    Rd,
    /// The first coordinate.
    Ra,
    /// The guard's predicate.
    Pg,
    /// Whether the guard is negated.
    PgNot,
    /// The data.
    Rb,
    /// Whether x counts bytes.
    Ba,
    /// The operation.
    Op,
    /// The predicate of sparse status, inverted: 0 is PT, 7 is P0.
    Ps,
    /// The dimension.
    Dim,
    /// The size of the data.
    Size,
    /// The register with the handle.
    Rc,
    /// The index of the handle in the constant bank.
    Imm,
    /// The treatment of coordinates outside of the surface.
    Clamp,
    /// Bits that have to be 0.
    Zero,
}

impl Field {
    /// Returns the name in the reference text, or a word for it.
    pub fn name(self) -> &'static str {
        match self {
            Field::Rd => "Rd",
            Field::Ra => "Ra",
            Field::Pg => "Pg",
            Field::PgNot => "!",
            Field::Rb => "Rb",
            Field::Ba => "BA",
            Field::Op => "op",
            Field::Ps => "Ps",
            Field::Dim => "dim",
            Field::Size => "sz",
            Field::Rc => "Rc",
            Field::Imm => "tsPtrIdx",
            Field::Clamp => "clamp",
            Field::Zero => "0",
        }
    }
}

/// A field and its bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The meaning of the field.
    pub field: Field,
    /// The lowest bit.
    pub low: u32,
    /// The number of bits.
    pub width: u32,
}

impl Placed {
    /// Returns the value of the field in a word.
    pub fn of(self, word: u64) -> u64 {
        word >> self.low & self.largest()
    }

    /// Returns the maximum value of the field.
    pub fn largest(self) -> u64 {
        (1 << self.width) - 1
    }

    /// Returns the mask of the field's bits in a word.
    pub fn mask(self) -> u64 {
        self.largest() << self.low
    }
}

const fn at(field: Field, high: u32, low: u32) -> Placed {
    Placed {
        field,
        low,
        width: high - low + 1,
    }
}

const RD: Placed = at(Field::Rd, 7, 0);
const RA: Placed = at(Field::Ra, 15, 8);
const PG: Placed = at(Field::Pg, 18, 16);
const PG_NOT: Placed = at(Field::PgNot, 19, 19);
const RB: Placed = at(Field::Rb, 27, 20);
const BA: Placed = at(Field::Ba, 28, 28);
const OP: Placed = at(Field::Op, 32, 29);
/// Bit 29, below the field, has no meaning.
const PS_OF_CAS: Placed = at(Field::Ps, 32, 30);
const NO_OP: Placed = at(Field::Zero, 32, 29);
const DIM: Placed = at(Field::Dim, 35, 33);
const SIZE: Placed = at(Field::Size, 38, 36);
const RC: Placed = at(Field::Rc, 46, 39);
const IMM: Placed = at(Field::Imm, 48, 36);
const CLAMP: Placed = at(Field::Clamp, 50, 49);
/// The size in forms with an immediate, which occupies the usual place of the size.
const SIZE_ABOVE: Placed = at(Field::Size, 53, 51);
const PS_ABOVE: Placed = at(Field::Ps, 53, 51);

/// A form of SUATOM. Bits that are neither in the prefix nor in a field have no meaning.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The name of the form.
    pub name: &'static str,
    /// The first bits of the word, from bit 63 downward.
    pub prefix: u64,
    /// The number of bits of the prefix.
    pub prefix_width: u32,
    /// The first generation that has it.
    pub since: Generation,
    /// The fields, from bit 0 upward.
    pub fields: &'static [Placed],
}

impl Form {
    /// Returns whether a word has the prefix of this form.
    pub fn matches(&self, word: u64) -> bool {
        word >> (64 - self.prefix_width) == self.prefix
    }

    /// Returns the field of a kind.
    pub fn field(&self, field: Field) -> Option<Placed> {
        self.fields.iter().copied().find(|p| p.field == field)
    }

    /// Returns whether the form has a field of a kind.
    pub fn has(&self, field: Field) -> bool {
        self.field(field).is_some()
    }

    /// Returns whether the mode is `.P`, which has neither byte addresses nor a size.
    pub fn is_formatted(&self) -> bool {
        !self.has(Field::Size)
    }

    /// Returns whether the operation is CAS.
    pub fn is_cas(&self) -> bool {
        !self.has(Field::Op)
    }

    /// Returns the mask of the bits with a meaning: prefix and fields.
    pub fn meant(&self) -> u64 {
        let prefix = u64::MAX << (64 - self.prefix_width);
        self.fields.iter().fold(prefix, |bits, p| bits | p.mask())
    }
}

macro_rules! form {
    ($name:literal, $prefix:literal, $width:literal, $since:ident, [$($field:expr),* $(,)?]) => {
        Form {
            name: $name,
            prefix: $prefix,
            prefix_width: $width,
            since: Generation::$since,
            fields: &[RD, RA, PG, PG_NOT, RB, $($field),*],
        }
    };
}

/// All forms. A word has the prefix of at most one of them.
#[rustfmt::skip]
pub static FORMS: [Form; 9] = [
    form!("P_REG",        0b1110101001100, 13, Sm50, [    OP,        DIM,       RC,  CLAMP]),
    form!("P_IMM",        0b1110101001101, 13, Sm50, [    OP,        DIM,       IMM, CLAMP]),
    form!("D_REG",        0b1110101001110, 13, Sm50, [BA, OP,        DIM, SIZE, RC,  CLAMP]),
    form!("D_IMM",        0b1110101000,    10, Sm50, [BA, OP,        DIM,       IMM, CLAMP, SIZE_ABOVE]),
    form!("P_CAS_REG",    0b1110101011000, 13, Sm50, [    NO_OP,     DIM,       RC,  CLAMP]),
    form!("P_CAS_IMM",    0b1110101011001, 13, Sm50, [    NO_OP,     DIM,       IMM, CLAMP]),
    form!("D_CAS_REG",    0b1110101011010, 13, Sm50, [BA, PS_OF_CAS, DIM, SIZE, RC,  CLAMP]),
    form!("D_CAS_IMM",    0b1110101010,    10, Sm50, [BA, PS_OF_CAS, DIM,       IMM, CLAMP, SIZE_ABOVE]),
    form!("D_REG_SPARSE", 0b1110101110,    10, Sm52, [BA, OP,        DIM, SIZE, RC,  CLAMP, PS_ABOVE]),
];
