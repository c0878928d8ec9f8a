//! A slab allocator: slots of one size in memory that is never unmapped, for handles of a program that are addresses.
//!
//! A slab is aligned to its size, and all slabs of a kind are in a hash table that is read without a lock. Testing whether a
//! number is a slot takes a few instructions, which every operation can afford.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::c_types::{Result, Status};
use crate::state::{lock, runtime};

/// The size of a slab in bytes, and its alignment.
pub(crate) const SLAB: u64 = 64 << 10;
/// The number of entries of the table: a quarter stays free, so that a search is short.
const TABLE: usize = 1 << 14;

/// The slabs of one kind.
pub(crate) struct Slabs {
    what: &'static str,
    slot: u64,
    /// The number of reserved slots at the start of each slab.
    kept: u64,
    free: Mutex<Free>,
    table: [AtomicU64; TABLE],
}

struct Free {
    /// The free slots; the one that has been free for longest is first, so that stale handles are detected.
    slots: VecDeque<u64>,
    /// Freed slabs that had one slot in use each.
    alone: Vec<u64>,
    slabs: usize,
}

impl Slabs {
    /// An allocator for slots of `slot` bytes, a power of two. The first `kept` slots of each slab are reserved.
    pub(crate) const fn new(what: &'static str, slot: u64, kept: u64) -> Slabs {
        Slabs {
            what,
            slot,
            kept,
            free: Mutex::new(Free {
                slots: VecDeque::new(),
                alone: Vec::new(),
                slabs: 0,
            }),
            table: [const { AtomicU64::new(0) }; TABLE],
        }
    }

    /// Allocates a slot, which contains zeros or the data of its last owner.
    pub(crate) fn take(&self) -> Result<u64> {
        let mut free = lock(&self.free);
        if let Some(address) = free.slots.pop_front() {
            return Ok(address);
        }
        let slab = self.add(&mut free)?;
        let usable = self.kept..SLAB / self.slot;
        free.slots.extend(usable.map(|n| slab + n * self.slot));
        free.slots.pop_front().ok_or(Status::ERROR_OUT_OF_RESOURCES)
    }

    /// Allocates a slab for one slot: the first one that is not reserved.
    pub(crate) fn take_alone(&self) -> Result<u64> {
        let mut free = lock(&self.free);
        let again = free.alone.pop();
        again.map_or_else(|| self.add(&mut free), Ok)
    }

    /// Frees a slab from [`take_alone`](Self::take_alone).
    pub(crate) fn give_alone(&self, slab: u64) {
        lock(&self.free).alone.push(slab);
    }

    fn add(&self, free: &mut Free) -> Result<u64> {
        if free.slabs >= TABLE / 4 * 3 {
            return Err(Status::ERROR_OUT_OF_RESOURCES);
        }
        let slab = runtime()?.registry().allocate(self.what, SLAB, SLAB);
        let slab = slab.map_err(|_| Status::ERROR_OUT_OF_RESOURCES)?.address;
        self.enter(slab);
        free.slabs += 1;
        Ok(slab)
    }

    /// Frees a slot for reuse.
    pub(crate) fn give(&self, address: u64) {
        lock(&self.free).slots.push_back(address);
    }

    /// Whether an address is that of a slot, allocated or not.
    pub(crate) fn holds(&self, address: u64) -> bool {
        let slab = slab_of(address);
        let inside = address - slab;
        inside.is_multiple_of(self.slot) && inside >= self.kept * self.slot && self.has_slab(slab)
    }

    fn has_slab(&self, slab: u64) -> bool {
        let mut places = places(slab).map(|n| self.table[n].load(Ordering::Acquire));
        slab != 0 && places.find(|s| *s == slab || *s == 0) == Some(slab)
    }

    /// Adds a slab to the table. The caller holds the lock.
    fn enter(&self, slab: u64) {
        let place = places(slab).find(|n| self.table[*n].load(Ordering::Relaxed) == 0);
        if let Some(place) = place {
            self.table[place].store(slab, Ordering::Release);
        }
    }
}

/// The slab that contains a slot.
pub(crate) fn slab_of(address: u64) -> u64 {
    address & !(SLAB - 1)
}

/// The table entries for a slab, in the order of the search.
fn places(slab: u64) -> impl Iterator<Item = usize> {
    let hash = (slab / SLAB).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    (0..TABLE).map(move |n| (hash as usize + n) % TABLE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_slots_are_held() {
        static SLOTS: Slabs = Slabs::new("slots", 64, 1);
        let slabs = [7 * SLAB, 9 * SLAB, 7 * SLAB + (TABLE as u64) * SLAB];
        slabs.iter().for_each(|slab| SLOTS.enter(*slab));
        for slab in slabs {
            assert!(SLOTS.holds(slab + 64) && SLOTS.holds(slab + SLAB - 64));
            assert!(!SLOTS.holds(slab), "the first slot is kept");
            assert!(!SLOTS.holds(slab + 65) && !SLOTS.holds(slab + SLAB + 64));
        }
        assert!([0, 1, 64, u64::MAX, !63].iter().all(|n| !SLOTS.holds(*n)));
    }
}
