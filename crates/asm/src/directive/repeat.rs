//! Repetitions: text that is read several times.

use std::rc::Rc;

use crate::session::{Handler, LARGEST, Session, alone, arguments_of, row, substitute};
use crate::source::{Cursor, OriginKind, Repeat, SyntaxError, syntax_error};

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".rept", times),
    row(".rep", times),
    row(".irp", |a, c| each(a, c, ".irp")),
    row(".irpc", |a, c| each(a, c, ".irpc")),
    row(".endr", |_, c| alone(c, ".rept")),
];

/// Directives that begin a repetition, so that each end belongs to the innermost one.
const BEGINS: &[&str] = &[".rept", ".rep", ".irp", ".irpc", ".for", ".while"];

/// Reads the body of a repetition.
pub(super) fn body_of(a: &mut Session<'_>, head: &Cursor<'_>) -> Result<String, SyntaxError> {
    a.body(BEGINS, &[".endr", ".endrept"], head)
}

/// Handles `.rept COUNT`, which repeats a body.
fn times(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let head = cursor;
    let line = a.asm.at.line;
    let count = a
        .asm
        .count(&mut cursor)
        .and_then(|count| cursor.end().map(|()| count));
    let text = body_of(a, &head)?;
    match count? {
        0 => Ok(()),
        count => begin(
            a,
            &head,
            line,
            ".rept",
            text.into(),
            Repeat::Times(count - 1),
        ),
    }
}

/// Handles `.irp NAME, A, B, …` and `.irpc NAME, CHARACTERS`.
fn each(a: &mut Session<'_>, cursor: Cursor<'_>, name: &'static str) -> Result<(), SyntaxError> {
    let head = cursor;
    let line = a.asm.at.line;
    let values = values(cursor, name);
    let text = body_of(a, &head)?;
    let (parameter, values) = values?;
    let (mut texts, mut size) = (Vec::new(), 0);
    for value in values {
        let out = substitute(&text, &[&parameter], &[value], a.expansions, a.alternate);
        size += out.len();
        if size > LARGEST {
            let message = format!("`{name}` grows to more than 16 megabytes here");
            return Err(syntax_error(0..head.text().len(), message));
        }
        texts.push(Rc::<str>::from(out));
    }
    let mut texts = texts.into_iter();
    match texts.next() {
        Some(first) => begin(a, &head, line, name, first, Repeat::Texts(texts)),
        None => Ok(()),
    }
}

/// Reads the parameter of a repetition, and its values.
fn values(mut cursor: Cursor<'_>, name: &str) -> Result<(String, Vec<String>), SyntaxError> {
    let parameter = cursor.name()?.into_owned();
    cursor.comma();
    let rest = cursor.rest().trim_end();
    let values = match name {
        ".irpc" => rest.chars().map(String::from).collect(),
        _ => arguments_of(&mut cursor)?,
    };
    Ok((parameter, values))
}

/// Starts a repetition: the session reads its body next.
pub(super) fn begin(
    a: &mut Session<'_>,
    cursor: &Cursor<'_>,
    line: usize,
    name: &'static str,
    text: Rc<str>,
    repeat: Repeat,
) -> Result<(), SyntaxError> {
    let conditions = a.conditions.len();
    if a.inputs.push(
        OriginKind::Repetition(name),
        text,
        Some(line),
        repeat,
        conditions,
    ) {
        Ok(())
    } else {
        Err(syntax_error(
            0..cursor.text().len(),
            "this stands too deep within macros and repetitions",
        ))
    }
}
