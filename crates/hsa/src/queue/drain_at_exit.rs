//! Draining at exit: queued packets run when the program ends. A GPU drops them with the process. Kernels that are checked run
//! first, since otherwise a program that does not wait for its last kernel would have no findings in it.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::ring::{BLOCKED, IDLE, Queue};
use super::table::QUEUES;
use crate::log;
use crate::state::lock;

/// The time that the end of a program waits for its kernels.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The interval of its polls, and the number of polls without progress after which it gives up: the signal of a packet may
/// still change.
const INTERVAL: Duration = Duration::from_millis(1);
const QUIET: u32 = 50;

/// The process that has queues: a forked child does not have the kernels of its parent.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Runs the queued packets when the program returns from `main` or calls `exit`.
pub(crate) fn drain_at_exit() {
    static ONCE: Once = Once::new();
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    ONCE.call_once(|| {
        // SAFETY: the function is of this library, which is never unloaded.
        unsafe { libc::atexit(at_exit) };
    });
}

extern "C" fn at_exit() {
    if PROCESS.load(Ordering::Relaxed) == std::process::id() {
        drain();
    }
}

fn drain() {
    let start = Instant::now();
    let mut quiet = 0;
    while quiet < QUIET {
        let state = lock(&QUEUES).values().map(|queue| queue.work()).max();
        match state {
            None | Some(Work::Nothing) => return,
            Some(Work::Waits) => quiet += 1,
            Some(Work::Runs) => quiet = 0,
        }
        if start.elapsed() >= TIMEOUT {
            break;
        }
        std::thread::sleep(INTERVAL);
    }
    log::line(
        "the program has ended before its kernels: what these had still to do is not checked, unless it waits for them \
         (hipDeviceSynchronize, clFinish)",
    );
}

/// The remaining work of a queue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    Nothing,
    /// A packet that waits for signals.
    Waits,
    Runs,
}

impl Queue {
    fn work(&self) -> Work {
        if self.is_stopped() || self.device.is_none() {
            return Work::Nothing;
        }
        match self.state.load(Ordering::Acquire) {
            IDLE if !self.is_written(self.read_index().load(Ordering::Acquire)) => Work::Nothing,
            BLOCKED => Work::Waits,
            _ => Work::Runs,
        }
    }
}
