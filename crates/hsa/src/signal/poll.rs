//! Polling for changes without a call: device code stores to signals directly, and may write packets.
//!
//! One thread polls every millisecond while kernels run and once after the last has ended, and sleeps otherwise. A program that
//! has requested the address of a signal's value stores there itself. While there is such a signal, the thread also polls as long
//! as anything waits for a signal.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use super::futex::EventCount;
use crate::notice::Notice;
use crate::thread::{self, Service};

/// The interval between two polls.
const INTERVAL: Duration = Duration::from_millis(1);

/// The notice that signals or packets may have changed; the receivers check all of them.
pub(crate) static MAY_HAVE_CHANGED: Notice<()> = Notice::new();

static THREAD: Service = Service::new("wavetank-poll", serve);
/// The number of kernels that have started; that of ended ones follows.
static STARTED: AtomicU64 = AtomicU64::new(0);
static ENDED: AtomicU64 = AtomicU64::new(0);
/// The number of signals that programs store to without a call.
static EXPOSED: AtomicU64 = AtomicU64::new(0);
/// The number of threads and callbacks that wait for signals.
static WAITING: AtomicUsize = AtomicUsize::new(0);
/// The event count that the thread sleeps on.
static DEMAND: EventCount = EventCount::new();

/// A running kernel, until this is dropped.
pub(crate) struct Running(());

impl Running {
    pub(crate) fn new() -> Running {
        STARTED.fetch_add(1, Ordering::SeqCst);
        wake();
        Running(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        ENDED.fetch_add(1, Ordering::SeqCst);
    }
}

/// A thread waiting for signals, until this is dropped.
pub(crate) struct Waiting(());

impl Waiting {
    pub(crate) fn new() -> Waiting {
        add_waiter();
        Waiting(())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        remove_waiters(1);
    }
}

/// Counts a thread or a callback that waits for a signal.
pub(crate) fn add_waiter() {
    WAITING.fetch_add(1, Ordering::SeqCst);
    if EXPOSED.load(Ordering::SeqCst) > 0 {
        wake();
    }
}

/// Uncounts threads or callbacks that waited.
pub(crate) fn remove_waiters(count: usize) {
    WAITING.fetch_sub(count, Ordering::SeqCst);
}

/// Counts a signal that the program stores to without a call.
pub(crate) fn expose() {
    EXPOSED.fetch_add(1, Ordering::SeqCst);
    wake();
}

/// Uncounts such a signal, which has been destroyed.
pub(crate) fn hide() {
    EXPOSED.fetch_sub(1, Ordering::SeqCst);
}

fn wake() {
    // Without the thread, changes by calls are still detected.
    let _ = THREAD.start();
    DEMAND.wake();
}

/// Wakes the thread so that it can end.
pub(crate) fn stop() {
    DEMAND.wake();
}

/// Polls once, in this thread.
pub(crate) fn now() {
    MAY_HAVE_CHANGED.send(());
}

fn serve() {
    // The number of kernels whose stores have all been seen.
    let mut seen = ENDED.load(Ordering::SeqCst);
    while thread::is_serving() {
        DEMAND.until(None, || {
            (!thread::is_serving() || is_needed(seen)).then_some(())
        });
        // Not a futex: kernels that start meanwhile need no system call.
        std::thread::sleep(INTERVAL);
        seen = ENDED.load(Ordering::SeqCst);
        now();
    }
}

/// Whether there may be an unseen change, after the stores of the first `seen` kernels have been seen.
fn is_needed(seen: u64) -> bool {
    let exposed = EXPOSED.load(Ordering::SeqCst) > 0;
    STARTED.load(Ordering::SeqCst) != seen || exposed && WAITING.load(Ordering::SeqCst) > 0
}
