//! The access history: for each dword of memory, its last writes, and the reads since then.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::page::Page;
use super::plane::PAGE;
use super::slot::Slot;
use super::vector_clock::{Fuel, VectorClock};

/// A dword that atomics use.
#[derive(Clone, Default)]
pub(super) struct Location {
    /// The vector clock that an atomic with a result acquires here.
    pub known: VectorClock,
    /// Atomics without a result, which release their clock without acquiring one: the last few since an atomic with a result.
    pub silent: Vec<Slot>,
    /// The plain store that was there before the atomics.
    pub stored: Option<Slot>,
    /// The waves that have used the dword: one bit for all waves with the same number modulo 64.
    pub users: u64,
}

/// Limit of the recorded atomics without a result.
const SILENT: usize = 16;

impl Location {
    /// Records an atomic without a result.
    pub(super) fn add_silent(&mut self, new: Slot) {
        if let Some(old) = self.silent.iter_mut().find(|old| old.wave == new.wave) {
            *old = new;
            return;
        }
        if self.silent.len() == SILENT {
            // A wave that acquires here is then ordered after everything up to it, which is too much order rather than too
            // little.
            let oldest = self.silent.remove(0);
            let mut fuel = Fuel::FULL;
            self.known = self
                .known
                .join(&VectorClock::all_before(oldest.time), &mut fuel);
        }
        self.silent.push(new);
    }
}

/// The access history of one memory.
#[derive(Default)]
pub(super) struct AccessHistory {
    /// The indices of the pages in each region, one more than them; 0 for a page without a history.
    regions: FxHashMap<u64, Box<[u32; REGION as usize]>>,
    pages: Vec<Page>,
    /// The pages that were used last, each at a hash of its number.
    last: [Option<(u64, usize)>; 1 << LAST],
    /// The dwords that atomics use.
    pub locations: FxHashMap<u64, Location>,
}

/// The number of pages in a region: their indices take little beside the pages, also if only one is used.
const REGION: u64 = 256;

/// The number of pages in the cache, as a power of two: kernels use a few arrays at a time.
const LAST: u32 = 4;

/// Returns the place of a page in the cache. Arrays are often apart by powers of two, so all bits of the number count (Knuth, "The Art
/// of Computer Programming", 6.4, multiplicative hashing).
#[inline]
fn place(page: u64) -> usize {
    (page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - LAST)) as usize
}

impl AccessHistory {
    /// Returns the page of a dword, and the index in it.
    #[inline]
    pub(super) fn at(&mut self, dword: u64) -> (&mut Page, usize) {
        let (page, at) = (dword / PAGE, (dword % PAGE) as usize);
        let n = match self.last[place(page)] {
            Some((last, n)) if last == page => n,
            _ => self.find(page),
        };
        (&mut self.pages[n], at)
    }

    /// Removes the history of some bytes, and of other bytes in the same pages.
    pub(super) fn forget(&mut self, bytes: Range<u64>) {
        let numbers = bytes.start / 4 / PAGE..bytes.end.div_ceil(4 * PAGE);
        let pages: Vec<(u64, usize)> = self.indices_of(numbers);
        for (page, n) in pages {
            self.pages[n] = Page::default();
            if !self.locations.is_empty() {
                for dword in page * PAGE..(page + 1) * PAGE {
                    self.locations.remove(&dword);
                }
            }
        }
    }

    /// Returns all pages with their numbers, in no order.
    pub(super) fn pages(&self) -> impl Iterator<Item = (u64, &Page)> {
        let regions = self.regions.iter();
        let indices = regions.flat_map(|(region, indices)| used(*region, indices));
        indices.map(|(number, n)| (number, &self.pages[n]))
    }

    /// Returns a page by its number.
    pub(super) fn page(&self, number: u64) -> Option<&Page> {
        let indices = self.regions.get(&(number / REGION))?;
        let n = indices[(number % REGION) as usize].checked_sub(1)?;
        Some(&self.pages[n as usize])
    }

    /// Returns the pages of a range of numbers, in their order.
    pub(super) fn pages_of(&self, numbers: Range<u64>) -> impl Iterator<Item = (u64, &Page)> {
        let indices = self.indices_of(numbers).into_iter();
        indices.map(|(number, n)| (number, &self.pages[n]))
    }

