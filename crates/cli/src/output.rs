//! Buffered text output to stdout.

use std::io::{self, StdoutLock, Write};
use std::path::Path;

use crate::failure::{Failure, Result};
use crate::host;
use crate::paint::Painted;

/// The approximate size in bytes of a piece of text that is written at once.
const PIECE: usize = 1 << 16;

/// A writer to stdout that fails if stdout was closed.
pub(crate) struct Stdout(StdoutLock<'static>);

impl Stdout {
    pub(crate) fn lock() -> Stdout {
        Stdout(io::stdout().lock())
    }
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if host::stdout_was_closed() {
            Err(io::Error::other("it is closed"))
        } else {
            self.0.write(bytes)
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A buffer of text that is written to stdout piece by piece.
pub(crate) struct Output {
    /// The text that has not been written.
    pub text: String,
    problem: Option<std::io::Error>,
}

impl Output {
    pub(crate) fn new() -> Output {
        Output {
            text: String::with_capacity(PIECE + 1024),
            problem: None,
        }
    }

    /// Writes the buffered text, if it is enough for a piece.
    pub(crate) fn settle(&mut self) {
        if self.text.len() >= PIECE {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.problem.is_none() {
            let mut out = Painted::new(Stdout::lock());
            let written = out.write_all(self.text.as_bytes());
            self.problem = written.and_then(|()| out.flush()).err();
        }
        self.text.clear();
    }

    /// Writes the rest. A reader that closes the pipe early (`wavetank … | head`) is not a failure.
    pub(crate) fn finish(mut self) -> Result {
        self.flush();
        stdout_result(self.problem)
    }
}

/// Returns the failure of a writer to stdout, unless its reader has closed the pipe.
pub(crate) fn stdout_result(problem: Option<std::io::Error>) -> Result {
    match problem {
        Some(error) if !host::is_closed_pipe(&error) => {
            Err(Failure::file("write to", Path::new("stdout"), error))
        }
        _ => Ok(()),
    }
}
