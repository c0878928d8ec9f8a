//! Messages as editors and build tools read them: `file:line:column: error: …`, then the line, and notes for macros and files around.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use wavetank_asm::{Errors, FilePlace, LineError, Message};
use wavetank_quote::{plain, plain_lines, snippet};

use crate::exit::Failure;
use crate::paint::carets;

/// Returns the name of a source in messages.
pub(super) fn name(path: &Path) -> String {
    if path == Path::new("-") {
        "<stdin>".to_owned()
    } else {
        path.to_string_lossy().into_owned()
    }
}

/// Shows the errors of a source; returns the sentence that ends the call.
pub(super) fn show(path: &Path, errors: &Errors) -> Failure {
    let text: String = errors
        .0
        .iter()
        .map(|error| text(error, "error", &name(path)))
        .collect();
    // A closed stderr is not an error.
    let _ = anstream::stderr().write_all(carets(&text).as_bytes());
    let count = match errors.0.len() {
        1 => "1 error".to_owned(),
        count => format!("{count} errors"),
    };
    let unread = match errors.unread() {
        0 => String::new(),
        lines => format!("; {lines} lines were not read (see -ferror-limit)"),
    };
    Failure::usage(format!("{count} in {}{unread}", plain(&name(path))))
}

/// Shows a message of a source.
pub(super) fn receive(message: &Message) {
    let text = match message {
        Message::Print(_) => format!("{message}\n"),
        Message::Warning { source, line } => text(line, "warning", source),
    };
    // A closed stderr is not an error.
    let _ = anstream::stderr().write_all(carets(&text).as_bytes());
}

/// Returns the text of an error.
fn text(line: &LineError, label: &str, source: &str) -> String {
    let at = |place: &FilePlace| {
        let file = if place.file.is_empty() {
            source
        } else {
            &place.file
        };
        format!("{}:{}:{}", plain(file), place.line, place.column)
    };
    let error = &line.error;
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        text,
        "{}: {label}: {}",
        at(&line.place),
        plain_lines(&error.message)
    );
    let _ = writeln!(text, "{}", snippet(&line.text, &error.span, None));
    if let Some(help) = &error.help {
        let _ = writeln!(text, "{}: note: {}", at(&line.place), plain_lines(help));
    }
    for (place, sentence) in line.users.iter().zip(&line.around) {
        let _ = writeln!(text, "{}: note: {sentence}", at(place));
    }
    text
}
