//! Expressions of assembly: numbers, symbols and differences of places, whose values may become known after they are read.

mod number;
mod parse;
mod reduce;

use std::fmt;

use crate::state::{Location, SymbolId};

pub(crate) use number::{fits, float, single};
pub(crate) use parse::Reader;
pub(crate) use reduce::{Base, Reduced, Values};

/// An expression. A part that is known when it is read is a number already.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Expr {
    /// A number of 64 bits, with or without sign.
    Number(i64),
    /// A symbol, and the form in which a relocation gives its address.
    Symbol(SymbolId, Variant),
    /// The location of `.` at the place where it was read.
    Place(Location),
    /// An operator with one operand.
    Unary(Unary, Box<Expr>),
    /// An operator with two operands.
    Binary(Binary, Box<[Expr; 2]>),
    /// CLRX's `a ? b : c`: the second operand if the first is not zero, otherwise the third.
    Choice(Box<[Expr; 3]>),
    /// A function that newer compilers use in kernel descriptors.
    Call(Function, Vec<Expr>),
}

impl Expr {
    /// Whether a symbol occurs in the expression.
    pub(crate) fn names(&self, id: SymbolId) -> bool {
        match self {
            Expr::Symbol(other, _) => *other == id,
            Expr::Unary(_, operand) => operand.names(id),
            Expr::Binary(_, operands) => operands.iter().any(|operand| operand.names(id)),
            Expr::Choice(operands) => operands.iter().any(|operand| operand.names(id)),
            Expr::Call(_, operands) => operands.iter().any(|operand| operand.names(id)),
            Expr::Number(_) | Expr::Place(_) => false,
        }
    }
}

/// The relocation variant after a symbol's `@`: how the linker computes a number from its address (LLVM's "User Guide for AMDGPU
/// Backend", "Relocation Records").
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Variant {
    /// The address itself, without a variant.
    #[default]
    None,
    GotPcRel,
    GotPcRel32Lo,
    GotPcRel32Hi,
    Rel32Lo,
    Rel32Hi,
    Rel64,
    Abs32Lo,
    Abs32Hi,
}

