//! Waits of the program's threads for signals: they spin for a moment, and then sleep on an event count.
//!
//! Changes without a call are the subject of `poll.rs`.

use std::time::{Duration, Instant};

use super::awaited::Awaited;
use super::futex::EventCount;
use super::poll;
use super::slots::{exists, load};
use crate::c_types::{Condition, Signal};
use crate::observe::deadline;

/// The time that a thread spins before it sleeps: most work ends, or arrives, within that time.
pub(crate) const SPIN: Duration = Duration::from_micros(15);
const BUCKETS: usize = 64;

/// Threads that wait for one signal, by its address.
static SINGLE: [EventCount; BUCKETS] = [const { EventCount::new() }; BUCKETS];
/// Threads that wait for one of several signals.
static ANY: EventCount = EventCount::new();

fn event_count(address: u64) -> &'static EventCount {
    &SINGLE[(address / 64) as usize % BUCKETS]
}

/// Wakes the threads that wait for the signal at an address, which has just changed.
pub(super) fn changed(address: u64) {
    event_count(address).wake();
    ANY.wake();
}

/// Wakes all threads: some signal may have changed.
pub(crate) fn wake_all(_: ()) {
    SINGLE.iter().for_each(EventCount::wake);
    ANY.wake();
}

/// Waits until `ready` returns a value, or the timeout is over. `address` is that of the signal; `None` for several.
fn until<T>(
    address: Option<u64>,
    timeout: Option<Duration>,
    mut ready: impl FnMut() -> Option<T>,
) -> Option<T> {
    let start = Instant::now();
    // A timeout beyond the range of the clock never ends.
    let end = timeout.and_then(|timeout| start.checked_add(timeout));
    loop {
        if let Some(found) = ready() {
            return Some(found);
        }
        let now = Instant::now();
        if end.is_some_and(|end| now >= end) {
            return None;
        }
        if now - start >= SPIN {
            break;
        }
        std::hint::spin_loop();
    }
    let _reported = deadline::waits(address);
    let _polled = poll::Waiting::new();
    address.map_or(&ANY, event_count).until(end, ready)
}

/// Waits until a condition holds, or the timeout is over. Returns the last observed value.
pub(crate) fn wait(signal: Signal, condition: Condition, compare: i64, timeout: u64) -> i64 {
    let timeout = (timeout < u64::MAX / 2).then(|| Duration::from_nanos(timeout));
    let ready = || Some(load(signal)).filter(|value| condition.holds(*value, compare));
    until(Some(signal.0), timeout, ready).unwrap_or_else(|| load(signal))
}

/// Waits until one of several conditions holds: its number and the value, or `None` after a timeout.
pub(crate) fn wait_any(all: &[Awaited], timeout: u64) -> Option<(usize, i64)> {
    let timeout = (timeout < u64::MAX / 2).then(|| Duration::from_nanos(timeout));
    let ready = || {
        let mut found = all.iter().enumerate();
        found.find_map(|(n, awaited)| Some((n, awaited.ready()?)))
    };
    until(None, timeout, ready)
}

/// Waits until all conditions have held, each at some time: the values with which they did, or `None` after a timeout. A handle
/// that is not a signal counts as met, with value 0.
pub(crate) fn wait_all(all: &[Awaited], timeout: u64) -> Option<Vec<i64>> {
    let timeout = (timeout < u64::MAX / 2).then(|| Duration::from_nanos(timeout));
    let none = |awaited: &Awaited| (!exists(awaited.signal)).then_some(0);
    let mut seen: Vec<Option<i64>> = all.iter().map(none).collect();
    until(None, timeout, || {
        for (seen, awaited) in seen.iter_mut().zip(all) {
            *seen = seen.or_else(|| awaited.ready());
        }
        seen.iter().copied().collect()
    })
}
