//! The footprint of a launch in global memory, kept after its end to be compared with accesses of the host and of other queues.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use super::access_history::AccessHistory;
use super::dedup::{Verb, items, name};
use super::page::Page;
use super::plane::PAGE;
use super::slot::{Mode, Slot};
use super::waves::Waves;
use crate::work_items::WorkItems;

/// The place where a launch leaves its footprint.
pub type Kept = Arc<Mutex<Option<Footprint>>>;

/// Bytes of a page of the history.
const PAGE_BYTES: u64 = 4 * PAGE;

/// The bytes of global memory that a launch has accessed, with its instructions.
pub struct Footprint {
    history: AccessHistory,
    /// The addresses of the instructions, by number.
    pcs: Vec<u64>,
    waves: Waves,
    size: u64,
}

/// Adjacent bytes that are also accessed from elsewhere, and the access of the launch to them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Meeting {
    /// The addresses of the bytes.
    pub bytes: Range<u64>,
    /// The address of the instruction.
    pub pc: u64,
    /// The access as a noun: `load`, `store` or `atomic`.
    pub noun: &'static str,
    /// The access as a participle: `read`, `written`.
    pub done: &'static str,
    /// The work-group, wave and lane that accessed the first byte.
    pub actor: String,
    /// The work-item, or those of the wave.
    pub items: WorkItems,
}

/// A dword, or some bytes of one.
struct Dword<'f> {
    number: u64,
    page: &'f Page,
    /// The index of the dword in its page.
    at: usize,
    /// The bytes, one bit each.
    mask: u8,
}

impl Footprint {
    pub(super) fn new(mut history: AccessHistory, pcs: Vec<u64>, mut waves: Waves) -> Footprint {
        history.forget_values();
        waves.forget_knowledge();
        let size = history.pages().map(|(_, page)| page.size()).sum();
        Footprint {
            history,
            pcs,
            waves,
            size,
        }
    }

    /// Returns the approximate size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether the launch communicates while it runs: by stores, by atomics, or by coherent loads. `is_reached` returns whether
    /// others access the memory at an address meanwhile.
    pub fn communicates(&self, is_reached: impl Fn(u64) -> bool) -> bool {
        let mut pages = self.history.pages();
        pages.any(|(number, page)| {
            let communicates = page.has_writes() || page.orders(0..PAGE as usize);
            communicates && is_reached(number * PAGE_BYTES)
        })
    }

    /// Whether the launch orders itself by some of these bytes, with atomics, or coherent loads and stores.
    pub fn orders(&self, bytes: Range<u64>) -> bool {
        let mut pieces = self.pieces(bytes);
        pieces.any(|(_, page, at)| page.orders(at))
    }

    /// Whether both launches order themselves by a common dword.
    pub fn orders_with(&self, other: &Footprint) -> bool {
        self.pairs(other).any(|(_, a, b)| a.orders_with(b))
    }

    /// Returns the first bytes of a range that the launch writes; or also reads, if `written` says that others write them.
    pub fn meets(&self, bytes: Range<u64>, written: bool) -> Option<Meeting> {
        let mut dwords = self.dwords(bytes.clone());
        let (first, slot) = dwords.find_map(|dword| Some((dword.number, dword.met(written)?)))?;
        let alike = |(dword, next): &(Dword<'_>, u64)| {
            let met = dword.met(written);
            dword.number == *next && met.is_some_and(|other| other.pc == slot.pc)
        };
        let rest = self.dwords(first * 4..bytes.end).zip(first..);
        let end = first + rest.take_while(alike).count() as u64;
        let met = bytes.start.max(first * 4)..bytes.end.min(end.max(first + 1) * 4);
        Some(self.meeting(slot, self.history.writes(first).contains(&slot), met))
    }

