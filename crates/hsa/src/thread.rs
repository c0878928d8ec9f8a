//! The threads of the library in the process of the program.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use wavetank::DefaultFloatEnv;

use crate::c_types::{Result, Status};
use crate::signal::futex::EventCount;
use crate::state::lock;

/// The time that the last `hsa_shut_down` waits for threads: one may be in a function of the program that waits for its caller.
const PATIENCE: Duration = Duration::from_secs(2);

/// The number of the library's present life: the last `hsa_shut_down` ends it, and with it the threads that serve.
static LIFE: AtomicU64 = AtomicU64::new(1);
/// The threads that serve, and those that have ended and were not joined yet.
static SERVERS: Mutex<Vec<Server>> = Mutex::new(Vec::new());
static GONE: EventCount = EventCount::new();

struct Server {
    /// Whether the thread serves no longer, and is about to end.
    left: Arc<AtomicBool>,
    handle: JoinHandle<()>,
}

impl Server {
    fn left(&self) -> bool {
        self.left.load(Ordering::SeqCst)
    }

    fn is_this(&self) -> bool {
        self.handle.thread().id() == std::thread::current().id()
    }

    /// Waits until the thread has exited: during its exit it takes locks of the C library, which a fork would copy as taken.
    fn join(self) {
        // A panic of the thread was reported when it happened.
        let _ = self.handle.join();
    }
}

thread_local! {
    /// The life in which this thread serves; 0 in threads of the program.
    static SERVES: Cell<u64> = const { Cell::new(0) };
}

/// Starts a thread. Signals of the process are delivered to the program's own threads only. The float environment is the default
/// one, even if its creator has another (`-ffast-math` hosts flush denormals).
pub(crate) fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>> {
    let builder = std::thread::Builder::new().name(name.to_owned());
    let blocked = BlockedSignals::new();
    let started = builder.spawn(move || {
        let _environment = DefaultFloatEnv::enter();
        body();
    });
    drop(blocked);
    started.map_err(|_| Status::ERROR_OUT_OF_RESOURCES)
}

/// Starts a thread that serves until [`is_serving`] is false.
pub(crate) fn serve(name: &str, body: impl FnOnce() + Send + 'static) -> Result {
    /// Records that the thread leaves, however it ends.
    struct Serving(Arc<AtomicBool>);
    impl Drop for Serving {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
            GONE.wake();
        }
    }
    let left = Arc::new(AtomicBool::new(false));
    let (serving, life) = (Serving(left.clone()), life());
    let mut servers = lock(&SERVERS);
    servers
        .extract_if(.., |server| server.left())
        .for_each(Server::join);
    let handle = spawn(name, move || {
        let _serving = serving;
        SERVES.set(life);
        body();
    })?;
    servers.push(Server { left, handle });
    Ok(())
}

/// The number of the library's life.
pub(crate) fn life() -> u64 {
    LIFE.load(Ordering::SeqCst)
}

/// Whether the life in which this thread serves still continues.
pub(crate) fn is_serving() -> bool {
    SERVES.get() == life()
}

/// Ends the life of the library. `wake` wakes the threads, which then find that it has ended. The function waits until they have
/// exited, so that a fork afterwards finds no lock taken.
pub(crate) fn end_life(wake: impl FnOnce()) {
    LIFE.fetch_add(1, Ordering::SeqCst);
    wake();
    let servers = std::mem::take(&mut *lock(&SERVERS));
    // The function of the program that shut the library down may be running in one of these threads.
    let others = servers.into_iter().filter(|server| !server.is_this());
    let others: Vec<Server> = others.collect();
    GONE.until(Some(Instant::now() + PATIENCE), || {
        others.iter().all(Server::left).then_some(())
    });
    others
        .into_iter()
        .filter(Server::left)
        .for_each(Server::join);
}

/// Begins a new life in a forked child, which has none of its parent's threads.
pub(crate) fn forked() {
    LIFE.fetch_add(1, Ordering::SeqCst);
    // The parent's threads do not exist in this process, so they cannot be detached.
    if let Ok(mut servers) = SERVERS.try_lock() {
        std::mem::forget(std::mem::take(&mut *servers));
    }
}

/// A thread that is started at its first use, once in a life.
pub(crate) struct Service {
    name: &'static str,
    body: fn(),
    /// The number of the life in which it was started.
    started: AtomicU64,
}

impl Service {
    pub(crate) const fn new(name: &'static str, body: fn()) -> Service {
        Service {
            name,
            body,
            started: AtomicU64::new(0),
        }
    }

    /// Starts the thread, unless it has been started.
    pub(crate) fn start(&self) -> Result {
        let life = life();
        if self.started.load(Ordering::Acquire) == life
            || self.started.swap(life, Ordering::AcqRel) == life
        {
            return Ok(());
        }
        serve(self.name, self.body).inspect_err(|_| self.started.store(0, Ordering::Release))
    }
}

/// Blocks signals in this thread, and in threads that it creates, while this lives.
struct BlockedSignals(libc::sigset_t);

impl BlockedSignals {
    fn new() -> BlockedSignals {
        // SAFETY: plain structures, which the calls fill.
        unsafe {
            let (mut all, mut old) = (std::mem::zeroed(), std::mem::zeroed());
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut old);
            BlockedSignals(old)
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: restores the previous mask.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.0, std::ptr::null_mut())
        };
    }
}
