//! Signals: 64-bit values that host and device change, and the host waits for.

use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::abi::{AmdSignal, Condition, Signal, Status};
use crate::call::Result;
use crate::runtime::{lock, runtime};
use crate::wait;

/// Signals that are allocated together; the first place of a slab is their mailbox.
const SLAB: u64 = 1024;
const SIGNAL_BYTES: u64 = 64;
/// Kinds of `amd_signal_t`.
const USER: i64 = 1;
const DOORBELL: i64 = -1;
const NONE: i64 = 0;

/// Signals that are free, by address, and where all of them lie.
static POOL: Mutex<Signals> = Mutex::new(Signals {
    free: Vec::new(),
    slabs: Vec::new(),
});

struct Signals {
    free: Vec<u64>,
    slabs: Vec<u64>,
}

impl Signals {
    fn take(&mut self) -> Result<u64> {
        if let Some(address) = self.free.pop() {
            return Ok(address);
        }
        let registry = runtime()?.registry();
        let slab = registry.allocate("signals", SLAB * SIGNAL_BYTES, 4096);
        let slab = slab.map_err(|_| Status::ERROR_OUT_OF_RESOURCES)?.address;
        self.slabs.push(slab);
        self.free
            .extend((2..SLAB).rev().map(|n| slab + n * SIGNAL_BYTES));
        Ok(slab + SIGNAL_BYTES)
    }

    fn slab_of(&self, address: u64) -> Option<u64> {
        let inside = |slab: &&u64| (**slab..**slab + SLAB * SIGNAL_BYTES).contains(&address);
        self.slabs.iter().find(inside).copied()
    }
}

/// A signal that is there.
///
/// Handles are addresses, as AMD's ABI wants it: the operations trust them, as those of the library that this stands in
/// for do. Calls that create and destroy check them.
pub fn of(signal: Signal) -> Option<&'static AmdSignal> {
    let pointer = std::ptr::with_exposed_provenance::<AmdSignal>(signal.0 as usize);
    let aligned = signal.0 != 0 && signal.0.is_multiple_of(SIGNAL_BYTES);
    // SAFETY: a handle is the address of a signal of a slab. Slabs are never unmapped, so that a late look at a signal
    // that has been destroyed reads memory of the library. All fields that change are atomics.
    aligned.then(|| unsafe { &*pointer })
}

/// Makes a signal with a value.
pub fn create(value: i64) -> Result<Signal> {
    let mut pool = lock(&POOL);
    let address = pool.take()?;
    let mailbox = pool.slab_of(address).unwrap_or(address);
    let pointer = std::ptr::with_exposed_provenance_mut::<AmdSignal>(address as usize);
    let fresh = AmdSignal {
        kind: USER.into(),
        value: value.into(),
        event_mailbox: mailbox,
        event_id: 1,
        reserved1: 0,
        start_ts: 0.into(),
        end_ts: 0.into(),
        queue: 0,
        reserved3: [0; 2],
    };
    // SAFETY: the place belongs to a slab, and nobody else has it.
    unsafe { pointer.write(fresh) };
    Ok(Signal(address))
}

/// Makes the doorbell of a queue.
pub fn doorbell(queue: u64) -> Result<Signal> {
    let signal = create(-1)?;
    let pointer = std::ptr::with_exposed_provenance_mut::<AmdSignal>(signal.0 as usize);
    // SAFETY: just created, and nobody else has it.
    unsafe { (*pointer).queue = queue };
    if let Some(signal) = of(signal) {
        signal.kind.store(DOORBELL, Ordering::Relaxed);
    }
    Ok(signal)
}

/// Whether a handle is a signal that has been created and not destroyed.
pub fn exists(signal: Signal) -> bool {
    let known = lock(&POOL).slab_of(signal.0).is_some();
    known && of(signal).is_some_and(|s| s.kind.load(Ordering::Relaxed) != NONE)
}

/// Destroys a signal.
pub fn destroy(signal: Signal) -> Result {
    let mut pool = lock(&POOL);
    let known = of(signal).filter(|_| pool.slab_of(signal.0).is_some());
    let known = known.ok_or(Status::ERROR_INVALID_SIGNAL)?;
    if known.kind.swap(NONE, Ordering::Relaxed) == NONE {
        return Err(Status::ERROR_INVALID_SIGNAL);
    }
    pool.free.push(signal.0);
    Ok(())
}

/// The value of a signal; 0 for the null handle.
pub fn load(signal: Signal) -> i64 {
    of(signal).map_or(0, |s| s.value.load(Ordering::Acquire))
}

/// Changes a signal, and wakes who waits for it. Gives the value before.
pub fn change(signal: Signal, change: impl FnOnce(&std::sync::atomic::AtomicI64) -> i64) -> i64 {
    let Some(found) = of(signal) else {
        return 0;
    };
    let before = change(&found.value);
    wait::changed(signal.0);
    before
}

/// Counts a signal down: the work that it stands for is done. The null handle stands for no work.
pub fn complete(signal: Signal, start: u64, end: u64) {
    let Some(found) = of(signal) else {
        return;
    };
    found.start_ts.store(start, Ordering::Relaxed);
    found.end_ts.store(end, Ordering::Relaxed);
    change(signal, |value| value.fetch_sub(1, Ordering::AcqRel));
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
}

impl Awaited {
    /// The value, if it is as awaited.
    pub fn ready(&self) -> Option<i64> {
        Some(load(self.signal)).filter(|value| self.condition.holds(*value, self.compare))
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
