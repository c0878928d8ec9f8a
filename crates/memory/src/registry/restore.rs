//! Memory at the addresses that it had in another process: for launches that are repeated there.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::arena::GUARD;
use super::host_mapping::PAGE;
use super::{Allocation, Block, Entry, Registry, RegistryError, lock};
use crate::global::ALIAS;

/// An allocation, and the end of the zeros after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The allocation.
    pub allocation: Allocation,
    /// The address up to which loads may read past the end of the allocation ([`Registry::allocate_block`]), or 0.
    pub load_end: u64,
}

impl Placed {
    /// Returns the pages of the host, with a guard after them.
    fn pages(&self) -> Option<(u64, u64)> {
        let Allocation { address, bytes, .. } = self.allocation;
        let last = address.checked_add(bytes.checked_sub(1)?)?;
        // An allocation has the bit in all of its addresses, or in none.
        let is_in_one = (address ^ last) & ALIAS == 0;
        let start = address & !ALIAS & !(PAGE - 1);
        let end = (last & !ALIAS) + 1;
        let end = end.max(self.load_end & !ALIAS);
        let end = end.checked_next_multiple_of(PAGE)?.checked_add(GUARD)?;
        is_in_one.then_some((start, end))
    }
}

impl Registry {
    /// Returns all allocations and registrations, in the order of their addresses.
    pub fn allocations(&self) -> Vec<Placed> {
        let map = self.map();
        let entries = map.entries().filter(|entry| entry.is_there());
        let placed = entries.map(|entry| Placed {
            allocation: entry.allocation.clone(),
            load_end: entry.load_end,
        });
        placed.collect()
    }

    /// Maps zeroed memory for allocations at their addresses, which may overlap, and be [second addresses](ALIAS) of others. They stay
    /// until the registry is dropped.
    ///
    /// # Errors
    /// [`RegistryError::Taken`] if the process uses any of these addresses already, and [`RegistryError::NoRange`] for an
    /// allocation that is not a range of addresses. Then none is mapped.
    pub fn restore(&self, allocations: &[Placed]) -> Result<(), RegistryError> {
        let mut ranges: BTreeMap<u64, (u64, Vec<Arc<Entry>>)> = BTreeMap::new();
        let mut sorted: Vec<&Placed> = allocations.iter().collect();
        sorted.sort_by_key(|placed| placed.allocation.address & !ALIAS);
        for placed in sorted {
            let Allocation {
                name,
                address,
                bytes,
                ..
            } = &placed.allocation;
            let (start, end) = placed.pages().ok_or_else(|| RegistryError::NoRange {
                name: name.to_string(),
                address: *address,
                bytes: *bytes,
            })?;
            let entry = Entry::reading_on(placed.allocation.clone(), placed.load_end);
            match ranges.last_entry() {
                Some(mut last) if start <= last.get().0 => {
                    let (last_end, entries) = last.get_mut();
                    *last_end = end.max(*last_end);
                    entries.push(entry);
                }
                _ => drop(ranges.insert(start, (end, vec![entry]))),
            }
        }
        let mut owned = lock(&self.owned);
        let mut rooms = Vec::new();
        for (start, (end, entries)) in ranges {
            let bytes = end - start;
            let room = owned.arena.take_at(start, bytes);
            let shadowed = room.and_then(|room| {
                let shadowed = self.shadow(start..end);
                rooms.push((room, entries));
                shadowed
            });
            if let Err(why) = shadowed {
                for (room, _) in rooms {
                    owned.arena.drop_at(room);
                }
                let address = start;
                return Err(RegistryError::Taken {
                    address,
                    bytes,
                    why,
                });
            }
        }
        for (room, parts) in rooms {
            self.change(|map| parts.iter().for_each(|part| map.insert(part)));
            owned.blocks.insert(room.start, Block { room, parts });
        }
        Ok(())
    }
}
