//! Whole sources, with one statement a line.

use std::fmt;

use crate::text_error::TextError;

/// A line of a source with a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line<T> {
    /// The number of the line, from 1.
    pub number: usize,
    /// The statement of the line.
    pub statement: T,
}

/// A wrong line, shown with its number, its text, and a caret under the place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineError {
    /// The number of the line, from 1.
    pub number: usize,
    /// The line as it was written.
    pub text: String,
    /// The error; its place refers to `text`.
    pub error: TextError,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LineError {
            number,
            text,
            error,
        } = self;
        let column = error.column(text);
        let snippet = error.snippet(text);
        write!(f, "line {number}, column {column}: {error}\n{snippet}")
    }
}

/// Reads a source up to the `most`th wrong line. `read` returns the statement of a line, if it has one.
pub(crate) fn read_lines<T>(
    source: &str,
    most: usize,
    mut read: impl FnMut(&str) -> Result<Option<T>, TextError>,
) -> (Vec<Line<T>>, Vec<LineError>) {
    let (mut lines, mut errors) = (Vec::new(), Vec::new());
    for (n, text) in source.lines().enumerate() {
        if errors.len() >= most {
            break;
        }
        let number = n + 1;
        match read(text) {
            Ok(Some(statement)) => lines.push(Line { number, statement }),
            Ok(None) => {}
            Err(error) => errors.push(LineError {
                number,
                text: text.to_owned(),
                error,
            }),
        }
    }
    (lines, errors)
}
