//! The aftermath of a fault: the work-groups before the failed one continue, so that the fault of the first group is reported,
//! whichever thread was faster.
//!
//! Some of them may wait for a group that has failed or was dropped. So the dispatch ends when all remaining groups only wait,
//! and a group ends when it has used up its allowance.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Guest instructions that a work-group may execute after a fault in a later one, about a second of compiled code.
pub(crate) const ALLOWANCE: i64 = 1 << 28;

/// The number of times that all work-groups of a thread find nothing to do before they count as waiting in vain. A group that
/// sleeps in a loop to pass time makes progress that is not visible.
const LOOKS: u32 = 4096;

/// The value of `end` while all work-groups run.
const NONE: u64 = u64::MAX;

/// The decision which work-groups of a dispatch continue.
pub(crate) struct Aftermath {
    /// The number of the first work-group that stops.
    end: AtomicU64,
    threads: usize,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// The number of threads that have no work-groups left.
    gone: usize,
    /// For each thread, the times that it found nothing to do since anything last made progress.
    looks: Vec<u32>,
}

/// The decision whether a work-group continues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Run,
    /// A later work-group has failed: this one continues as long as its allowance lasts.
    Finish,
    /// This work-group or an earlier one has failed.
    Drop,
    /// All work-groups of the dispatch stop.
    Stop,
}

impl Aftermath {
    pub(crate) fn new(threads: usize) -> Aftermath {
        Aftermath {
            end: AtomicU64::new(NONE),
            threads,
            waiting: Mutex::default(),
        }
    }

    /// The decision for a work-group by its number.
    #[inline]
    pub(crate) fn verdict(&self, group: u64) -> Verdict {
        match self.end.load(Ordering::Relaxed) {
            NONE => Verdict::Run,
            0 => Verdict::Stop,
            end if end <= group => Verdict::Drop,
            _ => Verdict::Finish,
        }
    }

    /// Whether a work-group has failed, or all are stopping.
    pub(crate) fn has_begun(&self) -> bool {
        self.end.load(Ordering::Relaxed) != NONE
    }

    /// Stops the work-groups from this number on, because it has failed. With 0 all stop.
    pub(crate) fn stop_from(&self, group: u64) {
        self.end.fetch_min(group, Ordering::Relaxed);
    }

    /// Records that a thread has let each of its work-groups run once. All stop if the groups of all threads only wait.
    pub(crate) fn looked(&self, thread: usize, moved: bool) {
        let mut waiting = self.waiting();
        if moved {
            waiting.looks.clear();
            return;
        }
        waiting.looks.resize(self.threads, 0);
        waiting.looks[thread] += 1;
        let vain = waiting.looks.iter().filter(|looks| **looks >= LOOKS);
        if vain.count() + waiting.gone >= self.threads {
            self.stop_from(0);
        }
    }

    /// Records that a thread has no work-groups left.
    pub(crate) fn leave(&self) {
        let mut waiting = self.waiting();
        waiting.gone += 1;
        waiting.looks.clear();
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
