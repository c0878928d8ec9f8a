//! Much text to stdout, in pieces.

use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::exit::{Failure, Result};

/// Text is handed on in pieces of about this size, in bytes.
const PIECE: usize = 1 << 16;

/// Collects text and writes it to stdout piece by piece.
pub struct Output {
    /// What is to be written.
    pub text: String,
    problem: Option<std::io::Error>,
}

impl Output {
    pub fn new() -> Output {
        Output {
            text: String::with_capacity(PIECE + 1024),
            problem: None,
        }
    }

    /// Hands on what there is, if it is enough for a piece.
    pub fn settle(&mut self) {
        if self.text.len() >= PIECE {
            self.flush();
        }
    }

    fn flush(&mut self) {
        if self.problem.is_none() {
            let mut out = std::io::stdout().lock();
            let written = out.write_all(self.text.as_bytes());
            self.problem = written.and_then(|()| out.flush()).err();
        }
        self.text.clear();
    }

    /// Hands on the rest. A reader that has seen enough (`wavetank … | head`) is no failure.
    pub fn finish(mut self) -> Result {
        self.flush();
        told(self.problem)
    }
}

/// The failure of a writer to stdout, unless its reader has gone.
pub fn told(problem: Option<std::io::Error>) -> Result {
    match problem {
        Some(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::file("write to", Path::new("stdout"), error))
        }
        _ => Ok(()),
    }
}
