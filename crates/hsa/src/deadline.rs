//! When the time of a checked program is up (`wavetank check --timeout`): what did not end is told before the program is ended.
//!
//! `wavetank check` names the moment in `WAVETANK_CHECK_UNTIL`, in nanoseconds of the clock of [`ticks`]. Kernels stop then, each with
//! what its waves were doing. If none ran, those are told who waited for signals.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use wavetank::check::{Mark, Stack};
use wavetank::object::Source;
use wavetank::{Finding, Place, Tool};

use crate::callers::Callers;
use crate::checks;
use crate::state::{lock, ticks};

/// How often the end looks whether kernels have stopped, and how often at most.
const LOOK: Duration = Duration::from_millis(5);
const LOOKS: usize = 100;

/// Kernels that run until the time is up at most.
static RUNNING: AtomicU64 = AtomicU64::new(0);
/// Kernels that ran when it was.
static STOPPED: AtomicU64 = AtomicU64::new(0);
/// Who waits: for the signal at an address, or for one of several.
static WAITS: Mutex<BTreeMap<u64, (Option<u64>, Callers)>> = Mutex::new(BTreeMap::new());

/// The moment, if there is one.
fn due() -> Option<u64> {
    static DUE: OnceLock<Option<u64>> = OnceLock::new();
    *DUE.get_or_init(|| {
        let wanted = checks::tools().has(Tool::Sync);
        let until = std::env::var("WAVETANK_CHECK_UNTIL")
            .ok()
            .filter(|_| wanted);
        until?.parse().ok()
    })
}

/// Begins to wait for the moment.
pub fn begin() {
    if let Some(due) = due() {
        let wait = move || {
            std::thread::sleep(Duration::from_nanos(due.saturating_sub(ticks())));
            end();
        };
        // Without the thread the program is ended by who started it, and nothing is told of waits.
        let named = std::thread::Builder::new().name("wavetank-deadline".to_owned());
        drop(named.spawn(wait));
    }
}

/// A kernel that runs, until this is dropped.
pub struct Kernel(());

impl Kernel {
    /// The kernel, and the time that it has, if that ends.
    pub fn begins() -> (Option<Kernel>, Option<Duration>) {
        let left = due().map(|due| Duration::from_nanos(due.saturating_sub(ticks())));
        let kernel = left.map(|_| {
            RUNNING.fetch_add(1, Ordering::SeqCst);
            Kernel(())
        });
        (kernel, left)
    }

    /// The time was up before it ended, which has been told.
    pub fn is_stopped(&self) {
        STOPPED.fetch_add(1, Ordering::SeqCst);
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A thread that waits for signals, until this is dropped.
pub struct Wait(u64);

/// A thread of the program begins to wait for the signal at an address, or for one of several.
pub fn waits(signal: Option<u64>) -> Option<Wait> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    due()?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    lock(&WAITS).insert(number, (signal, Callers::here()));
    Some(Wait(number))
}

impl Drop for Wait {
    fn drop(&mut self) {
        lock(&WAITS).remove(&self.0);
    }
}

/// The time is up: tells what there is to tell, and ends the program.
fn end() {
    for _ in 0..LOOKS {
        if RUNNING.load(Ordering::SeqCst) == 0 {
            break;
        }
        std::thread::sleep(LOOK);
    }
    // Who waits while a kernel runs mostly waits for it.
    if STOPPED.load(Ordering::SeqCst) == 0 {
        let waits: Vec<_> = lock(&WAITS).values().cloned().collect();
        let waits = waits.into_iter();
        let found = waits.filter_map(|(signal, callers)| waiting(signal, &callers));
        found.for_each(|finding| checks::tell_of_program(&finding));
    }
    // SAFETY: it asks the process to end, as the program could itself.
    unsafe { libc::kill(libc::getpid(), libc::SIGTERM) };
}

/// Who waited when the time was up; `None` for threads of runtimes alone.
fn waiting(signal: Option<u64>, callers: &Callers) -> Option<Finding> {
    let told = callers.told();
    let (address, frame) = told.own?;
    let message = match signal {
        Some(signal) => {
            format!("the program waits for the signal {signal:#x}, and nobody ended that in time")
        }
        None => {
            "the program waits for one of several signals, and nobody ended that in time".to_owned()
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
        },
        related: Vec::new(),
        host: vec![Stack {
            label: "it waits here".to_owned(),
            frames: told.frames,
        }],
        notes: crate::queue::waiting(),
        help: None,
        times: 1,
    })
}
