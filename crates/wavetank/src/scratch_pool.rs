//! Scratch that waits for the next dispatch.
//!
//! Memory of the system is cleared by the system page by page at its first use, and a new allocation changes the map of all
//! allocations. For a short dispatch both take longer than its waves.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Result;
use crate::memory::{Allocation, Memory};

/// The name of the allocations.
pub(crate) const SCRATCH: &str = "scratch";

/// The largest scratch of a work-group that is kept. It is zeroed as a whole, of which a kernel may use little.
const LARGEST: u64 = 512 << 10;

/// The work-groups whose scratch is kept at most.
const MOST: usize = 64;

/// Scratch of work-groups of dispatches that have ended.
#[derive(Default)]
pub(crate) struct ScratchPool(Mutex<Vec<Allocation>>);

impl ScratchPool {
    /// Zeroed scratch of `bytes` bytes: that of an earlier dispatch, or new memory.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(crate) fn take(&self, memory: &Memory, bytes: u64) -> Result<Allocation> {
        let kept = {
            let mut all = self.lock();
            let at = all.iter().rposition(|kept| kept.len() == bytes);
            at.map(|at| all.swap_remove(at))
        };
        match kept {
            Some(kept) => {
                kept.zero();
                Ok(kept)
            }
            None => memory.allocate_private(SCRATCH, bytes, 256),
        }
    }

    /// Keeps the scratch of a work-group for the next dispatch, or frees it.
    pub(crate) fn put(&self, scratch: Allocation) {
        if scratch.len() > LARGEST {
            return;
        }
        let mut all = self.lock();
        // The oldest makes room: kernels of its size may not come again.
        let oldest = (all.len() >= MOST).then(|| all.remove(0));
        all.push(scratch);
        drop(all);
        drop(oldest);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Allocation>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_scratch_is_zero_again() {
        let (pool, memory) = (ScratchPool::default(), Memory::default());
        let first = pool.take(&memory, 4096).unwrap();
        let address = first.address();
        first.write(0, &[7; 4096]);
        pool.put(first);
        assert_ne!(pool.take(&memory, 8192).unwrap().address(), address);
        let again = pool.take(&memory, 4096).unwrap();
        assert_eq!(again.address(), address);
        let mut contents = [1; 4096];
        again.read(0, &mut contents);
        assert_eq!(contents, [0; 4096]);
    }

    #[test]
    fn a_pool_of_scratch_has_bounds() {
        let (pool, memory) = (ScratchPool::default(), Memory::default());
        let take = |bytes| memory.allocate_private("scratch", bytes, 256).unwrap();
        pool.put(take(LARGEST + 4096));
        assert!(pool.lock().is_empty());
        (0..2 * MOST).for_each(|_| pool.put(take(4096)));
        assert_eq!(pool.lock().len(), MOST);
    }
}
