//! The fast path of the race check: contiguous accesses of whole dwords, and accesses of all lanes to one place.
//!
//! If everything is in order, lanes need not be examined one by one. Otherwise [`CheckAccess`] checks dword by dword.

use std::ops::Range;

use wavetank_memory::{AccessRun, MemoryKind};

use super::access_history::AccessHistory;
use super::check_access::{CheckAccess, pair, parts};
use super::dedup::{Pair, Rule, Verb};
use super::plane::PAGE;
use super::slot::{Lane, Lanes, Mode, Slot};

/// A row of adjacent dwords in memory.
#[derive(Clone)]
pub(super) struct Row {
    memory: MemoryKind,
    dwords: Range<u64>,
    lanes: Lanes,
}

impl Row {
    /// Returns the accesses of lanes as a row, if they are whole dwords.
    pub(super) fn of(run: &AccessRun) -> Option<Row> {
        let first = &run.first;
        let bytes = first.bytes + run.step * (u32::from(run.lanes) - 1);
        if !first.address.is_multiple_of(4) || bytes == 0 || !first.bytes.is_multiple_of(4) {
            return None;
        }
        let dword = first.address / 4;
        Some(Row {
            memory: first.memory,
            dwords: dword..dword.checked_add(u64::from(bytes / 4))?,
            lanes: Lanes {
                first: Lane::new(first.lane),
                dwords: run.step / 4,
                skipped: 0,
            },
        })
    }

    /// Returns the row with all its lanes, not only the first one, if they access the same dwords.
    fn of_all(self, run: &AccessRun) -> Row {
        let mut row = self;
        if run.lanes > 1 && run.step == 0 {
            row.lanes.first = Lane::SEVERAL;
        }
        row
    }

    /// Returns the parts of the row in each page: the first dword, the range of dwords in the page, and their lanes.
    fn pieces(&self) -> impl Iterator<Item = (u64, Range<usize>, Lanes)> {
        let Row { dwords, lanes, .. } = self.clone();
        let mut dword = dwords.start;
        std::iter::from_fn(move || {
            let first = dword;
            dword = (first / PAGE + 1).saturating_mul(PAGE).min(dwords.end);
            let at = (first % PAGE) as usize;
            let skipped = (first - dwords.start) as u32;
            let piece = (
                first,
                at..at + (dword - first) as usize,
                Lanes { skipped, ..lanes },
            );
            (first < dwords.end).then_some(piece)
        })
    }
}

impl CheckAccess<'_> {
    /// Checks the loads of a run of lanes.
    pub(super) fn loads(&mut self, history: &mut AccessHistory, run: &AccessRun) {
        let row = Row::of(run).filter(|_| !self.kind.load_is_coherent && !self.kind.may_spin);
        let Some(row) = row else {
            return self.load_each(history, run);
        };
        for (dword, at, lanes) in row.pieces() {
            let (page, _) = history.at(dword);
            // Before an atomic there may be others without a result.
            let ordered = |slot: Slot| !is_atomic(slot) && self.is_done(slot);
            if !page.writes_in_order(at.clone(), ordered) {
                return self.load_each(history, run);
            }
            let new = self.slot;
            page.fill_reads(at, new, lanes, |old| self.is_ordered(old));
        }
    }

    /// Checks the stores of a run of lanes.
    pub(super) fn stores(&mut self, history: &mut AccessHistory, run: &AccessRun) {
        if let Some(pair) = self.overwrites(history, run) {
            self.overwritten.add(pair);
        }
        let Some(row) = Row::of(run).map(|row| row.of_all(run)) else {
            return self.store_each(history, run);
        };
        let (now, coherent) = (self.slot.time, self.kind.store_is_coherent);
        let mode = if coherent {
            Mode::Coherent
        } else {
            Mode::Plain
        };
        let new = self.slot_as(mode);
        for (dword, at, lanes) in row.pieces() {
            let (page, _) = history.at(dword);
            // A write that is not plain may belong to a lock that this store frees.
            let free = page.writes_are(at.clone(), Mode::Plain)
                && page.writes_in_order(at.clone(), |slot| slot.time != now && self.is_done(slot))
                && page.reads_in_order(at.clone(), |slot| self.is_ordered(slot));
            if !free {
                return self.store_each(history, run);
            }
            let count = at.len() as u64;
            page.fill_writes(at, new, lanes);
            self.values.stored(row.memory, dword..dword + count);
        }
    }

    /// Returns the store of a lane over another value of a lane of the same instruction. Coherent stores, and those that free a
    /// lock, may be atomic stores, of which the last one counts.
    fn overwrites(&mut self, history: &mut AccessHistory, run: &AccessRun) -> Option<Pair> {
        // A wave may choose a lane by a store to LDS, so lanes are compared there on request alone.
        let is_global = run.first.memory == MemoryKind::Global;
        let over = run
            .over
            .filter(|_| is_global && !self.kind.store_is_coherent)?;
        let at = (run.first.address + u64::from(over.byte)) / 4;
        let part = parts(&run.first).find(|part| part.dword == at)?;
        if self.is_user(history, part) {
            return None;
        }
        let stored = |lane: Option<u8>| (self.slot.on(part.mask, Lane::new(lane)), Verb::Store);
        let (earlier, later) = (stored(Some(over.lane)), stored(run.first.lane));
        Some(pair(Rule::Lanes, part, earlier, later))
    }

    fn load_each(&mut self, history: &mut AccessHistory, run: &AccessRun) {
        // Lanes that load the same bytes count as one.
        let lanes = if run.step == 0 {
            1
        } else {
            usize::from(run.lanes)
        };
        for record in run.records().take(lanes) {
            self.load(history, &record);
        }
    }

    fn store_each(&mut self, history: &mut AccessHistory, run: &AccessRun) {
        run.records()
            .for_each(|record| self.store(history, &record));
    }
}

fn is_atomic(slot: Slot) -> bool {
    matches!(slot.mode(), Mode::Atomic | Mode::Spin)
}
