//! Epoch-based reclamation: when freed memory can no longer be accessed. It lets waves run without locks.
//!
//! A wave looks its memory up once and then accesses it, for a time slice at most. Who takes memory away marks it as gone and
//! begins a new epoch; whoever began a time slice or a copy before may still be in it. Once all of those have ended, which
//! takes no longer than a time slice, nobody can.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The mark of an epoch guard whose owner accesses nothing.
const IDLE: u64 = u64::MAX;

/// Looks without sleeping before a waiter sleeps: most time slices are short.
const SPINS: u32 = 200;

/// How long a waiter sleeps between two looks.
const NAP: Duration = Duration::from_micros(20);

/// The epochs of a registry, and its epoch guards.
#[derive(Debug, Default)]
pub(super) struct Epochs {
    now: AtomicU64,
    /// Whether pinning is paused.
    paused: AtomicBool,
    /// How many wait until they may.
    waiting: AtomicU32,
    guards: Mutex<Vec<Arc<AtomicU64>>>,
}

/// A participant that accesses memory at times. It holds the epoch that it pinned last.
#[derive(Debug)]
pub(crate) struct EpochGuard<'r> {
    epochs: &'r Epochs,
    mark: Arc<AtomicU64>,
}

impl Epochs {
    /// A new epoch guard, not pinned.
    pub fn guard(&self) -> EpochGuard<'_> {
        let mark = Arc::new(AtomicU64::new(IDLE));
        self.guards().push(mark.clone());
        let epochs = self;
        EpochGuard { epochs, mark }
    }

    /// Begins an epoch, after something was marked as gone.
    pub fn begin(&self) -> u64 {
        self.now.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Whether every pinned guard was pinned in `epoch` or later.
    pub fn has_come(&self, epoch: u64) -> bool {
        let begun = |mark: &Arc<AtomicU64>| mark.load(Ordering::SeqCst) >= epoch;
        self.guards().iter().all(begun)
    }

    /// Waits until [`has_come`](Self::has_come).
    pub fn wait(&self, epoch: u64) {
        let mut looks = 0;
        while !self.has_come(epoch) {
            looks += 1;
            match looks < SPINS {
                true => std::hint::spin_loop(),
                false => std::thread::sleep(NAP),
            }
        }
    }

    /// Lets nobody begin to access memory while `change` runs, and waits before that until nobody does. `None`, and
    /// nothing has been done, if somebody still did after `patience`: a thread that waits for a second epoch guard would wait for
    /// ever. Those that wait are [let through](Self::let_through) before the next attempt.
    pub fn pause<T>(&self, patience: Duration, change: impl FnOnce() -> T) -> Option<T> {
        /// Lets them begin again.
        struct Paused<'e>(&'e Epochs);
        impl Drop for Paused<'_> {
            fn drop(&mut self) {
                self.0.paused.store(false, Ordering::SeqCst);
            }
        }
        let start = Instant::now();
        self.paused.store(true, Ordering::SeqCst);
        let _paused = Paused(self);
        // Whose time slice goes on sees the new epoch at its end, and looks.
        let epoch = self.begin();
        while !self.has_come(epoch) {
            if start.elapsed() >= patience {
                return None;
            }
            std::thread::sleep(NAP);
        }
        Some(change())
    }

    /// Waits until all have an epoch guard that waited for one during a pause.
    pub fn let_through(&self) {
        while self.waiting.load(Ordering::SeqCst) != 0 && !self.paused.load(Ordering::SeqCst) {
            std::thread::sleep(NAP);
        }
    }

    fn guards(&self) -> std::sync::MutexGuard<'_, Vec<Arc<AtomicU64>>> {
        self.guards.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EpochGuard<'_> {
    /// The owner may access memory from now on, anew. What is not yet marked as gone stays until it enters again or
    /// [unpins](Self::unpin).
    #[inline]
    pub fn pin(&self) {
        // Nothing has gone since it entered last, and whoever begins an epoch now sees the mark.
        if self.mark.load(Ordering::Relaxed) == self.epochs.now.load(Ordering::SeqCst) {
            return;
        }
        self.pin_anew();
    }

    /// The owner reads memory from now on, even while others pause: it stays mapped, and what it has before and after the pause
    /// are both right.
    pub fn pin_to_read(&self) {
        // In one order with `begin`: either the look at the epoch guards sees this mark, or this sees the new epoch and with it what
        // was marked as gone before, and the pause.
        let now = self.epochs.now.load(Ordering::SeqCst);
        self.mark.store(now, Ordering::SeqCst);
        std::sync::atomic::fence(Ordering::SeqCst);
    }

    #[cold]
    fn pin_anew(&self) {
        self.pin_to_read();
        if !self.epochs.paused.load(Ordering::SeqCst) {
            return;
        }
        self.epochs.waiting.fetch_add(1, Ordering::SeqCst);
        while self.epochs.paused.load(Ordering::SeqCst) {
            self.unpin();
            std::thread::sleep(NAP);
            self.pin_to_read();
        }
        self.epochs.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// The owner accesses nothing any more.
    #[inline]
    pub fn unpin(&self) {
        self.mark.store(IDLE, Ordering::Release);
    }
}

impl Drop for EpochGuard<'_> {
    fn drop(&mut self) {
        self.epochs
            .guards()
            .retain(|mark| !Arc::ptr_eq(mark, &self.mark));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_epoch_comes_when_those_before_it_have_left() {
        let epochs = Epochs::default();
        let (first, second) = (epochs.guard(), epochs.guard());
        first.pin();
        let epoch = epochs.begin();
        second.pin();
        assert!(!epochs.has_come(epoch), "the first began before");
        first.pin();
        assert!(epochs.has_come(epoch), "its next time slice is a new one");
        first.pin();
        assert!(
            !epochs.has_come(epochs.begin()),
            "nothing had changed, and it stays"
        );
        first.pin();
        let later = epochs.begin();
        first.unpin();
        assert!(!epochs.has_come(later));
        drop(second);
        assert!(epochs.has_come(later));
        epochs.wait(later);
    }
}
