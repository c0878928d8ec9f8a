//! Waiting for memory to change: a futex that those who change signals wake. Changes that nobody announces are the matter of
//! [`look`].

use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::time::{Duration, Instant};

use crate::{deadline, look};

/// How long a waiter looks before it sleeps: most work that somebody waits for ends, or comes, at once.
pub const SPIN: Duration = Duration::from_micros(15);
const BUCKETS: usize = 64;

/// Waiters for signals whose addresses share some bits.
pub struct Bucket {
    /// Changes whenever one of the signals has.
    epoch: AtomicU32,
    waiters: AtomicU32,
}

static SINGLE: [Bucket; BUCKETS] = [const { Bucket::new() }; BUCKETS];
/// Those who wait for one of several.
static ANY: Bucket = Bucket::new();

impl Bucket {
    pub const fn new() -> Bucket {
        Bucket {
            epoch: AtomicU32::new(0),
            waiters: AtomicU32::new(0),
        }
    }

    /// Wakes who waits here, after a change.
    pub fn wake(&self) {
        // The change before the look at who waits.
        fence(Ordering::SeqCst);
        if self.waiters.load(Ordering::SeqCst) == 0 {
            return;
        }
        self.epoch.fetch_add(1, Ordering::SeqCst);
        // SAFETY: the futex is part of `self`, which outlives the call.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                self.epoch.as_ptr(),
                libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG,
                i32::MAX,
            )
        };
    }

    /// Sleeps until `ready` gives something, or the time is over. It is asked again whenever somebody wakes this.
    pub fn until<T>(
        &self,
        end: Option<Instant>,
        mut ready: impl FnMut() -> Option<T>,
    ) -> Option<T> {
        let _counted = self.enter();
        loop {
            let epoch = self.epoch.load(Ordering::SeqCst);
            if let Some(found) = ready() {
                return Some(found);
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return None;
            }
            self.sleep(epoch, left);
        }
    }

    fn enter(&self) -> Waiter<'_> {
        self.waiters.fetch_add(1, Ordering::SeqCst);
        Waiter(self)
    }

    fn sleep(&self, epoch: u32, time: Option<Duration>) {
        let time = time.map(|time| libc::timespec {
            tv_sec: time.as_secs() as libc::time_t,
            tv_nsec: time.subsec_nanos().into(),
        });
        let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: the futex is part of `self`; the time is null, or outlives the call.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                self.epoch.as_ptr(),
                libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG,
                epoch,
                time,
            )
        };
    }

    fn is_used(&self) -> bool {
        self.waiters.load(Ordering::SeqCst) > 0
    }
}

/// One who waits, until this is dropped.
struct Waiter<'a>(&'a Bucket);

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.0.waiters.fetch_sub(1, Ordering::SeqCst);
    }
}

fn bucket(address: u64) -> &'static Bucket {
    &SINGLE[(address / 64) as usize % BUCKETS]
}

/// Wakes those who wait for the signal at an address, which has just changed.
pub fn changed(address: u64) {
    bucket(address).wake();
    ANY.wake();
}

/// Wakes everybody: something has changed, and it is not known what.
pub fn something_changed() {
    SINGLE.iter().for_each(Bucket::wake);
    ANY.wake();
}

/// Whether somebody waits for a signal.
pub fn somebody() -> bool {
    SINGLE.iter().any(Bucket::is_used) || ANY.is_used()
}

/// Waits until `ready` gives something, or the time is over. `address` is that of the signal it looks at; `None` for
/// several.
pub fn until<T>(
    address: Option<u64>,
    timeout: Option<Duration>,
    mut ready: impl FnMut() -> Option<T>,
) -> Option<T> {
    let start = Instant::now();
    // A time that is too long to be counted never ends.
    let end = timeout.and_then(|timeout| start.checked_add(timeout));
    loop {
        if let Some(found) = ready() {
            return Some(found);
        }
        let now = Instant::now();
        if end.is_some_and(|end| now >= end) {
            return None;
        }
        if now - start >= SPIN {
            break;
        }
        std::hint::spin_loop();
    }
    let _told = deadline::waits(address);
    let bucket = address.map_or(&ANY, bucket);
    let _counted = bucket.enter();
    look::somebody_waits();
    bucket.until(end, ready)
}
