//! A page of the access history: for each of its dwords the last writes, the reads since then, and the stored value.

use std::ops::Range;

use super::plane::{PAGE, Plane};
use super::slot::{Lanes, Mode, Slot};

/// The slots of 256 dwords: two slots for writes, and two for reads. Most dwords need one, and few pages both kinds.
#[derive(Default)]
pub(super) struct Page {
    writes: [Plane; 2],
    reads: [Plane; 2],
    /// The dwords by which waves order themselves, one bit each: by atomics, and by coherent loads and stores.
    orders: [u64; PAGE as usize / 64],
    /// The values that were stored, if a reader of memory exists.
    values: Option<Box<Stored>>,
}

/// The stored values of the dwords of a page.
struct Stored {
    values: [u32; PAGE as usize],
    /// The dwords whose values are known, one bit each.
    known: [u64; PAGE as usize / 64],
}

impl Stored {
    const NONE: Stored = Stored {
        values: [0; PAGE as usize],
        known: [0; PAGE as usize / 64],
    };
}

impl Page {
    /// Returns the last writes to a dword, each of different bytes.
    #[inline]
    pub(super) fn writes(&self, at: usize) -> [Slot; 2] {
        [self.writes[0].get(at), self.writes[1].get(at)]
    }

    /// Returns the reads of a dword by different waves since the last writes.
    #[inline]
    pub(super) fn reads(&self, at: usize) -> [Slot; 2] {
        [self.reads[0].get(at), self.reads[1].get(at)]
    }

    /// Returns the value of a dword after its last store.
    pub(super) fn value(&self, at: usize) -> Option<u32> {
        let stored = self.values.as_ref()?;
        (stored.known[at / 64] >> (at % 64) & 1 != 0).then_some(stored.values[at])
    }

    /// Records the current value of a dword.
    pub(super) fn put_value(&mut self, at: usize, value: Option<u32>) {
        let stored = self.stored();
        let known = &mut stored.known[at / 64];
        *known &= !(1 << (at % 64));
        if let Some(value) = value {
            *known |= 1 << (at % 64);
            stored.values[at] = value;
        }
    }

    /// Whether an access is ordered after all writes to a row of dwords.
    #[inline]
    pub(super) fn writes_in_order(
        &self,
        at: Range<usize>,
        is_ordered: impl FnMut(Slot) -> bool,
    ) -> bool {
        all(&self.writes, at, is_ordered)
    }

    /// Whether an access is ordered after all reads of a row of dwords.
    #[inline]
    pub(super) fn reads_in_order(
        &self,
        at: Range<usize>,
        is_ordered: impl FnMut(Slot) -> bool,
    ) -> bool {
        all(&self.reads, at, is_ordered)
    }

    /// Whether all writes to a row of dwords have a mode.
    #[inline]
    pub(super) fn writes_are(&self, at: Range<usize>, mode: Mode) -> bool {
        let mut planes = self.writes.iter();
        planes.all(|plane| plane.are(at.clone(), mode))
    }

    /// Records a write to whole dwords that is ordered after all earlier accesses.
    #[inline]
    pub(super) fn fill_writes(&mut self, at: Range<usize>, new: Slot, lanes: Lanes) {
        if new.mode() != Mode::Plain {
            at.clone().for_each(|at| self.note_order(at));
        }
        let [first, second] = &mut self.writes;
        for plane in self.reads.iter_mut().chain([second]) {
            plane.clear(at.clone());
        }
        first.fill(at, new, lanes);
    }

    /// Records a read of whole dwords, as [`Page::put_read`] does.
    #[inline]
    pub(super) fn fill_reads(
        &mut self,
        at: Range<usize>,
        new: Slot,
        lanes: Lanes,
        mut is_ordered: impl FnMut(Slot) -> bool,
    ) {
        let (mut start, end) = (at.start, at.end);
        while start < end {
            let [first, second] = &mut self.reads;
            let (old, count) = first.first(start..end);
            let free = old.time == 0 || is_ordered(old);
            let plane = if free { first } else { second };
            let skipped = lanes.skipped + (start - at.start) as u32;
            plane.fill(start..start + count, new, Lanes { skipped, ..lanes });
            start += count;
        }
    }

    /// Records the current values of a row of dwords.
    pub(super) fn put_values(&mut self, at: Range<usize>, bytes: &[u8]) {
        let stored = self.stored();
        let values = &mut stored.values[at.clone()];
        for (value, dword) in values.iter_mut().zip(bytes.as_chunks().0) {
            *value = u32::from_le_bytes(*dword);
        }
        for (n, known) in stored.known.iter_mut().enumerate() {
            *known |= bits(&at, 64 * n);
        }
    }

    /// Forgets the values.
    pub(super) fn forget_values(&mut self) {
        self.values = None;
    }

    fn stored(&mut self) -> &mut Stored {
        self.values.get_or_insert_with(|| Box::new(Stored::NONE))
    }

    /// Whether no access to a dword is recorded.
    #[inline]
    pub(super) fn is_new(&self, at: usize) -> bool {
        let mut all = self.writes.iter().chain(&self.reads);
        all.all(|plane| plane.get(at).time == 0)
    }

    /// Records a write. It replaces earlier writes to the same bytes, and the older of the others if there is no free slot.
    #[inline]
    pub(super) fn put_write(&mut self, at: usize, new: Slot) {
        for plane in &mut self.reads {
            if !plane.is_empty() {
                plane.set(at, plane.get(at).without(new.mask()));
            }
        }
        self.put_write_after_reads(at, new);
    }