    /// Returns the first bytes that one of two launches writes and the other accesses: the access of this launch, and that of the
    /// other.
    pub fn meets_launch(&self, other: &Footprint) -> Option<(Meeting, Meeting)> {
        let clash = |(number, a, b): (u64, &Page, &Page)| {
            let mut all = (0..PAGE as usize).map(|at| (at, clash(a, b, at)));
            all.find_map(|(at, slots)| Some((number * PAGE + at as u64, slots?)))
        };
        let clashes = self.pairs(other).filter_map(clash);
        let (first, (own, others)) = clashes.min_by_key(|(dword, _)| *dword)?;
        let bytes = first * 4..first * 4 + 4;
        let side = |of: &Footprint, slot: Slot| {
            let writes = of.history.writes(first).contains(&slot);
            of.meeting(slot, writes, bytes.clone())
        };
        Some((side(self, own), side(other, others)))
    }

    fn meeting(&self, slot: Slot, writes: bool, bytes: Range<u64>) -> Meeting {
        let verb = match (writes, slot.mode()) {
            (false, _) => Verb::Load,
            (true, Mode::Plain | Mode::Coherent) => Verb::Store,
            (true, Mode::Atomic | Mode::Spin) => Verb::Atomic,
        };
        Meeting {
            bytes,
            pc: self.pcs[usize::from(slot.pc)],
            noun: verb.noun(),
            done: verb.done(),
            actor: name(slot, &self.waves, true),
            items: items(slot, &self.waves),
        }
    }

    /// Returns the dwords of some bytes in pages with a history, by address.
    fn dwords(&self, bytes: Range<u64>) -> impl Iterator<Item = Dword<'_>> {
        let pieces = self.pieces(bytes.clone());
        pieces.flat_map(move |(number, page, at)| {
            let bytes = bytes.clone();
            at.map(move |at| {
                let number = number * PAGE + at as u64;
                let mask = mask(number, &bytes);
                Dword {
                    number,
                    page,
                    at,
                    mask,
                }
            })
        })
    }

    /// Returns the pages of some bytes that have a history, by address: the number, and the range of dwords of each.
    fn pieces(&self, bytes: Range<u64>) -> impl Iterator<Item = (u64, &Page, Range<usize>)> {
        let all = bytes.start / 4..bytes.end.div_ceil(4);
        let pages = self
            .history
            .pages_of(all.start / PAGE..all.end.div_ceil(PAGE));
        pages.map(move |(number, page)| {
            let first = number * PAGE;
            let start = all.start.saturating_sub(first) as usize;
            let end = (all.end - first).min(PAGE) as usize;
            (number, page, start..end)
        })
    }

    /// Returns the pages that both launches have accessed.
    fn pairs<'f>(
        &'f self,
        other: &'f Footprint,
    ) -> impl Iterator<Item = (u64, &'f Page, &'f Page)> {
        let pages = self.history.pages();
        pages.filter_map(|(number, page)| Some((number, page, other.history.page(number)?)))
    }
}

/// Returns the bytes of a dword that are in a range, one bit each.
fn mask(dword: u64, bytes: &Range<u64>) -> u8 {
    let first = bytes.start.saturating_sub(dword * 4).min(4);
    let last = bytes.end.saturating_sub(dword * 4).min(4);
    (15 << first & 15 & !(15 << last)) as u8
}

impl Dword<'_> {
    /// Returns the access with which a read or write of these bytes must be ordered.
    fn met(&self, written: bool) -> Option<Slot> {
        let reads = self.page.reads(self.at).into_iter().filter(|_| written);
        let mut all = self.page.writes(self.at).into_iter().chain(reads);
        all.find(|slot| slot.time != 0 && slot.mask() & self.mask != 0)
    }
}

/// Returns the accesses of two launches to the same bytes of a dword, if one of them writes and not both order themselves by it.
fn clash(a: &Page, b: &Page, at: usize) -> Option<(Slot, Slot)> {
    let need_order = |(a, b): &(Slot, Slot)| {
        let are_there = a.time != 0 && b.time != 0 && a.mask() & b.mask() != 0;
        are_there && (a.mode() == Mode::Plain || b.mode() == Mode::Plain)
    };
    let each = |a: [Slot; 2], b: [Slot; 2]| {
        let pairs = a.into_iter().flat_map(|a| b.map(|b| (a, b)));
        pairs.into_iter().find(need_order)
    };
    let writes = each(a.writes(at), b.writes(at));
    let read = || each(a.writes(at), b.reads(at));
    writes
        .or_else(read)
        .or_else(|| each(a.reads(at), b.writes(at)))
}
