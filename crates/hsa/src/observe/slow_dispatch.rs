//! Progress messages of long dispatches: a slow kernel must not look like a hung one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wavetank_quote::readable;

use crate::log;

/// The time of the first message of a dispatch. Each next one comes after twice the time.
const FIRST: Duration = Duration::from_secs(10);

/// A running dispatch, with the time of its next message.
pub(super) struct SlowDispatch<'a> {
    kernel: &'a str,
    start: Duration,
    /// The time of the next message, in nanoseconds from the start.
    due: AtomicU64,
}

impl<'a> SlowDispatch<'a> {
    /// A dispatch that starts now.
    pub(super) fn new(kernel: &'a str) -> Self {
        SlowDispatch {
            kernel,
            start: now(),
            due: AtomicU64::new(FIRST.as_nanos() as u64),
        }
    }

    /// Prints how many work-groups are done, if a message is due.
    pub(super) fn progress(&self, done: u64, all: u64) {
        let elapsed = now().saturating_sub(self.start);
        if let Some(line) = self.message(elapsed, done, all) {
            log::line(&line);
        }
    }

    fn message(&self, elapsed: Duration, done: u64, all: u64) -> Option<String> {
        let nanoseconds = elapsed.as_nanos() as u64;
        let later = |due| (nanoseconds >= due).then_some(nanoseconds.saturating_mul(2));
        // If several threads find the message due, one of them prints it.
        let update = self
            .due
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, later);
        update.ok()?;
        Some(format!(
            "kernel `{}` has been running for {} s: {done} of {all} work-groups are done",
            readable(self.kernel),
            elapsed.as_secs()
        ))
    }
}

/// A monotonic time, to a few milliseconds: every work-group reads it, and a finer clock is slower.
fn now() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the structure outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_after_ten_seconds_and_then_ever_more_seldom() {
        let slow = SlowDispatch::new("spin");
        let message = |seconds| slow.message(Duration::from_secs(seconds), 3, 64);
        let line = "kernel `spin` has been running for 10 s: 3 of 64 work-groups are done";
        assert_eq!(message(9), None);
        assert_eq!(message(10).as_deref(), Some(line));
        let seconds: Vec<u64> = (10..200).filter(|s| message(*s).is_some()).collect();
        assert_eq!(seconds, [20, 40, 80, 160]);
    }
}