    /// Records a write, and keeps the reads before it: after an atomic without a result, a later atomic is in order with that one,
    /// but not with them.
    #[inline]
    pub(super) fn put_write_after_reads(&mut self, at: usize, new: Slot) {
        if new.mode() != Mode::Plain {
            self.note_order(at);
        }
        let [a, b] = self.writes(at);
        if a.mask() & !new.mask() == 0 && b.time == 0 && a.time != new.time {
            // All earlier writes have been replaced.
            return self.writes[0].set(at, new);
        }
        if let Some(both) = a.joined(new) {
            self.writes[0].set(at, both);
            self.writes[1].set(at, b.without(new.mask()));
            return;
        }
        let (a, b) = (a.without(new.mask()), b.without(new.mask()));
        let kept = if a.time >= b.time { a } else { b };
        self.writes[0].set(at, new);
        self.writes[1].set(at, kept);
    }

    /// Records that a wave orders itself by a dword.
    #[inline]
    pub(super) fn note_order(&mut self, at: usize) {
        self.orders[at / 64] |= 1 << (at % 64);
    }

    /// Whether waves order themselves by some of these dwords.
    pub(super) fn orders(&self, mut at: Range<usize>) -> bool {
        at.any(|at| self.orders[at / 64] >> (at % 64) & 1 != 0)
    }

    /// Whether waves of both launches order themselves by a common dword.
    pub(super) fn orders_with(&self, other: &Page) -> bool {
        let mut both = self.orders.iter().zip(&other.orders);
        both.any(|(a, b)| a & b != 0)
    }

    /// Whether any write is recorded.
    pub(super) fn has_writes(&self) -> bool {
        !all(&self.writes, 0..PAGE as usize, |_| false)
    }

    /// Returns the size in bytes, without the values.
    pub(super) fn size(&self) -> u64 {
        let planes = self.writes.iter().chain(&self.reads);
        let slots: usize = planes.map(Plane::size).sum();
        (size_of::<Page>() + slots) as u64
    }

    /// Records a compare-and-swap that has failed. It takes the place of others only: atomics clash with the plain reads.
    pub(super) fn put_compare(
        &mut self,
        at: usize,
        new: Slot,
        mut is_ordered: impl FnMut(Slot) -> bool,
    ) {
        for plane in &mut self.reads {
            let old = plane.get(at);
            if old.time == 0 || old.mode() != Mode::Plain && is_ordered(old) {
                return plane.set(at, new);
            }
        }
        let [_, second] = &mut self.reads;
        if second.get(at).mode() != Mode::Plain {
            second.set(at, new);
        }
    }

    /// Records a read. It replaces a read that happens before it, or else the later of two others: a later writer then finds at
    /// least one read that is not its own.
    #[inline]
    pub(super) fn put_read(
        &mut self,
        at: usize,
        new: Slot,
        mut is_ordered: impl FnMut(Slot) -> bool,
    ) {
        let last = self.writes(at).map(|write| write.time);
        let mut replaced = 1;
        for (n, plane) in self.reads.iter_mut().enumerate() {
            let old = plane.get(at);
            let covers = old.mask() & !new.mask() == 0;
            if old.time == 0 || covers && is_ordered(old) {
                return plane.set(at, new);
            }
            if let Some(both) = old.joined(new) {
                return plane.set(at, both);
            }
            // A read before the last atomics is worth less than those after them.
            if old.time < last[0].max(last[1]) {
                replaced = n;
            }
        }
        self.reads[replaced].set(at, new);
    }
}

/// Whether a condition holds for all used slots of a row of dwords.
#[inline]
fn all(planes: &[Plane; 2], at: Range<usize>, mut is_so: impl FnMut(Slot) -> bool) -> bool {
    planes.iter().all(|plane| plane.all(at.clone(), &mut is_so))
}

/// Returns the dwords of a range among the 64 from `first` on, one bit each.
fn bits(at: &Range<usize>, first: usize) -> u64 {
    let below = |end: usize| match end.saturating_sub(first) {
        count @ 0..64 => (1 << count) - 1,
        _ => u64::MAX,
    };
    below(at.end) & !below(at.start)
}

#[cfg(test)]
mod tests {
    use super::super::slot::Lane;
    use super::*;

    #[test]
    fn values_are_known_where_they_were_put() {
        let mut page = Page::default();
        let bytes: Vec<u8> = (0..100u32).flat_map(u32::to_le_bytes).collect();
        page.put_values(60..160, &bytes);
        page.put_value(100, None);
        page.put_value(7, Some(9));
        let known = |at: usize| match at {
            7 => Some(9),
            100 => None,
            60..160 => Some(at as u32 - 60),
            _ => None,
        };
        assert!((0..PAGE as usize).all(|at| page.value(at) == known(at)));
    }

    #[test]
    fn writes_of_other_bytes_stay() {
        let mut page = Page::default();
        let write = |wave, mask| Slot::new(wave, wave, 0, Mode::Plain).on(mask, Lane::new(None));
        page.put_write(7, write(1, 0b0011));
        page.put_write(7, write(2, 0b1100));
        assert_eq!(page.writes(7), [write(2, 0b1100), write(1, 0b0011)]);
        page.put_write(7, write(3, 0b0110));
        assert_eq!(page.writes(7), [write(3, 0b0110), write(2, 0b1000)]);
        page.put_write(7, write(4, 15));
        assert_eq!(page.writes(7), [write(4, 15), Slot::NONE]);
    }
}
