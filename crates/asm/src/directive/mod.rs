//! Directives: each a row with its name and what it does, in the file of its subject.

mod amdhsa;
mod clrx;
mod conditional;
mod data;
mod fields;
mod file;
mod kernel_code;
mod lines;
mod macros;
mod notes;
mod repeat;
mod section;
mod space;
mod symbol;

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::assembler::Assembler;
use crate::source::{Cursor, Wrong};
use wavetank_isa::Dialect;

pub(crate) use amdhsa::Kernel;
pub(crate) use clrx::{HIDDEN, Loop, Program};
pub(crate) use conditional::Condition;
pub(crate) use data::fits;
pub(crate) use fields::{descriptor_fields, extra_sgprs};
pub(crate) use kernel_code::kernel_code_fields;
pub(crate) use lines::{File, Lines, Row};
pub(crate) use macros::Macro;
pub(crate) use notes::Notes;
pub(crate) use space::align_to;

/// What a directive does; the cursor stands at its operands.
type Act = fn(&mut Assembler<'_>, Cursor<'_>) -> Result<(), Wrong>;

/// A directive.
pub(crate) struct Handler {
    name: &'static str,
    act: Act,
    /// Whether it is read where others are skipped: it may end the skipping.
    decides: bool,
}

/// The row of a directive.
const fn row(name: &'static str, act: Act) -> Handler {
    Handler {
        name,
        act,
        decides: false,
    }
}

impl Handler {
    /// The row of a directive that is read where others are skipped.
    const fn deciding(name: &'static str, act: Act) -> Handler {
        Handler {
            decides: true,
            ..row(name, act)
        }
    }

    pub fn run(&self, assembler: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), Wrong> {
        (self.act)(assembler, cursor)
    }

    pub fn decides(&self) -> bool {
        self.decides
    }
}

/// The directives of a dialect by name. What LLVM has, CLRX has as well, but for what means something else there.
pub(crate) fn handlers(dialect: Dialect) -> &'static HashMap<&'static str, Handler> {
    static LLVM: OnceLock<HashMap<&'static str, Handler>> = OnceLock::new();
    static CLRX: OnceLock<HashMap<&'static str, Handler>> = OnceLock::new();
    let by_name = |row: Handler| (row.name, row);
    match dialect {
        Dialect::Llvm => LLVM.get_or_init(|| shared().map(by_name).collect()),
        // Of rows with the same name the last counts.
        Dialect::Clrx => CLRX.get_or_init(|| shared().chain(clrx::rows()).map(by_name).collect()),
    }
}

/// The rows of LLVM's dialect.
fn shared() -> impl Iterator<Item = Handler> {
    let rows = [
        amdhsa::ROWS,
        conditional::ROWS,
        conditional::PARTS,
        data::ROWS,
        file::ROWS,
        kernel_code::ROWS,
        lines::ROWS,
        macros::ROWS,
        notes::ROWS,
        repeat::ROWS,
        section::ROWS,
        space::ROWS,
        symbol::ROWS,
    ];
    rows.into_iter().flatten().map(|row| Handler { ..*row })
}

/// Reads operands apart by commas, until the end.
fn each_operand(
    cursor: &mut Cursor<'_>,
    mut read: impl FnMut(&mut Cursor<'_>) -> Result<(), Wrong>,
) -> Result<(), Wrong> {
    if cursor.is_at_end() {
        return Ok(());
    }
    loop {
        read(cursor)?;
        if cursor.is_at_end() {
            return Ok(());
        }
        cursor.expect_comma()?;
    }
}
