//! `WAVETANK_CHECK`: the tools that check the kernels of a program, and the reports of their findings.
//!
//! `wavetank check` names a file for records in `WAVETANK_CHECK_TO`, and prints the findings itself after the program has
//! ended. Without it the library prints each new finding when a kernel ends.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use wavetank::check::report::{Look, Scene, Sources, json, record, running, text};
use wavetank::check::{Finding, Findings, Suppressions, Tool, Tools, Uncompared};
use wavetank::environment::Selection;
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

/// Counts a launch of a kernel, and returns whether it is selected. Then it writes a record for `wavetank check` that the kernel runs,
/// once for each name. The kernel's findings follow when it ends.
pub(crate) fn begins(kernel: &Kernel) -> bool {
    static KNOWN: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    static LAUNCHES: AtomicU64 = AtomicU64::new(0);
    let Some(selection) = selection() else {
        return true;
    };
    if tools().is_empty() {
        return true;
    }
    let name = kernel.name();
    let is_selected = selection.has_kernel(name)
        && selection.has_launch(LAUNCHES.fetch_add(1, Ordering::Relaxed) + 1);
    // Findings of unselected kernels are hidden, but the command names all that ran unless launches are selected.
    let Some(path) = records().filter(|_| is_selected) else {
        return is_selected;
    };
    let mut known = lock(&KNOWN);
    let known = known.get_or_insert_default();
    if !known.contains(name) {
        known.insert(name.to_owned());
        // A record that cannot be written is dropped.
        drop(leave(path.as_ref(), &running(name)));
    }
    is_selected
}

/// The tools of a launch. One that is not selected needs those without which later launches have other findings: undefined memory is
/// tracked, and kernels continue after denied accesses.
pub(crate) fn tools_of(is_selected: bool) -> Tools {
    const ALWAYS: Tools = Tools::of(&[Tool::Memory, Tool::Init]);
    if is_selected {
        tools()
    } else {
        tools().and(ALWAYS)
    }
}

fn selection() -> Option<&'static Selection> {
    let settings = settings().as_ref().ok()?;
    Some(&settings.selection)
}

/// The entries of the files of suppressions, of which those that cannot be read are reported once.
fn suppressions() -> &'static Suppressions {
    static ALL: OnceLock<Suppressions> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = Suppressions::default();
        let files = selection().map(|selection| selection.suppressions.as_slice());
        for file in files.unwrap_or_default() {
            let read = std::fs::read_to_string(file).map_err(|error| error.to_string());
            let read = read.and_then(|text| all.read(&text).map_err(|error| error.to_string()));
            if let Err(error) = read {
                let file = file.display();
                log::line(&format!("WAVETANK_CHECK_SUPPRESSIONS: {file}: {error}"));
            }
        }
        all
    })
}

/// Prints a finding, unless a suppression hides it or enough have been printed.
fn print(finding: &Finding, scene: &Scene<'_>) {
    static PRINTED: AtomicUsize = AtomicUsize::new(0);
    let Some(selection) = selection() else { return };
    if suppressions().hide(finding) {
        return;
    }
    let printed = PRINTED.fetch_add(1, Ordering::Relaxed);
    match selection.max {
        Some(max) if printed > max => {}
        Some(max) if printed == max => {
            log::line("there are more findings: WAVETANK_CHECK_MAX shows more");
        }
        _ if selection.json => log::lines(&(json(finding, scene) + "\n")),
        _ => log::lines(&(text(finding, scene, look()) + "\n")),
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
            None if is_new => kernel.module().show(finding, program(), print),
            None => {}
        }
    }
}

/// Records what `race` has not compared in a launch, for `wavetank check`. Without it the library prints new sentences about
/// single loads; only the end of the program would say that all work-groups were of one wave.
pub(crate) fn uncompared(uncompared: Option<Uncompared>) {
    let Some(mut uncompared) = uncompared else {
        return;
    };
    match records() {
        // A record that cannot be written is dropped.
        Some(path) => drop(leave(path.as_ref(), &uncompared.record())),
        None => {
            uncompared.one_wave = false;
            for sentence in uncompared.sentences() {
                log::once(&sentence, &sentence);
            }
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
        None => print(finding, &scene),
    }
}

/// The text of a finding, with an empty line after it.
fn shown(module: &Module, finding: &Finding, look: Look) -> String {
    module.show(finding, program(), |finding, scene| {
        text(finding, scene, look) + "\n"
    })
}
