//! Tells of dispatches that take long: slow must not look like hung.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use wavetank_quote::readable;

use crate::log;

/// After this time a dispatch says for the first time how far it is; then whenever it has taken twice as long.
const PATIENCE: Duration = Duration::from_secs(10);

/// A dispatch that runs.
pub struct Slow<'a> {
    kernel: &'a str,
    start: Duration,
    /// When the next line is due, in nanoseconds from the start.
    due: AtomicU64,
}

impl<'a> Slow<'a> {
    /// A dispatch that starts now.
    pub fn new(kernel: &'a str) -> Self {
        Slow {
            kernel,
            start: now(),
            due: AtomicU64::new(PATIENCE.as_nanos() as u64),
        }
    }

    /// So many work-groups are done now: says so if it is time.
    pub fn look(&self, done: u64, all: u64) {
        let elapsed = now().saturating_sub(self.start);
        if let Some(line) = self.told(elapsed, done, all) {
            log::line(&line);
        }
    }

    fn told(&self, elapsed: Duration, done: u64, all: u64) -> Option<String> {
        let nanoseconds = elapsed.as_nanos() as u64;
        let later = |due| (nanoseconds >= due).then_some(nanoseconds.saturating_mul(2));
        // Of several threads that find the line due, one says it.
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

/// The time since some moment, to a few milliseconds: each work-group asks for it, and a finer clock takes longer.
fn now() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the structure outlives the call.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_after_ten_seconds_and_then_ever_more_seldom() {
        let slow = Slow::new("spin");
        let told = |seconds| slow.told(Duration::from_secs(seconds), 3, 64);
        let line = "kernel `spin` has been running for 10 s: 3 of 64 work-groups are done";
        assert_eq!(told(9), None);
        assert_eq!(told(10).as_deref(), Some(line));
        let seconds: Vec<u64> = (10..200).filter(|s| told(*s).is_some()).collect();
        assert_eq!(seconds, [20, 40, 80, 160]);
    }
}
