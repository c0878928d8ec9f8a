//! The access history: for each dword of memory, its last writes, and the reads since then.

use std::collections::HashMap;
use std::ops::Range;

use super::vector_clock::{Fuel, Time, VectorClock};

/// An access that may be one half of a race. A slot with time 0 is empty.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Slot {
    /// The number of the wave.
    pub wave: u32,
    /// The time of the access.
    pub time: Time,
    /// The number of the instruction.
    pub pc: u16,
    /// The lane, or one of the special values of [`Lane`].
    pub lane: Lane,
    /// The bytes of the dword, one bit each, and above them the [`Mode`].
    bits: u8,
}

/// The role of an access in the order of waves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// The access has no role.
    Plain,
    /// A coherent access (GLC), or a store to a dword that its wave uses as a lock.
    Coherent,
    /// An atomic outside of a spin loop.
    Atomic,
    /// An atomic in a spin loop that waits for its result.
    Spin,
}

/// The lane of an access.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Lane(u8);

impl Lane {
    const WAVE: Lane = Lane(64);
    /// Several lanes of a wave.
    pub(super) const SEVERAL: Lane = Lane(65);

    /// Returns a single lane, or the mark for the wave as a whole.
    pub(super) fn new(lane: Option<u8>) -> Lane {
        lane.map_or(Lane::WAVE, Lane)
    }

    /// Returns the lane, if it is a single one.
    pub(super) fn get(self) -> Option<u8> {
        (self.0 < Lane::WAVE.0).then_some(self.0)
    }
}

impl Slot {
    pub(super) const NONE: Slot = Slot {
        wave: 0,
        time: 0,
        pc: 0,
        lane: Lane(0),
        bits: 0,
    };

    /// Returns the slot for some bytes of a dword, accessed by a lane.
    #[inline]
    pub(super) fn on(self, mask: u8, lane: Lane) -> Slot {
        let bits = self.bits & !15 | mask;
        Slot { bits, lane, ..self }
    }

    /// Returns an access without bytes.
    pub(super) fn new(wave: u32, time: Time, pc: u16, mode: Mode) -> Slot {
        Slot {
            wave,
            time,
            pc,
            lane: Lane::WAVE,
            bits: (mode as u8) << 4,
        }
    }

    /// Returns the accessed bytes, one bit each.
    pub(super) fn mask(self) -> u8 {
        self.bits & 15
    }

    pub(super) fn mode(self) -> Mode {
        match self.bits >> 4 {
            0 => Mode::Plain,
            1 => Mode::Coherent,
            2 => Mode::Atomic,
            _ => Mode::Spin,
        }
    }

    /// Packs instruction, lane, mode and bytes into a dword, as planes store them.
    const fn what(self) -> u32 {
        (self.pc as u32) << 16 | (self.lane.0 as u32) << LANE | self.bits as u32
    }

    /// Returns the slot without some bytes.
    fn without(self, mask: u8) -> Slot {
        match self.mask() & !mask {
            0 => Slot::NONE,
            rest => self.on(rest, self.lane),
        }
    }

    /// Returns the union of both, if they are from one execution of an instruction.
    fn joined(self, other: Slot) -> Option<Slot> {
        let what = |slot: Slot| (slot.wave, slot.time, slot.pc, slot.mode());
        let lane = if self.lane == other.lane {
            self.lane
        } else {
            Lane::SEVERAL
        };
        (what(self) == what(other)).then(|| self.on(self.mask() | other.mask(), lane))
    }
}

/// The number of dwords in a page: few, because programs may access single dwords far apart.
pub(super) const PAGE: u64 = 256;

/// The slots of 256 dwords: two slots for writes, and two for reads. Most dwords need one, and few pages both kinds.
#[derive(Default)]
pub(super) struct Page {
    writes: [Plane; 2],
    reads: [Plane; 2],
    /// The dwords by which waves order themselves, one bit each: by atomics, and by coherent loads and stores.
    orders: [u64; PAGE as usize / 64],
    /// The values that were stored, if a reader of memory exists.
    values: Option<Box<[Option<u32>; PAGE as usize]>>,
}

/// A slot for each dword of a page, in columns, so that rows are processed at once; `None` while no slot is used.
type Plane = Option<Box<Columns>>;

struct Columns {
    wave: [u32; PAGE as usize],
    /// The times; a slot with time 0 is empty, regardless of the other columns.
    time: [Time; PAGE as usize],
    what: [u32; PAGE as usize],
}

