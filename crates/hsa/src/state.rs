//! The one runtime of a process: its devices, whether it is initialised, the settings, and the clock.
//!
//! All other modules depend on this one. Only `life.rs` changes its state.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use wavetank::environment::{Settings, WrongSetting};
use wavetank::{Device, Registry};

use crate::c_types::{Result, Status};

/// The devices, which stay from the first `hsa_init` on: worker threads may use them until the process ends.
pub(crate) struct Runtime {
    /// The emulated GPUs, which share their memory.
    pub gpus: Vec<Device>,
    /// The memory size of each GPU in bytes.
    pub memory: Vec<u64>,
}

static RUNTIME: OnceLock<Runtime> = OnceLock::new();
/// The number of `hsa_init` calls without their `hsa_shut_down`.
static REFERENCES: AtomicU32 = AtomicU32::new(0);
/// Set in a child that was forked while the library was open: the threads that it would need are in its parent.
static FORKED: AtomicBool = AtomicBool::new(false);

/// The settings of the environment, read once.
pub(crate) fn settings() -> &'static std::result::Result<Settings, WrongSetting> {
    static SETTINGS: OnceLock<std::result::Result<Settings, WrongSetting>> = OnceLock::new();
    SETTINGS.get_or_init(Settings::from_env)
}

/// Locks a mutex, even if a holder has panicked.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether calls can be made: the library is initialised, and this is not a forked child.
pub(crate) fn usable() -> Result {
    not_forked()?;
    if is_open() {
        Ok(())
    } else {
        Err(Status::ERROR_NOT_INITIALIZED)
    }
}

/// Fails in a child that was forked while the library was open.
pub(crate) fn not_forked() -> Result {
    if FORKED.load(Ordering::Relaxed) {
        Err(Status::ERROR_INVALID_RUNTIME_STATE)
    } else {
        Ok(())
    }
}

/// Marks this process as a forked child.
pub(crate) fn set_forked() {
    FORKED.store(true, Ordering::Relaxed);
}

/// Whether the library is initialised: there is a reference.
pub(crate) fn is_open() -> bool {
    REFERENCES.load(Ordering::Acquire) > 0
}

/// Adds a reference to the library.
pub(crate) fn add_reference() -> Result {
    let counted =
        REFERENCES.fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| n.checked_add(1));
    counted
        .map(drop)
        .map_err(|_| Status::ERROR_REFCOUNT_OVERFLOW)
}

/// Removes a reference. Returns whether it was the last one.
pub(crate) fn remove_reference() -> Result<bool> {
    let counted =
        REFERENCES.fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| n.checked_sub(1));
    counted
        .map(|before| before == 1)
        .map_err(|_| Status::ERROR_NOT_INITIALIZED)
}

/// The devices, after the first `hsa_init`.
pub(crate) fn runtime() -> Result<&'static Runtime> {
    RUNTIME.get().ok_or(Status::ERROR_NOT_INITIALIZED)
}

/// Sets the devices, unless they are set.
pub(crate) fn set_runtime(runtime: Runtime) {
    let _ = RUNTIME.set(runtime);
}

impl Runtime {
    /// The allocations of all GPUs.
    pub(crate) fn registry(&self) -> &Registry {
        self.gpus[0].registry()
    }
}

/// The frequency of [`ticks`].
pub(crate) const TICKS_PER_SECOND: u64 = 1_000_000_000;

/// The monotonic clock of signals and profiling, in nanoseconds.
pub(crate) fn ticks() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the structure outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * TICKS_PER_SECOND + time.tv_nsec as u64
}
