//! The signal operations of the C interface. All memory orders of the headers are implemented as acquire and release.

use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use crate::c_types::{Condition, Signal, SignalGroup, Status};
use crate::call::{Result, calls, operations, put, same};
use crate::memory::ipc;
use crate::observe::happens_before;
use crate::signal::{self, Awaited, handler};
use crate::state::lock;

/// Changes a signal for the program. Returns the value before.
fn change(signal: Signal, change: impl FnOnce(&AtomicI64) -> i64) -> i64 {
    happens_before::host_changes(signal);
    signal::change(signal, change)
}

/// Records that the program has observed a value.
fn saw(signal: Signal, value: i64) -> i64 {
    happens_before::host_sees(signal);
    value
}

/// The attribute `HSA_AMD_SIGNAL_IPC`, for signals shared by processes.
const SHARED: u64 = 2;

same! {
    [signal: Signal] [-> i64] { saw(signal, signal::load(signal)) }
    hsa_signal_load_relaxed hsa_signal_load_acquire hsa_signal_load_scacquire
}
same! {
    [signal: Signal, value: i64] [] {
        change(signal, |v| { v.store(value, Release); 0 });
    }
    hsa_signal_store_relaxed hsa_signal_store_release hsa_signal_store_screlease
}
// A silent store need not wake waiters, but nothing else would wake them.
same! {
    [signal: Signal, value: i64] [] {
        change(signal, |v| { v.store(value, Release); 0 });
    }
    hsa_signal_silent_store_relaxed hsa_signal_silent_store_screlease
}
same! {
    [signal: Signal, value: i64] [-> i64] { saw(signal, change(signal, |v| v.swap(value, AcqRel))) }
    hsa_signal_exchange_relaxed hsa_signal_exchange_acquire hsa_signal_exchange_release hsa_signal_exchange_acq_rel
    hsa_signal_exchange_scacquire hsa_signal_exchange_screlease hsa_signal_exchange_scacq_screl
}
same! {
    [signal: Signal, expected: i64, value: i64] [-> i64] {
        let before =
            change(signal, |v| v.compare_exchange(expected, value, AcqRel, Acquire).unwrap_or_else(|other| other));
        saw(signal, before)
    }
    hsa_signal_cas_relaxed hsa_signal_cas_acquire hsa_signal_cas_release hsa_signal_cas_acq_rel
    hsa_signal_cas_scacquire hsa_signal_cas_screlease hsa_signal_cas_scacq_screl
}
same! {
    [signal: Signal, value: i64] [] { change(signal, |v| v.fetch_add(value, AcqRel)); }
    hsa_signal_add_relaxed hsa_signal_add_acquire hsa_signal_add_release hsa_signal_add_acq_rel
    hsa_signal_add_scacquire hsa_signal_add_screlease hsa_signal_add_scacq_screl
}
same! {
    [signal: Signal, value: i64] [] { change(signal, |v| v.fetch_sub(value, AcqRel)); }
    hsa_signal_subtract_relaxed hsa_signal_subtract_acquire hsa_signal_subtract_release hsa_signal_subtract_acq_rel
    hsa_signal_subtract_scacquire hsa_signal_subtract_screlease hsa_signal_subtract_scacq_screl
}
same! {
    [signal: Signal, value: i64] [] { change(signal, |v| v.fetch_and(value, AcqRel)); }
    hsa_signal_and_relaxed hsa_signal_and_acquire hsa_signal_and_release hsa_signal_and_acq_rel
    hsa_signal_and_scacquire hsa_signal_and_screlease hsa_signal_and_scacq_screl
}
same! {
    [signal: Signal, value: i64] [] { change(signal, |v| v.fetch_or(value, AcqRel)); }
    hsa_signal_or_relaxed hsa_signal_or_acquire hsa_signal_or_release hsa_signal_or_acq_rel
    hsa_signal_or_scacquire hsa_signal_or_screlease hsa_signal_or_scacq_screl
}
same! {
    [signal: Signal, value: i64] [] { change(signal, |v| v.fetch_xor(value, AcqRel)); }
    hsa_signal_xor_relaxed hsa_signal_xor_acquire hsa_signal_xor_release hsa_signal_xor_acq_rel
    hsa_signal_xor_scacquire hsa_signal_xor_screlease hsa_signal_xor_scacq_screl
}
same! {
    [signal: Signal, condition: u32, compare: i64, timeout: u64, _state: u32] [-> i64] {
        match Condition::new(condition) {
            Some(condition) => saw(signal, signal::wait(signal, condition, compare, timeout)),
            None => saw(signal, signal::load(signal)),
        }
    }
    hsa_signal_wait_relaxed hsa_signal_wait_acquire hsa_signal_wait_scacquire
}

