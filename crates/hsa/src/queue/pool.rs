//! The threads that serve queues: a queue has one only while there is something to do for it.
//!
//! A few threads are enough, unless kernels wait for kernels of other queues: while none of them comes free, and queues
//! wait, another one is added every few looks.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::Queue;
use crate::abi::Result;
use crate::state::lock;
use crate::thread;

/// Threads that there may be in any case: a kernel fills the processors by itself, and that some run side by side is what
/// programs expect.
const FEW: usize = 4;
/// Looks without progress after which another thread is added.
const PATIENCE: u32 = 10;

static POOL: Mutex<Pool> = Mutex::new(Pool::new(0));
static MORE: Condvar = Condvar::new();
/// Whether queues wait for a thread.
static WAITING: AtomicBool = AtomicBool::new(false);

struct Pool {
    /// The life of the library to which all this belongs.
    life: u64,
    ready: VecDeque<Arc<Queue>>,
    threads: usize,
    idle: usize,
    most: usize,
    /// Queues that got a thread since the last look, and looks at which none had.
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
            most: FEW,
            served: false,
            stuck: 0,
        }
    }

    /// Finds a thread for the queues that are ready, if there is one or may be one more.
    fn staff(&mut self) -> Result {
        let waiting = self.ready.len() > self.idle;
        WAITING.store(waiting, Ordering::Relaxed);
        if !waiting || self.threads >= self.most {
            return Ok(());
        }
        thread::serve("wavetank-queue", serve)?;
        self.threads += 1;
        Ok(())
    }
}

/// Lets a thread serve a queue.
pub fn add(queue: Arc<Queue>) -> Result {
    let mut pool = lock(&POOL);
    let life = thread::life();
    if pool.life != life {
        *pool = Pool::new(life);
    }
    pool.ready.push_back(queue);
    let staffed = pool.staff();
    // Some thread will come to it.
    let served = pool.threads > 0;
    drop(pool);
    MORE.notify_one();
    if served { Ok(()) } else { staffed }
}

/// Whether a queue waits for a thread: one that is served gives its own away after each packet.
pub fn is_wanted() -> bool {
    WAITING.load(Ordering::Relaxed)
}

/// Adds a thread if queues have waited for a while and none came free.
pub fn look() {
    let mut pool = lock(&POOL);
    let moves = pool.ready.len() <= pool.idle || pool.served;
    pool.served = false;
    pool.stuck = if moves { 0 } else { pool.stuck + 1 };
    if pool.stuck >= PATIENCE {
        pool.stuck = 0;
        pool.most = pool.threads + 1;
        // Without one more, those who wait go on waiting.
        let _ = pool.staff();
    }
}

/// Ends the threads.
pub fn stop() {
    lock(&POOL).ready.clear();
    MORE.notify_all();
}

fn serve() {
    while let Some(queue) = next() {
        if let Some(fault) = queue.turn() {
            // The program's callback may take its time, or not return: others serve meanwhile.
            leave();
            fault.report(&queue);
            return;
        }
    }
}

/// The next queue for this thread; none when the thread has to end.
fn next() -> Option<Arc<Queue>> {
    let mut pool = lock(&POOL);
    loop {
        if !thread::is_wanted() {
            return None;
        }
        if let Some(queue) = pool.ready.pop_front() {
            pool.served = true;
            WAITING.store(pool.ready.len() > pool.idle, Ordering::Relaxed);
            return Some(queue);
        }
        pool.idle += 1;
        pool = MORE.wait(pool).unwrap_or_else(PoisonError::into_inner);
        if thread::is_wanted() {
            pool.idle -= 1;
        }
    }
}

/// This thread serves no longer.
fn leave() {
    let mut pool = lock(&POOL);
    if thread::is_wanted() {
        pool.threads -= 1;
        // Without another thread, those who wait go on waiting.
        let _ = pool.staff();
    }
}
