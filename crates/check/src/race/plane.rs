//! A plane of the access history: a slot for each dword of a page.
//!
//! Kernels access memory in rows, so a plane is a list of the rows of its page, and is much smaller than its memory. A plane with
//! many short rows becomes a table of slots, which takes three times the memory and is faster.

use std::ops::Range;

use super::slot::{LANE, Lanes, Mode, Slot};
use super::vector_clock::Time;

/// The number of dwords in a page: few, because programs may access single dwords far apart.
pub(super) const PAGE: u64 = 256;

/// A slot for each dword of a page.
pub(super) enum Plane {
    /// The rows by address. They do not overlap; dwords of no row have an empty slot.
    Rows(Vec<Row>),
    Table(Box<Columns>),
}

/// The number of rows from which on a plane is a table.
const MANY: usize = 24;

/// Adjacent dwords that an instruction has accessed in one execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row {
    start: u16,
    end: u16,
    /// The slot of the first dword, if `skipped` is 0. The others differ only in their lanes.
    slot: Slot,
    /// The number of dwords of each lane; 0 if all dwords have the same lane.
    dwords: u16,
    /// The dwords of the first lane, and of lanes after it, that come before the row.
    skipped: u16,
}

impl Row {
    fn new(at: Range<usize>, slot: Slot, lanes: Lanes) -> Row {
        Row {
            start: at.start as u16,
            end: at.end as u16,
            slot: slot.on(slot.mask(), lanes.first),
            dwords: lanes.dwords as u16,
            skipped: lanes.skipped as u16,
        }
    }

    /// Returns the slot of a dword in the row.
    #[inline]
    fn slot(&self, at: usize) -> Slot {
        let before = u32::from(self.skipped) + at as u32 - u32::from(self.start);
        let lanes = before.checked_div(self.dwords.into()).unwrap_or(0);
        self.slot.on(self.slot.mask(), self.slot.lane.after(lanes))
    }

    /// Returns the lanes of the dwords from one of the row on.
    fn lanes(&self, at: usize) -> Lanes {
        Lanes {
            first: self.slot.lane,
            dwords: self.dwords.into(),
            skipped: u32::from(self.skipped) + at as u32 - u32::from(self.start),
        }
    }

    /// Returns the part of the row in a range that begins in it.
    fn from(self, at: usize) -> Row {
        let skipped = self.skipped + (at as u16 - self.start);
        let start = at as u16;
        Row {
            start,
            skipped,
            ..self
        }
    }

    /// Adds a single dword that follows the row, if its slot is the next one.
    fn go_on(&mut self, next: &Row) -> bool {
        if self.end != next.start {
            return false;
        }
        let mut longer = *self;
        if self.dwords == 0 && self.end - self.start == 1 && self.slot.lane != next.slot.lane {
            (longer.dwords, longer.skipped) = (1, 0);
        }
        let is_next = longer.slot(next.start.into()) == next.slot;
        let is_lane = longer.dwords == 0 || next.slot.lane.get().is_some();
        if is_next && is_lane {
            *self = Row {
                end: next.end,
                ..longer
            };
        }
        is_next && is_lane
    }
}

impl Default for Plane {
    fn default() -> Plane {
        Plane::Rows(Vec::new())
    }
}

