//! The bounds caches of a memory unit, and those that wait for the next one.

use std::mem::offset_of;
use std::sync::{Mutex, PoisonError};

use crate::bounds_cache::BoundsCache;

/// The number of bounds caches of instructions. Instructions share one if their slots are equal modulo it.
const INSTRUCTIONS: usize = 1024;

/// The number of bounds caches of pages, for instructions whose lanes use several allocations. Pages share one if their hash is
/// equal.
const PAGES: usize = 1024;

/// The caches that a registry keeps at most, some 110 KB each.
const MOST_SPARE: usize = 64;

/// The bounds caches of a memory unit.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct BoundsCaches {
    /// The allocation that each memory instruction used last.
    instructions: [BoundsCache; INSTRUCTIONS],
    /// The allocation found last in each page, for accesses whose lanes use several.
    pages: [BoundsCache; PAGES],
    /// How the accesses of each memory instruction move.
    strides: [Stride; INSTRUCTIONS],
}

/// The steps in which the base of an instruction's accesses moves: a hint for prefetches, which compiled code alone reads and writes.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub struct Stride {
    /// The base of the last access.
    base: u64,
    /// The distance of the last two bases that differed.
    step: u64,
    /// The step, if it was the same twice in a row; else 0.
    ahead: u64,
}

impl Stride {
    /// Byte offset of the base of the last access (64 bits).
    pub const BASE: usize = offset_of!(Stride, base);
    /// Byte offset of the last step of the base (64 bits).
    pub const STEP: usize = offset_of!(Stride, step);
    /// Byte offset of the step to the next base (64 bits): 0 if it is not known.
    pub const AHEAD: usize = offset_of!(Stride, ahead);
}

impl BoundsCaches {
    /// Byte offset of the stride of an instruction, by the slot of its [`Request`](crate::Request).
    pub(crate) const fn stride(slot: u32) -> usize {
        offset_of!(BoundsCaches, strides) + slot as usize % INSTRUCTIONS * size_of::<Stride>()
    }

    /// Byte offset of the bounds cache of an instruction, by the slot of its [`Request`](crate::Request).
    pub(crate) const fn offset(slot: u32) -> usize {
        offset_of!(BoundsCaches, instructions)
            + slot as usize % INSTRUCTIONS * size_of::<BoundsCache>()
    }

    /// The bounds cache of an instruction, by the slot of its [`Request`](crate::Request).
    #[inline(always)]
    pub(crate) fn instruction(&self, slot: u32) -> &BoundsCache {
        &self.instructions[slot as usize % INSTRUCTIONS]
    }

    /// The same, mutable.
    #[inline(always)]
    pub(crate) fn instruction_mut(&mut self, slot: u32) -> &mut BoundsCache {
        &mut self.instructions[slot as usize % INSTRUCTIONS]
    }

    /// The bounds cache for the page of an address.
    #[inline]
    pub(crate) fn page_mut(&mut self, address: u64) -> &mut BoundsCache {
        let page = address >> 12;
        // Fibonacci hashing: adjacent pages, and pages a power of two apart, get different caches.
        let hash = page.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &mut self.pages[(hash >> (u64::BITS - PAGES.ilog2())) as usize]
    }
}

impl Default for BoundsCaches {
    fn default() -> Self {
        BoundsCaches {
            instructions: std::array::from_fn(|_| BoundsCache::default()),
            pages: std::array::from_fn(|_| BoundsCache::default()),
            strides: [Stride::default(); INSTRUCTIONS],
        }
    }
}

/// Caches of memory units that exist no more. A dispatch of one wave takes less time than filling new ones. Those that are kept
/// refer to allocations of the registry that keeps them: they need not be emptied for the next unit.
#[derive(Debug, Default)]
pub(crate) struct SpareCaches(Mutex<Vec<Box<BoundsCaches>>>);

impl SpareCaches {
    /// Caches of an earlier unit of the registry, or new ones.
    pub(crate) fn take(&self) -> Box<BoundsCaches> {
        let spare = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_default()
    }

    /// Keeps caches for the next unit of the registry.
    pub(crate) fn put(&self, caches: Box<BoundsCaches>) {
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < MOST_SPARE {
            spare.push(caches);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{MemoryUnit, Registry, Span};

    #[test]
    fn kept_caches_allow_no_freed_memory() {
        let registry = Registry::new();
        let kept = || registry.spare_caches.0.lock().unwrap().len();
        let buffer = registry.allocate("buffer", 4096, 256).unwrap();
        let span = Span {
            first: buffer.address,
            last: buffer.address + 4092,
            bytes: 4,
            stores: true,
        };
        assert!(MemoryUnit::new(&registry).holds(7, span));
        assert_eq!(kept(), 1);
        {
            let mut next = MemoryUnit::new(&registry);
            assert_eq!(kept(), 0);
            assert!(next.bounds_cache(7).holds(span), "the caches are warm");
            registry.free(buffer.address).unwrap();
            assert!(!next.holds(7, span));
        }
        assert!(!MemoryUnit::new(&registry).holds(7, span));
    }
}
