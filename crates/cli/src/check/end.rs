//! The end of a check: its last lines on stderr, and the exit code.

use std::io::Write;
use std::process::ExitCode;

use crate::run::ProgramEnd;

/// The end of a check, which is reported after its findings have been read.
#[derive(Default)]
pub(crate) struct End {
    /// The lines for stderr.
    pub lines: Vec<String>,
    pub code: u8,
    /// The end of the program that was run, if it determines the exit code.
    pub program: Option<ProgramEnd>,
}

impl End {
    /// Whether there were findings.
    pub(crate) fn found(&self) -> bool {
        self.code != 0
    }

    /// Returns the end of the check with that of a program.
    pub(crate) fn with_end_of(self, program: ProgramEnd) -> End {
        End {
            program: Some(program),
            ..self
        }
    }

    /// Prints the lines. A signal that ended the program is repeated last, because it ends this process, too.
    pub(crate) fn print(self) -> ExitCode {
        for line in &self.lines {
            // A closed stderr is not an error.
            let _ = writeln!(anstream::stderr(), "{line}");
        }
        let own = ExitCode::from(self.code);
        self.program.map_or(own, ProgramEnd::repeat)
    }
}
