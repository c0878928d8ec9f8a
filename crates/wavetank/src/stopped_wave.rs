//! Stops of waves before their end, in words.

use wavetank_machine::Fault;
use wavetank_memory::{MemoryFault, MemoryFaultReason};

/// The kind of fault that stopped a wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// An access that was refused.
    Memory,
    /// A trap without a handler.
    Trap,
    /// An instruction that is not executed, or no instruction.
    Instruction,
    /// An endless wait or an endless loop.
    Endless,
}

/// The fault that stopped a wave before its end.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{sentence}")]
pub struct StoppedWave {
    /// The number of the wave in its group.
    pub wave: usize,
    /// The kind of fault.
    pub kind: FaultKind,
    /// The sentence, without the instruction.
    pub sentence: String,
}

impl StoppedWave {
    /// A fault of a wave.
    pub(crate) fn of(wave: usize, fault: &Fault) -> StoppedWave {
        let (kind, sentence) = match fault {
            Fault::Unsupported { what, .. } => (FaultKind::Instruction, what.clone()),
            Fault::Trap { id, .. } => (FaultKind::Trap, format!("trap {id}")),
            Fault::Memory(fault) => (FaultKind::Memory, refused(fault)),
        };
        StoppedWave {
            wave,
            kind,
            sentence,
        }
    }

    /// A wave that does not come to its end.
    pub(crate) fn endless(wave: usize, sentence: &str) -> StoppedWave {
        StoppedWave {
            wave,
            kind: FaultKind::Endless,
            sentence: sentence.to_owned(),
        }
    }
}

/// Describes a refused access: the lane, the address, the reason, and the nearest buffer.
fn refused(fault: &MemoryFault) -> String {
    let lane = fault.lane.map(|l| format!(" of lane {l}"));
    let lane = lane.unwrap_or_default();
    let at = |why: &str| {
        let near = match &fault.nearest {
            Some((name, start, bytes)) => {
                let offset = fault.address.wrapping_sub(*start) as i64;
                format!("{offset} bytes from the start of buffer `{name}`, which has {bytes}")
            }
            None => "there is no buffer: write `mem NAME = …`".into(),
        };
        format!("the access{lane} to {:#x} {why}; {near}", fault.address)
    };
    match fault.reason {
        MemoryFaultReason::Unmapped => at("is outside every buffer"),
        MemoryFaultReason::Freed => at("is in a buffer that was freed"),
        MemoryFaultReason::ReadOnly => at("writes what can only be read"),
        MemoryFaultReason::Misaligned { align } => {
            at(&format!("is misaligned: that is not a multiple of {align}"))
        }
        MemoryFaultReason::OutsideScratch => {
            format!("the access{lane} is outside the scratch of the lane")
        }
        MemoryFaultReason::StackOverflow { stack_bytes: 0, .. } => {
            format!(
                "the access{lane} is to scratch, of which there is none: write `scratch bytes = 64`"
            )
        }
        MemoryFaultReason::StackOverflow {
            offset,
            stack_bytes,
        } => format!(
            "the access{lane} is at offset {offset} of the lane's scratch, which has {stack_bytes} bytes"
        ),
        MemoryFaultReason::OutsideLds { offset, lds_bytes } => {
            format!("the access{lane} is at offset {offset} of an LDS of {lds_bytes} bytes")
        }
        MemoryFaultReason::Surface(surface) => format!("the access{lane} is to {surface}"),
    }
}
