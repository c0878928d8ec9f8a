//! The rows of the line table, which `.file` and `.loc` add.

use std::rc::Rc;

use super::Location;

/// The files and rows of the line table.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// The files by number; unused numbers are `None`.
    pub files: Vec<Option<File>>,
    pub rows: Vec<LineRow>,
    /// The row that begins with the next instruction.
    pub pending: Option<LineRow>,
}

/// A file of the line table.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub folder: Option<Rc<str>>,
    pub name: Rc<str>,
    pub md5: Option<[u8; 16]>,
}

/// A row of the line table: the source position of the code from a location on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineRow {
    pub location: Option<Location>,
    pub file: u64,
    pub line: u64,
    pub column: u64,
    pub is_statement: bool,
    pub basic_block: bool,
    pub prologue_end: bool,
    pub epilogue_begin: bool,
    pub isa: u64,
    pub discriminator: u64,
}

impl LineRow {
    /// The initial state of the line number program (DWARF 5, 6.2.2, table 6.3).
    pub(crate) const FIRST: LineRow = LineRow {
        location: None,
        file: 1,
        line: 1,
        column: 0,
        is_statement: true,
        basic_block: false,
        prologue_end: false,
        epilogue_begin: false,
        isa: 0,
        discriminator: 0,
    };
}

impl Lines {
    /// Begins the pending row at a location, just before code or data are appended there.
    #[inline]
    pub(crate) fn begin_pending_row(&mut self, location: Location) {
        if let Some(row) = self.pending.take() {
            self.rows.push(LineRow {
                location: Some(location),
                ..row
            });
        }
    }
}
