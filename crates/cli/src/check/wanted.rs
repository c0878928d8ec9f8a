//! The options that say what becomes of findings.

use std::path::PathBuf;

/// What is told of findings, and where.
#[derive(clap::Args)]
pub struct Wanted {
    /// Print at most so many findings; --json, --sarif and --junit have all
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub max: usize,
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
    /// Whether people read what is printed.
    pub fn is_read(&self) -> bool {
        !self.json && !self.gen_suppressions
    }
}
