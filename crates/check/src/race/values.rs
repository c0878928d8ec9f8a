//! The comparison of stored values: whether waves store the same value to one place, and whether a store changes a value that
//! others have read.

use std::ops::Range;

use wavetank_memory::{Lds, MemoryKind};

use super::access_history::AccessHistory;
use super::dedup::{Dedup, Pair, Rule};
use super::plane::PAGE;
use super::slot::Mode;

/// Reads global memory at an address; returns whether it was readable.
pub type Reader = Box<dyn Fn(u64, &mut [u8]) -> bool + Send>;

/// The same, for a time.
type Read<'a> = &'a dyn Fn(u64, &mut [u8]) -> bool;

/// The stores of a time slice, and the conflicts to decide at its end, when memory has the new values.
#[derive(Default)]
pub(super) struct Values {
    reader: Option<Reader>,
    stored: Vec<Range<u64>>,
    stored_in_lds: Vec<Range<u64>>,
    suspects: Vec<(Pair, u32)>,
}

impl Values {
    pub(super) fn new(reader: Option<Reader>) -> Values {
        Values {
            reader,
            ..Values::default()
        }
    }

    /// Records a store to dwords of a page; several only if they are stored as a whole.
    pub(super) fn stored(&mut self, memory: MemoryKind, dwords: Range<u64>) {
        match memory {
            MemoryKind::Global if self.reader.is_some() => self.stored.push(dwords),
            MemoryKind::Lds => self.stored_in_lds.push(dwords),
            _ => {}
        }
    }

    /// Records a conflict of two stores by different waves, or of a read and a store, to a dword with this earlier value. If the
    /// value is unknown, the conflict is dropped.
    pub(super) fn suspect(&mut self, pair: Pair, value: Option<u32>) {
        if let Some(value) = value {
            self.suspects.push((pair, value));
        }
    }

    /// Decides the recorded conflicts by the values that the time slice has left in global memory and in LDS.
    pub(super) fn end_slice(
        &mut self,
        global: &mut AccessHistory,
        (lds, contents): (&mut AccessHistory, &Lds),
        found: &mut Dedup,
    ) {
        if let Some(reader) = &self.reader {
            read_all(&mut self.stored, reader, global);
        }
        read_all(
            &mut self.stored_in_lds,
            &|at, to| contents.read(at, to),
            lds,
        );
        for (pair, old) in self.suspects.drain(..) {
            let history = match pair.memory {
                MemoryKind::Lds => &mut *lds,
                _ => &mut *global,
            };
            if is_conflict(&pair, old, history) {
                found.add(pair);
            }
        }
    }
}

/// Records the values of the stored dwords.
fn read_all(stored: &mut Vec<Range<u64>>, reader: Read<'_>, history: &mut AccessHistory) {
    stored.dedup();
    for dwords in stored.drain(..) {
        if dwords.end - dwords.start > 1 && read_row(reader, history, dwords.clone()) {
            continue;
        }
        dwords.for_each(|dword| read_dword(reader, history, dword));
    }
}

/// Whether the later store of a pair has changed the old value.
fn is_conflict(pair: &Pair, old: u32, history: &mut AccessHistory) -> bool {
    let (page, at) = history.at(pair.dword);
    let (earlier, later) = (pair.earlier.0, pair.later.0);
    let last = page.writes(at)[0];
    // The wave may have stored there again. For stores of one instruction, exactly this store must be the last; otherwise the wave's
    // last value counts.
    let is_last = match pair.rule {
        Rule::SameStore => (last.wave, last.time) == (later.wave, later.time),
        _ => last.wave == later.wave && matches!(last.mode(), Mode::Plain | Mode::Coherent),
    };
    let mask = byte_mask(earlier.mask() & later.mask());
    let new = page.value(at).filter(|_| is_last);
    let differs = |new| (new ^ old) & mask != 0;
    match pair.rule {
        Rule::SameStore => new.is_some_and(differs),
        _ => new.is_none_or(differs),
    }
}

/// Records the value of a dword, some bytes of which have been stored.
fn read_dword(reader: Read<'_>, global: &mut AccessHistory, dword: u64) {
    let (page, at) = global.at(dword);
    // The other of the two stores may be from this time slice, too.
    let stored = page
        .writes(at)
        .iter()
        .fold(0, |mask, slot| mask | slot.mask());
    let mut bytes = page.value(at).unwrap_or(0).to_le_bytes();
    let (first, end) = (stored.trailing_zeros(), 8 - stored.leading_zeros());
    let part = &mut bytes[first.min(end) as usize..end as usize];
    let could = reader(dword * 4 + u64::from(first), part);
    page.put_value(at, could.then(|| u32::from_le_bytes(bytes)));
}

/// Records the values of dwords of a page; returns whether they were readable together.
fn read_row(reader: Read<'_>, global: &mut AccessHistory, dwords: Range<u64>) -> bool {
    let mut room = [0; 4 * PAGE as usize];
    let count = (dwords.end - dwords.start) as usize;
    let bytes = &mut room[..4 * count];
    if !reader(dwords.start * 4, bytes) {
        return false;
    }
    let (page, at) = global.at(dwords.start);
    page.put_values(at..at + count, bytes);
    true
}

/// Returns the bits of some bytes of a dword.
fn byte_mask(mask: u8) -> u32 {
    (0..4)
        .filter(|n| mask >> n & 1 == 1)
        .fold(0, |bits, n| bits | 0xff << (8 * n))
}
