//! Accesses beyond what a program has that have a result all the same, though few programs mean it: those beyond the LDS of
//! a work-group by the ISA (reads are 0, writes are dropped), and loads that go on past the end of an allocation, to what its
//! last block has left, since a chip maps whole blocks.

use wavetank_ir::MemKind;

use crate::fault::{Denied, MemoryFaultReason};
use crate::lanes::{Lanes, each};
use crate::reach;
use crate::registry::Allocation;
use wavetank_gcn::numbers::SHARED_BASE;

/// Accesses beyond the LDS: the first one, and how many there were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LdsOverrun {
    /// The guest address of the instruction.
    pub pc: u64,
    /// What it tried.
    pub kind: MemKind,
    /// The lane.
    pub lane: u8,
    /// All lanes that did so at this instruction.
    pub lanes: u64,
    /// The offset of the access in the LDS.
    pub offset: u32,
    /// Bytes accessed there.
    pub bytes: u32,
    /// Bytes of the LDS.
    pub lds_bytes: u32,
    /// The accesses, of one lane each.
    pub count: u64,
}

/// Loads past the end of an allocation: the first one, and how many there were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOn {
    /// The guest address of the instruction.
    pub pc: u64,
    /// The lane; `None` for a scalar load.
    pub lane: Option<u8>,
    /// The address.
    pub address: u64,
    /// Bytes loaded there.
    pub bytes: u32,
    /// The allocation.
    pub allocation: Allocation,
    /// The loads, of one lane each.
    pub count: u64,
}

/// What a unit does about accesses beyond what a program has.
#[derive(Default)]
pub(crate) struct Overruns {
    /// Whether they are faults.
    strict: bool,
    seen: Option<LdsOverrun>,
    read_on: Option<Box<ReadOn>>,
}

impl Overruns {
    /// Whether they are faults. At first they are not.
    pub fn set_strict(&mut self, strict: bool) {
        self.strict = strict;
    }

    /// Whether they are faults.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// The overruns of LDS since the last call.
    #[inline]
    pub fn take(&mut self) -> Option<LdsOverrun> {
        self.seen.take()
    }

    /// Loads past the end of an allocation since the last call.
    #[inline]
    pub fn take_read_on(&mut self) -> Option<Box<ReadOn>> {
        self.read_on.take()
    }

    /// Takes down a load past the end of an allocation.
    pub fn note_read_on(&mut self, load: ReadOn) {
        let count = load.count;
        match &mut self.read_on {
            Some(first) => first.count += count,
            None => self.read_on = Some(load.into()),
        }
    }

    /// Takes down which lanes access something beyond an LDS of `lds_bytes`: `bytes` bytes at each offset.
    ///
    /// # Errors
    /// If that is a fault.
    #[cold]
    #[inline(never)]
    pub fn note(
        &mut self,
        (pc, kind): (u64, MemKind),
        lds_bytes: u32,
        mask: u64,
        bytes: u32,
        offsets: &Lanes,
    ) -> Result<(), Denied> {
        let (mut first, mut lanes) = (None, 0u64);
        each(mask, |lane| {
            let offset = offsets[lane & 63];
            if !reach::holds(0, lds_bytes.into(), offset.into(), bytes) {
                first = first.or(Some((lane as u8, offset)));
                lanes |= 1 << lane;
            }
        });
        let Some((lane, offset)) = first else {
            return Ok(());
        };
        if self.strict {
            return Err(Denied {
                lane: Some(lane),
                address: SHARED_BASE | u64::from(offset),
                bytes,
                reason: MemoryFaultReason::OutsideLds { offset, lds_bytes },
            });
        }
        let first = LdsOverrun {
            pc,
            kind,
            lane,
            offset,
            bytes,
            lds_bytes,
            lanes: 0,
            count: 0,
        };
        let seen = self.seen.get_or_insert(first);
        seen.count += u64::from(lanes.count_ones());
        if seen.pc == pc {
            seen.lanes |= lanes;
        }
        Ok(())
    }
}
