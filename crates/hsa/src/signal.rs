//! Signals: 64-bit values that host and device change, and the host waits for.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::abi::{AmdSignal, Condition, Result, Signal, Status};
use crate::slab::{Slabs, slab_of};
use crate::{ipc, log, look, queue, state, wait, watch};

const SIGNAL_BYTES: u64 = 64;
/// Kinds of `amd_signal_t`.
const USER: i64 = 1;
const DOORBELL: i64 = -1;
const NONE: i64 = 0;

/// All signals. The first place of a slab is their mailbox.
static SIGNALS: Slabs = Slabs::new("signals", SIGNAL_BYTES, 1);

/// The signal of a handle, destroyed or not; `None` for a handle that never was one.
///
/// Handles are addresses, as AMD's ABI wants it.
pub fn of(signal: Signal) -> Option<&'static AmdSignal> {
    let pointer = std::ptr::with_exposed_provenance::<AmdSignal>(signal.0 as usize);
    let known = SIGNALS.holds(signal.0);
    // SAFETY: a slot of a slab, which is never unmapped, and begins as zeros, which is a signal. All that is ever read or
    // written in it are atomics.
    known.then(|| unsafe { &*pointer })
}

/// The signal that an operation of the program names. The null handle is none; a wild one is told.
fn named(signal: Signal) -> Option<&'static AmdSignal> {
    let found = of(signal);
    if found.is_none() && signal.0 != 0 {
        log::few(&format!(
            "{:#x} is no signal: the operation does nothing, and its value is 0",
            signal.0
        ));
    }
    found
}

/// Makes a signal with a value.
pub fn create(value: i64) -> Result<Signal> {
    make(USER, value, 0)
}

/// Makes the doorbell of a queue.
pub fn doorbell(queue: u64) -> Result<Signal> {
    make(DOORBELL, -1, queue)
}

fn make(kind: i64, value: i64, queue: u64) -> Result<Signal> {
    let signal = Signal(SIGNALS.take()?);
    let fresh = of(signal).ok_or(Status::ERROR)?;
    fresh.value.store(value, Ordering::Relaxed);
    let mailbox = slab_of(signal.0);
    fresh.event_mailbox.store(mailbox, Ordering::Relaxed);
    fresh.event_id.store(1, Ordering::Relaxed);
    fresh.start_ts.store(0, Ordering::Relaxed);
    fresh.end_ts.store(0, Ordering::Relaxed);
    fresh.queue.store(queue, Ordering::Relaxed);
    fresh.exposed.store(0, Ordering::Relaxed);
    fresh.kind.store(kind, Ordering::Release);
    Ok(signal)
}

/// A signal in memory of its own, which `fill` lays on a file: another process has it, too. Its value changes without a
/// call in this one.
pub fn alone(fill: impl FnOnce(u64) -> Result) -> Result<Signal> {
    let slab = SIGNALS.take_alone()?;
    fill(slab).inspect_err(|_| SIGNALS.give_alone(slab))?;
    look::expose();
    Ok(Signal(slab + SIGNAL_BYTES))
}

/// Begins a signal of [`alone`]. It has no mailbox, which would be an address in one of the processes.
pub fn begin_alone(signal: Signal, value: i64) {
    if let Some(fresh) = of(signal) {
        fresh.value.store(value, Ordering::Relaxed);
        fresh.exposed.store(1, Ordering::Relaxed);
        fresh.kind.store(USER, Ordering::Release);
    }
}

/// Ends a signal of [`alone`] in this process: `empty` makes its memory zeros, which are no signal.
pub fn end_alone(signal: Signal, empty: impl FnOnce(u64) -> Result) -> Result {
    let slab = slab_of(signal.0);
    empty(slab)?;
    look::hide();
    watch::gone(signal.0);
    SIGNALS.give_alone(slab);
    Ok(())
}

/// Whether a handle is a signal that has been created and not destroyed.
pub fn exists(signal: Signal) -> bool {
    of(signal).is_some_and(|s| s.kind.load(Ordering::Acquire) != NONE)
}

/// Whether a handle is none, or a signal that has been created and not destroyed.
pub fn is_optional(signal: Signal) -> bool {
    signal.0 == 0 || exists(signal)
}

/// Destroys a signal.
pub fn destroy(signal: Signal) -> Result {
    let known = of(signal).ok_or(Status::ERROR_INVALID_SIGNAL)?;
    if ipc::destroy_signal(signal)? {
        return Ok(());
    }
    if known.kind.swap(NONE, Ordering::AcqRel) == NONE {
        return Err(Status::ERROR_INVALID_SIGNAL);
    }
    if known.exposed.swap(0, Ordering::AcqRel) != 0 {
        look::hide();
    }
    watch::gone(signal.0);
    SIGNALS.give(signal.0);
    Ok(())
}

