//! The program's handlers of signals: functions that one thread of the library calls when a signal has a value.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Condvar, Mutex, PoisonError};

use super::awaited::Awaited;
use super::waiters::{self, Outcome};
use crate::c_types::Result;
use crate::observe::happens_before;
use crate::state::lock;
use crate::thread::{self, Service};

/// `hsa_amd_signal_handler`: returns whether it stays registered.
pub(crate) type Callback = unsafe extern "C" fn(i64, *mut c_void) -> bool;

#[derive(Clone, Copy)]
struct Handler {
    awaited: Awaited,
    callback: Callback,
    /// The program's pointer for the callback.
    argument: usize,
}

static THREAD: Service = Service::new("wavetank-events", serve);
/// Handlers whose signal has met its condition, with the values.
static READY: Mutex<VecDeque<(Handler, i64)>> = Mutex::new(VecDeque::new());
static MORE: Condvar = Condvar::new();

/// Registers a handler of the program.
///
/// # Safety
/// The function may be called with this argument and a value, from any thread, as long as its result requests another call.
pub(crate) unsafe fn add(awaited: Awaited, callback: Callback, argument: usize) -> Result {
    THREAD.start()?;
    arm(Handler {
        awaited,
        callback,
        argument,
    });
    Ok(())
}

/// Registers a waiter for a handler's signal. The waiter is dropped with the signal.
fn arm(handler: Handler) {
    waiters::when(handler.awaited, 0, move |outcome| {
        if let Outcome::Is(value) = outcome {
            lock(&READY).push_back((handler, value));
            MORE.notify_all();
        }
    });
}

/// Calls a function once, from another thread.
///
/// # Safety
/// The function may be called with this argument, from any thread and at any time from now on.
pub(crate) unsafe fn once(callback: unsafe extern "C" fn(*mut c_void), argument: usize) -> Result {
    let started = thread::spawn("wavetank-function", move || {
        // SAFETY: by the caller's promise.
        unsafe { callback(std::ptr::with_exposed_provenance_mut(argument)) }
    });
    started.map(drop)
}

/// Ends the thread, and drops the handlers that it has not called.
pub(crate) fn stop() {
    lock(&READY).clear();
    MORE.notify_all();
}

fn serve() {
    loop {
        let nothing = |ready: &mut VecDeque<_>| ready.is_empty() && thread::is_serving();
        let ready = MORE.wait_while(lock(&READY), nothing);
        let mut ready = ready.unwrap_or_else(PoisonError::into_inner);
        if !thread::is_serving() {
            return;
        }
        let next = ready.pop_front();
        drop(ready);
        if let Some((handler, value)) = next {
            call(handler, value);
        }
    }
}

/// Calls a handler, and registers it again if it returns `true`.
fn call(handler: Handler, value: i64) {
    happens_before::host_sees(handler.awaited.signal);
    let argument = std::ptr::with_exposed_provenance_mut(handler.argument);
    // SAFETY: the promise of the caller of `add`.
    let again = unsafe { (handler.callback)(value, argument) };
    if again {
        arm(handler);
    }
}
