//! The state of the library: whether it is initialised, and the agents.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use wavetank::environment::{Settings, WrongSetting};
use wavetank::{Device, Registry};

use crate::abi::Status;
use crate::call::Result;
use crate::{checks, copy, deadline, handler, log, look, queue, seed, thread, undefined, watch};

/// What stays from the first `hsa_init` on: worker threads may use it until the process ends.
pub struct Runtime {
    /// The emulated GPUs, which share their memory.
    pub gpus: Vec<Device>,
    /// The memory of each in bytes.
    pub memory: Vec<u64>,
}

static RUNTIME: OnceLock<Runtime> = OnceLock::new();
static REFERENCES: AtomicU32 = AtomicU32::new(0);
/// Held while the library begins or ends.
static CHANGE: Mutex<()> = Mutex::new(());
/// Set in a child that was forked while the library was open: the threads that it would need are in its parent.
static FORKED: AtomicBool = AtomicBool::new(false);

/// The settings of the environment, as they were when they were first looked at.
pub fn settings() -> &'static std::result::Result<Settings, WrongSetting> {
    static SETTINGS: OnceLock<std::result::Result<Settings, WrongSetting>> = OnceLock::new();
    SETTINGS.get_or_init(Settings::from_env)
}

/// The status of an `hsa_init` that cannot be, after saying why.
fn unusable(why: impl std::fmt::Display) -> Status {
    log::line(&why.to_string());
    Status::ERROR_OUT_OF_RESOURCES
}

/// A lock that outlives a panic of its holder.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether calls can be made: the library is initialised, and this is no forked child.
pub fn usable() -> Result {
    if FORKED.load(Ordering::Relaxed) {
        return Err(Status::ERROR_INVALID_RUNTIME_STATE);
    }
    match REFERENCES.load(Ordering::Acquire) {
        0 => Err(Status::ERROR_NOT_INITIALIZED),
        _ => Ok(()),
    }
}

/// Counts a reference; the first one makes the agents.
pub fn init() -> Result {
    if FORKED.load(Ordering::Relaxed) {
        return Err(Status::ERROR_INVALID_RUNTIME_STATE);
    }
    let _one = lock(&CHANGE);
    if RUNTIME.get().is_none() {
        let runtime = Runtime::new()?;
        if undefined::wanted() {
            runtime.registry().keep_shadows().map_err(unusable)?;
        }
        let _ = RUNTIME.set(runtime);
        // SAFETY: the handler only stores to statics.
        unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    }
    let counted =
        REFERENCES.fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| n.checked_add(1));
    counted
        .map(drop)
        .map_err(|_| Status::ERROR_REFCOUNT_OVERFLOW)
}

/// Takes a reference away. The last one ends all threads: what `fork` copies then is a library that can begin anew.
pub fn shut_down() -> Result {
    let _one = lock(&CHANGE);
    let counted =
        REFERENCES.fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| n.checked_sub(1));
    match counted {
        Ok(1) => {
            crate::system::forget_event_handler();
            thread::end_life(|| {
                queue::stop_all();
                watch::forget_all();
                copy::stop();
                handler::stop();
                look::stop();
            });
            crate::statistics::report();
            Ok(())
        }
        Ok(_) => Ok(()),
        Err(_) => Err(Status::ERROR_NOT_INITIALIZED),
    }
}

extern "C" fn forked() {
    match REFERENCES.load(Ordering::Relaxed) {
        0 => thread::forked(),
        _ => FORKED.store(true, Ordering::Relaxed),
    }
}

/// The state, once there is one.
pub fn runtime() -> Result<&'static Runtime> {
    RUNTIME.get().ok_or(Status::ERROR_NOT_INITIALIZED)
}

impl Runtime {
    fn new() -> Result<Runtime> {
        let settings = Settings::from_env().map_err(unusable)?;
        let mut gpus: Vec<Device> = Vec::new();
        for gpu in &settings.gpus {
            let builder = Device::builder(gpu.chip);
            let builder = match gpus.first() {
                Some(first) => builder.memory_of(first).schedule(first.schedule()),
                None => builder,
            };
            gpus.push(builder.build().map_err(unusable)?);
        }
        deadline::begin();
        if !checks::tools().is_empty() {
            queue::finish_at_exit();
        }
        seed::tell_at_exit(gpus[0].schedule());
        let memory = settings.memory();
        Ok(Runtime { gpus, memory })
    }

    /// The memory of all GPUs.
    pub fn registry(&self) -> &Registry {
        self.gpus[0].registry()
    }
}

/// How fast the clock of signals and profiling goes.
pub const TICKS_PER_SECOND: u64 = 1_000_000_000;

/// The clock of signals and profiling: nanoseconds that only go on.
pub fn ticks() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the structure outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * TICKS_PER_SECOND + time.tv_nsec as u64
}
