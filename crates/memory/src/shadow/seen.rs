//! Probe hits and accesses to undefined bits, collected while waves run.

use std::ops::Range;

use wavetank_ir::MemKind;

use crate::access_log::MemoryKind;

/// Lanes in which a probed value is not 0 (`Op::Probe`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProbeHit {
    /// The guest address of the instruction.
    pub pc: u64,
    /// The meaning of the probe, a number that the program chose.
    pub about: u8,
    /// The lanes of the first report; all active ones for a uniform value.
    pub lanes: u64,
    /// Values reported with the probe, of the first of these lanes.
    pub shown: Vec<u64>,
    /// The number of reports.
    pub times: u64,
}

/// Undefined bits that an instruction has loaded or stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undefined {
    /// The guest address of the instruction.
    pub pc: u64,
    /// The kind of the access: load, store or atomic.
    pub kind: MemKind,
    /// The lanes with undefined bits at the first occurrence; 0 for an access of the wave as a whole.
    pub lanes: u64,
    /// The memory that the first of these lanes accessed.
    pub memory: MemoryKind,
    /// The place of the first byte with undefined bits, as in an [`AccessRecord`](crate::AccessRecord).
    pub address: u64,
    /// Whether several lanes at once had no defined bit at all: the data is not a structure that is initialized in part.
    pub whole: bool,
    /// Whether no bit of some lane's dword was defined; or of a byte, in an access of one dword of global memory.
    pub dword: bool,
    /// Whether more than three quarters of some lane's dword, or smaller access, were undefined. Computed values mostly are,
    /// while gaps of structures are smaller.
    pub open: bool,
    /// The range of that memory that lanes with undefined bits have accessed.
    pub within: Range<u64>,
}

/// All records since the last drain, one for each instruction: there are few.
#[derive(Default)]
pub(crate) struct Seen {
    hits: Vec<ProbeHit>,
    undefined: Vec<Undefined>,
}

impl Seen {
    /// Returns whether there are no records.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.hits.is_empty() && self.undefined.is_empty()
    }

    /// Adds a probe hit, or counts another at the same probe.
    #[cold]
    pub(crate) fn probe(&mut self, pc: u64, about: u8, lanes: u64, shown: Vec<u64>) {
        let same = |n: &&mut ProbeHit| (n.pc, n.about) == (pc, about);
        match self.hits.iter_mut().find(same) {
            Some(known) => known.times += 1,
            None => self.hits.push(ProbeHit {
                pc,
                about,
                lanes,
                shown,
                times: 1,
            }),
        }
    }

    /// Adds an access to undefined bits.
    #[cold]
    pub(crate) fn add(&mut self, new: Undefined) {
        let same = |n: &&mut Undefined| (n.pc, n.kind, n.memory) == (new.pc, new.kind, new.memory);
        match self.undefined.iter_mut().find(same) {
            Some(known) => known.join(&new),
            None => self.undefined.push(new),
        }
    }

    /// Takes all records, and leaves none.
    pub(crate) fn take(&mut self) -> (Vec<ProbeHit>, Vec<Undefined>) {
        (
            std::mem::take(&mut self.hits),
            std::mem::take(&mut self.undefined),
        )
    }
}

impl Undefined {
    /// Merges another occurrence at the same instruction.
    pub fn join(&mut self, other: &Undefined) {
        self.within.start = self.within.start.min(other.within.start);
        self.within.end = self.within.end.max(other.within.end);
        self.whole |= other.whole;
        self.dword |= other.dword;
        self.open |= other.open;
    }
}
