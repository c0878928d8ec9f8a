//! What is wrong with the bytes of a container.

use thiserror::Error;

/// Bytes that are no container.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("byte {offset:#x}: {message}")]
pub struct ContainerError {
    /// Where, in bytes from the beginning of the file.
    pub offset: usize,
    /// What is wrong there, and what was expected.
    pub message: String,
}
