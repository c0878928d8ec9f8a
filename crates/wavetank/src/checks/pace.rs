//! The pace of a launch: whether work-groups were still ending when its time was up.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A launch goes on if a work-group ended in this last part of its time: a quarter.
const LAST_PART: u32 = 4;

/// The time at which work-groups ended last.
pub(crate) struct Pace {
    begin: Instant,
    /// The number of work-groups that have ended, and when that was known.
    last: Mutex<(u64, Duration)>,
}

impl Pace {
    /// Returns the pace of a launch that begins now.
    pub(crate) fn new(begin: Instant) -> Pace {
        Pace {
            begin,
            last: Mutex::default(),
        }
    }

    /// Records that so many work-groups have ended.
    pub(crate) fn ended(&self, done: u64) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if done > last.0 {
            *last = (done, self.begin.elapsed());
        }
    }

    /// Whether the launch was going on when it had run for this time.
    pub(crate) fn goes_on(&self, time: Duration) -> bool {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (done, at) = *last;
        done > 0 && time.saturating_sub(at) <= time / LAST_PART
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_goes_on_if_work_groups_end_at_last() {
        let pace = Pace::new(Instant::now());
        assert!(!pace.goes_on(Duration::from_secs(100)), "none has ended");
        let of = |at| Pace {
            last: Mutex::new((7, Duration::from_secs(at))),
            ..Pace::new(Instant::now())
        };
        assert!(of(80).goes_on(Duration::from_secs(100)));
        assert!(!of(70).goes_on(Duration::from_secs(100)));
        let pace = of(80);
        pace.ended(7);
        assert!(pace.goes_on(Duration::from_secs(100)), "that is not news");
        pace.ended(8);
        assert!(!pace.goes_on(Duration::from_secs(100)));
    }
}
