//! Changes of a signal's value, which wake all that wait for it.

use std::sync::atomic::{AtomicI64, Ordering};

use super::slots::{DOORBELL, named, of};
use super::{wait, waiters};
use crate::c_types::Signal;
use crate::notice::Notice;
use crate::state;

/// The notice of a doorbell ring, with the address of the queue.
pub(crate) static RUNG: Notice<u64> = Notice::new();

/// Changes a signal, and wakes its waiters. Returns the value before.
pub(crate) fn change(signal: Signal, change: impl FnOnce(&AtomicI64) -> i64) -> i64 {
    let Some(found) = named(signal) else {
        return 0;
    };
    let before = change(&found.value);
    wait::changed(signal.0);
    // A child that was forked from an open library has none of its threads, and locks may be held for ever.
    if state::usable().is_ok() {
        if found.kind.load(Ordering::Relaxed) == DOORBELL {
            RUNG.send(found.queue.load(Ordering::Relaxed));
        }
        waiters::changed(signal.0);
    }
    before
}

/// Decrements a signal whose work is done. The null handle stands for no work.
pub(crate) fn complete(signal: Signal, start: u64, end: u64) {
    stamp(signal, start, end);
    change(signal, |value| value.fetch_sub(1, Ordering::AcqRel));
}

/// Makes a signal negative, since its work has failed.
pub(crate) fn fail(signal: Signal, start: u64, end: u64) {
    stamp(signal, start, end);
    change(signal, |value| value.swap(-1, Ordering::AcqRel));
}

fn stamp(signal: Signal, start: u64, end: u64) {
    if let Some(found) = of(signal) {
        found.start_ts.store(start, Ordering::Relaxed);
        found.end_ts.store(end, Ordering::Relaxed);
    }
}
