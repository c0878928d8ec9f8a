//! The allocations by address: a persistent ordered map, so that a wave keeps its version while other threads change theirs.
//!
//! Registered host memory may overlap: the map's pieces are cut wherever an allocation begins or ends, and each piece lists all
//! allocations that contain it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use imbl::OrdMap;

use super::allocation::{Allocation, Rights};

/// An allocation, with a flag that is set when it is freed.
#[derive(Debug)]
pub(crate) struct Entry {
    pub allocation: Allocation,
    /// The end of the zeros after the allocation that loads may read; 0 if they may not.
    pub load_end: u64,
    gone: AtomicBool,
}

impl Entry {
    pub(crate) fn new(allocation: Allocation) -> Arc<Entry> {
        Entry::reading_on(allocation, 0)
    }

    /// Returns an allocation after which loads may read zeros up to `load_end`. No other allocation lies there.
    pub(crate) fn reading_on(allocation: Allocation, load_end: u64) -> Arc<Entry> {
        Arc::new(Entry {
            allocation,
            load_end,
            gone: AtomicBool::new(false),
        })
    }

    /// Returns whether the allocation has not been freed.
    #[inline(always)]
    pub(crate) fn is_there(&self) -> bool {
        !self.gone.load(Ordering::Acquire)
    }

    /// Returns the flag that is set when the allocation is freed.
    pub(crate) fn gone(&self) -> *const AtomicBool {
        &raw const self.gone
    }

    /// Marks it as freed: accesses are refused from now on.
    pub(crate) fn take_away(&self) {
        self.gone.store(true, Ordering::Release);
    }
}

/// The allocations that contain a piece; mostly one.
#[derive(Clone, Debug)]
enum Holders {
    One(Arc<Entry>),
    Several(Arc<[Arc<Entry>]>),
}

impl Holders {
    fn all(&self) -> &[Arc<Entry>] {
        match self {
            Holders::One(entry) => std::slice::from_ref(entry),
            Holders::Several(entries) => entries,
        }
    }

    fn with(&self, entry: &Arc<Entry>) -> Holders {
        let all = self.all().iter().chain([entry]).cloned();
        Holders::Several(all.collect())
    }

    fn without(&self, entry: &Arc<Entry>) -> Option<Holders> {
        let rest = self.all().iter().filter(|e| !Arc::ptr_eq(e, entry));
        match rest.cloned().collect::<Vec<_>>().as_slice() {
            [] => None,
            [one] => Some(Holders::One(one.clone())),
            more => Some(Holders::Several(more.into())),
        }
    }
}

/// A piece of the address space with the same holders throughout.
#[derive(Clone, Debug)]
struct Piece {
    end: u64,
    holders: Holders,
}

/// A version of the map. Clones share common parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Map {
    pieces: OrdMap<u64, Piece>,
}

impl Map {
    /// Returns the allocation that contains all of `[first, end)`, preferably a writable one.
    pub(crate) fn find(&self, first: u64, end: u64) -> Option<&Arc<Entry>> {
        let (_, piece) = self.pieces.get_prev(&first)?;
        let holds = |e: &&Arc<Entry>| e.allocation.holds(first, end) && e.is_there();
        let mut holders = piece.holders.all().iter().filter(holds);
        let one = holders.next()?;
        if one.allocation.rights == Rights::ReadWrite {
            return Some(one);
        }
        let better = holders.find(|e| e.allocation.rights == Rights::ReadWrite);
        Some(better.unwrap_or(one))
    }

    /// Returns the allocation at whose end a load of `[first, end)` reads past the end, if that is allowed.
    pub(crate) fn find_before(&self, first: u64, end: u64) -> Option<&Arc<Entry>> {
        let (_, piece) = self.pieces.get_prev(&first)?;
        let mut holders = piece.holders.all().iter();
        holders.find(|e| end <= e.load_end && e.is_there())
    }

    /// Returns the allocation whose bytes are nearest to an address.
    pub(crate) fn nearest(&self, address: u64) -> Option<&Allocation> {
        let below = self.pieces.get_prev(&address);
        let above = self.pieces.get_next(&address);
        let distance = |a: &Allocation| {
            let above = a.address.saturating_sub(address);
            above.max(address.saturating_sub(a.end() - 1))
        };
        [below, above]
            .into_iter()
            .flatten()
            .flat_map(|(_, piece)| piece.holders.all())
            .map(|entry| &entry.allocation)
            .min_by_key(|a| distance(a))
    }