impl Variant {
    /// All variants except the plain address, with their names.
    pub(crate) const ALL: [(&'static str, Variant); 8] = [
        ("gotpcrel", Variant::GotPcRel),
        ("gotpcrel32@lo", Variant::GotPcRel32Lo),
        ("gotpcrel32@hi", Variant::GotPcRel32Hi),
        ("rel32@lo", Variant::Rel32Lo),
        ("rel32@hi", Variant::Rel32Hi),
        ("rel64", Variant::Rel64),
        ("abs32@lo", Variant::Abs32Lo),
        ("abs32@hi", Variant::Abs32Hi),
    ];
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unary {
    Minus,
    Not,
    IsZero,
}

impl Unary {
    pub(crate) fn of(self, value: i64) -> i64 {
        match self {
            Unary::Minus => value.wrapping_neg(),
            Unary::Not => !value,
            Unary::IsZero => (value == 0).into(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Binary {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Sub,
    BitOr,
    BitOrNot,
    BitXor,
    BitAnd,
    Mul,
    Div,
    Mod,
    Shl,
    Shr,
    // Unsigned operators, and an arithmetic shift, which only CLRX has.
    Above,
    AboveEqual,
    Below,
    BelowEqual,
    UnsignedDiv,
    UnsignedMod,
    SignedShr,
}

impl Binary {
    /// The operators with their signs and precedences, as in GNU's and LLVM's assemblers. A sign that begins with another one
    /// comes before it.
    pub(crate) const ALL: [(&'static str, Binary, u8); 21] = [
        ("||", Binary::Or, 1),
        ("&&", Binary::And, 2),
        ("==", Binary::Equal, 3),
        ("!=", Binary::NotEqual, 3),
        ("<>", Binary::NotEqual, 3),
        ("<<", Binary::Shl, 6),
        (">>", Binary::Shr, 6),
        ("<=", Binary::LessEqual, 3),
        (">=", Binary::GreaterEqual, 3),
        ("<", Binary::Less, 3),
        (">", Binary::Greater, 3),
        ("+", Binary::Add, 4),
        ("-", Binary::Sub, 4),
        ("|", Binary::BitOr, 5),
        ("!", Binary::BitOrNot, 5),
        ("^", Binary::BitXor, 5),
        ("&", Binary::BitAnd, 5),
        ("*", Binary::Mul, 6),
        ("/", Binary::Div, 6),
        ("%", Binary::Mod, 6),
        ("=", Binary::Equal, 3),
    ];

    /// Operators that only CLRX has, or has with another meaning ("CLRX Assembler Syntax", "Expressions").
    pub(crate) const CLRX: [(&'static str, Binary, u8); 9] = [
        ("<=@", Binary::BelowEqual, 3),
        (">=@", Binary::AboveEqual, 3),
        ("<@", Binary::Below, 3),
        (">@", Binary::Above, 3),
        (">>>", Binary::SignedShr, 6),
        ("//", Binary::UnsignedDiv, 6),
        ("%%", Binary::UnsignedMod, 6),
        ("||", Binary::Or, 1),
        ("&&", Binary::And, 1),
    ];

    /// Returns the result for two numbers, or `None` for a division by zero. True is -1, except for `||` and `&&`.
    pub(crate) fn of(self, a: i64, b: i64) -> Option<i64> {
        let truth = |is: bool| -i64::from(is);
        let shift = |shifted: fn(u64, u32) -> u64| match u32::try_from(b) {
            Ok(bits @ 0..=63) => shifted(a as u64, bits) as i64,
            _ => 0,
        };
        Some(match self {
            Binary::Or => (a != 0 || b != 0).into(),
            Binary::And => (a != 0 && b != 0).into(),
            Binary::Equal => truth(a == b),
            Binary::NotEqual => truth(a != b),
            Binary::Less => truth(a < b),
            Binary::LessEqual => truth(a <= b),
            Binary::Greater => truth(a > b),
            Binary::GreaterEqual => truth(a >= b),
            Binary::Add => a.wrapping_add(b),
            Binary::Sub => a.wrapping_sub(b),
            Binary::BitOr => a | b,
            Binary::BitOrNot => a | !b,
            Binary::BitXor => a ^ b,
            Binary::BitAnd => a & b,
            Binary::Mul => a.wrapping_mul(b),
            Binary::Div => (b != 0).then(|| a.wrapping_div(b))?,
            Binary::Mod => (b != 0).then(|| a.wrapping_rem(b))?,
            Binary::Shl => shift(|a, bits| a << bits),
            // An unsigned shift, as in LLVM's assembler for this target.
            Binary::Shr => shift(|a, bits| a >> bits),
            Binary::SignedShr => a >> u32::try_from(b).unwrap_or(63).min(63),
            Binary::Above => truth(a as u64 > b as u64),
            Binary::AboveEqual => truth(a as u64 >= b as u64),
            Binary::Below => truth((a as u64) < b as u64),
            Binary::BelowEqual => truth(a as u64 <= b as u64),
            Binary::UnsignedDiv => (a as u64).checked_div(b as u64)? as i64,
            Binary::UnsignedMod => (a as u64).checked_rem(b as u64)? as i64,
        })
    }
}

/// The functions that LLVM 19 and later write into the fields of kernel descriptors (the guide, "Kernel Resource Usage").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Function {
    Max,
    Or,
    AlignTo,
    /// SGPRs for VCC, FLAT_SCRATCH and XNACK_MASK.
    ExtraSgprs,
    /// VGPRs together with AGPRs.
    TotalVgprs,
}

impl Function {
    /// All functions, with their names and numbers of operands (`None`: one or more).
    pub(crate) const ALL: [(&'static str, Function, Option<usize>); 5] = [
        ("max", Function::Max, None),
        ("or", Function::Or, None),
        ("alignto", Function::AlignTo, Some(2)),
        ("extrasgprs", Function::ExtraSgprs, Some(3)),
        ("totalnumvgprs", Function::TotalVgprs, Some(2)),
    ];
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Function::ALL.iter().find(|row| row.1 == *self);
        f.write_str(name.map_or("", |row| row.0))
    }
}
