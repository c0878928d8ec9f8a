//! The end of the command: exit codes, and output to stdout and stderr.

use std::io::Write;
use std::process::ExitCode;

use wavetank_quote::plain_lines;

use crate::output::{Stdout, stdout_result};
use crate::paint::carets;

pub(crate) use crate::failure::{Failure, Result, shown};

/// Prints a failure on stderr, and returns the exit code of the command: 0 for success, 1 if the kernel failed, 2 for a wrong
/// call or file.
pub(crate) fn code(result: Result) -> ExitCode {
    let (sentence, code) = match result {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Kernel(sentence)) => (sentence, 1),
        Err(Failure::Usage(sentence)) => (sentence, 2),
    };
    let sentence = carets(&plain_lines(&sentence));
    // Colours are dropped if stderr is not a terminal. A closed stderr is not an error.
    let _ = writeln!(anstream::stderr(), "\x1b[1;31merror:\x1b[0m {sentence}");
    ExitCode::from(code)
}

/// Writes text to stdout. A reader that closes the pipe early (`wavetank … | head`) is not a failure.
pub(crate) fn print(text: &str) -> Result {
    let mut out = Stdout::lock();
    stdout_result(
        out.write_all(text.as_bytes())
            .and_then(|()| out.flush())
            .err(),
    )
}

/// Writes a value to stdout as JSON with line breaks.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|error| Failure::usage(format!("cannot write JSON: {error}")))?;
    print(&(text + "\n"))
}
