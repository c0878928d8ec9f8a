//! The decision of a dispatch's first thread to start the others.
//!
//! A thread costs some tens of microseconds of processor time to start and to end, as much as hundreds of short work-groups. So
//! the first thread begins alone, and starts the others when the rest of the grid is known to take longer than that.

use std::time::{Duration, Instant};

/// The time after which the first thread looks at its progress.
const LOOK_AFTER: Duration = Duration::from_micros(20);

/// The time that the remaining work-groups have to take for other threads to be worth their start.
const WORTH: Duration = Duration::from_micros(60);

/// Looks at a clock are as many rounds apart, after the first ones.
const ROUNDS_BETWEEN: u32 = 16;

/// The progress of the first thread while it is alone.
pub(crate) struct Help {
    begun: Instant,
    rounds: u32,
}

impl Help {
    pub(crate) fn new() -> Help {
        Help {
            begun: Instant::now(),
            rounds: 0,
        }
    }

    /// Whether other threads should start, after another round, with `ended` work-groups done and `left` not begun.
    #[inline]
    pub(crate) fn is_worth_it(&mut self, ended: u64, left: u64) -> bool {
        self.rounds += 1;
        let looks = self.rounds.is_power_of_two() || self.rounds.is_multiple_of(ROUNDS_BETWEEN);
        looks && is_worth(self.begun.elapsed(), ended, left)
    }
}

/// Whether other threads are worth their start after a time in which `ended` work-groups have ended.
fn is_worth(elapsed: Duration, ended: u64, left: u64) -> bool {
    if elapsed < LOOK_AFTER || left == 0 {
        return false;
    }
    let rest = elapsed.as_nanos() * u128::from(left);
    rest > WORTH.as_nanos() * u128::from(ended)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_start_for_long_grids_only() {
        let after = |micros, ended, left| is_worth(Duration::from_micros(micros), ended, left);
        assert!(!after(5, 10, 1_000_000), "nothing is known yet");
        assert!(!after(30, 500, 500), "the rest takes as long again");
        assert!(after(30, 10, 500));
        assert!(after(30, 0, 1), "one group takes long");
        assert!(!after(1000, 0, 0), "there is nothing to share");
    }
}
