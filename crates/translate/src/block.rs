//! A block of guest code as IR.

use std::sync::Arc;

use wavetank_ir::{Block, Options, simplify};
use wavetank_lift::{Code, Modes, lift_block, lift_insts};
use wavetank_machine::Toll;

use crate::polls::poll_loop;

/// Translates a program, block by block.
pub struct Translator {
    code: Arc<dyn Code + Send + Sync>,
    step: bool,
}

/// A block of a program.
pub struct Translated {
    /// As it was lifted.
    pub whole: Block,
    /// With what nobody needs left out.
    pub simple: Block,
}

impl Translator {
    /// A translator of this code. With `step` every instruction is a block of its own, and no write is left out.
    pub fn new(code: Arc<dyn Code + Send + Sync>, step: bool) -> Self {
        Translator { code, step }
    }

    /// The block that begins at a PC, for modes. Where there is no code the block says so when it is run.
    pub fn block(&self, pc: u64, modes: Modes) -> Translated {
        let whole = self.lift(pc, modes);
        let mut simple = whole.clone();
        let keep_dead_writes = self.step;
        simplify(&mut simple, Options { keep_dead_writes });
        Translated { whole, simple }
    }

    /// What a block of [`lift`](Self::lift) for these modes takes of a wave's turn.
    pub fn toll(&self, block: &Block, modes: Modes) -> Toll {
        match self.step {
            true => Toll::step(block.pc),
            false => Toll::new(block, poll_loop(&*self.code, block, modes)),
        }
    }

    /// The block as it is lifted, not simplified.
    pub fn lift(&self, pc: u64, modes: Modes) -> Block {
        match self.step {
            true => lift_insts(&*self.code, pc, modes, 1),
            false => lift_block(&*self.code, pc, modes),
        }
    }
}
