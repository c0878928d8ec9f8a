//! Failures of a command, each as one sentence.

use std::path::Path;

use wavetank_quote::plain;

/// The reason why a command failed, as one sentence.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Failure {
    /// The kernel ran and failed: a fault, an unsupported instruction, a timeout.
    Kernel(String),
    /// The call or a file is wrong.
    Usage(String),
}

/// The result type of commands.
pub(crate) type Result<T = (), E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// Returns a failure that is the caller's mistake.
    pub(crate) fn usage(sentence: impl Into<String>) -> Failure {
        Failure::Usage(sentence.into())
    }

    /// Returns the failure of a file operation: `cannot read x.npy: No such file or directory`.
    pub(crate) fn file(verb: &str, path: &Path, error: impl std::fmt::Display) -> Failure {
        Failure::Usage(format!("cannot {verb} {}: {error}", shown(path)))
    }

    /// Returns the sentence that is printed.
    pub(crate) fn sentence(&self) -> &str {
        match self {
            Failure::Kernel(sentence) | Failure::Usage(sentence) => sentence,
        }
    }

    /// Returns the failure, with the file that it is about named first.
    pub(crate) fn of(self, path: &Path) -> Failure {
        match self {
            Failure::Usage(sentence) => Failure::Usage(format!("{}: {sentence}", shown(path))),
            kernel => kernel,
        }
    }
}

impl From<wavetank::Error> for Failure {
    fn from(error: wavetank::Error) -> Self {
        if error.is_kernel_failure() {
            Failure::Kernel(error.to_string())
        } else {
            Failure::Usage(error.to_string())
        }
    }
}

impl From<wavetank::object::Error> for Failure {
    fn from(error: wavetank::object::Error) -> Self {
        Failure::Usage(error.to_string())
    }
}

/// Returns a file's name for messages: `-` is stdin.
pub(crate) fn shown(path: &Path) -> String {
    if path.as_os_str() == "-" {
        "stdin".to_owned()
    } else {
        plain(&path.to_string_lossy()).to_string()
    }
}
