//! Errors of parsing: the reason why a text is not an instruction.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use super::lex::Located;

/// The reason why a line is not an instruction.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct ParseError {
    /// The bytes of the line that are wrong.
    pub span: Range<usize>,
    /// The error, and the expected text.
    pub message: String,
    /// A correction, if one is known.
    pub help: Option<String>,
}

/// The failure of an attempt, with its place.
pub(super) type Failure = Box<ParseError>;

/// Fails at the next token.
///
/// The message is formatted only if it will be read.
#[cold]
pub(super) fn fail<T>(at: &impl Located, message: impl fmt::Display) -> Result<T, Failure> {
    let at = at.location();
    Err(Box::new(ParseError {
        span: at.span(),
        message: if at.quiet {
            String::new()
        } else {
            message.to_string()
        },
        help: None,
    }))
}
