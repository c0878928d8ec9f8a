//! Waiting for memory to change: a futex that those who change signals wake, and a look every millisecond for changes
//! that nobody announces (device code stores to signals directly).

use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::time::{Duration, Instant};

/// How often a waiter looks without being woken.
const LOOK: Duration = Duration::from_millis(1);
/// How long a waiter looks before it sleeps.
const SPIN: Duration = Duration::from_micros(15);
const BUCKETS: usize = 64;

/// Waiters for signals whose addresses share some bits.
struct Bucket {
    /// Changes whenever one of the signals has.
    epoch: AtomicU32,
    waiters: AtomicU32,
}

static SINGLE: [Bucket; BUCKETS] = [const { Bucket::new() }; BUCKETS];
/// Those who wait for one of several.
static ANY: Bucket = Bucket::new();

impl Bucket {
    const fn new() -> Bucket {
        Bucket {
            epoch: AtomicU32::new(0),
            waiters: AtomicU32::new(0),
        }
    }

    fn wake(&self) {
        if self.waiters.load(Ordering::SeqCst) == 0 {
            return;
        }
        self.epoch.fetch_add(1, Ordering::SeqCst);
        // SAFETY: the futex is a static.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                self.epoch.as_ptr(),
                libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
                i32::MAX,
            )
        };
    }

    fn sleep(&self, epoch: u32, time: Duration) {
        let timeout = libc::timespec {
            tv_sec: time.as_secs() as libc::time_t,
            tv_nsec: time.subsec_nanos().into(),
        };
        // SAFETY: the futex is a static, and the time outlives the call.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                self.epoch.as_ptr(),
                libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                epoch,
                &raw const timeout,
            )
        };
    }
}

fn bucket(address: u64) -> &'static Bucket {
    &SINGLE[(address / 64) as usize % BUCKETS]
}

/// Wakes those who wait for the signal at an address, which has just changed.
pub fn changed(address: u64) {
    // The change before the look at who waits.
    fence(Ordering::SeqCst);
    bucket(address).wake();
    ANY.wake();
}

/// Wakes everybody: something has changed, and it is not known what.
pub fn something_changed() {
    fence(Ordering::SeqCst);
    for bucket in &SINGLE {
        bucket.wake();
    }
    ANY.wake();
}

/// Waits until `ready` gives something, or the time is over. `address` is that of the signal it looks at; `None` for
/// several.
pub fn until<T>(
    address: Option<u64>,
    timeout: Option<Duration>,
    mut ready: impl FnMut() -> Option<T>,
) -> Option<T> {
    if let Some(found) = ready() {
        return Some(found);
    }
    let start = Instant::now();
    let over = |now: Duration| timeout.is_some_and(|timeout| now >= timeout);
    while start.elapsed() < SPIN {
        if let Some(found) = ready() {
            return Some(found);
        }
        if over(start.elapsed()) {
            return None;
        }
        std::hint::spin_loop();
    }
    let bucket = address.map_or(&ANY, bucket);
    bucket.waiters.fetch_add(1, Ordering::SeqCst);
    let found = loop {
        let epoch = bucket.epoch.load(Ordering::SeqCst);
        if let Some(found) = ready() {
            break Some(found);
        }
        let now = start.elapsed();
        if over(now) {
            break None;
        }
        let left = timeout.map_or(LOOK, |timeout| (timeout - now).min(LOOK));
        bucket.sleep(epoch, left);
    };
    bucket.waiters.fetch_sub(1, Ordering::SeqCst);
    found
}
