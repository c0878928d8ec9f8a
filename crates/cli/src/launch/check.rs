//! `--check` of a launch: its options, and the output of findings.

use std::io::Write;
use std::path::Path;

use serde_json::Value;
use wavetank::Module;
use wavetank::check::report::{Look, json, text};
use wavetank::check::{Finding, Tools, Uncompared};
use wavetank_quote::readable;

use crate::exit::{Failure, Result};
use crate::lanes::Lanes;
use crate::terminal;

/// The options for the checks of a launch.
#[derive(clap::Args)]
pub(super) struct CheckOptions {
    /// Look for mistakes while the kernel runs, with these tools or all (see below)
    #[arg(long, value_name = "TOOLS", num_args = 0..=1, require_equals = true)]
    check: Option<Option<Tools>>,
    /// With --check, stop at the first access that is denied
    #[arg(long, requires = "check")]
    stop_at_first: bool,
    /// With --check, show the machine code of a finding even if the line of its source is known
    #[arg(long, requires = "check")]
    asm: bool,
    #[command(flatten)]
    lanes: Lanes,
}

impl CheckOptions {
    /// Returns the requested tools; the options for lanes alone request `race`.
    pub(super) fn tools(&self) -> Tools {
        self.lanes.add_to(match self.check {
            None => Tools::default(),
            Some(tools) => tools.unwrap_or(Tools::DEFAULT),
        })
    }

    /// Whether a kernel continues after a mistake.
    pub(super) fn keep_going(&self) -> bool {
        !self.stop_at_first
    }

    /// Prints the findings in a kernel of a file.
    ///
    /// # Errors
    /// If there are findings.
    pub(super) fn report(&self, file: &Path, module: &Module, findings: &[Finding]) -> Result {
        let look = Look {
            // Colours are dropped if stderr is not a terminal.
            colours: true,
            columns: terminal::columns(),
            machine_code: self.asm,
            stacks: false,
        };
        for finding in findings {
            let shown = module.show(finding, file, |finding, scene| text(finding, scene, look));
            // A closed stderr is not an error.
            let _ = writeln!(anstream::stderr(), "{shown}");
        }
        let Some(first) = findings.first() else {
            return Ok(());
        };
        let mistakes = match findings.len() {
            1 => "a mistake was".to_owned(),
            n => format!("{n} mistakes were"),
        };
        let what = match module.object().kernel(&first.kernel) {
            Some(_) => "kernel",
            None => "function",
        };
        Err(Failure::Kernel(format!(
            "{mistakes} found in {what} `{}`",
            readable(&first.kernel)
        )))
    }
}

/// Prints what `race` has not compared. The caller knows the size of the work-groups, having chosen it.
pub(super) fn print_notes(uncompared: Option<&Uncompared>) {
    let uncompared = uncompared.cloned().unwrap_or_default();
    let uncompared = Uncompared {
        one_wave: false,
        ..uncompared
    };
    for sentence in uncompared.sentences() {
        eprintln!("note: {sentence}");
    }
}

/// Returns findings as JSON.
pub(super) fn shown(file: &Path, module: &Module, findings: &[Finding]) -> Vec<Value> {
    let findings = findings
        .iter()
        .map(|finding| module.show(finding, file, json));
    // Valid, because it was written as JSON.
    findings
        .filter_map(|text| serde_json::from_str(&text).ok())
        .collect()
}
