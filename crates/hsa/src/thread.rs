//! Threads of the library inside somebody else's process.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use wavetank::DefaultFloatEnv;

use crate::abi::Status;
use crate::call::Result;
use crate::wait::Bucket;

/// How long the last `hsa_shut_down` waits for threads: one may be in a function of the program that waits for its caller.
const PATIENCE: Duration = Duration::from_millis(500);

/// The life of the library that goes on: the last `hsa_shut_down` ends it, and with it the threads that serve.
static LIFE: AtomicU64 = AtomicU64::new(1);
/// Threads that serve.
static SERVING: AtomicU32 = AtomicU32::new(0);
static GONE: Bucket = Bucket::new();

thread_local! {
    /// The life in which this thread serves; 0 in those of the program.
    static SERVES: Cell<u64> = const { Cell::new(0) };
}

/// Starts a detached thread: signals of the process are delivered to the program's own threads, and the float
/// environment is the default one whatever its creator has made of its own (`-ffast-math` hosts flush denormals).
pub fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result {
    let builder = std::thread::Builder::new().name(name.to_owned());
    let blocked = BlockedSignals::new();
    let started = builder.spawn(move || {
        let _environment = DefaultFloatEnv::enter();
        body();
    });
    drop(blocked);
    started
        .map(drop)
        .map_err(|_| Status::ERROR_OUT_OF_RESOURCES)
}

/// Starts a thread that serves until [`is_wanted`] says no.
pub fn serve(name: &str, body: impl FnOnce() + Send + 'static) -> Result {
    /// Counts, however the thread ends.
    struct Serving;
    impl Drop for Serving {
        fn drop(&mut self) {
            SERVING.fetch_sub(1, Ordering::SeqCst);
            GONE.wake();
        }
    }
    SERVING.fetch_add(1, Ordering::SeqCst);
    let (serving, life) = (Serving, life());
    spawn(name, move || {
        let _serving = serving;
        SERVES.set(life);
        body();
    })
}

/// The number of the library's life.
pub fn life() -> u64 {
    LIFE.load(Ordering::SeqCst)
}

/// Whether the life in which this thread serves goes on.
pub fn is_wanted() -> bool {
    SERVES.get() == life()
}

/// Ends the life of the library. `wake` wakes the threads, which then see that they are not wanted; this waits until they
/// have ended, so that a fork after it finds no lock taken.
pub fn end_life(wake: impl FnOnce()) {
    LIFE.fetch_add(1, Ordering::SeqCst);
    wake();
    // A function of the program that such a thread runs may have shut the library down.
    let own = u32::from(SERVES.get() != 0);
    GONE.until(Some(Instant::now() + PATIENCE), || {
        (SERVING.load(Ordering::SeqCst) <= own).then_some(())
    });
}

/// A forked child has none of its parent's threads, and a life of its own.
pub fn forked() {
    LIFE.fetch_add(1, Ordering::SeqCst);
    SERVING.store(0, Ordering::SeqCst);
}

/// A thread that is started when it is first needed, once in a life.
pub struct Service {
    name: &'static str,
    body: fn(),
    /// The life in which it was started.
    started: AtomicU64,
}

impl Service {
    pub const fn new(name: &'static str, body: fn()) -> Service {
        Service {
            name,
            body,
            started: AtomicU64::new(0),
        }
    }

    /// Starts it, unless that was done.
    pub fn start(&self) -> Result {
        let life = life();
        if self.started.load(Ordering::Acquire) == life
            || self.started.swap(life, Ordering::AcqRel) == life
        {
            return Ok(());
        }
        serve(self.name, self.body).inspect_err(|_| self.started.store(0, Ordering::Release))
    }
}

/// Signals stay blocked in this thread, and in those it creates, while this lives.
struct BlockedSignals(libc::sigset_t);

impl BlockedSignals {
    fn new() -> BlockedSignals {
        // SAFETY: plain structures, which the calls fill.
        unsafe {
            let (mut all, mut old) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut old);
            BlockedSignals(old)
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: restores what was there.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, std::ptr::null_mut()) };
    }
}
