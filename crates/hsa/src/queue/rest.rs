//! What is queued when the program ends. A GPU drops it with the process; checked kernels are run first: a program that does
//! not wait for its last kernel would have no findings in it.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::{BLOCKED, IDLE, QUEUES, Queue, process::is_there};
use crate::log;
use crate::state::lock;

/// How long the end of a program waits for its kernels.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it looks, and for how many looks nothing may go on: what a packet waits for can be on its way.
const LOOK: Duration = Duration::from_millis(1);
const QUIET: u32 = 50;

/// The process that has queues: children that are forked do not have its kernels.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Runs what is queued when the program ends by returning or by `exit`.
pub fn finish_at_exit() {
    static ONCE: Once = Once::new();
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    ONCE.call_once(|| {
        // SAFETY: the function is of this library, which is never unloaded. What it does not find it does not look at.
        unsafe { libc::atexit(at_exit) };
    });
}

extern "C" fn at_exit() {
    if PROCESS.load(Ordering::Relaxed) == std::process::id() {
        finish();
    }
}

fn finish() {
    let start = Instant::now();
    let mut quiet = 0;
    while quiet < QUIET {
        let state = lock(&QUEUES).values().map(|queue| queue.rest()).max();
        match state {
            None | Some(Rest::Nothing) => return,
            Some(Rest::Waits) => quiet += 1,
            Some(Rest::Runs) => quiet = 0,
        }
        if start.elapsed() >= PATIENCE {
            break;
        }
        std::thread::sleep(LOOK);
    }
    log::line(
        "the program has ended before its kernels: what these had still to do is not checked, unless it waits for them \
         (hipDeviceSynchronize, clFinish)",
    );
}

/// What a queue has left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rest {
    Nothing,
    /// A packet that waits for signals.
    Waits,
    Runs,
}

impl Queue {
    fn rest(&self) -> Rest {
        if self.stops() || self.device.is_none() {
            return Rest::Nothing;
        }
        match self.state.load(Ordering::Acquire) {
            IDLE if !is_there(self, self.read_index().load(Ordering::Acquire)) => Rest::Nothing,
            BLOCKED => Rest::Waits,
            _ => Rest::Runs,
        }
    }
}
