//! The printer of the text form: one operation a line, readable beside the manual.
//!
//! ```text
//! block 0x100
//!     inst 0x100 valu
//!     %1:v32 = read v1
//!     %2:v32 = read v2
//!     %3:v32 = fadd.f32 %1, %2 fp(zero, flush_in)
//!     %4:mask = read m[126:127]
//!     write v0, %3, %4
//!     end_program
//! ```
//!
//! Values are `%n`, since `v3` is a vector register. The float environment is shown if it differs from the default, the bytes of
//! a write if they are not all four.

use std::fmt::{self, Display, Formatter, Write};

use crate::form::Form;
use crate::mem::{Access, DataReg};
use crate::op::{Block, Node};
use crate::operations::Op;
use crate::types::{Fp, Round, Value};

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "block {:#x}", self.pc)?;
        for (i, node) in self.nodes.iter().enumerate() {
            f.write_str("    ")?;
            if let Some(ty) = node.ty {
                write!(f, "%{i}:{ty} = ")?;
            }
            writeln!(f, "{}", node.op)?;
        }
        Ok(())
    }
}

/// A node alone has no number: `_:v32 = …`.
impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(ty) = self.ty {
            write!(f, "_:{ty} = ")?;
        }
        self.op.fmt(f)
    }
}

/// The differences from the default as ` fp(…)`; nothing if there are none.
impl Display for Fp {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if *self == Fp::default() {
            return Ok(());
        }
        let round = (self.round != Round::Nearest).then(|| self.round.text());
        let flags = [
            (self.flush_in, "flush_in"),
            (self.flush_out, "flush_out"),
            (self.ieee, "ieee"),
        ];
        let flags = flags.iter().filter(|(on, _)| *on).map(|(_, name)| *name);
        f.write_str(" fp(")?;
        list(f, round.into_iter().chain(flags))?;
        f.write_str(")")
    }
}

fn list<T: Display>(f: &mut Formatter<'_>, items: impl IntoIterator<Item = T>) -> fmt::Result {
    for (i, item) in items.into_iter().enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        item.fmt(f)?;
    }
    Ok(())
}

/// The line of an operation while it is written: a name, then operands.
pub(crate) struct Out<'a, 'f> {
    f: &'a mut Formatter<'f>,
    /// The separator before the next operand.
    separator: &'static str,
    /// Whether the following fields are written with their names.
    pub(crate) by_name: bool,
    /// The name of the next field.
    pub(crate) field: &'static str,
}

impl Out<'_, '_> {
    /// Writes a piece of the name.
    pub(crate) fn name(&mut self, piece: &str) -> fmt::Result {
        self.f.write_str(piece)
    }

    /// Writes `.piece`, a suffix of the name.
    pub(crate) fn suffix(&mut self, piece: &str) -> fmt::Result {
        write!(self.f, ".{piece}")
    }

    /// Writes a word among the operands, without a comma on either side.
    pub(crate) fn word(&mut self, word: &str) -> fmt::Result {
        self.separator = " ";
        write!(self.f, " {word}")
    }

    /// Writes an operand with its separator.
    pub(crate) fn item(&mut self, item: impl Display) -> fmt::Result {
        let before = std::mem::replace(&mut self.separator, ", ");
        if self.by_name {
            write!(self.f, "{before}{} {item}", self.field)
        } else {
            write!(self.f, "{before}{item}")
        }
    }

    /// Writes a flag, whose name is its text.
    pub(crate) fn flag(&mut self) -> fmt::Result {
        write!(self.f, ", {}", self.field)
    }

    /// Writes text directly after the rest.
    pub(crate) fn attached(&mut self, rest: impl Display) -> fmt::Result {
        rest.fmt(self.f)
    }
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut out = Out {
            f,
            separator: " ",
            by_name: false,
            field: "",
        };
        Op::print(self, &mut out)
    }
}

/// A list of values, `[%1, %2]`, or in other brackets.
pub(crate) struct In<'a>(pub(crate) [char; 2], pub(crate) &'a [Value]);

impl Display for In<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let In([open, close], values) = self;
        f.write_char(*open)?;
        list(f, *values)?;
        f.write_char(*close)
    }
}

/// The table of a shuffle, with ascending runs as `first-last`.
pub(crate) struct Runs<'a>(pub(crate) &'a [u8; 64]);

impl Display for Runs<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        let runs = self.0.chunk_by(|&x, &y| x.checked_add(1) == Some(y));
        for (i, run) in runs.enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            match run {
                [one] => write!(f, "{one}")?,
                _ => write!(f, "{}-{}", run[0], run[run.len() - 1])?,
            }
        }
        f.write_str("]")
    }
}

impl Display for DataReg {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            DataReg::V(n) => write!(f, "v{n}"),
            DataReg::S(n) => write!(f, "s{n}"),
        }
    }
}

impl Display for Access {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Access::U8 => f.write_str("u8"),
            Access::I8 => f.write_str("i8"),
            Access::U16 => f.write_str("u16"),
            Access::I16 => f.write_str("i16"),
            Access::Dwords(n) => write!(f, "dwords {n}"),
        }
    }
}
