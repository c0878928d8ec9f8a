//! The translator: blocks of guest code as simplified IR.

use std::sync::{Arc, OnceLock};

use wavetank_ir::{Block, Options, simplify};
use wavetank_lift::{Code, Modes, lift_block, lift_insts};
use wavetank_machine::BlockCost;

use crate::spin_loop::spin_loop;

/// A front end: code of any instruction set, lifted to the wave IR.
pub trait FrontEnd {
    /// The block that begins at an address, of so many instructions at most. Where there is no code the block says so when
    /// it is run.
    fn lift(&self, pc: u64, most: usize) -> Block;
}

impl<F: Fn(u64, usize) -> Block> FrontEnd for F {
    fn lift(&self, pc: u64, most: usize) -> Block {
        self(pc, most)
    }
}

/// What is done to blocks before engines get them: an observer of the program that is made of operations.
pub trait Pass: Send + Sync {
    /// The block with what is added. It does to the wave what it did.
    fn pass(&self, block: &Block) -> Block;
}

impl<F: Fn(&Block) -> Block + Send + Sync> Pass for F {
    fn pass(&self, block: &Block) -> Block {
        self(block)
    }
}

/// The source of a program's blocks.
enum Source {
    /// Instructions of GCN. Their meaning depends on modes.
    Gcn(Arc<dyn Code + Send + Sync>),
    /// Instructions of another front end.
    Other(Arc<dyn FrontEnd + Send + Sync>),
}

/// Translates a program, block by block.
pub struct Translator {
    source: Source,
    pass: Option<Arc<dyn Pass>>,
    step: bool,
    /// Whether the program can observe float exceptions, computed at first use.
    shows_exceptions: OnceLock<bool>,
}

/// A block of a program.
pub struct Translated {
    /// The block as it was lifted.
    pub whole: Block,
    /// The simplified block.
    pub simple: Block,
}

impl Translator {
    /// A translator of this code. With `step` every instruction is a block of its own, and no write is left out.
    pub fn new(code: Arc<dyn Code + Send + Sync>, step: bool) -> Self {
        Translator::from(Source::Gcn(code), step)
    }

    /// A translator of code of another instruction set.
    pub fn of(front_end: Arc<dyn FrontEnd + Send + Sync>, step: bool) -> Self {
        Translator::from(Source::Other(front_end), step)
    }

    fn from(source: Source, step: bool) -> Self {
        Translator {
            source,
            pass: None,
            step,
            shows_exceptions: OnceLock::new(),
        }
    }

    /// The translator with a pass over each block.
    pub fn with_pass(self, pass: Option<Arc<dyn Pass>>) -> Self {
        Translator { pass, ..self }
    }

    /// Whether something is added to blocks.
    pub(crate) fn has_pass(&self) -> bool {
        self.pass.is_some()
    }

    /// A block that was lifted, with what is added to it.
    pub fn passed(&self, block: Block) -> Block {
        match &self.pass {
            Some(pass) => pass.pass(&block),
            None => block,
        }
    }

    /// The block that begins at a PC, for modes. Where there is no code the block says so when it is run.
    pub fn block(&self, pc: u64, modes: Modes) -> Translated {
        self.translated(self.lift(pc, modes))
    }

    /// The same with at most so many instructions, behind which another block goes on.
    pub fn short_block(&self, pc: u64, modes: Modes, most: usize) -> Translated {
        let modes = self.noting(modes);
        self.translated(match &self.source {
            Source::Gcn(code) => lift_insts(&**code, pc, modes, most),
            Source::Other(front_end) => front_end.lift(pc, most),
        })
    }

    fn translated(&self, whole: Block) -> Translated {
        let mut simple = whole.clone();
        let keep_dead_writes = self.step;
        simplify(&mut simple, Options { keep_dead_writes });
        if self.has_pass() {
            simple = self.passed(simple);
            simplify(&mut simple, Options { keep_dead_writes });
        }
        Translated { whole, simple }
    }

    /// The cost of a lifted block in these modes.
    pub fn block_cost(&self, block: &Block, modes: Modes) -> BlockCost {
        match &self.source {
            _ if self.step => BlockCost::step(block.pc),
            Source::Gcn(code) => BlockCost::new(block, spin_loop(&**code, block, modes)),
            Source::Other(_) => BlockCost::new(block, None),
        }
    }

    /// The cost of the simplified block, equal to that of the lifted one.
    pub fn cost_of_simplified(&self, block: &Translated, modes: Modes) -> BlockCost {
        self.block_cost(&block.whole, modes)
            .of_simplified(&block.simple)
    }

    /// The block as it is lifted, not simplified.
    pub fn lift(&self, pc: u64, modes: Modes) -> Block {
        self.lift_for(pc, self.noting(modes))
    }

    /// The modes of a program that may see which exceptions there were.
    fn noting(&self, modes: Modes) -> Modes {
        let shows = || match &self.source {
            Source::Gcn(code) => code.shows_exceptions(),
            Source::Other(_) => false,
        };
        match self.shows_exceptions.get_or_init(shows) {
            true => modes.noting_exceptions(),
            false => modes,
        }
    }

    /// The same for exactly these modes, also if the program can see which exceptions there were: to find that out takes a
    /// look at all of its code.
    pub(crate) fn lift_for(&self, pc: u64, modes: Modes) -> Block {
        match &self.source {
            Source::Gcn(code) => match self.step {
                true => lift_insts(&**code, pc, modes, 1),
                false => lift_block(&**code, pc, modes),
            },
            Source::Other(front_end) => front_end.lift(pc, if self.step { 1 } else { usize::MAX }),
        }
    }
}
