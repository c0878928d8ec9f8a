//! Accesses beyond the LDS of a work-group: the ISA gives them a result (reads
//! are 0, writes are dropped), but few programs mean it.

use wavetank_ir::MemKind;

use crate::access::Request;
use crate::fault::MemoryFaultReason;
use crate::lanes::{Lanes, each};
use crate::unit::{Denied, MemoryUnit};
use wavetank_isa::numbers::SHARED_BASE;

/// Accesses beyond the LDS: the first one, and how many there were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LdsOverrun {
    /// The guest address of the instruction.
    pub pc: u64,
    /// What it tried.
    pub kind: MemKind,
    /// The lane.
    pub lane: u8,
    /// The offset of the access in the LDS.
    pub offset: u32,
    /// Bytes accessed there.
    pub bytes: u32,
    /// Bytes of the LDS.
    pub lds_bytes: u32,
    /// The accesses, of one lane each.
    pub count: u64,
}

/// What a unit does about accesses beyond the LDS.
#[derive(Default)]
pub(crate) struct Overruns {
    /// Whether they are faults.
    strict: bool,
    seen: Option<LdsOverrun>,
}

impl MemoryUnit<'_> {
    /// Whether an access beyond the LDS is a fault. At first it is not.
    pub fn set_strict_lds(&mut self, strict: bool) {
        self.overruns.strict = strict;
    }

    /// The accesses beyond the LDS since the last call.
    #[inline]
    pub fn take_lds_overrun(&mut self) -> Option<LdsOverrun> {
        self.overruns.seen.take()
    }

    /// Takes down which lanes access something beyond the LDS, of `bytes`
    /// bytes at each offset.
    ///
    /// # Errors
    /// If that is a fault.
    #[cold]
    #[inline(never)]
    pub(crate) fn note_overrun(
        &mut self,
        step: &Request,
        mask: u64,
        bytes: u32,
        offsets: &Lanes,
    ) -> Result<(), Denied> {
        let lds_bytes = self.lds.bytes();
        let (mut first, mut count) = (None, 0);
        each(mask, |lane| {
            let offset = offsets[lane & 63];
            if u64::from(offset) + u64::from(bytes) > lds_bytes.into() {
                first = first.or(Some((lane as u8, offset)));
                count += 1;
            }
        });
        let Some((lane, offset)) = first else {
            return Ok(());
        };
        if self.overruns.strict {
            return Err(Denied {
                lane: Some(lane),
                address: SHARED_BASE | u64::from(offset),
                bytes,
                reason: MemoryFaultReason::OutsideLds { offset, lds_bytes },
            });
        }
        let first = LdsOverrun {
            pc: step.pc,
            kind: step.op.kind,
            lane,
            offset,
            bytes,
            lds_bytes,
            count: 0,
        };
        self.overruns.seen.get_or_insert(first).count += count;
        Ok(())
    }
}
