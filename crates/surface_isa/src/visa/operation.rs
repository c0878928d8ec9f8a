//! The operations of TYPED_ATOMIC, a row for each.

/// The operation of an atomic on an element of the surface.
///
/// The number of each is its code in bits 4–0 of the operation byte (vISA, TYPED_ATOMIC, "Op"); FADD and FSUB follow those of the description.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Operation {
    /// The sum of the old value and src0.
    Add = 0,
    /// The old value minus src0.
    Sub = 1,
    /// The old value plus one.
    Inc = 2,
    /// The old value minus one.
    Dec = 3,
    /// The unsigned minimum.
    Min = 4,
    /// The unsigned maximum.
    Max = 5,
    /// Src0.
    Xchg = 6,
    /// Src0 if the old value is src1, else the old value.
    CmpXchg = 7,
    /// The bitwise and.
    And = 8,
    /// The bitwise or.
    Or = 9,
    /// The bitwise exclusive or.
    Xor = 10,
    /// The signed minimum.
    IMin = 11,
    /// The signed maximum.
    IMax = 12,
    /// The old value minus one; the new value is returned.
    PreDec = 13,
    /// The maximum of two floats.
    FMax = 16,
    /// The minimum of two floats.
    FMin = 17,
    /// Src1 if the old float equals src0, else the old value.
    FCmpWr = 18,
    /// The sum of floats.
    FAdd = 19,
    /// The difference of floats.
    FSub = 20,
}

/// The source operands of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sources {
    /// No source; both operands are the null variable.
    None,
    /// No source is read, but src0 may name a variable (docs/reference/errata.md).
    Ignored,
    /// Src0; src1 is the null variable.
    One,
    /// Both sources are read.
    Two,
}

/// The type of an element's bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Data {
    /// A number without sign, or bits.
    Unsigned,
    /// A number with sign.
    Signed,
    /// A floating-point number: single precision, or half where the atomic has 16 bits.
    Float,
}

/// The properties of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The operation.
    pub operation: Operation,
    /// The name in Intel's text, which is printed.
    pub name: &'static str,
    /// The name in the description, if it differs; it is in capitals there.
    pub other: Option<&'static str>,
    /// The sources of the operation.
    pub sources: Sources,
    /// The type of the data.
    pub data: Data,
    /// The value that is stored, of `old`, `src0` and `src1`.
    pub stored: &'static str,
    /// The value that Dst gets.
    pub returned: &'static str,
}

impl Operation {
    /// Returns all operations in the order of their codes.
    pub fn all() -> impl Iterator<Item = Operation> {
        ROWS.iter().map(|row| row.operation)
    }

    /// Returns the operation of a code; `None` for 14, 15 and those from 21 on.
    pub fn from_code(code: u8) -> Option<Operation> {
        Operation::all().find(|operation| operation.code() == code)
    }

    /// Returns the operation of a name: Intel's or the description's, in any case.
    pub fn from_name(name: &str) -> Option<Operation> {
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        let row = ROWS
            .iter()
            .find(|row| is(row.name) || row.other.is_some_and(is));
        row.map(|row| row.operation)
    }

    /// Returns the code, in bits 4–0 of the operation byte.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The operation's row in the table.
    #[expect(
        clippy::missing_panics_doc,
        reason = "every operation has a row, as a test shows"
    )]
    pub fn row(self) -> &'static Row {
        let row = ROWS.iter().find(|row| row.operation == self);
        row.expect("every operation has a row")
    }
}

use Data::*;
use Operation::*;
use Sources::{Ignored, None as No, One, Two};

/// The rows, in the order of the codes.
pub static ROWS: [Row; 19] = [
    row(Add, "add", One, Unsigned, "old + src0"),
    row(Sub, "sub", One, Unsigned, "old - src0"),
    row(Inc, "inc", No, Unsigned, "old + 1"),
    row(Dec, "dec", No, Unsigned, "old - 1"),
    row(Min, "min", One, Unsigned, "min(old, src0)"),
    row(Max, "max", One, Unsigned, "max(old, src0)"),
    row(Xchg, "xchg", One, Unsigned, "src0"),
    row(
        CmpXchg,
        "cmpxchg",
        Two,
        Unsigned,
        "old == src1 ? src0 : old",
    ),
    row(And, "and", One, Unsigned, "old & src0"),
    row(Or, "or", One, Unsigned, "old | src0"),
    row(Xor, "xor", One, Unsigned, "old ^ src0"),
    row(IMin, "minsint", One, Signed, "min(old, src0)").or("imin"),
    row(IMax, "maxsint", One, Signed, "max(old, src0)").or("imax"),
    row(PreDec, "predec", Ignored, Unsigned, "old - 1").gives("old - 1"),
    row(FMax, "fmax", One, Float, "max(old, src0)"),
    row(FMin, "fmin", One, Float, "min(old, src0)"),
    row(FCmpWr, "fcmpwr", Two, Float, "src0 == old ? src1 : old"),
    row(FAdd, "fadd", One, Float, "old + src0"),
    row(FSub, "fsub", One, Float, "old - src0"),
];

const fn row(
    operation: Operation,
    name: &'static str,
    sources: Sources,
    data: Data,
    stored: &'static str,
) -> Row {
    Row {
        operation,
        name,
        other: Option::None,
        sources,
        data,
        stored,
        returned: "old",
    }
}

impl Row {
    const fn or(mut self, name: &'static str) -> Row {
        self.other = Some(name);
        self
    }

    const fn gives(mut self, returned: &'static str) -> Row {
        self.returned = returned;
        self
    }
}
