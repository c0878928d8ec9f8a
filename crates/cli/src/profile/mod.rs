//! `wavetank profile`: reports about the counts of kernels.

mod comparison;
mod explain;
mod files;
mod program;
mod summary;
mod wanted;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use wavetank_profile::model::Profile;
use wavetank_profile::report::csv;
use wavetank_source::Sources;

use crate::exit::{Failure, Result, print, shown};
use crate::input;
use crate::running::Running;
use crate::seconds::seconds;
pub(crate) use wanted::Wanted;

// At most 80 columns a line, because clap would break longer ones.
const HELP: &str = "\
A program runs as with `wavetank run`, and the report follows when it has ended;
a FILE is a profile that was written before. Without an option the report is
text: a table of the kernels, the figures of the first ones, and advice with
the lines of source, if they are at hand. Counts are exact, and nothing is said
about the time of a chip.

Exit codes: 0 done; 1 a count grew by more than --by since the profile of
--compare; 2 the call or a file is wrong.

Environment: WAVETANK_PROFILE=FOLDER writes the profile of a program that is
started otherwise, a file of JSON for each process.

Examples:
  wavetank profile -- ./a.out 512
  wavetank profile -o report -- ./a.out 512            all reports in a folder
  wavetank profile profile.json
  wavetank profile --html report.html profile.json     a page for a browser
  wavetank profile --trace t.pftrace profile.json      for ui.perfetto.dev
  wavetank profile --csv profile.json > kernels.csv    rocprof's columns
  wavetank profile --kernel 'reduce*' --top 1 profile.json
  wavetank profile --compare old.json --by 5% new.json
  wavetank profile --explain coalescing                about a rule of advice";

/// Shows what kernels do: instructions, lanes, lines of memory, banks of LDS, with advice
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Profiled {
    #[command(flatten)]
    wanted: Wanted,
    /// Explain a rule of advice, such as coalescing, or list all of them
    #[arg(long, value_name = "RULE", num_args = 0..=1, exclusive = true)]
    explain: Option<Option<String>>,
    /// With a program: the GPUs that it finds, parted by commas, as for `run`
    #[arg(long, value_name = "CHIP[:SIZE]")]
    gpu: Option<String>,
    /// With a program: end it after this number of seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_hyphen_values = true)]
    timeout: Option<Duration>,
    #[command(flatten)]
    running: Running,
    /// A profile that was written before, or `-` for stdin
    #[arg(required_unless_present_any = ["program", "explain"])]
    file: Option<PathBuf>,
    /// A program to run and profile, with its arguments
    #[arg(last = true, conflicts_with = "file", value_name = "PROGRAM")]
    program: Vec<OsString>,
}

impl Profiled {
    /// Whether text for people goes to stdout.
    pub(crate) fn is_read(&self) -> bool {
        self.program.is_empty() && (self.explain.is_some() || self.wanted.is_text())
    }

    pub(crate) fn run(self) -> Result<ExitCode> {
        if !self.program.is_empty() {
            return self.run_program();
        }
        self.report().map(|()| ExitCode::SUCCESS)
    }

    /// Reports about a profile that was written before, or a rule.
    fn report(self) -> Result {
        if let Some(rule) = self.explain {
            return explain::explain(rule.as_deref());
        }
        let file = self.file.ok_or_else(|| Failure::usage("name a profile"))?;
        let profile = read(&file)?;
        let folder = file.parent().unwrap_or(Path::new(""));
        reports(&profile, &self.wanted, &Sources::beside(folder))
    }
}

/// Reads a profile from a file, or from stdin for `-`.
///
/// # Errors
/// A file that cannot be read, or is not a profile.
pub(crate) fn read(path: &Path) -> Result<Profile> {
    let text = input::read(path)?;
    Profile::read(&text).map_err(|problem| Failure::usage(problem.to_string()).of(path))
}

/// Makes the reports that are asked for: files, and one on stdout, which is text if nothing else is wanted.
///
/// # Errors
/// Files that cannot be read or written, patterns that no kernel fits, and counts that grew.
pub(crate) fn reports(profile: &Profile, wanted: &Wanted, sources: &Sources) -> Result {
    let chosen;
    let profile = if wanted.kernels.is_empty() {
        profile
    } else {
        chosen = wanted.choose(profile)?;
        &chosen
    };
    let written = files::write(profile, wanted, sources)?;
    if wanted.json {
        let mut text = Vec::new();
        let failed = |error| Failure::file("write to", Path::new("stdout"), error);
        profile.write(&mut text).map_err(failed)?;
        return print(&String::from_utf8_lossy(&text));
    }
    if wanted.csv {
        return print(&csv(profile));
    }
    if let Some(old) = &wanted.compare {
        let mut old = read(old)?;
        if !wanted.kernels.is_empty() {
            old = wanted.choose_any(&old);
        }
        return comparison::report(&old, profile, wanted.by.0);
    }
    if written.is_empty() {
        print(&summary::text(profile, sources, wanted.top()))
    } else {
        let names: Vec<String> = written.iter().map(|path| shown(path)).collect();
        print(&format!("written: {}\n", names.join(", ")))
    }
}

/// Reports about a launch of a file: as text on stderr, to a file of JSON, or in a folder.
///
/// # Errors
/// Files that cannot be written.
pub(crate) fn of_launch(profile: &Profile, to: Option<&Path>, file: &Path) -> Result {
    let sources = Sources::beside(file.parent().unwrap_or(Path::new("")));
    let Some(to) = to else {
        let text = summary::text(profile, &sources, 1);
        // A closed stderr is not an error.
        let _ = anstream::stderr().write_all(text.as_bytes());
        return Ok(());
    };
    files::write_to(profile, to, &sources)
}