/// Where the value of a signal is: from now on the program may store there, without a call.
pub fn expose(signal: Signal) -> Result<*const i64> {
    let found = of(signal).filter(|_| exists(signal));
    let found = found.ok_or(Status::ERROR_INVALID_SIGNAL)?;
    if found.exposed.swap(1, Ordering::AcqRel) == 0 {
        look::expose();
    }
    Ok(found.value.as_ptr().cast_const())
}

/// The value of a signal; 0 for the null handle.
pub fn load(signal: Signal) -> i64 {
    named(signal).map_or(0, |s| s.value.load(Ordering::Acquire))
}

/// Changes a signal, and does what others await of it. Gives the value before.
pub fn change(signal: Signal, change: impl FnOnce(&AtomicI64) -> i64) -> i64 {
    let Some(found) = named(signal) else {
        return 0;
    };
    let before = change(&found.value);
    wait::changed(signal.0);
    // In a child that was forked from an open library nobody serves, and locks may be taken for ever.
    if state::usable().is_ok() {
        if found.kind.load(Ordering::Relaxed) == DOORBELL {
            queue::rung(found.queue.load(Ordering::Relaxed));
        }
        watch::changed(signal.0);
    }
    before
}

/// Counts a signal down: the work that it stands for is done. The null handle stands for no work.
pub fn complete(signal: Signal, start: u64, end: u64) {
    stamp(signal, start, end);
    change(signal, |value| value.fetch_sub(1, Ordering::AcqRel));
}

/// Makes a signal negative: the work that it stands for has failed.
pub fn fail(signal: Signal, start: u64, end: u64) {
    stamp(signal, start, end);
    change(signal, |value| value.swap(-1, Ordering::AcqRel));
}

fn stamp(signal: Signal, start: u64, end: u64) {
    if let Some(found) = of(signal) {
        found.start_ts.store(start, Ordering::Relaxed);
        found.end_ts.store(end, Ordering::Relaxed);
    }
}

/// Waits until a condition holds, or the time is over. Gives the last value seen.
pub fn wait(signal: Signal, condition: Condition, compare: i64, timeout: u64) -> i64 {
    let timeout = (timeout < u64::MAX / 2).then(|| Duration::from_nanos(timeout));
    let ready = || Some(load(signal)).filter(|value| condition.holds(*value, compare));
    wait::until(Some(signal.0), timeout, ready).unwrap_or_else(|| load(signal))
}

/// What one of several waits is for.
#[derive(Clone, Copy, Debug)]
pub struct Awaited {
    pub signal: Signal,
    pub condition: Condition,
    pub compare: i64,
    /// The bits of the value that are compared.
    pub mask: i64,
}

impl Awaited {
    /// All bits of a value.
    pub fn new(signal: Signal, condition: Condition, compare: i64) -> Awaited {
        Awaited {
            signal,
            condition,
            compare,
            mask: -1,
        }
    }

    /// What work waits for that depends on other work: 0, or a negative value if that has failed.
    pub fn end_of(work: Signal) -> Awaited {
        Awaited::new(work, Condition::Less, 1)
    }

    /// The value, if it is as awaited.
    pub fn ready(&self) -> Option<i64> {
        let value = load(self.signal);
        let holds = self.condition.holds(value & self.mask, self.compare);
        holds.then_some(value)
    }
}

/// Waits until one of several conditions holds: its number and the value, `None` when the time is over.
pub fn wait_any(all: &[Awaited], timeout: u64) -> Option<(usize, i64)> {
    let timeout = (timeout < u64::MAX / 2).then(|| Duration::from_nanos(timeout));
    let ready = || {
        let mut found = all.iter().enumerate();
        found.find_map(|(n, awaited)| Some((n, awaited.ready()?)))
    };
    wait::until(None, timeout, ready)
}

/// Waits until all conditions have held, each at some time: the values with which they did, `None` when the time is over.
/// What is no signal is as awaited, with value 0.
pub fn wait_all(all: &[Awaited], timeout: u64) -> Option<Vec<i64>> {
    let timeout = (timeout < u64::MAX / 2).then(|| Duration::from_nanos(timeout));
    let none = |awaited: &Awaited| (!exists(awaited.signal)).then_some(0);
    let mut seen: Vec<Option<i64>> = all.iter().map(none).collect();
    wait::until(None, timeout, || {
        for (seen, awaited) in seen.iter_mut().zip(all) {
            *seen = seen.or_else(|| awaited.ready());
        }
        seen.iter().copied().collect()
    })
}
