//! How a check ends: what is said last, and the exit code.

use std::io::Write;
use std::process::ExitCode;

use crate::run::ProgramEnd;

/// The end of a check, to be told when its findings have been read.
pub struct End {
    /// What is said on stderr.
    pub lines: Vec<String>,
    pub code: u8,
    /// How a program ended that was run, where that decides.
    pub program: Option<ProgramEnd>,
}

impl End {
    /// Whether something was found.
    pub fn found(&self) -> bool {
        self.code != 0
    }

    /// The same, but it ends as a program did.
    pub fn with_end_of(self, program: ProgramEnd) -> End {
        End {
            program: Some(program),
            ..self
        }
    }

    /// Says what there is to say. A signal that ended the program comes last: it ends this process, too.
    pub fn tell(self) -> ExitCode {
        for line in &self.lines {
            // If stderr is closed, nobody is there to be told.
            let _ = writeln!(anstream::stderr(), "{line}");
        }
        let own = ExitCode::from(self.code);
        self.program.map_or(own, ProgramEnd::repeat)
    }
}
