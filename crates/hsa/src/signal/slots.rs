//! The memory of signals: slots that are never unmapped, so that every operation can validate a handle.

use std::sync::atomic::Ordering;

use crate::c_types::{AmdSignal, Signal};
use crate::log;
use crate::memory::slab::Slabs;

/// The size of a signal in bytes.
pub(super) const SIGNAL_BYTES: u64 = 64;
/// The kinds of signals: values of the first field of `amd_signal_t`.
pub(super) const USER: i64 = 1;
pub(super) const DOORBELL: i64 = -1;
pub(super) const NONE: i64 = 0;

/// The slabs of all signals. The first slot of a slab is their mailbox.
pub(super) static SIGNALS: Slabs = Slabs::new("signals", SIGNAL_BYTES, 1);

/// The signal of a handle, destroyed or not; `None` for a handle that never was one.
///
/// Handles are addresses, as AMD's ABI requires.
pub(crate) fn of(signal: Signal) -> Option<&'static AmdSignal> {
    let pointer = std::ptr::with_exposed_provenance::<AmdSignal>(signal.0 as usize);
    let known = SIGNALS.holds(signal.0);
    // SAFETY: a slot of a slab, which is never unmapped, and begins as zeros, which is a valid signal. All accesses to it are
    // atomic.
    known.then(|| unsafe { &*pointer })
}

/// The signal that an operation of the program refers to; `None` for the null handle, and for an invalid one, which is reported.
pub(super) fn named(signal: Signal) -> Option<&'static AmdSignal> {
    let found = of(signal);
    if found.is_none() && signal.0 != 0 {
        log::few(&format!(
            "{:#x} is not a signal: the operation does nothing, and its value is 0",
            signal.0
        ));
    }
    found
}

/// Whether a handle is a signal that has been created and not destroyed.
pub(crate) fn exists(signal: Signal) -> bool {
    of(signal).is_some_and(|s| s.kind.load(Ordering::Acquire) != NONE)
}

/// Whether a handle is null, or a signal that has been created and not destroyed.
pub(crate) fn is_optional(signal: Signal) -> bool {
    signal.0 == 0 || exists(signal)
}

/// The value of a signal; 0 for the null handle.
pub(crate) fn load(signal: Signal) -> i64 {
    named(signal).map_or(0, |s| s.value.load(Ordering::Acquire))
}