/// The bit of a slot's `what` at which the lane begins.
const LANE: u32 = 8;

impl Columns {
    const EMPTY: Columns = Columns {
        wave: [0; PAGE as usize],
        time: [0; PAGE as usize],
        what: [0; PAGE as usize],
    };

    #[inline]
    fn get(&self, at: usize) -> Slot {
        let what = self.what[at];
        match self.time[at] {
            0 => Slot::NONE,
            time => Slot {
                wave: self.wave[at],
                time,
                pc: (what >> 16) as u16,
                lane: Lane((what >> LANE) as u8),
                bits: what as u8,
            },
        }
    }

    #[inline]
    fn set(&mut self, at: usize, slot: Slot) {
        self.wave[at] = slot.wave;
        self.time[at] = slot.time;
        self.what[at] = slot.what();
    }

    /// Returns the length of the run of slots from one execution of an instruction, from the start of a range.
    #[inline]
    fn alike(&self, at: Range<usize>) -> usize {
        let (wave, time) = (&self.wave[at.clone()], &self.time[at]);
        let mut differ = 0;
        // Plain loops become SIMD code, and usually the whole range is from one instruction.
        for n in 0..time.len() {
            differ |= time[n] ^ time[0] | wave[n] ^ wave[0];
        }
        let is_other = |n: &usize| time[*n] != time[0] || wave[*n] != wave[0];
        match differ {
            0 => time.len(),
            _ => (0..time.len()).find(is_other).unwrap_or(time.len()),
        }
    }

    /// Whether a used slot has another mode than this one.
    #[inline]
    fn any_other_than(&self, at: Range<usize>, mode: Mode) -> bool {
        let (what, time) = (&self.what[at.clone()], &self.time[at]);
        let mode = (mode as u32) << 4;
        let mut other = false;
        for n in 0..time.len() {
            other |= time[n] != 0 && what[n] & 0xf0 != mode;
        }
        other
    }
}

#[inline]
fn get(plane: &Plane, at: usize) -> Slot {
    plane.as_ref().map_or(Slot::NONE, |slots| slots.get(at))
}

#[inline]
fn set(plane: &mut Plane, at: usize, slot: Slot) {
    match plane {
        Some(slots) => slots.set(at, slot),
        None if slot == Slot::NONE => {}
        None => plane.insert(Box::new(Columns::EMPTY)).set(at, slot),
    }
}

/// Records an access to a row of dwords.
#[inline]
fn fill(plane: &mut Plane, at: Range<usize>, slot: Slot, lanes: Lanes) {
    let slots = plane.get_or_insert_with(|| Box::new(Columns::EMPTY));
    slots.wave[at.clone()].fill(slot.wave);
    slots.time[at.clone()].fill(slot.time);
    let what = slot.on(15, lanes.first).what();
    let to = &mut slots.what[at];
    match lanes.dwords {
        0 => to.fill(what),
        1 => {
            for (n, to) in (lanes.skipped..).zip(to) {
                *to = what + (n << LANE);
            }
        }
        dwords => {
            for (n, to) in (lanes.skipped..).zip(to) {
                *to = what + ((n / dwords) << LANE);
            }
        }
    }
}

/// The assignment of lanes to the dwords of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Lanes {
    /// The lane of the first dword.
    pub first: Lane,
    /// The number of dwords for each lane; 0 if all dwords belong to the first lane.
    pub dwords: u32,
    /// The number of dwords that have been skipped.
    pub skipped: u32,
}

impl Page {
    /// Returns the last writes to a dword, each of different bytes.
    #[inline]
    pub(super) fn writes(&self, at: usize) -> [Slot; 2] {
        [get(&self.writes[0], at), get(&self.writes[1], at)]
    }

    /// Returns the reads of a dword by different waves since the last writes.
    #[inline]
    pub(super) fn reads(&self, at: usize) -> [Slot; 2] {
        [get(&self.reads[0], at), get(&self.reads[1], at)]
    }

    /// Returns the value of a dword after its last store.
    pub(super) fn value(&self, at: usize) -> Option<u32> {
        self.values.as_ref()?[at]
    }

    /// Records the current value of a dword.
    pub(super) fn put_value(&mut self, at: usize, value: Option<u32>) {
        let values = &mut self.values;
        values.get_or_insert_with(|| Box::new([None; PAGE as usize]))[at] = value;
    }

