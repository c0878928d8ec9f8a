//! Launches as the environment wants them: checked (`WAVETANK_CHECK`), and counted (`WAVETANK_STATS`).
//!
//! `wavetank check` and `wavetank run` set these variables for the programs that they start. A program of Python that launches
//! kernels by this package is checked and counted as one that launches them by the HSA interface: what both leave for the command
//! has the same form. Launches with tools, hooks or a trace of their own are left alone.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use wavetank::check::report::{Look, Scene, record, running, text};
use wavetank::check::{Finding, Findings};
use wavetank::environment::Settings;
use wavetank::found_file::leave;
use wavetank::statistics::{Ledger, Row, Sum, table};
use wavetank::{Error, Kernel, Report, Schedule, Stream, Tools};

use crate::error::raised;
use crate::print;

/// The sums of kernels, each with its place in the ledger.
type Sums = HashMap<String, (Sum, Option<Row<'static>>)>;

static SUMS: Mutex<Option<Sums>> = Mutex::new(None);
/// The random schedules of devices, which are printed at the end.
static SEEDS: Mutex<Vec<Schedule>> = Mutex::new(Vec::new());

/// What the environment wants of launches.
pub(crate) struct Observed {
    pub tools: Tools,
    /// Whether kernels continue after denied accesses.
    pub keep_going: bool,
    /// The display of findings.
    look: Look,
    /// Whether instructions are counted for the table.
    pub counts: bool,
    /// The end of the time of all kernels, in nanoseconds of Python's `time.monotonic_ns`.
    until: Option<u64>,
}

/// Returns what the environment wants; `None` if it wants nothing.
///
/// # Errors
/// A wrong value of a variable.
pub(crate) fn observed(py: Python<'_>) -> PyResult<Option<&'static Observed>> {
    static OBSERVED: OnceLock<Option<Observed>> = OnceLock::new();
    if let Some(observed) = OBSERVED.get() {
        return Ok(observed.as_ref());
    }
    let settings = Settings::from_env().map_err(|e| raised(py, &Error::from(e)))?;
    if settings.stats && ledger().is_none() {
        at_exit(py)?;
    }
    let wanted = settings.stats || !settings.check.is_empty();
    Ok(OBSERVED
        .get_or_init(|| {
            wanted.then(|| Observed {
                look: Look {
                    machine_code: settings.machine_code,
                    stacks: settings.stacks,
                    ..Look::default()
                },
                tools: settings.check,
                keep_going: !settings.stop_at_first,
                counts: settings.stats,
                until: time("WAVETANK_CHECK_UNTIL").or_else(|| time("WAVETANK_END_AT")),
            })
        })
        .as_ref())
}

fn time(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Observed {
    /// Notes that a kernel begins. Returns the time that it has.
    pub(crate) fn begin(&self, py: Python<'_>, kernel: &Kernel) -> PyResult<Option<Duration>> {
        if !self.tools.is_empty() {
            begins(kernel);
        }
        self.add(
            kernel,
            &Sum {
                calls: 1,
                ..Sum::default()
            },
        );
        let Some(until) = self.until else {
            return Ok(None);
        };
        let now: u64 = py.import("time")?.call_method0("monotonic_ns")?.extract()?;
        Ok(Some(Duration::from_nanos(until.saturating_sub(now))))
    }

    /// Reports the findings of a launch, and adds it to the sums. `path` is the file of the code.
    pub(crate) fn end(&self, kernel: &Kernel, path: &Path, result: &Result<Report, Error>) {
        let findings = match result {
            Ok(report) => {
                let sum = Sum {
                    calls: 0,
                    ..Sum::of(report)
                };
                self.add(kernel, &sum);
                &*report.findings
            }
            Err(error) => error.findings(),
        };
        if !self.tools.is_empty() {
            report(kernel, path, findings, self.look);
        }
    }

    fn add(&self, kernel: &Kernel, part: &Sum) {
        if !self.counts {
            return;
        }
        let name = kernel.name();
        let mut sums = lock(&SUMS);
        let sums = sums.get_or_insert_default();
        if !sums.contains_key(name) {
            let row = ledger().and_then(|ledger| ledger.row(name));
            sums.insert(name.to_owned(), (Sum::default(), row));
        }
        if let Some((sum, row)) = sums.get_mut(name) {
            sum.add(part);
            if let Some(row) = row {
                row.set(sum);
            }
        }
    }
}

/// The ledger of the command. `None` if it has not started this program.
fn ledger() -> Option<&'static Ledger> {
    static LEDGER: OnceLock<Option<Ledger>> = OnceLock::new();
    let open = || Ledger::open(Path::new(&std::env::var_os("WAVETANK_STATS_TO")?)).ok();
    LEDGER.get_or_init(open).as_ref()
}

/// The file for records, which `wavetank check` reads.
fn records() -> Option<OsString> {
    std::env::var_os("WAVETANK_CHECK_TO").filter(|path| !path.is_empty())
}

/// Writes a record that a kernel runs, once for each name.
fn begins(kernel: &Kernel) {
    static KNOWN: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    let Some(path) = records() else { return };
    let mut known = lock(&KNOWN);
    if known
        .get_or_insert_default()
        .insert(kernel.name().to_owned())
    {
        // A record that cannot be written is dropped.
        drop(leave(path.as_ref(), &running(kernel.name())));
    }
}

/// Writes a record of each finding, or prints those that are new if no command reads them.
fn report(kernel: &Kernel, path: &Path, findings: &[Finding], look: Look) {
    static KNOWN: Mutex<Option<Findings>> = Mutex::new(None);
    for finding in findings {
        if let Some(to) = records() {
            let record = |finding: &Finding, scene: &Scene<'_>| record(finding, scene, look);
            let record = kernel.module().show(finding, path, record);
            // A record that cannot be written is dropped, so that the program does not fail because of it.
            drop(leave(to.as_ref(), &record));
            continue;
        }
        let is_new = {
            let mut known = lock(&KNOWN);
            let known = known.get_or_insert_default();
            let before = known.len();
            known.add(finding.clone());
            known.len() > before
        };
        if is_new {
            let shown = kernel.module().show(finding, path, |finding, scene| {
                text(finding, scene, look) + "\n"
            });
            say(&shown);
        }
    }
}

/// Prints lines on stderr, or to the file that the environment names.
fn say(lines: &str) {
    let log = std::env::var_os("WAVETANK_LOG_TO").filter(|path| !path.is_empty());
    let written = log.is_some_and(|path| {
        let file = File::options().append(true).create(true).open(path);
        file.and_then(|mut file| file.write_all(lines.as_bytes()))
            .is_ok()
    });
    if !written {
        print::to_python(Stream::Err, lines);
    }
}

/// Notes the schedule of a device that the environment has set: the seed of a random one is printed at the end of the program.
pub(crate) fn note_schedule(py: Python<'_>, schedule: Schedule) -> PyResult<()> {
    let mut seeds = lock(&SEEDS);
    if !matches!(schedule, Schedule::Random(_)) || seeds.contains(&schedule) {
        return Ok(());
    }
    seeds.push(schedule);
    drop(seeds);
    at_exit(py)
}

/// Lets Python call [`ended`] at the end of the program, once.
fn at_exit(py: Python<'_>) -> PyResult<()> {
    static REGISTERED: Mutex<bool> = Mutex::new(false);
    if std::mem::replace(&mut *lock(&REGISTERED), true) {
        return Ok(());
    }
    let function = wrap_pyfunction!(ended, py)?;
    py.import("atexit")?.call_method1("register", (function,))?;
    Ok(())
}

/// Prints the table of kernels, if no command does, and the seeds of random schedules.
#[pyfunction]
fn ended() {
    let sums = lock(&SUMS).take();
    if let Some(sums) = sums.filter(|_| ledger().is_none()) {
        say(&table(sums.into_iter().map(|(name, (sum, _))| (name, sum))));
    }
    for schedule in lock(&SEEDS).drain(..) {
        say(&format!("the schedule was {schedule}\n"));
    }
}

/// Returns the names of the chips of a list of GPUs as `WAVETANK_GPU` has it: `mi300x`, `gfx90a:8G,gfx942`. The sizes of their
/// memory are left out: a device of this package has what the computer has.
#[pyfunction]
pub(crate) fn gpus_named(py: Python<'_>, text: &str) -> PyResult<Vec<String>> {
    let settings = Settings::read(|name| (name == "WAVETANK_GPU").then(|| text.into()));
    let settings = settings.map_err(|e| crate::error::argument_error(py, e.problem))?;
    Ok(settings
        .gpus
        .iter()
        .map(|gpu| gpu.facts.name().to_owned())
        .collect())
}
