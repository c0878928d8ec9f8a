//! Exports: data that a wave sends to fixed-function hardware, which is not emulated. A host that registers a callback receives
//! the data.

use wavetank_ir::{Export, LANES};

use crate::dispatch::Group;
use crate::fault::Fault;

/// The data of an export instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sent {
    /// The target, by its number in `exp`.
    pub target: u8,
    /// Whether components have 16 bits: component n is half n % 2 of its data.
    pub compressed: bool,
    /// Whether it is the last export of its kind.
    pub done: bool,
    /// Whether the sending lanes are also the valid ones.
    pub valid_mask: bool,
    /// The lanes that send data.
    pub lanes: u64,
    /// The data of each component; `None` for a component that is not sent.
    pub data: [Option<Box<[u32; LANES]>>; 4],
}

impl Sent {
    /// An export with the lanes and data that an engine has read.
    pub fn new(export: &Export, lanes: u64, data: [Option<Box<[u32; LANES]>>; 4]) -> Self {
        Sent {
            target: export.target,
            compressed: export.compressed,
            done: export.done,
            valid_mask: export.valid_mask,
            lanes,
            data,
        }
    }

    /// The bits of component `n` (0 to 3) in a lane, 16 of a compressed export; `None` if it is not sent.
    pub fn component(&self, n: usize, lane: usize) -> Option<u32> {
        let dword = self.data.get(n)?.as_ref()?[lane];
        Some(if self.compressed {
            dword >> (16 * (n % 2)) & 0xffff
        } else {
            dword
        })
    }
}

/// The data of one export, with its sender.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// The work-group of the sender.
    pub group: Group,
    /// The number of the wave in the work-group.
    pub wave: u32,
    /// The export as the wave sent it.
    pub export: Sent,
}

impl Exported {
    /// The fault of an export without a receiver, by the instruction at `pc`.
    pub(crate) fn refused(&self, pc: u64) -> Fault {
        let target = self.export.target;
        Fault::Unsupported {
            pc,
            what: format!("exp: the launch does not take exports (to target {target})"),
        }
    }
}