    /// Returns the address ranges that allocations cover.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = std::ops::Range<u64>> + '_ {
        self.pieces.iter().map(|(start, piece)| *start..piece.end)
    }

    /// Returns all allocations, in the order of their addresses.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Arc<Entry>> + '_ {
        self.pieces.iter().flat_map(|(start, piece)| {
            let holders = piece.holders.all().iter();
            holders.filter(|entry| entry.allocation.address == *start)
        })
    }

    /// Adds an allocation, which may overlap others.
    pub(crate) fn insert(&mut self, entry: &Arc<Entry>) {
        let (start, end) = (entry.allocation.address, entry.allocation.end());
        self.cut(start);
        self.cut(end);
        let mut at = start;
        while at < end {
            let next = self.pieces.get_next(&at).map(|(k, p)| (*k, p.clone()));
            match next {
                Some((from, piece)) if from == at => {
                    let holders = piece.holders.with(entry);
                    let end = piece.end;
                    self.pieces.insert(from, Piece { end, holders });
                    at = end;
                }
                next => {
                    let gap = next.map_or(end, |(from, _)| from.min(end));
                    let holders = Holders::One(entry.clone());
                    self.pieces.insert(at, Piece { end: gap, holders });
                    at = gap;
                }
            }
        }
    }

    /// Removes an allocation from all pieces of its range.
    pub(crate) fn remove(&mut self, entry: &Arc<Entry>) {
        let (mut at, end) = (entry.allocation.address, entry.allocation.end());
        while let Some((from, piece)) = self.pieces.get_next(&at).map(|(k, p)| (*k, p.clone()))
            && from < end
        {
            match piece.holders.without(entry) {
                None => self.pieces.remove(&from),
                Some(holders) => self.pieces.insert(
                    from,
                    Piece {
                        end: piece.end,
                        holders,
                    },
                ),
            };
            at = piece.end;
        }
    }

    /// Splits the piece that spans an address.
    fn cut(&mut self, at: u64) {
        let Some((from, piece)) = self.pieces.get_prev(&at).map(|(k, p)| (*k, p.clone())) else {
            return;
        };
        if from < at && at < piece.end {
            let holders = piece.holders.clone();
            self.pieces.insert(from, Piece { end: at, holders });
            self.pieces.insert(at, piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(address: u64, bytes: u64, rights: Rights) -> Arc<Entry> {
        let name = "it".into();
        Entry::new(Allocation {
            name,
            address,
            bytes,
            rights,
        })
    }

    proptest! {
        /// The map gives the same results as a list of all allocations.
        #[test]
        fn as_a_list_of_all_does(
            steps in prop::collection::vec((any::<bool>(), 0u64..200, 1u64..60, any::<bool>()), 1..40),
            requests in prop::collection::vec((0u64..260, 1u64..40), 40),
        ) {
            let mut map = Map::default();
            let mut list: Vec<Arc<Entry>> = Vec::new();
            for (add, start, bytes, writable) in steps {
                if add || list.is_empty() {
                    let rights = if writable { Rights::ReadWrite } else { Rights::Read };
                    let new = entry(start + 1, bytes, rights);
                    map.insert(&new);
                    list.push(new);
                } else {
                    let old = list.swap_remove(start as usize % list.len());
                    map.remove(&old);
                }
                for &(first, bytes) in &requests {
                    let all = list.iter().filter(|e| e.allocation.holds(first, first + bytes));
                    let best = all.clone().map(|e| e.allocation.rights == Rights::ReadWrite).max();
                    let found = map.find(first, first + bytes);
                    prop_assert_eq!(found.map(|e| e.allocation.rights == Rights::ReadWrite), best);
                    if let Some(found) = found {
                        prop_assert!(found.allocation.holds(first, first + bytes));
                    }
                }
            }
        }

        /// Among allocations that do not overlap, the nearest is found.
        #[test]
        fn the_nearest_is_found(starts in prop::collection::btree_set(0u64..50, 1..10), at in 0u64..600) {
            let mut map = Map::default();
            let mut list = Vec::new();
            for start in starts {
                let new = entry(10 * start + 5, 1 + start % 9, Rights::Read);
                map.insert(&new);
                list.push(new);
            }
            let distance = |a: &Allocation| (a.address..a.end()).map(|b| b.abs_diff(at)).min();
            let wanted = list.iter().map(|e| distance(&e.allocation)).min();
            prop_assert_eq!(map.nearest(at).map(distance), wanted);
        }
    }
}
