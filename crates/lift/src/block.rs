//! The context of a lifted instruction, and the continuation of its block.

use wavetank_gcn::Inst;
use wavetank_ir::{Builder, Terminator};

use crate::modes::Modes;
use crate::rules::Rules;

/// One instruction that is lifted, with its context for the arm.
pub(crate) struct Lift<'a> {
    /// The builder to which nodes are appended.
    pub b: &'a Builder,
    /// The instruction as the decoder returned it.
    pub inst: &'a Inst,
    /// The modes of the block.
    pub modes: Modes,
    /// The guest address of the instruction.
    pub pc: u64,
}

impl Lift<'_> {
    /// The guest address of the instruction after this one.
    pub(crate) fn next(&self) -> u64 {
        self.pc.wrapping_add(self.inst.len.into())
    }

    /// The rules of the instruction's chip.
    pub(crate) fn rules(&self) -> &'static Rules {
        Rules::of(self.inst.chip)
    }
}

/// The reason for not executing an instruction whose name is all that documents contain.
pub(crate) const NAME_ONLY: &str = "documents have its name, and nothing of what it does";

/// The reason for not executing an instruction of gfx950.
pub(crate) const LATER: &str = "only gfx950 has it, whose code is not executed yet";

/// The continuation of a block after an instruction.
pub(crate) enum Flow {
    /// The next instruction follows.
    Next,
    /// The next instruction follows, but on a chip the wave waits for loads. The block ends there if a write of memory follows
    /// before the next wait, unless every wave waits after it anyway.
    Wait,
    /// The block ends with this terminator.
    End(Terminator),
}

impl Flow {
    /// Stops the kernel here: the instruction is not supported.
    pub(crate) fn unsupported(inst: &Inst, why: &str) -> Flow {
        Flow::End(Terminator::Unsupported {
            what: format!("{inst}: {why}").into(),
        })
    }
}