    /// Whether an access is ordered after all writes to a row of dwords.
    #[inline]
    pub(super) fn writes_in_order(
        &self,
        at: Range<usize>,
        is_ordered: impl FnMut(Slot) -> bool,
    ) -> bool {
        in_order(&self.writes, at, is_ordered)
    }

    /// Whether an access is ordered after all reads of a row of dwords.
    #[inline]
    pub(super) fn reads_in_order(
        &self,
        at: Range<usize>,
        is_ordered: impl FnMut(Slot) -> bool,
    ) -> bool {
        in_order(&self.reads, at, is_ordered)
    }

    /// Whether all writes to a row of dwords have a mode.
    #[inline]
    pub(super) fn writes_are(&self, at: Range<usize>, mode: Mode) -> bool {
        let mut planes = self.writes.iter().flatten();
        planes.all(|slots| !slots.any_other_than(at.clone(), mode))
    }

    /// Records a write to whole dwords that is ordered after all earlier accesses.
    #[inline]
    pub(super) fn fill_writes(&mut self, at: Range<usize>, new: Slot, lanes: Lanes) {
        if new.mode() != Mode::Plain {
            at.clone().for_each(|at| self.note_order(at));
        }
        let [first, second] = &mut self.writes;
        for slots in self.reads.iter_mut().chain([second]).flatten() {
            slots.time[at.clone()].fill(0);
        }
        fill(first, at, new, lanes);
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
            let (old, count) = match first {
                Some(slots) => (slots.get(start), slots.alike(start..end)),
                None => (Slot::NONE, end - start),
            };
            let free = old.time == 0 || is_ordered(old);
            let plane = if free { first } else { second };
            let skipped = lanes.skipped + (start - at.start) as u32;
            fill(plane, start..start + count, new, Lanes { skipped, ..lanes });
            start += count;
        }
    }

    /// Records the current values of a row of dwords.
    pub(super) fn put_values(&mut self, at: Range<usize>, bytes: &[u8]) {
        let none = || Box::new([None; PAGE as usize]);
        let values = &mut self.values.get_or_insert_with(none)[at];
        for (value, dword) in values.iter_mut().zip(bytes.as_chunks().0) {
            *value = Some(u32::from_le_bytes(*dword));
        }
    }

    /// Whether no access to a dword is recorded.
    #[inline]
    pub(super) fn is_new(&self, at: usize) -> bool {
        let all = [
            &self.writes[0],
            &self.writes[1],
            &self.reads[0],
            &self.reads[1],
        ];
        all.iter().all(|plane| get(plane, at).time == 0)
    }

    /// Records a write. It replaces earlier writes to the same bytes, and the older of the others if there is no free slot.
    #[inline]
    pub(super) fn put_write(&mut self, at: usize, new: Slot) {
        for plane in &mut self.reads {
            if plane.is_some() {
                set(plane, at, get(plane, at).without(new.mask()));
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
            return set(&mut self.writes[0], at, new);
        }
        if let Some(both) = a.joined(new) {
            set(&mut self.writes[0], at, both);
            set(&mut self.writes[1], at, b.without(new.mask()));
            return;
        }
        let (a, b) = (a.without(new.mask()), b.without(new.mask()));
        let kept = if a.time >= b.time { a } else { b };
        set(&mut self.writes[0], at, new);
        set(&mut self.writes[1], at, kept);
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
        let mut slots = self.writes.iter().flatten();
        slots.any(|slots| slots.time.iter().any(|time| *time != 0))
    }

    /// Returns the size of the slots in bytes.
    pub(super) fn size(&self) -> u64 {
        let planes = self.writes.iter().chain(&self.reads).flatten();
        (planes.count() * size_of::<Columns>()) as u64
    }

    /// Records a compare-and-swap that has failed. It takes the place of others only: atomics clash with the plain reads.
    pub(super) fn put_compare(
        &mut self,
        at: usize,
        new: Slot,
        mut is_ordered: impl FnMut(Slot) -> bool,
    ) {
        let [first, second] = &mut self.reads;
        for plane in [&mut *first, &mut *second] {
            let old = get(plane, at);
            if old.time == 0 || old.mode() != Mode::Plain && is_ordered(old) {
                return set(plane, at, new);
            }
        }
        if get(second, at).mode() != Mode::Plain {
            set(second, at, new);
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
            let old = get(plane, at);
            let covers = old.mask() & !new.mask() == 0;
            if old.time == 0 || covers && is_ordered(old) {
                return set(plane, at, new);
            }
            if let Some(both) = old.joined(new) {
                return set(plane, at, both);
            }
            // A read before the last atomics is worth less than those after them.
            if old.time < last[0].max(last[1]) {
                replaced = n;
            }
        }
        set(&mut self.reads[replaced], at, new);
    }
}

