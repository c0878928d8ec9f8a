//! The deadline of a program (`--timeout`): kernels that have not ended by then are reported before the program is terminated.
//!
//! `wavetank check` passes the time in `WAVETANK_CHECK_UNTIL`, in nanoseconds of the clock of [`ticks`]. Kernels stop then, each
//! with a report of its waves. If no kernel was running, the threads that wait for signals are reported. `wavetank run` passes
//! the time in `WAVETANK_END_AT`, gets a sentence about the last kernel that stopped, and terminates the program itself: it may
//! be one of several that a script has started.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use wavetank::check::{Mark, Stack};
use wavetank::object::Source;
use wavetank::{Finding, Place, Tool};

use super::backtrace::Backtrace;
use super::{checks, fault_record};
use crate::state::{lock, ticks};

/// The interval of polls for running kernels at the deadline; the number of polls follows.
const LOOK: Duration = Duration::from_millis(5);
const LOOKS: usize = 100;

/// The number of running kernels.
static RUNNING: AtomicU64 = AtomicU64::new(0);
/// The number of kernels that the deadline has stopped.
static STOPPED: AtomicU64 = AtomicU64::new(0);
/// Threads that wait for the signal at an address, or for one of several (`None`).
static WAITS: Mutex<BTreeMap<u64, (Option<u64>, Backtrace)>> = Mutex::new(BTreeMap::new());

/// The deadline of a checked program, if there is one.
fn due() -> Option<u64> {
    static DUE: OnceLock<Option<u64>> = OnceLock::new();
    *DUE.get_or_init(|| {
        let wanted = checks::tools().has(Tool::Sync);
        time("WAVETANK_CHECK_UNTIL").filter(|_| wanted)
    })
}

/// The deadline of kernels, which the programs of `wavetank run` may have as well.
fn due_of_kernels() -> Option<u64> {
    static DUE: OnceLock<Option<u64>> = OnceLock::new();
    *DUE.get_or_init(|| due().or_else(|| time("WAVETANK_END_AT")))
}

fn time(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Starts the thread that waits for the deadline. `queues` returns a sentence for each packet that waits.
pub(crate) fn begin(queues: fn() -> Vec<String>) {
    if let Some(due) = due() {
        let wait = move || {
            std::thread::sleep(Duration::from_nanos(due.saturating_sub(ticks())));
            end(queues);
        };
        // Without the thread `wavetank check` ends the program, and waits are not reported.
        let named = std::thread::Builder::new().name("wavetank-deadline".to_owned());
        drop(named.spawn(wait));
    }
}

/// A running kernel, until this is dropped.
pub(crate) struct Kernel(());

impl Kernel {
    /// Begins a kernel, and returns the time until the deadline, if there is one.
    pub(crate) fn begins() -> (Option<Kernel>, Option<Duration>) {
        let left = due_of_kernels().map(|due| Duration::from_nanos(due.saturating_sub(ticks())));
        let kernel = left.map(|_| {
            RUNNING.fetch_add(1, Ordering::SeqCst);
            Kernel(())
        });
        (kernel, left)
    }

    /// Records that the deadline has stopped the kernel, with a sentence if no finding has reported it: the program is not checked, or
    /// the kernel was only slow.
    pub(crate) fn is_stopped(&self, sentence: &str, is_finding: bool) {
        STOPPED.fetch_add(1, Ordering::SeqCst);
        if !is_finding {
            let brief = sentence.lines().next().unwrap_or_default();
            fault_record::record(brief, sentence, false);
        }
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A thread that waits for signals, until this is dropped.
pub(crate) struct Wait(u64);

/// Records that a thread of the program waits for the signal at an address, or for one of several.
pub(crate) fn waits(signal: Option<u64>) -> Option<Wait> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    due()?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    lock(&WAITS).insert(number, (signal, Backtrace::capture()));
    Some(Wait(number))
}

impl Drop for Wait {
    fn drop(&mut self) {
        lock(&WAITS).remove(&self.0);
    }
}

/// Handles the deadline: reports the waits, and ends the program.
fn end(queues: fn() -> Vec<String>) {
    for _ in 0..LOOKS {
        if RUNNING.load(Ordering::SeqCst) == 0 {
            break;
        }
        std::thread::sleep(LOOK);
    }
    // A thread that waits while a kernel runs usually waits for that kernel.
    if STOPPED.load(Ordering::SeqCst) == 0 {
        let waits: Vec<_> = lock(&WAITS).values().cloned().collect();
        let waits = waits.into_iter();
        let found = waits.filter_map(|(signal, backtrace)| waiting(signal, &backtrace, queues()));
        found.for_each(|finding| checks::report_in_program(&finding));
    }
    // SAFETY: ends the process, as the program could itself.
    unsafe { libc::kill(libc::getpid(), libc::SIGTERM) };
}

/// The finding for a thread that waits at the deadline; `None` for threads of runtimes alone.
fn waiting(signal: Option<u64>, backtrace: &Backtrace, notes: Vec<String>) -> Option<Finding> {
    let named = backtrace.symbolize();
    let (address, frame) = named.own?;
    let message = match signal {
        Some(signal) => {
            format!("the program waits for the signal {signal:#x}, and it was not signaled in time")
        }
        None => {
            "the program waits for one of several signals, and none was signaled in time".to_owned()
        }
    };
    Some(Finding {
        tool: Tool::Sync,
        rule: "no-end",
        kernel: String::new(),
        message,
        at: Mark {
            place: Place {
                source: Source {
                    frames: vec![frame],
                },
                ..Place::at(address)
            },
            label: "it waits here".to_owned(),
            items: None,
        },
        related: Vec::new(),
        host: vec![Stack {
            label: "it waits here".to_owned(),
            frames: named.frames,
        }],
        notes,
        help: None,
        address: None,
        also: Vec::new(),
        times: 1,
    })
}
