//! Why a command fails, as it is told.

use std::path::Path;

use wavetank_quote::plain;

/// Why a command did not succeed, as one sentence.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// The kernel ran and failed: a fault, an instruction that is not supported, a timeout.
    Kernel(String),
    /// The call or a file is wrong.
    Usage(String),
}

/// What commands return.
pub type Result<T = (), E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// A failure of the caller.
    pub fn usage(sentence: impl Into<String>) -> Failure {
        Failure::Usage(sentence.into())
    }

    /// A file operation that failed: `cannot read x.npy: No such file or directory`.
    pub fn file(verb: &str, path: &Path, error: impl std::fmt::Display) -> Failure {
        Failure::Usage(format!("cannot {verb} {}: {error}", shown(path)))
    }

    /// What is told of it.
    pub fn sentence(&self) -> &str {
        match self {
            Failure::Kernel(sentence) | Failure::Usage(sentence) => sentence,
        }
    }

    /// The same failure, with the file that it is about named first.
    pub fn of(self, path: &Path) -> Failure {
        match self {
            Failure::Usage(sentence) => Failure::Usage(format!("{}: {sentence}", shown(path))),
            kernel => kernel,
        }
    }
}

impl From<wavetank::Error> for Failure {
    fn from(error: wavetank::Error) -> Self {
        match error.is_kernel_failure() {
            true => Failure::Kernel(error.to_string()),
            false => Failure::Usage(error.to_string()),
        }
    }
}

impl From<wavetank::object::Error> for Failure {
    fn from(error: wavetank::object::Error) -> Self {
        Failure::Usage(error.to_string())
    }
}

/// A file's name as it is told: `-` is stdin.
pub fn shown(path: &Path) -> String {
    match path.as_os_str() == "-" {
        true => "stdin".to_owned(),
        false => plain(&path.to_string_lossy()).to_string(),
    }
}