impl Plane {
    /// Whether no slot has been used.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Plane::Rows(rows) if rows.is_empty())
    }

    /// Returns the slot of a dword.
    #[inline]
    pub(super) fn get(&self, at: usize) -> Slot {
        match self {
            Plane::Rows(rows) => match row_from(rows, at) {
                Some(row) if usize::from(row.start) <= at => row.slot(at),
                _ => Slot::NONE,
            },
            Plane::Table(columns) => columns.get(at),
        }
    }

    /// Returns the slot of the first dword of a range, and the number of dwords from it on that are from the same execution of an
    /// instruction, or are empty like it.
    #[inline]
    pub(super) fn first(&self, at: Range<usize>) -> (Slot, usize) {
        match self {
            Plane::Rows(rows) => {
                let Some(row) = row_from(rows, at.start) else {
                    return (Slot::NONE, at.len());
                };
                let (start, end) = (usize::from(row.start), usize::from(row.end));
                if at.start < start {
                    return (Slot::NONE, start.min(at.end) - at.start);
                }
                (row.slot(at.start), end.min(at.end) - at.start)
            }
            Plane::Table(columns) => (columns.get(at.start), columns.alike(at)),
        }
    }

    /// Whether a condition holds for all used slots of a range. It is tested once for each execution of an instruction.
    #[inline]
    pub(super) fn all(&self, at: Range<usize>, mut is_so: impl FnMut(Slot) -> bool) -> bool {
        if self.is_empty() {
            return true;
        }
        let mut start = at.start;
        while start < at.end {
            let (slot, count) = self.first(start..at.end);
            if slot.time != 0 && !is_so(slot) {
                return false;
            }
            start += count;
        }
        true
    }

    /// Whether all used slots of a range have a mode.
    #[inline]
    pub(super) fn are(&self, at: Range<usize>, mode: Mode) -> bool {
        match self {
            Plane::Rows(_) => self.all(at, |slot| slot.mode() == mode),
            Plane::Table(columns) => columns.are(at, mode),
        }
    }

    /// Sets the slot of a dword.
    #[inline]
    pub(super) fn set(&mut self, at: usize, slot: Slot) {
        match self {
            Plane::Table(columns) => columns.set(at, slot),
            Plane::Rows(rows) if slot.time == 0 => replace(rows, at..at + 1, None),
            Plane::Rows(rows) => {
                let lanes = Lanes {
                    first: slot.lane,
                    dwords: 0,
                    skipped: 0,
                };
                let new = Row::new(at..at + 1, slot, lanes);
                replace(rows, at..at + 1, Some(new));
                let here = rows.partition_point(|row| usize::from(row.start) < at);
                if here > 0 && rows[here - 1].go_on(&new) {
                    rows.remove(here);
                }
                self.limit();
            }
        }
    }

    /// Sets the slots of a range to an access to whole dwords.
    #[inline]
    pub(super) fn fill(&mut self, at: Range<usize>, slot: Slot, lanes: Lanes) {
        let slot = slot.on(15, lanes.first);
        if let Plane::Table(_) = self
            && at.len() == PAGE as usize
        {
            *self = Plane::default();
        }
        match self {
            Plane::Table(columns) => columns.fill(at, slot, lanes),
            Plane::Rows(rows) => {
                replace(rows, at.clone(), Some(Row::new(at, slot, lanes)));
                self.limit();
            }
        }
    }

    /// Empties the slots of a range.
    #[inline]
    pub(super) fn clear(&mut self, at: Range<usize>) {
        match self {
            Plane::Rows(rows) if rows.is_empty() => {}
            Plane::Rows(rows) => replace(rows, at, None),
            Plane::Table(columns) => columns.time[at].fill(0),
        }
    }

    /// Makes a plane with many rows a table.
    #[inline]
    fn limit(&mut self) {
        if let Plane::Rows(rows) = self
            && rows.len() >= MANY
        {
            let mut columns = Box::new(Columns::EMPTY);
            for row in rows.iter() {
                let at = usize::from(row.start)..usize::from(row.end);
                columns.fill(at, row.slot, row.lanes(row.start.into()));
            }
            *self = Plane::Table(columns);
        }
    }

    /// Returns the size of the slots in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            Plane::Rows(rows) => rows.capacity() * size_of::<Row>(),
            Plane::Table(_) => size_of::<Columns>(),
        }
    }
}

/// Returns the first row that ends after a dword.
#[inline]
fn row_from(rows: &[Row], at: usize) -> Option<&Row> {
    rows.iter().find(|row| at < row.end.into())
}

/// Replaces the rows of a range by another one, or by nothing. Rows at its ends are cut.
fn replace(rows: &mut Vec<Row>, at: Range<usize>, new: Option<Row>) {
    let (start, end) = (at.start as u16, at.end as u16);
    let first = rows.iter().position(|row| start < row.end);
    let first = first.unwrap_or(rows.len());
    let others = rows[first..].iter().position(|row| end <= row.start);
    let last = others.map_or(rows.len(), |count| first + count);
    let head = rows[first..last].first().copied();
    let head = head.filter(|row| row.start < start);
    let tail = rows[first..last].last().copied();
    let tail = tail.filter(|row| end < row.end);
    match (head, new, tail) {
        // Mostly a row is new, or replaces others as a whole.
        (None, Some(new), None) if first == last => rows.insert(first, new),
        (None, Some(new), None) => {
            rows[first] = new;
            rows.drain(first + 1..last);
        }
        (None, None, None) => {
            rows.drain(first..last);
        }
        (head, new, tail) => {
            let head = head.map(|row| Row { end: start, ..row });
            let tail = tail.map(|row| row.from(at.end));
            let parts = [head, new, tail].into_iter().flatten();
            rows.splice(first..last, parts);
        }
    }
}

/// A table of slots in columns, so that rows are processed at once.
pub(super) struct Columns {
    wave: [u32; PAGE as usize],
    /// The times; a slot with time 0 is empty, regardless of the other columns.
    time: [Time; PAGE as usize],
    what: [u32; PAGE as usize],
}

impl Columns {
    const EMPTY: Columns = Columns {
        wave: [0; PAGE as usize],
        time: [0; PAGE as usize],
        what: [0; PAGE as usize],
    };

    #[inline]
    fn get(&self, at: usize) -> Slot {
        match self.time[at] {
            0 => Slot::NONE,
            time => Slot::unpacked(self.wave[at], time, self.what[at]),
        }
    }

