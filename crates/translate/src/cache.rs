//! The translation cache: an engine's code for each block, kept as long as the program.

use std::collections::HashMap;
use std::ptr::NonNull;
use std::sync::{PoisonError, RwLock};

use wavetank_lift::Modes;

/// The key of a block: its PC and its modes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    pc: u64,
    modes: Modes,
}

impl Key {
    /// The key of the block at a PC for some modes.
    pub fn new(pc: u64, modes: Modes) -> Key {
        Key { pc, modes }
    }

    /// The PC and the modes.
    pub fn parts(self) -> (u64, Modes) {
        (self.pc, self.modes)
    }
}

/// The translated blocks of an engine, shared by the threads that run them. Blocks are never removed, so pointers to them are
/// valid as long as the cache.
pub struct Cache<T>(RwLock<Map<T>>);

/// Raw pointers, not boxes: a box that moves, as entries of a growing map do, asserts unique access to its contents, which
/// threads may be running.
struct Map<T>(HashMap<Key, NonNull<T>>);

// SAFETY: the map owns its blocks.
unsafe impl<T: Send> Send for Map<T> {}
// SAFETY: the map owns its blocks, which are only read.
unsafe impl<T: Sync> Sync for Map<T> {}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Cache(RwLock::new(Map(HashMap::new())))
    }
}

impl<T> Cache<T> {
    /// The block of a key, made at its first use. If two threads make it at once, one of the two is kept. The pointer is valid as
    /// long as the cache.
    pub fn get(&self, key: Key, make: impl FnOnce() -> T) -> NonNull<T> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(block) = known.0.get(&key) {
            return *block;
        }
        drop(known);
        // The lock is not held: other threads run meanwhile.
        let new = make();
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let kept = known.0.entry(key);
        *kept.or_insert_with(|| NonNull::from(Box::leak(Box::new(new))))
    }

    /// The keys of all blocks, in no order.
    pub fn keys(&self) -> Vec<Key> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.0.keys().copied().collect()
    }
}

impl<T> Drop for Map<T> {
    fn drop(&mut self) {
        for block in self.0.values() {
            // SAFETY: `get` took the pointer from a box. No thread can run the block, since none borrows the cache.
            drop(unsafe { Box::from_raw(block.as_ptr()) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn a_block_is_made_once_and_goes_with_the_cache() {
        let cache = Cache::default();
        let key = |pc| Key::new(pc, Modes::new(0, 0));
        let one = Arc::new(());
        let first = cache.get(key(4), || one.clone());
        let again = cache.get(key(4), || unreachable!("it is there"));
        assert_eq!(first, again);
        assert_ne!(first, cache.get(key(8), || one.clone()));
        assert_eq!(Arc::strong_count(&one), 3);
        let mut pcs: Vec<u64> = cache.keys().iter().map(|key| key.parts().0).collect();
        pcs.sort_unstable();
        assert_eq!(pcs, [4, 8]);
        drop(cache);
        assert_eq!(Arc::strong_count(&one), 1);
    }

    #[test]
    fn modes_are_part_of_the_key() {
        let rounding_up = Modes::new(0b0101, 0);
        assert_ne!(Key::new(4, Modes::new(0, 0)), Key::new(4, rounding_up));
    }
}