/// The conditions in a C caller's arrays.
///
/// # Safety
/// Each array has `count` elements.
unsafe fn awaited(
    count: u32,
    signals: *const Signal,
    conditions: *const u32,
    compares: *const i64,
) -> Option<Vec<Awaited>> {
    if signals.is_null() || conditions.is_null() || compares.is_null() {
        return None;
    }
    let each = |n: usize| {
        // SAFETY: each array has `count` elements, and `n` is below that.
        let (signal, condition, compare) =
            unsafe { (*signals.add(n), *conditions.add(n), *compares.add(n)) };
        let condition = Condition::new(condition)?;
        Some(Awaited::new(signal, condition, compare))
    };
    (0..count as usize).map(each).collect()
}

operations! {
    /// Waits for one of several signals; returns its number, or `u32::MAX` after a timeout.
    fn hsa_amd_signal_wait_any(
        count: u32, signals: *const Signal, conditions: *const u32, compares: *const i64, timeout: u64, _state: u32,
        value: *mut i64,
    ) -> u32 {
        // SAFETY: the arrays are as the C function requires.
        let Some(all) = (unsafe { awaited(count, signals, conditions, compares) }) else {
            return u32::MAX;
        };
        let Some((n, seen)) = signal::wait_any(&all, timeout) else {
            return u32::MAX;
        };
        happens_before::host_sees(all[n].signal);
        // The value is optional.
        // SAFETY: null, or room for a value.
        let _ = unsafe { put(value, seen) };
        n as u32
    }

    /// Waits until all signals have met their conditions, each at some time; returns 0, or `u32::MAX` after a timeout. A null
    /// handle counts as met. Also returns the value with which each signal met its condition.
    fn hsa_amd_signal_wait_all(
        count: u32, signals: *const Signal, conditions: *const u32, compares: *const i64, timeout: u64, _state: u32,
        values: *mut i64,
    ) -> u32 {
        // SAFETY: the arrays are as the C function requires.
        let Some(all) = (unsafe { awaited(count, signals, conditions, compares) }) else {
            return u32::MAX;
        };
        let Some(seen) = signal::wait_all(&all, timeout) else {
            return u32::MAX;
        };
        all.iter().for_each(|awaited| happens_before::host_sees(awaited.signal));
        if !values.is_null() {
            // SAFETY: not null: room for a value for each signal.
            unsafe { values.copy_from(seen.as_ptr(), seen.len()) };
        }
        0
    }
}

