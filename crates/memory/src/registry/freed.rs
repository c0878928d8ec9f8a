//! Freed allocations, kept to explain stale pointers until their addresses are used again.

use std::collections::{BTreeMap, VecDeque};

use super::allocation::Allocation;

/// The number of freed allocations that are kept, the latest ones.
const MAX: usize = 4096;

/// The freed allocations by address.
#[derive(Debug, Default)]
pub(super) struct Freed {
    by_address: BTreeMap<u64, Allocation>,
    /// The addresses of the freed allocations, oldest first, including some of allocations that were dropped since.
    order: VecDeque<u64>,
}

impl Freed {
    /// Adds a freed allocation.
    pub(super) fn add(&mut self, allocation: &Allocation) {
        if self.order.len() == MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_address.remove(&oldest);
        }
        self.order.push_back(allocation.address);
        self.by_address
            .insert(allocation.address, allocation.clone());
    }

    /// Drops the former allocations at addresses that are allocated again.
    pub(super) fn forget(&mut self, start: u64, end: u64) {
        while let Some((address, _)) = self.last_before(end).filter(|(_, old)| old.end() > start) {
            self.by_address.remove(&address);
        }
    }

    /// Returns the freed allocation at an address.
    pub(super) fn at(&self, address: u64) -> Option<&Allocation> {
        let (_, allocation) = self.last_before(address.checked_add(1)?)?;
        (address < allocation.end()).then_some(allocation)
    }

    fn last_before(&self, end: u64) -> Option<(u64, &Allocation)> {
        let before = self.by_address.range(..end).next_back();
        before.map(|(address, allocation)| (*address, allocation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Rights;

    fn allocation(address: u64, bytes: u64) -> Allocation {
        Allocation {
            name: "a buffer".into(),
            address,
            bytes,
            rights: Rights::ReadWrite,
        }
    }

    #[test]
    fn freed_allocations_are_known_until_others_take_their_place() {
        let mut freed = Freed::default();
        for start in [0x1000, 0x3000, 0x5000] {
            freed.add(&allocation(start, 0x100));
        }
        let at = |freed: &Freed, address| freed.at(address).map(|a| a.address);
        assert_eq!(at(&freed, 0x3000), Some(0x3000));
        assert_eq!(at(&freed, 0x30ff), Some(0x3000));
        assert_eq!(at(&freed, 0x3100), None);
        assert_eq!(at(&freed, 0xfff), None);
        freed.forget(0x30ff, 0x5001);
        let left = [0x1000, 0x3000, 0x5000].map(|address| at(&freed, address));
        assert_eq!(left, [Some(0x1000), None, None]);
    }

    #[test]
    fn the_last_ones_are_remembered() {
        let mut freed = Freed::default();
        for n in 1..=MAX as u64 + 1 {
            freed.add(&allocation(n << 12, 8));
        }
        assert_eq!(freed.at(1 << 12), None);
        assert!(freed.at(2 << 12).is_some());
        assert_eq!(freed.by_address.len(), MAX);
    }
}
