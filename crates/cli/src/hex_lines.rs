//! Lines of hexadecimal code, each to a line of text.

use std::fmt::Display;
use std::io::Write;
use std::path::Path;

use crate::exit::{Failure, Result};
use crate::input::read_text;
use crate::output::Output;

/// Prints a line for each line of a file, by a function that appends its text.
///
/// Returns the numbers of the wrong lines, each with its error.
pub(crate) fn print_lines<E>(
    file: &Path,
    mut append: impl FnMut(&str, &mut String) -> Result<(), E>,
) -> Result<Vec<(usize, E)>> {
    let source = read_text(file)?;
    let mut out = Output::new();
    let mut wrong = Vec::new();
    for (n, line) in source.lines().enumerate() {
        match append(line, &mut out.text) {
            Ok(()) => out.text.push('\n'),
            Err(error) => wrong.push((n + 1, error)),
        }
        out.settle();
    }
    out.finish()?;
    Ok(wrong)
}

/// Shows the wrong lines on stderr, each with its error.
///
/// # Errors
/// The sentence that counts them, if there are any.
pub(crate) fn refuse(file: &Path, wrong: &[(usize, impl Display)]) -> Result {
    let lines = match wrong.len() {
        0 => return Ok(()),
        1 => "1 line is".to_owned(),
        n => format!("{n} lines are"),
    };
    let line = |(n, error): &(usize, _)| format!("line {n}: {error}\n");
    let text: String = wrong.iter().map(line).collect();
    // If stderr is closed, the message has no reader.
    let _ = anstream::stderr().write_all(text.as_bytes());
    Err(Failure::usage(format!("{lines} no hexadecimal bytes")).of(file))
}
