//! Lines of sources, for debuggers: `.file`, `.loc`, and what unwinds frames.

use std::rc::Rc;

use super::{Handler, row};
use crate::assembler::{Assembler, too_large};
use crate::source::{Cursor, Wrong, wrong};
use crate::state::{Key, Spot};
use wavetank_link::elf::{SHF_MERGE, SHF_STRINGS, SHT_PROGBITS, STT_FILE};

/// Files that a source can number: what is beyond is no compiler's.
const MOST_FILES: u64 = 1 << 20;

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".file", file),
    row(".loc", loc),
    row(".ident", ident),
    // Frames of GPU code are unwound by nobody yet: they are read, and leave nothing.
    row(".cfi_sections", skip),
    row(".cfi_startproc", skip),
    row(".cfi_endproc", skip),
    row(".cfi_def_cfa", skip),
    row(".cfi_def_cfa_offset", skip),
    row(".cfi_def_cfa_register", skip),
    row(".cfi_llvm_def_aspace_cfa", skip),
    row(".cfi_adjust_cfa_offset", skip),
    row(".cfi_offset", skip),
    row(".cfi_rel_offset", skip),
    row(".cfi_register", skip),
    row(".cfi_restore", skip),
    row(".cfi_undefined", skip),
    row(".cfi_same_value", skip),
    row(".cfi_remember_state", skip),
    row(".cfi_restore_state", skip),
    row(".cfi_return_column", skip),
    row(".cfi_signal_frame", skip),
    row(".cfi_escape", skip),
    row(".cfi_personality", skip),
    row(".cfi_lsda", skip),
    row(".cfi_window_save", skip),
    row(".cfi_negate_ra_state", skip),
];

/// The files and rows of the line table.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// By number.
    pub files: Vec<Option<File>>,
    pub rows: Vec<Row>,
    /// The row that the next instruction begins.
    pending: Option<Row>,
}

/// A file of the table.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub folder: Option<Rc<str>>,
    pub name: Rc<str>,
    pub md5: Option<[u8; 16]>,
}

/// Which line an instruction comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub spot: Option<Spot>,
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

impl Row {
    /// What is so before the first (DWARF 5, 6.2.2, table 6.3).
    pub const FIRST: Row = Row {
        spot: None,
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
    /// Code or data stand at a spot: they begin the row that is pending.
    #[inline]
    pub fn settle(&mut self, spot: Spot) {
        if let Some(row) = self.pending.take() {
            self.rows.push(Row {
                spot: Some(spot),
                ..row
            });
        }
    }
}

fn skip(_: &mut Assembler<'_>, _: Cursor<'_>) -> Result<(), Wrong> {
    Ok(())
}

/// `.file "NAME"`, or `.file N "FOLDER" "NAME" md5 0x… source "…"`
fn file(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    if cursor.peek() == b'"' {
        let name = cursor.name()?;
        let id = a.symbols.id(&name);
        let symbol = &mut a.symbols[id];
        symbol.kind = STT_FILE;
        symbol.used = true;
        return cursor.end();
    }
    let place = cursor.span();
    let number = a.count(&mut cursor)?;
    if number > MOST_FILES {
        return Err(wrong(
            place,
            format_args!("files are numbered up to {MOST_FILES}"),
        ));
    }
    let first: Rc<str> = cursor.name()?.into();
    let (folder, name) = match cursor.peek() {
        b'"' => (Some(first), cursor.name()?.into()),
        _ => (None, first),
    };
    let mut md5 = None;
    while let Some(word) = cursor.word() {
        match word {
            "md5" => {
                let place = cursor.span();
                let piece = cursor.piece();
                let digits = piece.strip_prefix("0x").unwrap_or(piece);
                let sum = u128::from_str_radix(digits, 16);
                let sum = sum.map_err(|_| wrong(place, "there should be 32 hexadecimal digits"))?;
                md5 = Some(sum.to_be_bytes());
            }
            "source" => drop(cursor.quoted()?),
            _ => return Err(cursor.wrong("there should be `md5` or `source`")),
        }
    }
    cursor.end()?;
    let files = &mut a.table.files;
    let at = number as usize;
    if files.len() <= at {
        files.resize(at + 1, None);
    }
    files[at] = Some(File { folder, name, md5 });
    Ok(())
}

/// `.loc FILE LINE COLUMN OPTIONS`
fn loc(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let place = cursor.span();
    let file = a.count(&mut cursor)?;
    if a.table.files.get(file as usize).is_none_or(Option::is_none) {
        return Err(wrong(place, format_args!("there is no `.file {file}`")));
    }
    let mut row = Row {
        file,
        line: 0,
        ..Row::FIRST
    };
    if cursor.peek().is_ascii_digit() {
        row.line = a.count(&mut cursor)?;
    }
    if cursor.peek().is_ascii_digit() {
        row.column = a.count(&mut cursor)?;
    }
    while !cursor.is_at_end() {
        let place = cursor.span();
        match cursor.word() {
            Some("basic_block") => row.basic_block = true,
            Some("prologue_end") => row.prologue_end = true,
            Some("epilogue_begin") => row.epilogue_begin = true,
            Some("is_stmt") => row.is_statement = a.number(&mut cursor)? != 0,
            Some("isa") => row.isa = a.count(&mut cursor)?,
            Some("discriminator") => row.discriminator = a.count(&mut cursor)?,
            Some("view") => drop(a.expr(&mut cursor)?),
            _ => return Err(wrong(place, "this is no option of `.loc`")),
        }
    }
    // Of two in a row, each stands for what is here.
    a.table.settle(a.sections.spot());
    a.table.pending = Some(row);
    Ok(())
}

/// `.ident "TEXT"`: into `.comment`, whose first text is empty.
fn ident(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let mut text = cursor.quoted()?;
    cursor.end()?;
    text.push(0);
    let key = Key {
        name: ".comment".into(),
        group: None,
        unique: None,
        subsection: 0,
    };
    let (id, _) = a
        .sections
        .get(&key, SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, 1);
    let here = std::mem::replace(&mut a.sections.current, id);
    let first = !std::mem::replace(&mut a.notes.has_ident, true);
    let texts = if first {
        [&[0], text.as_slice()].concat()
    } else {
        text
    };
    let done = a.sections.append(&texts).map_err(too_large);
    a.sections.current = here;
    done
}
