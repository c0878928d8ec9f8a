//! How the command ends: exit codes, and where text goes.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use wavetank_quote::{plain, plain_lines};

use crate::output::{Stdout, told};
use crate::paint::carets;

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

/// The exit code of a command, after its failure has been told on stderr: 0 done, 1 the kernel failed, 2 the call or a
/// file is wrong.
pub fn code(result: Result) -> ExitCode {
    let (sentence, code) = match result {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Kernel(sentence)) => (sentence, 1),
        Err(Failure::Usage(sentence)) => (sentence, 2),
    };
    let sentence = carets(&plain_lines(&sentence));
    // Colours are dropped where stderr is no terminal. If it is closed, nobody is there to be told.
    let _ = writeln!(anstream::stderr(), "\x1b[1;31merror:\x1b[0m {sentence}");
    ExitCode::from(code)
}

/// Writes text to stdout. A reader that has seen enough (`wavetank … | head`) is no failure.
pub fn print(text: &str) -> Result {
    let mut out = Stdout::lock();
    told(
        out.write_all(text.as_bytes())
            .and_then(|()| out.flush())
            .err(),
    )
}

/// Writes a value to stdout as JSON with line breaks.
pub fn print_json(value: &impl serde::Serialize) -> Result {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|error| Failure::usage(format!("cannot write JSON: {error}")))?;
    print(&(text + "\n"))
}
