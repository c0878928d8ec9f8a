//! `WAVETANK_CHECK`: what tools find in the kernels of a program.
//!
//! `wavetank check` tells it itself, once the program is gone, and names in `WAVETANK_CHECK_TO` where it finds the records.
//! Without it the library says what it finds when a kernel ends, each finding once.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use wavetank::check::report::{Look, Scene, Sources, record, running, text};
use wavetank::check::{Finding, Findings, Tools};
use wavetank::found_file::leave;
use wavetank::{Kernel, Module};

use crate::log;
use crate::state::{lock, settings};

/// The tools that look at kernels.
pub fn tools() -> Tools {
    settings()
        .as_ref()
        .map_or(Tools::default(), |settings| settings.check)
}

/// Whether kernels go on behind accesses that are denied.
pub fn keep_going() -> bool {
    settings()
        .as_ref()
        .is_ok_and(|settings| !settings.stop_at_first)
}

/// What the program is called.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<std::path::PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| std::env::current_exe().unwrap_or_default())
}

/// A kernel runs, which `wavetank check` is told once: what there is to find is known by its end.
pub fn runs(kernel: &Kernel) {
    static KNOWN: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    if tools().is_empty() {
        return;
    }
    let Some(path) = records() else { return };
    let mut known = lock(&KNOWN);
    let known = known.get_or_insert_default();
    if !known.contains(kernel.name()) {
        known.insert(kernel.name().to_owned());
        // Who cannot be told is told nothing.
        drop(leave(path.as_ref(), &running(kernel.name())));
    }
}

/// Where `wavetank check` finds records.
fn records() -> Option<OsString> {
    std::env::var_os("WAVETANK_CHECK_TO").filter(|path| !path.is_empty())
}

/// Tells what was found in a launch of a kernel.
pub fn tell(kernel: &Kernel, findings: &[Finding]) {
    static KNOWN: Mutex<Option<Findings>> = Mutex::new(None);
    let mut known = lock(&KNOWN);
    let known = known.get_or_insert_default();
    for finding in findings {
        let before = known.len();
        known.add(finding.clone());
        let is_new = known.len() > before;
        match records() {
            // Who cannot be told is told nothing: the program is not to fail of it.
            Some(path) => {
                let record = kernel.module().show(finding, program(), record);
                drop(leave(path.as_ref(), &record));
            }
            None if is_new => log::lines(&shown(kernel.module(), finding, Look::default())),
            None => {}
        }
    }
}

/// Tells what was found in the program itself, outside of kernels.
pub fn tell_of_program(finding: &Finding) {
    let folder = program().parent().unwrap_or(Path::new(""));
    let scene = Scene {
        file: program(),
        target: "",
        places: None,
        sources: &Sources::beside(folder),
    };
    match records() {
        // Who cannot be told is told nothing.
        Some(path) => drop(leave(path.as_ref(), &record(finding, &scene))),
        None => log::lines(&(text(finding, &scene, Look::default()) + "\n")),
    }
}

/// A finding as people read it, with an empty line behind it.
fn shown(module: &Module, finding: &Finding, look: Look) -> String {
    module.show(finding, program(), |finding, scene| {
        text(finding, scene, look) + "\n"
    })
}
