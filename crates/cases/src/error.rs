//! The error of reading or starting a case.

use thiserror::Error;

/// The reason for which a case cannot be read or started.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}{message}", .line.map(|l| format!("line {l}: ")).unwrap_or_default())]
pub struct ExecError {
    /// The line of the file, from 1; `None` if the error is not about one line.
    pub line: Option<usize>,
    /// The sentence for the user.
    pub message: String,
}

impl ExecError {
    /// Returns an error that is not about one line.
    pub(crate) fn of(error: impl std::fmt::Display) -> ExecError {
        ExecError {
            line: None,
            message: error.to_string(),
        }
    }
}
