//! An event count on a futex: threads sleep until another thread announces a change.

use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::time::{Duration, Instant};

/// The event count of threads that sleep until a change.
pub(crate) struct EventCount {
    /// Incremented by each announced change.
    epoch: AtomicU32,
    waiters: AtomicU32,
}

impl EventCount {
    pub(crate) const fn new() -> EventCount {
        EventCount {
            epoch: AtomicU32::new(0),
            waiters: AtomicU32::new(0),
        }
    }

    /// Wakes all waiters after a change.
    pub(crate) fn wake(&self) {
        // The change is visible before the waiters are counted.
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

    /// Sleeps until `ready` returns a value, or the timeout is over. Each wake-up calls it again.
    pub(crate) fn until<T>(
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
}

/// A waiting thread, until this is dropped.
struct Waiter<'a>(&'a EventCount);

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        self.0.waiters.fetch_sub(1, Ordering::SeqCst);
    }
}
