//! Epoch-based reclamation: freed memory stays mapped until no access to it can be running. Waves run without locks.
//!
//! A wave checks its memory once and then accesses it, for a time slice at most. Freeing memory marks it as gone and begins a new
//! epoch. A time slice or copy that began before may still access it. Once these have ended, which takes no longer than a time
//! slice, the memory is out of use.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The mark of an epoch guard that is not pinned.
const IDLE: u64 = u64::MAX;

/// The number of polls before a waiter sleeps: most time slices are short.
const SPINS: u32 = 200;

/// The time that a waiter sleeps between two polls.
const NAP: Duration = Duration::from_micros(20);

/// The current epoch of a registry, and the epoch guards.
#[derive(Debug, Default)]
pub(super) struct Epochs {
    now: AtomicU64,
    /// Whether pinning is paused.
    paused: AtomicBool,
    /// The number of guards that wait for the end of a pause.
    waiting: AtomicU32,
    guards: Mutex<Vec<Arc<AtomicU64>>>,
}

/// A participant that accesses memory at times, and records the epoch that it pinned last.
#[derive(Debug)]
pub(crate) struct EpochGuard<'r> {
    epochs: &'r Epochs,
    mark: Arc<AtomicU64>,
}

impl Epochs {
    /// Returns a new epoch guard, not pinned.
    pub(super) fn guard(&self) -> EpochGuard<'_> {
        let mark = Arc::new(AtomicU64::new(IDLE));
        self.guards().push(mark.clone());
        let epochs = self;
        EpochGuard { epochs, mark }
    }

    /// Begins an epoch after something was marked as gone.
    pub(super) fn begin(&self) -> u64 {
        self.now.fetch_add(1, Ordering::SeqCst) + 1
    }

    /// Returns whether every pinned guard was pinned in `epoch` or later.
    pub(super) fn has_come(&self, epoch: u64) -> bool {
        let begun = |mark: &Arc<AtomicU64>| mark.load(Ordering::SeqCst) >= epoch;
        self.guards().iter().all(begun)
    }

    /// Waits until [`has_come`](Self::has_come) is true.
    pub(super) fn wait(&self, epoch: u64) {
        let mut looks = 0;
        while !self.has_come(epoch) {
            looks += 1;
            if looks < SPINS {
                std::hint::spin_loop();
            } else {
                std::thread::sleep(NAP);
            }
        }
    }

    /// Runs `change` while no access is running: new ones wait until it has finished. Returns `None`, without calling it, if
    /// accesses still run after `patience`, since a thread that waits for a second epoch guard would wait for ever. The waiting
    /// guards are [let through](Self::let_through) before the next attempt.
    pub(super) fn pause<T>(&self, patience: Duration, change: impl FnOnce() -> T) -> Option<T> {
        /// Ends the pause when it is dropped.
        struct Paused<'e>(&'e Epochs);
        impl Drop for Paused<'_> {
            fn drop(&mut self) {
                self.0.paused.store(false, Ordering::SeqCst);
            }
        }
        let start = Instant::now();
        self.paused.store(true, Ordering::SeqCst);
        let _paused = Paused(self);
        // A running wave finds the new epoch at the end of its time slice, and pins again.
        let epoch = self.begin();
        while !self.has_come(epoch) {
            if start.elapsed() >= patience {
                return None;
            }
            std::thread::sleep(NAP);
        }
        Some(change())
    }

    /// Waits until all epoch guards that waited during a pause are pinned.
    pub(super) fn let_through(&self) {
        while self.waiting.load(Ordering::SeqCst) != 0 && !self.paused.load(Ordering::SeqCst) {
            std::thread::sleep(NAP);
        }
    }

    fn guards(&self) -> std::sync::MutexGuard<'_, Vec<Arc<AtomicU64>>> {
        self.guards.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EpochGuard<'_> {
    /// Pins the current epoch: the owner may access memory. Memory not yet marked as gone stays mapped until the next pin or
    /// [unpin](Self::unpin).
    #[inline]
    pub(crate) fn pin(&self) {
        // No epoch has begun since the last pin, and the next one will find this mark.
        if self.mark.load(Ordering::Relaxed) == self.epochs.now.load(Ordering::SeqCst) {
            return;
        }
        self.pin_anew();
    }

    /// Pins the current epoch for reading only, even during a pause: the memory stays mapped, and its contents before and after
    /// the pause are both correct.
    pub(crate) fn pin_to_read(&self) {
        // Sequentially consistent with `begin`: either the check of the epoch guards finds this mark, or this thread reads the
        // new epoch, and with it the earlier marks of freed memory and the pause.
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

    /// Unpins: the owner accesses no memory any more.
    #[inline]
    pub(crate) fn unpin(&self) {
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
