//! The streams that kernels print to.

/// The stream that a kernel prints to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output: `printf`.
    Out,
    /// Standard error: `assert`.
    Err,
}