/// Creates a signal for some consumers. Any agent may wait for it, but the list must be valid.
///
/// # Safety
/// `consumers` has `count` agents if it is not null; `signal` is null or room for a handle.
unsafe fn create(
    make: impl FnOnce() -> Result<Signal>,
    count: u32,
    consumers: *const u64,
    signal: *mut Signal,
) -> Result {
    if signal.is_null() || count > 0 && consumers.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    if count > 0 {
        // SAFETY: not null: the caller's array has `count` agents.
        let consumers = unsafe { std::slice::from_raw_parts(consumers, count as usize) };
        let twice = |(n, agent): (usize, &u64)| consumers[..n].contains(agent);
        if consumers.iter().enumerate().any(twice) {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
    }
    // SAFETY: not null: room for a handle.
    unsafe { put(signal, make()?) }
}

calls! {
    fn hsa_signal_create(value: i64, count: u32, consumers: *const u64, signal: *mut Signal) {
        // SAFETY: the program's promise (see `calls!`).
        unsafe { create(|| signal::create(value), count, consumers, signal) }
    }

    fn hsa_amd_signal_create(value: i64, count: u32, consumers: *const u64, attributes: u64, signal: *mut Signal) {
        let make = || match attributes & SHARED {
            0 => signal::create(value),
            _ => ipc::create_signal(value),
        };
        // SAFETY: the program's promise (see `calls!`).
        unsafe { create(make, count, consumers, signal) }
    }

    fn hsa_signal_destroy(signal: Signal) {
        if signal.0 == 0 {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        if ipc::destroy_signal(signal)? { Ok(()) } else { signal::destroy(signal) }
    }

    fn hsa_amd_signal_value_pointer(signal: Signal, pointer: *mut *const i64) {
        if pointer.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null: room for a pointer.
        unsafe { put(pointer, signal::expose(signal)?) }
    }

    fn hsa_amd_signal_async_handler(
        signal: Signal, condition: u32, compare: i64, handler: Option<handler::Callback>, argument: *mut std::ffi::c_void,
    ) {
        let condition = Condition::new(condition).ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        let callback = handler.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        if !signal::exists(signal) {
            return Err(Status::ERROR_INVALID_SIGNAL);
        }
        let awaited = Awaited::new(signal, condition, compare);
        // SAFETY: the program gives the function for this argument (see `calls!`).
        unsafe { handler::add(awaited, callback, argument.expose_provenance()) }
    }

    fn hsa_amd_async_function(callback: Option<unsafe extern "C" fn(*mut std::ffi::c_void)>, argument: *mut std::ffi::c_void) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        // SAFETY: the program gives the function for this argument (see `calls!`).
        unsafe { handler::once(callback, argument.expose_provenance()) }
    }

    fn hsa_signal_group_create(
        count: u32, signals: *const Signal, consumer_count: u32, consumers: *const u64, group: *mut SignalGroup,
    ) {
        if count == 0 || signals.is_null() || group.is_null() || consumer_count > 0 && consumers.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: the caller's array has `count` handles.
        let members = unsafe { std::slice::from_raw_parts(signals, count as usize) }.to_vec();
        let mut groups = lock(&GROUPS);
        groups.next += 1;
        let handle = SignalGroup(groups.next);
        groups.all.push((handle, members));
        // SAFETY: not null: room for a handle.
        unsafe { put(group, handle) }
    }

    fn hsa_signal_group_destroy(group: SignalGroup) {
        let mut groups = lock(&GROUPS);
        let before = groups.all.len();
        groups.all.retain(|(handle, _)| *handle != group);
        if groups.all.len() < before { Ok(()) } else { Err(Status::ERROR_INVALID_SIGNAL_GROUP) }
    }

    fn hsa_signal_group_wait_any_scacquire(
        group: SignalGroup, conditions: *const u32, compares: *const i64, _state: u32, signal: *mut Signal, value: *mut i64,
    ) {
        // SAFETY: the program's promise (see `calls!`).
        unsafe { wait_group(group, conditions, compares, signal, value) }
    }

    fn hsa_signal_group_wait_any_relaxed(
        group: SignalGroup, conditions: *const u32, compares: *const i64, _state: u32, signal: *mut Signal, value: *mut i64,
    ) {
        // SAFETY: the program's promise (see `calls!`).
        unsafe { wait_group(group, conditions, compares, signal, value) }
    }
}

static GROUPS: std::sync::Mutex<Groups> = std::sync::Mutex::new(Groups {
    next: 0,
    all: Vec::new(),
});

/// Groups of signals with a common wait.
struct Groups {
    next: u64,
    all: Vec<(SignalGroup, Vec<Signal>)>,
}

/// Waits for any signal of a group.
///
/// # Safety
/// The arrays have an element for each signal of the group; the results have room.
unsafe fn wait_group(
    group: SignalGroup,
    conditions: *const u32,
    compares: *const i64,
    signal: *mut Signal,
    value: *mut i64,
) -> Result {
    if signal.is_null() || value.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let found = lock(&GROUPS)
        .all
        .iter()
        .find(|(handle, _)| *handle == group)
        .map(|(_, s)| s.clone());
    let members = found.ok_or(Status::ERROR_INVALID_SIGNAL_GROUP)?;
    // SAFETY: the other arrays have an element for each member.
    let all = unsafe { awaited(members.len() as u32, members.as_ptr(), conditions, compares) };
    let all = all.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    let (n, seen) = signal::wait_any(&all, u64::MAX).ok_or(Status::ERROR)?;
    happens_before::host_sees(members[n]);
    // SAFETY: checked above not to be null.
    unsafe {
        put(signal, members[n])?;
        put(value, seen)
    }
}
