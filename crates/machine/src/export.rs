//! Exports: what a wave sends to fixed hardware, of which there is none here.
//! Whoever asks for it gets the data.

use wavetank_ir::{Export, LANES};

use crate::dispatch::Group;
use crate::fault::Fault;
use wavetank_memory::{VGPRS, Wave};

/// The data of one export.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// The work-group.
    pub group: Group,
    /// The wave in it.
    pub wave: u32,
    /// What was sent, and where to.
    pub export: Export,
    /// The lanes that sent it.
    pub lanes: u64,
    /// The registers of the components that were sent.
    pub data: [Option<Box<[u32; LANES]>>; 4],
}

impl Exported {
    /// What a wave sends now.
    pub(crate) fn new(group: Group, wave: &Wave, export: Export) -> Self {
        let register = |n: u16| {
            // A register past the file reads v0 (Vega ISA, 3.6.2).
            let n = usize::from(n);
            Box::new(*wave.vgpr(if n < VGPRS { n } else { 0 }))
        };
        Exported {
            group,
            wave: wave.index,
            export,
            lanes: wave.exec(),
            data: export.sources.map(|source| source.map(register)),
        }
    }

    /// The fault of an export that nobody takes, by the instruction at `pc`.
    pub(crate) fn refused(&self, pc: u64) -> Fault {
        let target = self.export.target;
        Fault::Unsupported {
            pc,
            what: format!("exp: nobody takes exports (to target {target}) here"),
        }
    }
}
