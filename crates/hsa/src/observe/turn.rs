//! Turns of launches while some are captured: a captured launch runs alone, so that no launch of another queue changes the memory that
//! it reads, or adds to what it adds to.

use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::state::lock;

/// The longest time that a launch waits for its turn. Kernels of several queues may wait for one another, which needs both to run.
const LONGEST: Duration = Duration::from_secs(1);

/// The launches that are running.
struct Running {
    count: usize,
    /// Whether one of them is to run alone.
    alone: bool,
    /// The launches that wait until they can run alone. Others let them go first.
    waiting: usize,
}

static RUNNING: Mutex<Running> = Mutex::new(Running {
    count: 0,
    alone: false,
    waiting: 0,
});
static CHANGED: Condvar = Condvar::new();

/// The turn of a launch, up to its drop.
pub(super) struct Turn {
    alone: bool,
}

impl Turn {
    /// Waits until the launch can run: alone, or beside others that need not be.
    pub(super) fn take(alone: bool) -> Turn {
        let end = Instant::now() + LONGEST;
        let mut running = lock(&RUNNING);
        running.waiting += usize::from(alone);
        let waits = |running: &Running| {
            if alone {
                running.count > 0
            } else {
                running.alone || running.waiting > 0
            }
        };
        while waits(&running) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = CHANGED.wait_timeout(running, left);
            running = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
        }
        running.waiting -= usize::from(alone);
        running.count += 1;
        // After the longest time it may not be the only one.
        let alone = alone && !running.alone;
        running.alone |= alone;
        Turn { alone }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut running = lock(&RUNNING);
        running.count -= 1;
        running.alone &= !self.alone;
        CHANGED.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_captured_launch_runs_alone() {
        static INSIDE: AtomicUsize = AtomicUsize::new(0);
        let launches = |alone: bool| {
            for _ in 0..200 {
                let turn = Turn::take(alone);
                let others = INSIDE.fetch_add(1, Ordering::SeqCst);
                std::thread::yield_now();
                let seen = INSIDE.load(Ordering::SeqCst);
                assert!(!turn.alone || (others, seen) == (0, 1));
                INSIDE.fetch_sub(1, Ordering::SeqCst);
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..6 {
                scope.spawn(move || launches(thread % 3 == 0));
            }
        });
        let running = lock(&RUNNING);
        assert_eq!(
            (running.count, running.alone, running.waiting),
            (0, false, 0)
        );
    }
}
