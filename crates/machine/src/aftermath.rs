//! What still runs after a fault: the work-groups before the one that failed, so that the fault of the first one is told, whichever
//! thread was faster.
//!
//! Some of them may wait for a group that has failed or was dropped. So a dispatch ends when all that are left only wait, and a
//! group when it has gone on for long.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Guest instructions that a work-group may execute after a fault in a later one: compiled, they take about a second.
pub(crate) const ALLOWANCE: i64 = 1 << 28;

/// How often all work-groups of a thread find nothing to do before they count as waiting in vain. A group that sleeps in a
/// loop to let time pass gets on without being seen to.
const LOOKS: u32 = 4096;

/// No work-group: all run.
const NONE: u64 = u64::MAX;

/// Which work-groups of a dispatch go on.
pub(crate) struct Aftermath {
    /// Work-groups from this number on stop.
    end: AtomicU64,
    threads: usize,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    /// Threads that have no work-groups left.
    gone: usize,
    /// How often each of the others found nothing to do since anything last moved.
    looks: Vec<u32>,
}

/// Whether a work-group goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    Run,
    /// A later one has failed: it goes on as long as its allowance lasts.
    Finish,
    /// This work-group or an earlier one has failed.
    Drop,
    /// All stop.
    Stop,
}

impl Aftermath {
    pub fn new(threads: usize) -> Aftermath {
        Aftermath {
            end: AtomicU64::new(NONE),
            threads,
            waiting: Mutex::default(),
        }
    }

    /// Whether a work-group goes on.
    pub fn verdict(&self, group: u64) -> Verdict {
        match self.end.load(Ordering::Relaxed) {
            NONE => Verdict::Run,
            0 => Verdict::Stop,
            end if end <= group => Verdict::Drop,
            _ => Verdict::Finish,
        }
    }

    /// Whether a work-group has failed, or all stop.
    pub fn has_begun(&self) -> bool {
        self.end.load(Ordering::Relaxed) != NONE
    }

    /// A work-group has failed: it and those after it stop. With 0 all do.
    pub fn stop_from(&self, group: u64) {
        self.end.fetch_min(group, Ordering::Relaxed);
    }

    /// A thread has let each of its work-groups run once. All stop if none of any thread has anything to do but wait.
    pub fn looked(&self, thread: usize, moved: bool) {
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

    /// A thread has no work-groups left.
    pub fn leave(&self) {
        let mut waiting = self.waiting();
        waiting.gone += 1;
        waiting.looks.clear();
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
