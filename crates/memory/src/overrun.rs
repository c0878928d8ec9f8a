//! Overruns: accesses out of bounds that have a defined result, though few programs intend them. An access beyond the LDS of a
//! work-group reads 0 or is dropped, by the ISA. A load past the end of an allocation reads the rest of its last block, since a
//! chip maps whole blocks.

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
    /// The kind of the access: load, store or atomic.
    pub kind: MemKind,
    /// The first lane that overran.
    pub lane: u8,
    /// All lanes that overran at this instruction.
    pub lanes: u64,
    /// The offset of the access in the LDS.
    pub offset: u32,
    /// The size of the access in bytes.
    pub bytes: u32,
    /// The size of the LDS in bytes.
    pub lds_bytes: u32,
    /// The number of overruns, counted by lane.
    pub count: u64,
}

/// Loads past the end of an allocation: the first one, and how many there were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadOn {
    /// The guest address of the instruction.
    pub pc: u64,
    /// The lane; `None` for a scalar load.
    pub lane: Option<u8>,
    /// The address of the load.
    pub address: u64,
    /// The size of the load in bytes.
    pub bytes: u32,
    /// The allocation that ends before or within the load.
    pub allocation: Allocation,
    /// The number of such loads, counted by lane.
    pub count: u64,
}

/// The overruns of a unit, and whether they are faults.
#[derive(Default)]
pub(crate) struct Overruns {
    /// Whether overruns are faults.
    strict: bool,
    seen: Option<LdsOverrun>,
    read_on: Option<Box<ReadOn>>,
}

impl Overruns {
    /// Sets whether overruns are faults. The default is `false`.
    pub(crate) fn set_strict(&mut self, strict: bool) {
        self.strict = strict;
    }

    /// Returns whether overruns are faults.
    pub(crate) fn is_strict(&self) -> bool {
        self.strict
    }

    /// Returns the overruns of LDS since the last call.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<LdsOverrun> {
        self.seen.take()
    }

    /// Loads past the end of an allocation since the last call.
    #[inline]
    pub(crate) fn take_read_on(&mut self) -> Option<Box<ReadOn>> {
        self.read_on.take()
    }

    /// Records a load past the end of an allocation.
    pub(crate) fn note_read_on(&mut self, load: ReadOn) {
        let count = load.count;
        match &mut self.read_on {
            Some(first) => first.count += count,
            None => self.read_on = Some(load.into()),
        }
    }

    /// Records the lanes that access something beyond an LDS of `lds_bytes`: `bytes` bytes at each offset.
    ///
    /// # Errors
    /// If that is a fault.
    #[cold]
    #[inline(never)]
    pub(crate) fn note(
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
