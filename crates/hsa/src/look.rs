//! Looking for changes that nobody announces: device code stores to signals directly, and may write packets.
//!
//! One thread looks, every millisecond while kernels run and once after the last has ended, and sleeps otherwise. A program
//! that has asked for the address of a signal's value stores there itself: while there is such a signal, the thread looks
//! whenever somebody waits for any.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::thread::{self, Service};
use crate::wait::{self, Bucket};
use crate::{queue, watch};

/// How often the thread looks.
const LOOK: Duration = Duration::from_millis(1);

static THREAD: Service = Service::new("wavetank-look", serve);
/// Kernels that have started, and that have ended.
static STARTED: AtomicU64 = AtomicU64::new(0);
static ENDED: AtomicU64 = AtomicU64::new(0);
/// Signals that programs store to without a call.
static EXPOSED: AtomicU64 = AtomicU64::new(0);
/// What the thread sleeps on.
static REASON: Bucket = Bucket::new();

/// A kernel that runs, until this is dropped.
pub struct Running(());

impl Running {
    pub fn new() -> Running {
        STARTED.fetch_add(1, Ordering::SeqCst);
        there_is_reason();
        Running(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        ENDED.fetch_add(1, Ordering::SeqCst);
    }
}

/// From now on, the program stores to one signal more without a call.
pub fn expose() {
    EXPOSED.fetch_add(1, Ordering::SeqCst);
    there_is_reason();
}

/// That signal has been destroyed.
pub fn hide() {
    EXPOSED.fetch_sub(1, Ordering::SeqCst);
}

/// Somebody begins to wait.
pub fn somebody_waits() {
    if EXPOSED.load(Ordering::SeqCst) > 0 {
        there_is_reason();
    }
}

fn there_is_reason() {
    // Without the thread everything that is announced is still seen.
    let _ = THREAD.start();
    REASON.wake();
}

/// Ends the thread.
pub fn stop() {
    REASON.wake();
}

/// Looks at everything.
pub fn now() {
    wait::something_changed();
    watch::look();
    queue::look();
}

fn serve() {
    // Kernels whose stores have all been seen.
    let mut seen = ENDED.load(Ordering::SeqCst);
    while thread::is_wanted() {
        REASON.until(None, || {
            (!thread::is_wanted() || is_needed(seen)).then_some(())
        });
        // No futex: kernels that start meanwhile need not wake anybody.
        std::thread::sleep(LOOK);
        seen = ENDED.load(Ordering::SeqCst);
        now();
    }
}

/// Whether there may be something to see, for one who has seen all that so many kernels did.
fn is_needed(seen: u64) -> bool {
    let exposed = EXPOSED.load(Ordering::SeqCst) > 0;
    STARTED.load(Ordering::SeqCst) != seen || exposed && (wait::somebody() || watch::somebody())
}
