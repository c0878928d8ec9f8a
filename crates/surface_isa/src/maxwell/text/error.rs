//! Syntax errors, with their positions.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

/// Why a line is no instruction.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct TextError {
    /// The bytes of the line that are wrong.
    pub span: Range<usize>,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl TextError {
    pub(crate) fn new(span: Range<usize>, message: impl fmt::Display) -> TextError {
        TextError {
            span,
            message: message.to_string(),
        }
    }

    /// The column of the place in the line, in characters from 1.
    pub fn column(&self, line: &str) -> usize {
        1 + line.get(..self.span.start).unwrap_or(line).chars().count()
    }

    /// The line with carets under the place, as `wavetank_quote::snippet` shows it.
    pub fn snippet(&self, line: &str) -> String {
        wavetank_quote::snippet(line, &self.span, None)
    }
}
