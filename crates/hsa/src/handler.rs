//! Functions that are called when a signal has a value, by one thread of the library.

use std::ffi::c_void;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::call::Result;
use crate::runtime::lock;
use crate::signal::{Awaited, wait_any};
use crate::{thread, wait};

/// `hsa_amd_signal_handler`: gives whether it wants to be called again.
pub type Callback = unsafe extern "C" fn(i64, *mut c_void) -> bool;

/// How long the thread waits before it looks for new handlers.
const LOOK: u64 = 100_000_000;

#[derive(Clone, Copy)]
struct Handler {
    awaited: Awaited,
    callback: Callback,
    /// The caller's pointer.
    argument: usize,
}

static HANDLERS: Mutex<Handlers> = Mutex::new(Handlers {
    all: Vec::new(),
    version: 0,
    started: false,
});
static MORE: Condvar = Condvar::new();

struct Handlers {
    all: Vec<Handler>,
    /// Changes whenever one comes.
    version: u64,
    started: bool,
}

/// Adds a handler.
pub fn add(awaited: Awaited, callback: Callback, argument: usize) -> Result {
    let mut handlers = lock(&HANDLERS);
    if !handlers.started {
        thread::spawn("wavetank-events", serve)?;
        handlers.started = true;
    }
    handlers.all.push(Handler {
        awaited,
        callback,
        argument,
    });
    handlers.version += 1;
    drop(handlers);
    MORE.notify_all();
    // The thread may wait for the others.
    wait::something_changed();
    Ok(())
}

/// Calls a function once, from another thread.
pub fn once(callback: unsafe extern "C" fn(*mut c_void), argument: usize) -> Result {
    thread::spawn("wavetank-function", move || {
        // SAFETY: the program gave the function for this argument.
        unsafe { callback(std::ptr::with_exposed_provenance_mut(argument)) }
    })
}

fn serve() {
    loop {
        let (all, version) = {
            let handlers = lock(&HANDLERS);
            let some =
                MORE.wait_timeout_while(handlers, Duration::from_secs(3600), |h| h.all.is_empty());
            let (handlers, _) = some.unwrap_or_else(PoisonError::into_inner);
            (handlers.all.clone(), handlers.version)
        };
        let awaited: Vec<Awaited> = all.iter().map(|h| h.awaited).collect();
        let newer = || (lock(&HANDLERS).version != version).then_some(());
        let found = wait::until(None, Some(Duration::from_nanos(LOOK)), || {
            let ready = awaited
                .iter()
                .enumerate()
                .find_map(|(n, a)| Some((n, a.ready()?)));
            ready.map(Some).or_else(|| newer().map(|()| None))
        });
        if let Some(Some((n, value))) = found {
            call(&all[n], value);
        }
    }
}

/// Calls a handler, and forgets it unless it wants to stay.
fn call(handler: &Handler, value: i64) {
    let argument = std::ptr::with_exposed_provenance_mut(handler.argument);
    // SAFETY: the program gave the function for this argument.
    let again = unsafe { (handler.callback)(value, argument) };
    if again {
        return;
    }
    let mut handlers = lock(&HANDLERS);
    let same = |h: &Handler| {
        h.awaited.signal == handler.awaited.signal
            && h.argument == handler.argument
            && h.callback as usize == handler.callback as usize
    };
    if let Some(at) = handlers.all.iter().position(same) {
        handlers.all.remove(at);
        handlers.version += 1;
    }
}

/// Waits for signals to become 0, as dependencies of copies and barriers do.
pub fn wait_for_zero(signals: &[crate::abi::Signal], stop: impl Fn() -> bool) -> bool {
    for signal in signals.iter().filter(|s| s.0 != 0) {
        let ready = || (stop() || crate::signal::load(*signal) == 0).then_some(());
        if wait::until(Some(signal.0), None, ready).is_none() || stop() {
            return false;
        }
    }
    true
}

/// Waits until one of some signals is 0.
pub fn wait_for_any_zero(signals: &[crate::abi::Signal], stop: impl Fn() -> bool) -> bool {
    use crate::abi::Condition::Equal;
    let some = signals.iter().filter(|s| s.0 != 0);
    let all: Vec<Awaited> = some
        .map(|s| Awaited {
            signal: *s,
            condition: Equal,
            compare: 0,
        })
        .collect();
    if all.is_empty() {
        return true;
    }
    while !stop() {
        if wait_any(&all, 10_000_000).is_some() {
            return true;
        }
    }
    false
}
