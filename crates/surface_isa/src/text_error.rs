//! The error of a line of text, with its place.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

/// The reason for which a line is not an instruction, or breaks a rule.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct TextError {
    /// The bytes of the line that are wrong; an empty range where something is missing.
    pub span: Range<usize>,
    /// The error, and the expected form.
    pub message: String,
    /// A suggestion for the text, if there is one.
    pub help: Option<String>,
}

impl TextError {
    pub(crate) fn new(span: Range<usize>, message: impl fmt::Display) -> TextError {
        TextError {
            span,
            message: message.to_string(),
            help: None,
        }
    }

    /// Returns the column of the place in its line, in characters from 1.
    pub fn column(&self, line: &str) -> usize {
        1 + line.get(..self.span.start).unwrap_or(line).chars().count()
    }

    /// Returns the line with carets under the place, and the help, as `wavetank_quote::snippet` shows them.
    pub fn snippet(&self, line: &str) -> String {
        wavetank_quote::snippet(line, &self.span, self.help.as_deref())
    }
}
