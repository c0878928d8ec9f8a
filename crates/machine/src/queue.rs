//! The queue of work-groups that have not started: threads take them in order.
//!
//! A thread takes several at a time: processors that change one number in turns wait for each other, as long as a short group
//! takes to run.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The largest number of work-groups that a thread takes at once.
const MAX: u64 = 16;

/// The divisor of a thread's share of the remaining work-groups, of which it takes one part. Towards the end the parts get small,
/// so that no thread waits long for another.
const PARTS: u64 = 8;

/// The numbers of the work-groups that are not taken yet, in cache lines of their own, so that writers do not delay readers
/// of adjacent data.
#[repr(align(128))]
pub(crate) struct Queue {
    next: AtomicU64,
    count: u64,
    threads: u64,
}

impl Queue {
    /// A queue of all work-groups of a dispatch.
    pub(crate) fn new(count: u64, threads: usize) -> Queue {
        Queue {
            next: AtomicU64::new(0),
            count,
            threads: threads as u64,
        }
    }

    /// The number of work-groups that are not taken yet.
    pub(crate) fn left(&self) -> u64 {
        self.count - self.next.load(Ordering::Relaxed).min(self.count)
    }

    /// The next work-groups for a thread with room for `room` more, or none. Work-groups may wait for each other, so the
    /// caller must have room for all of them beside those that it runs.
    pub(crate) fn take(&self, room: usize) -> Range<u64> {
        let most = MAX.min(room as u64).max(1);
        let share = |next: u64| ((self.count - next) / (self.threads * PARTS)).clamp(1, most);
        let step = |next| (next < self.count).then(|| next + share(next));
        let taken = self
            .next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, step);
        taken.map_or(0..0, |next| next..next + share(next))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each work-group is taken once and in order, many at a time at first, and one by one at last.
    #[test]
    fn all_are_taken_in_order() {
        let queue = Queue::new(1000, 2);
        let taken: Vec<_> = std::iter::repeat_with(|| queue.take(100))
            .take_while(|range| !range.is_empty())
            .collect();
        let all: Vec<u64> = taken.iter().cloned().flatten().collect();
        assert_eq!(all, (0..1000).collect::<Vec<_>>());
        let sizes: Vec<u64> = taken.iter().map(|range| range.end - range.start).collect();
        assert_eq!((sizes[0], sizes.last()), (MAX, Some(&1)));
        assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
        assert!(queue.take(100).is_empty());
    }

    #[test]
    fn no_thread_takes_more_than_it_has_room_for() {
        let queue = Queue::new(1000, 1);
        assert_eq!(queue.take(3), 0..3);
        assert_eq!(queue.take(1), 3..4);
    }
}
