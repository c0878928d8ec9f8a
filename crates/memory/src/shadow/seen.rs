//! Probe hits and accesses to undefined bits, collected while waves run.

use std::ops::Range;

use wavetank_ir::MemKind;

use crate::access_log::MemoryKind;

/// Lanes in which a value is not 0 that the program probes (`Op::Probe`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProbeHit {
    /// The guest address of the instruction.
    pub pc: u64,
    /// What they were reported as.
    pub about: u8,
    /// The lanes when it was first reported, all of them of a uniform value.
    pub lanes: u64,
    /// Numbers that were reported with them, as the first of these lanes had them.
    pub shown: Vec<u64>,
    /// How often.
    pub times: u64,
}

/// Undefined bits that an instruction has loaded, or stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undefined {
    /// The guest address of the instruction.
    pub pc: u64,
    /// What it does.
    pub kind: MemKind,
    /// The lanes that had some when it did so first; none of an access of the wave as a whole.
    pub lanes: u64,
    /// The memory where the first of them did.
    pub memory: MemoryKind,
    /// The first byte of it with such bits, as for an [`AccessRecord`](crate::AccessRecord).
    pub address: u64,
    /// Whether once several lanes did so and none had a bit that is defined: it was no structure that is set in part.
    pub whole: bool,
    /// Whether a lane once did so with a dword, or less if it accesses less, of which more than three quarters are undefined: what
    /// has been computed mostly is so, and gaps of structures are smaller.
    pub open: bool,
    /// The bytes of that memory from the first such place to the last.
    pub within: Range<u64>,
}

/// All hits since the last drain, counted by instruction: there are few.
#[derive(Default)]
pub(crate) struct Seen {
    hits: Vec<ProbeHit>,
    undefined: Vec<Undefined>,
}

impl Seen {
    /// Whether there is anything.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.hits.is_empty() && self.undefined.is_empty()
    }

    /// Lanes are shown.
    #[cold]
    pub fn probe(&mut self, pc: u64, about: u8, lanes: u64, shown: Vec<u64>) {
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

    /// Undefined bits were accessed.
    #[cold]
    pub fn add(&mut self, new: Undefined) {
        let same = |n: &&mut Undefined| (n.pc, n.kind, n.memory) == (new.pc, new.kind, new.memory);
        match self.undefined.iter_mut().find(same) {
            Some(known) => known.join(&new),
            None => self.undefined.push(new),
        }
    }

    /// All that was seen, which is forgotten.
    pub fn take(&mut self) -> (Vec<ProbeHit>, Vec<Undefined>) {
        (
            std::mem::take(&mut self.hits),
            std::mem::take(&mut self.undefined),
        )
    }
}

impl Undefined {
    /// Counts another occurrence by the same instruction.
    pub fn join(&mut self, other: &Undefined) {
        self.within.start = self.within.start.min(other.within.start);
        self.within.end = self.within.end.max(other.within.end);
        self.whole |= other.whole;
        self.open |= other.open;
    }
}
