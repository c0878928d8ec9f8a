//! A rule of a document that an instruction breaks.

use std::ops::Range;

use thiserror::Error;

use crate::text_error::TextError;

/// A rule that is broken, by one of the parts that an instruction has.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct Broken<Part> {
    /// The part at fault.
    pub part: Part,
    /// What is wrong, and what was expected.
    pub message: String,
    /// What to write instead, where that is known.
    pub help: Option<String>,
}

impl<Part> Broken<Part> {
    /// The rule as the error of a line in which the part stands at a place.
    pub(crate) fn at(self, span: Range<usize>) -> TextError {
        TextError {
            span,
            message: self.message,
            help: self.help,
        }
    }
}

/// The failure of a check.
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
