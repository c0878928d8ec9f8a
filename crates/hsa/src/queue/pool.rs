//! The thread pool that serves queues: a queue occupies a thread only while it has packets to execute.
//!
//! A few threads are enough, unless kernels wait for kernels of other queues: while no thread becomes free, and queues wait, a
//! thread is added every few polls.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::c_types::Result;
use crate::state::lock;
use crate::thread;

/// A task of the pool, which is a queue.
pub(super) trait Task: Send + Sync {
    /// Works until there is nothing to do, or another task needs the thread. The returned function is called after the thread has
    /// left the pool: it calls the program, which may not return.
    fn run(self: Arc<Self>) -> Option<Afterwards>;
}

/// The last function of a thread, after it has left the pool.
pub(super) type Afterwards = Box<dyn FnOnce()>;

/// The number of threads without a demand for more: one kernel already fills the processors, but programs expect that some
/// run side by side.
const FEW: usize = 4;
/// Polls without progress after which another thread is added.
const MAX_STUCK: u32 = 10;

static POOL: Mutex<Pool> = Mutex::new(Pool::new(0));
static MORE: Condvar = Condvar::new();
/// Whether queues are waiting for a thread.
static WAITING: AtomicBool = AtomicBool::new(false);

struct Pool {
    /// The life of the library that the pool belongs to.
    life: u64,
    ready: VecDeque<Arc<dyn Task>>,
    threads: usize,
    idle: usize,
    max: usize,
    /// Whether a queue got a thread since the last poll; the number of polls without that follows.
    served: bool,
    stuck: u32,
}

impl Pool {
    const fn new(life: u64) -> Pool {
        Pool {
            life,
            ready: VecDeque::new(),
            threads: 0,
            idle: 0,
            max: FEW,
            served: false,
            stuck: 0,
        }
    }

    /// Starts a thread if more queues are ready than threads idle, and the maximum allows it.
    fn staff(&mut self) -> Result {
        let waiting = self.ready.len() > self.idle;
        WAITING.store(waiting, Ordering::Relaxed);
        if !waiting || self.threads >= self.max {
            return Ok(());
        }
        thread::serve("wavetank-queue", serve)?;
        self.threads += 1;
        Ok(())
    }
}

/// Queues a task for a thread.
pub(super) fn add(task: Arc<dyn Task>) -> Result {
    let mut pool = lock(&POOL);
    let life = thread::life();
    if pool.life != life {
        *pool = Pool::new(life);
    }
    pool.ready.push_back(task);
    let staffed = pool.staff();
    // A thread of the pool will take the task.
    let served = pool.threads > 0;
    drop(pool);
    MORE.notify_one();
    if served { Ok(()) } else { staffed }
}

/// Whether a queue waits for a thread: then served queues yield their thread after a packet.
pub(super) fn is_contended() -> bool {
    WAITING.load(Ordering::Relaxed)
}

/// Adds a thread if queues have waited for a while and none became free.
pub(super) fn look() {
    let mut pool = lock(&POOL);
    let moves = pool.ready.len() <= pool.idle || pool.served;
    pool.served = false;
    pool.stuck = if moves { 0 } else { pool.stuck + 1 };
    if pool.stuck >= MAX_STUCK {
        pool.stuck = 0;
        pool.max = pool.threads + 1;
        // Without another thread the queues continue to wait.
        let _ = pool.staff();
    }
}

/// Ends the threads of the pool.
pub(super) fn stop() {
    lock(&POOL).ready.clear();
    MORE.notify_all();
}

fn serve() {
    while let Some(task) = next() {
        if let Some(afterwards) = task.run() {
            leave();
            afterwards();
            return;
        }
    }
}

/// The next queue for this thread; `None` if the thread must end.
fn next() -> Option<Arc<dyn Task>> {
    let mut pool = lock(&POOL);
    loop {
        if !thread::is_serving() {
            return None;
        }
        if let Some(queue) = pool.ready.pop_front() {
            pool.served = true;
            WAITING.store(pool.ready.len() > pool.idle, Ordering::Relaxed);
            return Some(queue);
        }
        pool.idle += 1;
        pool = MORE.wait(pool).unwrap_or_else(PoisonError::into_inner);
        if thread::is_serving() {
            pool.idle -= 1;
        }
    }
}

/// Removes this thread from the pool.
fn leave() {
    let mut pool = lock(&POOL);
    if thread::is_serving() {
        pool.threads -= 1;
        // Without another thread the queues continue to wait.
        let _ = pool.staff();
    }
}
