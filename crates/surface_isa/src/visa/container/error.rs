//! The error of reading a container.

use thiserror::Error;

/// The reason for which bytes are not a container.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("byte {offset:#x}: {message}")]
pub struct ContainerError {
    /// The place of the error, in bytes from the start of the file.
    pub offset: usize,
    /// The error, and the expected contents.
    pub message: String,
}