    #[inline]
    fn set(&mut self, at: usize, slot: Slot) {
        self.wave[at] = slot.wave;
        self.time[at] = slot.time;
        self.what[at] = slot.what();
    }

    #[inline]
    fn fill(&mut self, at: Range<usize>, slot: Slot, lanes: Lanes) {
        self.wave[at.clone()].fill(slot.wave);
        self.time[at.clone()].fill(slot.time);
        let what = slot.on(slot.mask(), lanes.first).what();
        let to = &mut self.what[at];
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

    /// Whether all used slots have a mode.
    #[inline]
    fn are(&self, at: Range<usize>, mode: Mode) -> bool {
        let (what, time) = (&self.what[at.clone()], &self.time[at]);
        let mode = (mode as u32) << 4;
        let mut other = false;
        for n in 0..time.len() {
            other |= time[n] != 0 && what[n] & 0xf0 != mode;
        }
        !other
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::slot::Lane;
    use super::*;

    /// A change of a plane: the range of dwords, the time (0 to clear), the dwords of a lane, those skipped, and whether it is made
    /// dword by dword.
    type Change = (usize, usize, Time, u32, u32, bool);

    fn slot(time: Time) -> Slot {
        Slot::new(time % 5, time, 7, Mode::Plain)
    }

    /// Returns the slots after some changes, kept as a plain list.
    fn expected(changes: &[Change]) -> Vec<Slot> {
        let mut slots = vec![Slot::NONE; PAGE as usize];
        for &(start, count, time, dwords, skipped, _) in changes {
            for (n, to) in (skipped..).zip(&mut slots[start..start + count]) {
                let lane = n.checked_div(dwords).unwrap_or(0);
                *to = match time {
                    0 => Slot::NONE,
                    _ => slot(time).on(15, Lane::new(Some(lane as u8))),
                };
            }
        }
        slots
    }

    fn change(plane: &mut Plane, &(start, count, time, dwords, skipped, singly): &Change) {
        let at = start..start + count;
        let lanes = Lanes {
            first: Lane::new(Some(0)),
            dwords,
            skipped,
        };
        match (time, singly) {
            (0, _) => plane.clear(at),
            (_, false) => plane.fill(at, slot(time), lanes),
            (_, true) => {
                for (n, at) in (skipped..).zip(at) {
                    let lane = n.checked_div(dwords).unwrap_or(0);
                    plane.set(at, slot(time).on(15, Lane::new(Some(lane as u8))));
                }
            }
        }
    }

    fn changes() -> impl Strategy<Value = Vec<Change>> {
        let one = (
            0usize..64,
            1usize..64,
            0u32..9,
            0u32..4,
            0u32..8,
            any::<bool>(),
        );
        let one = one.prop_map(|(start, count, time, dwords, skipped, singly)| {
            let (start, count) = match count {
                63 => (0, PAGE as usize),
                _ => (4 * start, count),
            };
            let count = count.min(PAGE as usize - start);
            // A lane has at most 64 numbers.
            let skipped = if dwords == 0 { 0 } else { skipped };
            let count = if dwords == 0 { count } else { count.min(56) };
            (start, count, time, dwords, skipped, singly)
        });
        proptest::collection::vec(one, 0..40)
    }

    proptest! {
        #[test]
        fn a_plane_is_a_list_of_slots(changes in changes()) {
            let mut plane = Plane::default();
            changes.iter().for_each(|one| change(&mut plane, one));
            let expected = expected(&changes);
            let slots: Vec<Slot> = (0..PAGE as usize).map(|at| plane.get(at)).collect();
            prop_assert_eq!(&slots, &expected);
            for (start, end) in [(0, 256), (3, 77), (100, 101), (60, 200)] {
                let (first, count) = plane.first(start..end);
                prop_assert_eq!(first, expected[start]);
                let alike = |slot: &Slot| slot.time == first.time;
                prop_assert!(expected[start..start + count].iter().all(alike));
                let used = expected[start..end].iter().filter(|slot| slot.time != 0);
                let latest = used.map(|slot| slot.time).max().unwrap_or(0);
                prop_assert!(plane.all(start..end, |slot| slot.time <= latest));
                prop_assert_eq!(latest == 0, plane.all(start..end, |slot| slot.time < latest));
            }
        }
    }

    #[test]
    fn rows_are_small() {
        assert_eq!((size_of::<Row>(), size_of::<Plane>()), (20, 24));
    }

    #[test]
    fn dwords_of_lanes_make_a_row() {
        let mut plane = Plane::default();
        for lane in 0..64 {
            plane.set(10 + lane, slot(3).on(15, Lane::new(Some(lane as u8))));
        }
        assert!(matches!(&plane, Plane::Rows(rows) if rows.len() == 1));
        for at in 0..64 {
            plane.set(3 * at, slot(4).on(1, Lane::SEVERAL));
        }
        assert!(matches!(&plane, Plane::Table(_)));
    }
}
