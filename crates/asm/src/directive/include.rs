//! `.include` and `.incbin`, `.end`, and the messages `.print`, `.warning` and `.error`; directives for printed listings, which
//! have no effect here.

use crate::session::{Handler, ROUND, Session, row};
use crate::source::{Cursor, OriginKind, Repeat, SyntaxError, syntax_error, text_of};

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".include", include),
    row(".incbin", incbin),
    row(".end", |a, c| { a.ended = true; c.end() }),
    row(".err", |_, c| Err(syntax_error(0..c.text().len(), "the source says that it is wrong here"))),
    row(".error", error),
    row(".warning", warning),
    row(".print", print),
    row(".title", ignore),
    row(".list", ignore),
    row(".nolist", ignore),
    row(".page", ignore),
];

/// Skips a directive for printed listings.
fn ignore(_: &mut Session<'_>, _: Cursor<'_>) -> Result<(), SyntaxError> {
    Ok(())
}

/// Reads the name of a file, and its contents.
fn read(a: &Session<'_>, cursor: &mut Cursor<'_>) -> Result<(String, Vec<u8>), SyntaxError> {
    let start = cursor.at();
    let name = cursor.quoted()?;
    let place = start..cursor.text()[..cursor.at()].trim_end().len();
    let name = String::from_utf8(name)
        .map_err(|_| syntax_error(place.clone(), "this name is not UTF-8"))?;
    match a.files.read(&name) {
        Ok(bytes) => Ok((name, bytes)),
        Err(why) => Err(syntax_error(place, format_args!("{name} {why}"))),
    }
}

fn include(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = cursor.at()..cursor.text().len();
    let (name, bytes) = read(a, &mut cursor)?;
    cursor.end()?;
    let (line, conditions) = (a.asm.at.line, a.conditions.len());
    let kind = OriginKind::File(name.as_str().into());
    let again = a.inputs.reads(&name);
    a.count_lines(ROUND);
    match a.inputs.push(
        kind,
        text_of(bytes).into(),
        Some(line),
        Repeat::Once,
        conditions,
    ) {
        true => Ok(()),
        false if again => Err(syntax_error(
            place,
            format_args!("{name} includes itself without end"),
        )),
        false => Err(syntax_error(
            place,
            format_args!("{name} stands too deep within files and macros"),
        )),
    }
}

/// Handles `.incbin FILE, SKIPPED, COUNT`.
fn incbin(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let (_, bytes) = read(a, &mut cursor)?;
    let (mut skipped, mut count) = (0, u64::MAX);
    if cursor.comma() {
        if cursor.peek() != b',' {
            skipped = a.asm.count(&mut cursor)?;
        }
        if cursor.comma() {
            count = a.asm.count(&mut cursor)?;
        }
    }
    cursor.end()?;
    let start = skipped.min(bytes.len() as u64) as usize;
    let end = start + count.min((bytes.len() - start) as u64) as usize;
    a.asm.append(&bytes[start..end])
}

/// Handles `.error` with an optional text.
fn error(_: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = 0..cursor.text().len();
    let text = if cursor.is_at_end() {
        "the source says that it is wrong here".to_owned()
    } else {
        quoted_text(&mut cursor)?
    };
    Err(syntax_error(place, text))
}

/// Handles `.warning` with an optional text.
fn warning(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = 0..cursor.text().trim_end().len();
    let text = if cursor.is_at_end() {
        "the source warns here".to_owned()
    } else {
        quoted_text(&mut cursor)?
    };
    cursor.end()?;
    a.warn(*syntax_error(place, text));
    Ok(())
}

/// Handles `.print TEXT`.
fn print(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let text = quoted_text(&mut cursor)?;
    cursor.end()?;
    a.print(text);
    Ok(())
}

/// Reads a text in quotes, for a message.
fn quoted_text(cursor: &mut Cursor<'_>) -> Result<String, SyntaxError> {
    Ok(String::from_utf8_lossy(&cursor.quoted()?).into_owned())
}
