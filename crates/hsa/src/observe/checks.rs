//! `WAVETANK_CHECK`: the tools that check the kernels of a program, and the reports of their findings.
//!
//! `wavetank check` names a file for records in `WAVETANK_CHECK_TO`, and prints the findings itself after the program has
//! ended. Without it the library prints each new finding when a kernel ends.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use wavetank::check::report::{Look, Scene, Sources, record, running, text};
use wavetank::check::{Finding, Findings, Tool, Tools};
use wavetank::found_file::leave;
use wavetank::{Error, Kernel, Module};

use crate::log;
use crate::state::{lock, settings};

/// The tools that check kernels.
pub(crate) fn tools() -> Tools {
    settings()
        .as_ref()
        .map_or(Tools::default(), |settings| settings.check)
}

/// Whether kernels continue after denied accesses.
pub(crate) fn keep_going() -> bool {
    settings()
        .as_ref()
        .is_ok_and(|settings| !settings.stop_at_first)
}

/// The display of findings.
fn look() -> Look {
    let settings = settings().as_ref();
    Look {
        machine_code: settings.is_ok_and(|settings| settings.machine_code),
        stacks: settings.is_ok_and(|settings| settings.stacks),
        ..Look::default()
    }
}

/// The path of the program.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<std::path::PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| std::env::current_exe().unwrap_or_default())
}

/// Writes a record for `wavetank check` that a kernel runs, once for each name. The kernel's findings follow when it ends.
pub(crate) fn begins(kernel: &Kernel) {
    static KNOWN: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    if tools().is_empty() {
        return;
    }
    let Some(path) = records() else { return };
    let mut known = lock(&KNOWN);
    let known = known.get_or_insert_default();
    if !known.contains(kernel.name()) {
        known.insert(kernel.name().to_owned());
        // A record that cannot be written is dropped.
        drop(leave(path.as_ref(), &running(kernel.name())));
    }
}

/// The file for records, which `wavetank check` reads.
fn records() -> Option<OsString> {
    std::env::var_os("WAVETANK_CHECK_TO").filter(|path| !path.is_empty())
}

/// Reports the findings of a launch.
pub(crate) fn report(kernel: &Kernel, findings: &[Finding]) {
    static KNOWN: Mutex<Option<Findings>> = Mutex::new(None);
    let mut known = lock(&KNOWN);
    let known = known.get_or_insert_default();
    for finding in findings {
        let before = known.len();
        known.add(finding.clone());
        let is_new = known.len() > before;
        match records() {
            // A record that cannot be written is dropped, so that the program does not fail because of it.
            Some(path) => {
                let record = |finding: &Finding, scene: &Scene<'_>| record(finding, scene, look());
                let record = kernel.module().show(finding, program(), record);
                drop(leave(path.as_ref(), &record));
            }
            None if is_new => log::lines(&shown(kernel.module(), finding, look())),
            None => {}
        }
    }
}

/// Returns the lines about a kernel that has failed. An access that no tool has reported is shown as `memory` would.
pub(crate) fn failure(kernel: &Kernel, error: &Error) -> String {
    match error {
        Error::Fault(fault) => match fault.finding() {
            Some(_) if tools().has(Tool::Memory) => fault.brief(),
            Some(finding) => {
                let block = shown(kernel.module(), &finding, look());
                format!("{}\n{}", fault.whereabouts(), block.trim_end())
            }
            None => error.to_string(),
        },
        _ => error.to_string(),
    }
}

/// Reports a finding in the program itself, outside of kernels.
pub(crate) fn report_in_program(finding: &Finding) {
    let folder = program().parent().unwrap_or(Path::new(""));
    let scene = Scene {
        file: program(),
        target: "",
        places: None,
        sources: &Sources::beside(folder),
    };
    match records() {
        // A record that cannot be written is dropped.
        Some(path) => drop(leave(path.as_ref(), &record(finding, &scene, look()))),
        None => log::lines(&(text(finding, &scene, look()) + "\n")),
    }
}

/// The text of a finding, with an empty line after it.
fn shown(module: &Module, finding: &Finding, look: Look) -> String {
    module.show(finding, program(), |finding, scene| {
        text(finding, scene, look) + "\n"
    })
}
