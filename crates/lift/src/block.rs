//! What an arm of meaning sees of a block: its instruction on its way into the
//! IR, and how the block goes on.

use wavetank_gcn::Inst;
use wavetank_ir::{Builder, Terminator};

use crate::modes::Modes;
use crate::rules::Rules;

/// One instruction on its way into the IR: what every arm of meaning sees.
pub(crate) struct Lift<'a> {
    /// Where nodes are appended.
    pub b: &'a Builder,
    /// The instruction.
    pub inst: &'a Inst,
    /// Its modes.
    pub modes: Modes,
    /// Its guest address.
    pub pc: u64,
}

impl Lift<'_> {
    /// The guest address of the instruction after this one.
    pub fn next(&self) -> u64 {
        self.pc.wrapping_add(self.inst.len.into())
    }

    /// What holds on its chip.
    pub fn rules(&self) -> &'static Rules {
        Rules::of(self.inst.chip)
    }
}

/// Why an instruction is not executed of which documents have the name, and
/// nothing else.
pub(crate) const NAME_ONLY: &str = "documents have its name, and nothing of what it does";

/// Whether an instruction ends its block.
pub(crate) enum Flow {
    /// The next instruction follows.
    Next,
    /// The next instruction follows, but on a chip the wave waits for loads: the block ends, unless every wave waits after
    /// it anyhow.
    Wait,
    /// The block ends so.
    End(Terminator),
}

impl Flow {
    /// The kernel stops here: the instruction is not supported.
    pub fn unsupported(inst: &Inst, why: &str) -> Flow {
        Flow::End(Terminator::Unsupported {
            what: format!("{inst}: {why}").into(),
        })
    }
}
