//! The memory that a launch accesses: the pages that were read, and the bytes that were written.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wavetank_capture::{MASK, Mask, PAGE};
use wavetank_check::{Findings, SliceEnd, TimeSlice, Watcher, WaveOf};
use wavetank_ir::MemKind;
use wavetank_memory::{ALIAS, AccessRecord, AccessRun, MemoryKind};

use super::memory::{in_page, parts};

/// The accesses of launches to global memory, by page. A clone keeps the same ones.
///
/// ```
/// use wavetank::capture::Accesses;
/// use wavetank::{Chip, Device};
///
/// let device = Device::new(Chip::Gfx900)?;
/// let module = device.load(include_bytes!("../../../object/tests/data/vecadd-gfx900.hsaco"))?;
/// let a = device.buffer_from(&[1.5f32; 64])?;
/// let c = device.buffer_zeroed(1 << 20)?;
/// let accesses = Accesses::default();
/// let dispatch = module.kernel("vecadd")?.dispatch().grid(64).block(64).arg(&a).arg(&a).arg(&c).arg(64);
/// dispatch.accesses(&accesses).run()?;
/// assert_eq!(accesses.written(c.address()..c.address() + (1 << 20)), 256);
/// # Ok::<(), wavetank::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Accesses {
    pages: Arc<Mutex<BTreeMap<u64, PageAccesses>>>,
    /// Whether a wave has used a resource of global wave synchronization.
    meets: Arc<AtomicBool>,
}

/// The accesses to a page.
#[derive(Clone)]
pub(super) struct PageAccesses {
    /// The bytes that were written.
    pub(super) written: Mask,
}

impl Accesses {
    /// The number of bytes of a range that were written.
    pub fn written(&self, range: Range<u64>) -> u64 {
        let (range, pages) = (host(range), self.pages());
        let count = |(page, part): (u64, Range<usize>)| {
            let written = |page: &PageAccesses| part.filter(|n| has(&page.written, *n)).count();
            pages.get(&page).map_or(0, written) as u64
        };
        parts(&range).map(count).sum()
    }

    /// Whether a page with bytes of a range was read or written.
    pub fn is_accessed(&self, range: Range<u64>) -> bool {
        let range = host(range);
        let first = range.start & !(PAGE as u64 - 1);
        self.pages()
            .range(first..range.end.max(first))
            .next()
            .is_some()
    }

    /// Whether work-groups have met by global wave synchronization (`grid.sync()` of HIP).
    pub fn has_met(&self) -> bool {
        self.meets.load(Ordering::Relaxed)
    }

    /// Whether a byte of the page at an address was read or written.
    pub(super) fn has_page(&self, address: u64) -> bool {
        self.pages().contains_key(&address)
    }

    /// The pages that were read or written, by address.
    pub(super) fn pages(&self) -> MutexGuard<'_, BTreeMap<u64, PageAccesses>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a watcher that adds the accesses of a launch.
    pub(crate) fn watcher(&self) -> Box<dyn Watcher> {
        Box::new(self.clone())
    }

    fn add<'r>(&self, runs: impl Iterator<Item = &'r AccessRun>, end: SliceEnd) {
        if matches!(end, SliceEnd::Resource(_)) {
            self.meets.store(true, Ordering::Relaxed);
        }
        let mut pages = self.pages();
        let global = |run: &&AccessRun| !run.is_wait() && run.first.memory == MemoryKind::Global;
        for run in runs.filter(global) {
            let is_load = run.failed || matches!(run.first.kind, MemKind::Load);
            // Lanes of a run are side by side, or at one address.
            for (address, part) in parts(&(run.first.address..run.end())) {
                let page = pages
                    .entry(address)
                    .or_insert(PageAccesses { written: [0; MASK] });
                if !is_load {
                    set(&mut page.written, part);
                }
            }
        }
    }
}

impl Watcher for Accesses {
    fn time_slice(&mut self, _: WaveOf, records: &[AccessRecord], end: SliceEnd) {
        self.add(AccessRun::all(records).iter(), end);
    }

    fn slice(&mut self, slice: &TimeSlice<'_>) {
        self.add(slice.runs.iter(), slice.end);
    }

    fn end(&mut self, _: &mut Findings) {}
}

/// Returns a range by the host's addresses, by which accesses are recorded.
fn host(range: Range<u64>) -> Range<u64> {
    let start = range.start & !ALIAS;
    start..start.saturating_add(range.end.saturating_sub(range.start))
}

/// Whether a mask has a byte.
pub(super) fn has(mask: &Mask, byte: usize) -> bool {
    mask[byte / 8] >> (byte % 8) & 1 == 1
}

/// Adds bytes to a mask.
fn set(mask: &mut Mask, bytes: Range<usize>) {
    let (first, last) = (bytes.start / 8, (bytes.end - 1) / 8);
    let head = 0xff << (bytes.start % 8);
    let tail = 0xff >> (7 - (bytes.end - 1) % 8);
    if first == last {
        mask[first] |= head & tail;
    } else {
        mask[first] |= head;
        mask[first + 1..last].fill(0xff);
        mask[last] |= tail;
    }
}

/// Takes bytes out of a mask.
fn clear(mask: &mut Mask, bytes: Range<usize>) {
    let mut others = [0; MASK];
    set(&mut others, bytes);
    for (byte, other) in mask.iter_mut().zip(others) {
        *byte &= !other;
    }
}

/// Returns the bytes of a mask that are in ranges of memory, but in none of the others. The mask is that of the page at an address.
pub(super) fn within(
    mask: &Mask,
    address: u64,
    ranges: &[Range<u64>],
    others: &[Range<u64>],
) -> Mask {
    let bytes = |part: Range<u64>| (part.start - address) as usize..(part.end - address) as usize;
    let mut inside = [0; MASK];
    in_page(ranges, address).for_each(|part| set(&mut inside, bytes(part)));
    for other in others {
        let other = std::slice::from_ref(other);
        in_page(other, address).for_each(|part| clear(&mut inside, bytes(part)));
    }
    let mut out = *mask;
    out.iter_mut()
        .zip(inside)
        .for_each(|(byte, of)| *byte &= of);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(mask: &Mask) -> Vec<usize> {
        (0..PAGE).filter(|n| has(mask, *n)).collect()
    }

    #[test]
    fn bytes_are_set_and_cleared() {
        for range in [0..1, 3..5, 7..9, 6..31, 8..16, 4090..4096, 0..4096] {
            let mut mask = [0; MASK];
            set(&mut mask, range.clone());
            assert_eq!(bytes(&mask), range.clone().collect::<Vec<_>>());
            clear(&mut mask, range);
            assert_eq!(mask, [0; MASK]);
        }
    }

    #[test]
    fn bytes_are_taken_within_ranges() {
        let page = 0x10_0000;
        let at = |start: u64, end: u64| page + start..page + end;
        let ranges = [page - 8192..page - 4096, page - 64..page + 4, at(8, 20)];
        let ranges = [&ranges[..], &[at(4000, 5000), at(9000, 9001)]].concat();
        let mask = within(&[0xff; MASK], page, &ranges, &[at(10, 12), at(4090, 6000)]);
        let wanted = (0..4).chain(8..10).chain(12..20).chain(4000..4090);
        assert_eq!(bytes(&mask), wanted.collect::<Vec<_>>());
        let mask = within(&[0b0110; MASK], page, &[at(0, 4)], &[]);
        assert_eq!(bytes(&mask), [1, 2]);
    }
}