/// Whether an access is ordered after all accesses to a row of dwords. Each instruction is tested once.
#[inline]
fn in_order(
    planes: &[Plane; 2],
    at: Range<usize>,
    mut is_ordered: impl FnMut(Slot) -> bool,
) -> bool {
    for slots in planes.iter().flatten() {
        let mut start = at.start;
        while start < at.end {
            let slot = slots.get(start);
            if slot.time != 0 && !is_ordered(slot) {
                return false;
            }
            start += slots.alike(start..at.end);
        }
    }
    true
}

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
    numbers: HashMap<u64, usize>,
    pages: Vec<Page>,
    /// The pages that were used last, each at the index of its number modulo the cache size.
    last: [Option<(u64, usize)>; LAST],
    /// The dwords that atomics use.
    pub locations: HashMap<u64, Location>,
}

/// The number of pages in the cache: kernels use a few arrays at a time.
const LAST: usize = 16;

impl AccessHistory {
    /// Returns the page of a dword, and the index in it.
    #[inline]
    pub(super) fn at(&mut self, dword: u64) -> (&mut Page, usize) {
        let (page, at) = (dword / PAGE, (dword % PAGE) as usize);
        let n = match self.last[page as usize % LAST] {
            Some((last, n)) if last == page => n,
            _ => self.find(page),
        };
        (&mut self.pages[n], at)
    }

    /// Removes the history of some bytes, and of other bytes in the same pages.
    pub(super) fn forget(&mut self, bytes: Range<u64>) {
        for page in bytes.start / 4 / PAGE..bytes.end.div_ceil(4 * PAGE) {
            let Some(&n) = self.numbers.get(&page) else {
                continue;
            };
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
        let numbers = self.numbers.iter();
        numbers.map(|(number, n)| (*number, &self.pages[*n]))
    }

    /// Returns a page by its number.
    pub(super) fn page(&self, number: u64) -> Option<&Page> {
        self.numbers.get(&number).map(|n| &self.pages[*n])
    }

    /// Returns the pages of a range of numbers, in their order.
    pub(super) fn pages_of(&self, numbers: Range<u64>) -> impl Iterator<Item = (u64, &Page)> {
        let few = numbers.end - numbers.start <= self.numbers.len() as u64;
        let mut found: Vec<u64> = if few {
            numbers.filter(|n| self.numbers.contains_key(n)).collect()
        } else {
            let all = self.numbers.keys().copied();
            all.filter(|n| numbers.contains(n)).collect()
        };
        found.sort_unstable();
        let page = |number| Some((number, self.page(number)?));
        found.into_iter().filter_map(page)
    }

    /// Returns the last writes to a dword.
    pub(super) fn writes(&self, dword: u64) -> [Slot; 2] {
        let page = self.page(dword / PAGE);
        page.map_or([Slot::NONE; 2], |page| page.writes((dword % PAGE) as usize))
    }

    /// Removes stored values and the clocks of atomics, after the end of the launch.
    pub(super) fn forget_values(&mut self) {
        self.pages.iter_mut().for_each(|page| page.values = None);
        self.locations = HashMap::new();
    }

    fn find(&mut self, page: u64) -> usize {
        let next = self.pages.len();
        let n = *self.numbers.entry(page).or_insert(next);
        if n == next {
            self.pages.push(Page::default());
        }
        self.last[page as usize % LAST] = Some((page, n));
        n
    }
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
    fn a_slot_is_small() {
        assert_eq!(size_of::<Slot>(), 12);
    }

    #[test]
    fn writes_of_other_bytes_stay() {
        let mut page = Page::default();
        let write = |wave, mask| Slot::new(wave, wave, 0, Mode::Plain).on(mask, Lane::WAVE);
        page.put_write(7, write(1, 0b0011));
        page.put_write(7, write(2, 0b1100));
        assert_eq!(page.writes(7), [write(2, 0b1100), write(1, 0b0011)]);
        page.put_write(7, write(3, 0b0110));
        assert_eq!(page.writes(7), [write(3, 0b0110), write(2, 0b1000)]);
        page.put_write(7, write(4, 15));
        assert_eq!(page.writes(7), [write(4, 15), Slot::NONE]);
    }
}
