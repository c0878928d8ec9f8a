//! The profile of a program that is run.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use wavetank_profile::model::Profile;
use wavetank_source::Sources;

use super::{Profiled, read, reports};
use crate::exit::{Failure, Result, shown};
use crate::run::{ProgramEnd, Run};

impl Profiled {
    /// Runs the program, and reports about its kernels after it has ended. The command ends as the program does, unless a report fails.
    pub(super) fn run_program(self) -> Result<ExitCode> {
        let folder = tempfile::tempdir()
            .map_err(|error| Failure::usage(format!("no folder for the counts: {error}")))?;
        let variables = vec![("WAVETANK_PROFILE", folder.path().into())];
        let mut run = Run::quiet(self.program.clone(), self.running.clone(), variables);
        let gpus = self.gpu.iter().flat_map(|gpus| gpus.split(','));
        run.gpu.extend(gpus.map(str::to_owned));
        run.timeout = self.timeout;
        // Stdout is read by another program.
        run.aside = self.wanted.is_data();
        let (ended, _) = run.run_counted();
        let ended = match ended {
            // The program did not start.
            Err(failure @ Failure::Usage(_)) => return Err(failure),
            ended => ended,
        };
        let profiles = profiles(folder.path())?;
        let Some(mut profile) = Profile::join(profiles) else {
            let name = self.program.join(&OsString::from(" "));
            let sentence = format!(
                "there is no profile of {}: it launched no kernel, or was ended before the first had",
                shown(Path::new(&name))
            );
            if self.wanted.compare.is_some() {
                return Err(Failure::usage(format!(
                    "{sentence}; nothing can be compared"
                )));
            }
            let ended = ended.map(ProgramEnd::repeat)?;
            // A closed stderr is not an error.
            let _ = writeln!(anstream::stderr(), "note: {sentence}");
            return Ok(ended);
        };
        let words = self.program.iter();
        profile.program = words
            .map(|word| word.to_string_lossy().into_owned())
            .collect();
        reports(&profile, &self.wanted, &Sources::beside(Path::new("")))?;
        ended.map(ProgramEnd::repeat)
    }
}

/// Reads the profiles that processes have left in a folder, in the order in which they were written.
fn profiles(folder: &Path) -> Result<Vec<Profile>> {
    let unreadable = |error| Failure::file("read", folder, error);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let written = entry.metadata().and_then(|data| data.modified());
        files.push((written.map_err(unreadable)?, entry.path()));
    }
    files.sort();
    files.iter().map(|(_, path)| read(path)).collect()
}
