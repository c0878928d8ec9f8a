//! The options for the output of findings.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::exit::{Failure, Result};

/// The number of findings that are printed unless another is requested.
const MAX: usize = 100;

/// The output of findings: its forms, files and limits.
#[derive(clap::Args)]
pub(super) struct Wanted {
    /// Print at most so many findings, 100 otherwise; --json, --sarif and --junit have all
    #[arg(long, value_name = "N")]
    pub max: Option<usize>,
    /// Show the machine code of a finding even if the line of its source is shown
    #[arg(long)]
    pub asm: bool,
    /// Show all calls of the program on the host that belong to a finding, not only its own lines
    #[arg(long)]
    pub stacks: bool,
    /// Print JSON, an object a line for each finding
    #[arg(long)]
    pub json: bool,
    /// Write the findings to this file as a SARIF log, for code reviews
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Add a case for each kernel to a JUnit report in this file; many calls may add to one
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Print entries for --suppressions instead of findings
    #[arg(long, conflicts_with = "json")]
    pub gen_suppressions: bool,
    /// The exit code if something is found
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub error_exitcode: u8,
}

impl Wanted {
    /// Checks that the files can be written, before anything else is done.
    ///
    /// # Errors
    /// A file that cannot be written, or that has other contents.
    pub(super) fn can_be_written(&self) -> Result {
        let opened = |path: &Path| {
            let opened = File::options().append(true).create(true).open(path);
            let opened = opened.map(drop);
            opened.map_err(|error| Failure::file("write", path, error))
        };
        self.sarif.as_deref().map_or(Ok(()), |p| tried(p, opened))?;
        let junit = self.junit.as_deref();
        junit.map_or(Ok(()), |p| tried(p, crate::junit::check))
    }

    /// The maximum number of printed findings.
    pub(super) fn max(&self) -> usize {
        self.max.unwrap_or(MAX)
    }

    /// Whether the printed output is text for people.
    pub(super) fn is_read(&self) -> bool {
        !self.json && !self.gen_suppressions
    }
}

/// Opens a file as a test, and removes it again if it did not exist.
fn tried(path: &Path, open: impl Fn(&Path) -> Result) -> Result {
    let was_there = path.exists();
    open(path)?;
    if !was_there {
        // The file will be written later.
        let _ = std::fs::remove_file(path);
    }
    Ok(())
}
