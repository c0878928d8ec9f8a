//! Creating and destroying signals.

use std::sync::atomic::Ordering;

use super::slots::{DOORBELL, NONE, SIGNAL_BYTES, SIGNALS, USER, exists, of};
use super::{poll, waiters};
use crate::c_types::{Result, Signal, Status};
use crate::memory::slab::slab_of;

/// Makes a signal with a value.
pub(crate) fn create(value: i64) -> Result<Signal> {
    make(USER, value, 0)
}

/// Makes the doorbell of a queue.
pub(crate) fn doorbell(queue: u64) -> Result<Signal> {
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

/// Makes a signal in a slab of its own, which `fill` maps to a file: other processes share it, so its value changes without a
/// call in this one.
pub(crate) fn alone(fill: impl FnOnce(u64) -> Result) -> Result<Signal> {
    let slab = SIGNALS.take_alone()?;
    fill(slab).inspect_err(|_| SIGNALS.give_alone(slab))?;
    poll::expose();
    Ok(Signal(slab + SIGNAL_BYTES))
}

/// Initializes a signal of [`alone`], without a mailbox, which would be an address in one of the processes.
pub(crate) fn begin_alone(signal: Signal, value: i64) {
    if let Some(fresh) = of(signal) {
        fresh.value.store(value, Ordering::Relaxed);
        fresh.exposed.store(1, Ordering::Relaxed);
        fresh.kind.store(USER, Ordering::Release);
    }
}

/// Ends a signal of [`alone`] in this process: `empty` clears its memory, since zeros are not a signal.
pub(crate) fn end_alone(signal: Signal, empty: impl FnOnce(u64) -> Result) -> Result {
    let slab = slab_of(signal.0);
    empty(slab)?;
    poll::hide();
    waiters::gone(signal.0);
    SIGNALS.give_alone(slab);
    Ok(())
}

/// Destroys a signal of this process alone.
pub(crate) fn destroy(signal: Signal) -> Result {
    let known = of(signal).ok_or(Status::ERROR_INVALID_SIGNAL)?;
    if known.kind.swap(NONE, Ordering::AcqRel) == NONE {
        return Err(Status::ERROR_INVALID_SIGNAL);
    }
    if known.exposed.swap(0, Ordering::AcqRel) != 0 {
        poll::hide();
    }
    waiters::gone(signal.0);
    SIGNALS.give(signal.0);
    Ok(())
}

/// Returns the address of a signal's value. From now on the program may store there without a call.
pub(crate) fn expose(signal: Signal) -> Result<*const i64> {
    let found = of(signal).filter(|_| exists(signal));
    let found = found.ok_or(Status::ERROR_INVALID_SIGNAL)?;
    if found.exposed.swap(1, Ordering::AcqRel) == 0 {
        poll::expose();
    }
    Ok(found.value.as_ptr().cast_const())
}
