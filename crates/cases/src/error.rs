//! The error of cases.

use thiserror::Error;

/// Why a case cannot be read or begun.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}{message}", .line.map(|l| format!("line {l}: ")).unwrap_or_default())]
pub struct ExecError {
    /// The line of the file, from 1.
    pub line: Option<usize>,
    /// The sentence.
    pub message: String,
}

impl ExecError {
    /// One that is about no line.
    pub(crate) fn of(error: impl std::fmt::Display) -> ExecError {
        ExecError {
            line: None,
            message: error.to_string(),
        }
    }
}
