//! Why a text is no instruction, and how its readers fail.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use super::lex::Located;

/// Why a line is no instruction.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct ParseError {
    /// The bytes of the line that are wrong.
    pub span: Range<usize>,
    /// What is wrong, and what was expected.
    pub message: String,
    /// What to write instead, where that is known.
    pub help: Option<String>,
}

/// A try that failed, and where.
pub(super) type Failure = Box<ParseError>;

/// Fails at the next token.
///
/// The message is made only where it will be read.
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
