//! Bounds caches: the bounds of the allocation that a memory instruction used last.
//!
//! The layout is fixed, so that compiled code can check an access inline: it may proceed if it lies between `start` and `end`
//! (`store_end` for a store), and the byte that `gone` points to is 0. Else the code calls
//! [`MemoryUnit::look_up`](crate::MemoryUnit::look_up).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::reach::{Offsets, Reach};
use crate::registry::allocation::{Allocation, Rights};
use crate::registry::map::Entry;

/// The allocation that an instruction used last, or that was found last in a page.
#[derive(Debug)]
#[repr(C)]
pub struct BoundsCache {
    /// The bounds of the allocation.
    bounds: Bounds,
    /// A flag that is set when the allocation is freed.
    gone: *const AtomicBool,
    /// Keeps the allocation's entry alive, and with it the target of `gone`.
    entry: Option<Arc<Entry>>,
}

// SAFETY: the target of `gone` is an atomic, which is static or kept alive by the entry.
unsafe impl Send for BoundsCache {}

/// The address range of an allocation.
#[derive(Clone, Copy, Default, Debug)]
#[repr(C)]
pub(crate) struct Bounds {
    /// The address of the first byte.
    start: u64,
    /// The address after the last byte.
    end: u64,
    /// The address after the last byte for stores: 0 if the allocation is read-only.
    store_end: u64,
}

/// The address range of an access, from the smallest to the largest address of its lanes.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The smallest address of a lane.
    pub first: u64,
    /// The largest address of a lane.
    pub last: u64,
    /// Bytes accessed at each address.
    pub bytes: u32,
    /// Whether the access changes memory.
    pub stores: bool,
}

/// The flag of bounds caches without an allocation: always set.
pub(crate) static NOTHING: AtomicBool = AtomicBool::new(true);

impl Default for BoundsCache {
    /// Returns a bounds cache without an allocation.
    fn default() -> Self {
        BoundsCache {
            bounds: Bounds::default(),
            gone: &raw const NOTHING,
            entry: None,
        }
    }
}

impl BoundsCache {
    /// Byte offset of the start address (64 bits).
    pub const START: usize = std::mem::offset_of!(BoundsCache, bounds.start);
    /// Byte offset of the end address (64 bits).
    pub const END: usize = std::mem::offset_of!(BoundsCache, bounds.end);
    /// Byte offset of the end address for stores (64 bits).
    pub const STORE_END: usize = std::mem::offset_of!(BoundsCache, bounds.store_end);
    /// Byte offset of the pointer to a byte that is 0 while the allocation exists.
    pub const GONE: usize = std::mem::offset_of!(BoundsCache, gone);

    pub(crate) fn of(entry: &Arc<Entry>) -> BoundsCache {
        BoundsCache {
            bounds: Bounds::of(&entry.allocation),
            gone: entry.gone(),
            entry: Some(entry.clone()),
        }
    }

    /// Returns the bounds of the allocation.
    #[inline(always)]
    pub(crate) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Returns whether an access lies in the allocation, which still exists.
    #[inline(always)]
    pub(crate) fn holds(&self, span: Span) -> bool {
        self.bounds.holds(span) && self.is_there()
    }

    /// Returns whether the allocation exists.
    #[inline(always)]
    fn is_there(&self) -> bool {
        // SAFETY: the entry keeps the target alive; without an entry, the target is a static.
        unsafe { !(*self.gone).load(Ordering::Acquire) }
    }

    /// Returns the offsets from `base` at which lanes may access `bytes` bytes, if there are any.
    #[inline(always)]
    pub(crate) fn reach(&self, base: u64, bytes: u32, stores: bool) -> Option<Offsets> {
        let offsets = self.bounds.reach(bytes, stores)?.from(base)?;
        self.is_there().then_some(offsets)
    }
}

impl Bounds {
    fn of(allocation: &Allocation) -> Bounds {
        let end = allocation.end();
        Bounds {
            start: allocation.address,
            end,
            store_end: match allocation.rights {
                Rights::ReadWrite => end,
                Rights::Read => 0,
            },
        }
    }

    /// Returns the addresses at which `bytes` bytes may be accessed.
    #[inline(always)]
    fn reach(&self, bytes: u32, stores: bool) -> Option<Reach> {
        let end = if stores { self.store_end } else { self.end };
        Reach::new(self.start, end, bytes)
    }

    #[inline(always)]
    pub(crate) fn holds(&self, span: Span) -> bool {
        self.reach(span.bytes, span.stores)
            .is_some_and(|reach| reach.holds(span.first, span.last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemoryUnit, Registry};
    use proptest::prelude::*;

    /// Performs the check of compiled code, which reads the words of a bounds cache at the published offsets.
    fn inline_check(cache: *const BoundsCache, span: Span) -> bool {
        let word = |offset: usize| {
            // SAFETY: the bounds cache is alive, and the offset is that of one of its words.
            unsafe { cache.byte_add(offset).cast::<u64>().read() }
        };
        let end = if span.stores {
            BoundsCache::STORE_END
        } else {
            BoundsCache::END
        };
        let inside = span.first >= word(BoundsCache::START)
            && span.first <= span.last
            && span.last.saturating_add(span.bytes.into()) <= word(end);
        // SAFETY: the bounds cache is alive, and keeps the target of the pointer alive.
        inside
            && unsafe {
                cache
                    .byte_add(BoundsCache::GONE)
                    .cast::<*const u8>()
                    .read()
                    .read()
            } == 0
    }

    proptest! {
        #[test]
        fn compiled_code_sees_what_the_unit_sees(
            spans in prop::collection::vec((0u64..5, -20i64..4200, 0u64..300, 1u32..17, any::<bool>()), 1..20),
            gone in any::<bool>(),
        ) {
            let registry = Registry::new();
            let a = registry.allocate("written", 4096, 256).unwrap().address;
            let b = registry.allocate("read", 4096, 256).unwrap().address;
            registry.protect(b, Rights::Read).unwrap();
            let mut unit = MemoryUnit::new(&registry);
            for (n, (which, offset, more, bytes, stores)) in spans.iter().enumerate() {
                let base = [a, b, 0, 1 << 46, u64::MAX - 100][*which as usize];
                let first = base.wrapping_add_signed(*offset);
                let span = Span { first, last: first.wrapping_add(*more), bytes: *bytes, stores: *stores };
                let looked_up = unit.look_up(7, span);
                prop_assert_eq!(inline_check(unit.bounds_cache(7), span), looked_up);
                if gone && n == spans.len() / 2 {
                    registry.free(a).unwrap();
                    prop_assert!(which != &0 || !inline_check(unit.bounds_cache(7), span));
                }
            }
        }
    }
}