    /// Returns the pages of a range of numbers, in their order: the number and the index of each.
    fn indices_of(&self, numbers: Range<u64>) -> Vec<(u64, usize)> {
        let regions = numbers.start / REGION..numbers.end.div_ceil(REGION);
        let few = regions.end - regions.start <= self.regions.len() as u64;
        let mut found: Vec<u64> = if few {
            regions.filter(|n| self.regions.contains_key(n)).collect()
        } else {
            let all = self.regions.keys().copied();
            all.filter(|n| regions.contains(n)).collect()
        };
        found.sort_unstable();
        let indices = found
            .into_iter()
            .flat_map(|region| used(region, &self.regions[&region]));
        let is_in = |(number, _): &(u64, usize)| numbers.contains(number);
        indices.filter(is_in).collect()
    }

    /// Returns the last writes to a dword.
    pub(super) fn writes(&self, dword: u64) -> [Slot; 2] {
        let page = self.page(dword / PAGE);
        page.map_or([Slot::NONE; 2], |page| page.writes((dword % PAGE) as usize))
    }

    /// Removes stored values and the clocks of atomics, after the end of the launch.
    pub(super) fn forget_values(&mut self) {
        self.pages.iter_mut().for_each(Page::forget_values);
        self.locations = FxHashMap::default();
    }

    fn find(&mut self, page: u64) -> usize {
        let none = || Box::new([0; REGION as usize]);
        let region = self.regions.entry(page / REGION).or_insert_with(none);
        let index = &mut region[(page % REGION) as usize];
        if *index == 0 {
            self.pages.push(Page::default());
            *index = u32::try_from(self.pages.len()).expect("pages of 1 KiB for 4 TiB of memory");
        }
        let n = *index as usize - 1;
        self.last[place(page)] = Some((page, n));
        n
    }
}

/// Returns the pages of a region that have a history, by number: the number and the index of each.
fn used(region: u64, indices: &[u32; REGION as usize]) -> impl Iterator<Item = (u64, usize)> {
    let all = (region * REGION..).zip(indices);
    all.filter_map(|(number, index)| Some((number, index.checked_sub(1)? as usize)))
}

/// Returns the dwords that contain some bytes, with one bit for each byte.
pub(super) fn dwords(address: u64, bytes: u32) -> impl Iterator<Item = (u64, u8)> {
    let end = address.saturating_add(bytes.into());
    (address / 4..end.div_ceil(4)).map(move |dword| {
        let start = dword * 4;
        let first = address.saturating_sub(start).min(4);
        let last = (end - start).min(4);
        (dword, (15 << first & 15 & !(15 << last)) as u8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_cut_into_dwords() {
        let cut = |address, bytes| dwords(address, bytes).collect::<Vec<_>>();
        assert_eq!(cut(8, 4), [(2, 15)]);
        assert_eq!(cut(8, 0), []);
        assert_eq!(cut(9, 2), [(2, 0b0110)]);
        assert_eq!(cut(10, 8), [(2, 0b1100), (3, 15), (4, 0b0011)]);
        assert_eq!(cut(11, 1), [(2, 0b1000)]);
    }

    #[test]
    fn pages_are_found_again() {
        let mut history = AccessHistory::default();
        let numbers = [
            0,
            1,
            255,
            256,
            257,
            1 << 20,
            (1 << 20) + 16,
            u64::MAX / PAGE,
        ];
        for number in numbers.into_iter().chain(numbers) {
            history.at(number * PAGE).0.note_order(number as usize % 7);
        }
        let mut found: Vec<u64> = history.pages().map(|(number, _)| number).collect();
        found.sort_unstable();
        assert_eq!(found, numbers);
        let page = |number: u64| history.page(number).map(|page| page.orders(0..7));
        assert!(numbers.iter().all(|number| page(*number) == Some(true)));
        assert_eq!((page(2), page(1 << 30)), (None, None));
        let some = history.pages_of(1..(1 << 20) + 16);
        let some: Vec<u64> = some.map(|(number, _)| number).collect();
        assert_eq!(some, [1, 255, 256, 257, 1 << 20]);
        history.forget(4 * PAGE..4 * 256 * PAGE);
        let orders = |number: u64| history.page(number).is_some_and(|page| page.orders(0..7));
        let left: Vec<u64> = numbers.into_iter().filter(|n| orders(*n)).collect();
        assert_eq!(
            left,
            [0, 256, 257, 1 << 20, (1 << 20) + 16, u64::MAX / PAGE]
        );
    }
}
