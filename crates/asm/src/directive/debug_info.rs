//! Debug directives: source lines (`.file`, `.loc`), call frames (`.cfi_…`, which are ignored) and `.ident`.

use std::rc::Rc;

use crate::assembler::too_large;
use crate::session::{Handler, Session, row};
use crate::source::{Cursor, SyntaxError, syntax_error};
use crate::state::{File, Key, LineRow as Row};
use wavetank_link::elf::{SHF_MERGE, SHF_STRINGS, SHT_PROGBITS, STT_FILE};

/// Limit of file numbers: no compiler emits more.
const MOST_FILES: u64 = 1 << 20;

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".file", file),
    row(".loc", loc),
    row(".ident", ident),
    // Debuggers of old took it; LLVM's assembler reads it without effect.
    row(".line", |a, mut c| { if !c.is_at_end() { a.asm.number(&mut c)?; } c.end() }),
    // No debugger unwinds frames of GPU code yet, so these directives are read and have no effect.
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

fn skip(_: &mut Session<'_>, _: Cursor<'_>) -> Result<(), SyntaxError> {
    Ok(())
}

/// Reads `.file "NAME"`, or `.file N "FOLDER" "NAME" md5 0x… source "…"`.
fn file(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    if cursor.peek() == b'"' {
        let name = cursor.name()?;
        let id = a.asm.symbols.id(&name);
        let symbol = &mut a.asm.symbols[id];
        symbol.kind = STT_FILE;
        symbol.used = true;
        return cursor.end();
    }
    a.asm.leave_own_lines();
    let place = cursor.span();
    let number = a.asm.count(&mut cursor)?;
    if number > MOST_FILES {
        return Err(syntax_error(
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
                let sum =
                    sum.map_err(|_| syntax_error(place, "there should be 32 hexadecimal digits"))?;
                md5 = Some(sum.to_be_bytes());
            }
            "source" => drop(cursor.quoted()?),
            _ => return Err(cursor.syntax_error("there should be `md5` or `source`")),
        }
    }
    cursor.end()?;
    let files = &mut a.asm.lines.files;
    let at = number as usize;
    if files.len() <= at {
        files.resize(at + 1, None);
    }
    files[at] = Some(File { folder, name, md5 });
    Ok(())
}

/// Reads `.loc FILE LINE COLUMN OPTIONS`.
fn loc(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    a.asm.leave_own_lines();
    let place = cursor.span();
    let file = a.asm.count(&mut cursor)?;
    if a.asm
        .lines
        .files
        .get(file as usize)
        .is_none_or(Option::is_none)
    {
        return Err(syntax_error(
            place,
            format_args!("there is no `.file {file}`"),
        ));
    }
    let mut row = Row {
        file,
        line: 0,
        ..Row::FIRST
    };
    if cursor.peek().is_ascii_digit() {
        row.line = a.asm.count(&mut cursor)?;
    }
    if cursor.peek().is_ascii_digit() {
        row.column = a.asm.count(&mut cursor)?;
    }
    while !cursor.is_at_end() {
        let place = cursor.span();
        match cursor.word() {
            Some("basic_block") => row.basic_block = true,
            Some("prologue_end") => row.prologue_end = true,
            Some("epilogue_begin") => row.epilogue_begin = true,
            Some("is_stmt") => row.is_statement = a.asm.number(&mut cursor)? != 0,
            Some("isa") => row.isa = a.asm.count(&mut cursor)?,
            Some("discriminator") => row.discriminator = a.asm.count(&mut cursor)?,
            Some("view") => drop(a.asm.expr(&mut cursor)?),
            _ => return Err(syntax_error(place, "this is not an option of `.loc`")),
        }
    }
    // The pending row begins here first: of two `.loc` in a row, each gets a row at this location.
    a.asm.lines.begin_pending_row(a.asm.sections.location());
    a.asm.lines.pending = Some(row);
    Ok(())
}

/// Handles `.ident "TEXT"`: appends it to `.comment`, whose first text is empty.
fn ident(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
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
        .asm
        .sections
        .get(&key, SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, 1);
    let here = std::mem::replace(&mut a.asm.sections.current, id);
    let first = !std::mem::replace(&mut a.notes.has_ident, true);
    let texts = if first {
        [&[0], text.as_slice()].concat()
    } else {
        text
    };
    let done = a.asm.sections.append(&texts).map_err(too_large);
    a.asm.sections.current = here;
    done
}
