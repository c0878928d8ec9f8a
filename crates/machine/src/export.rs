//! Exports: data that a wave sends to fixed-function hardware, which is not emulated.
//! Whoever asks for it gets the data.

use wavetank_ir::{Export, LANES};

use crate::dispatch::Group;
use crate::fault::Fault;

/// What a wave sends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sent {
    /// Where it goes: `exp` numbers its targets.
    pub target: u8,
    /// Components have 16 bits: component n is half n % 2 of its data.
    pub compressed: bool,
    /// Whether it is the last export of its kind.
    pub done: bool,
    /// The lanes that send it are those that are valid.
    pub valid_mask: bool,
    /// The lanes that send it.
    pub lanes: u64,
    /// The data of the components that are sent.
    pub data: [Option<Box<[u32; LANES]>>; 4],
}

impl Sent {
    /// An export with its lanes and data, as an engine found them.
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
        Some(match self.compressed {
            true => dword >> (16 * (n % 2)) & 0xffff,
            false => dword,
        })
    }
}

/// The data of one export, and whose they are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// The work-group.
    pub group: Group,
    /// The wave in it.
    pub wave: u32,
    /// What was sent, and where to.
    pub export: Sent,
}

impl Exported {
    /// The fault of an export without a receiver, by the instruction at `pc`.
    pub(crate) fn refused(&self, pc: u64) -> Fault {
        let target = self.export.target;
        Fault::Unsupported {
            pc,
            what: format!("exp: nobody takes exports (to target {target}) here"),
        }
    }
}
