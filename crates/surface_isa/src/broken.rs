//! A rule of a document that an instruction breaks.

use std::ops::Range;

use thiserror::Error;

use crate::text_error::TextError;

/// A broken rule, and the part of the instruction that breaks it.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct Broken<Part> {
    /// The part at fault.
    pub part: Part,
    /// The error, and the expected form.
    pub message: String,
    /// A suggestion for the text, if there is one.
    pub help: Option<String>,
}

impl<Part> Broken<Part> {
    /// Returns the error of a line in which the part is at `span`.
    pub(crate) fn at(self, span: Range<usize>) -> TextError {
        TextError {
            span,
            message: self.message,
            help: self.help,
        }
    }
}

/// Returns the failure of a check.
pub(crate) fn broken<T, Part>(
    part: Part,
    message: String,
    help: Option<&str>,
) -> Result<T, Broken<Part>> {
    let help = help.map(str::to_owned);
    Err(Broken {
        part,
        message,
        help,
    })
}
