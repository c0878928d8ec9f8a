//! The translator: guest code to blocks of simplified IR.

use std::sync::{Arc, OnceLock};

use wavetank_ir::{Block, Options, simplify};
use wavetank_lift::{Code, Modes, lift_block, lift_insts};
use wavetank_machine::BlockCost;

use crate::breakpoints::{Breakpoints, divide};
use crate::registers::RegisterSet;
use crate::spin_loop::spin_loop;

/// A front end: lifts code of any instruction set to the wave IR.
pub trait FrontEnd {
    /// The block at an address, of at most `most` instructions. Without code there, the block is one that reports so when it
    /// runs.
    fn lift(&self, pc: u64, most: usize) -> Block;
}

impl<F: Fn(u64, usize) -> Block> FrontEnd for F {
    fn lift(&self, pc: u64, most: usize) -> Block {
        self(pc, most)
    }
}

/// A transformation of blocks before engines get them, such as an observer that adds operations.
pub trait Pass: Send + Sync {
    /// The transformed block, with the same effect on the wave.
    fn pass(&self, block: &Block) -> Block;
}

impl<F: Fn(&Block) -> Block + Send + Sync> Pass for F {
    fn pass(&self, block: &Block) -> Block {
        self(block)
    }
}

/// The source of a program's blocks.
enum Source {
    /// Instructions of GCN, whose meaning depends on modes.
    Gcn(Arc<dyn Code + Send + Sync>),
    /// Instructions of another front end.
    Other(Arc<dyn FrontEnd + Send + Sync>),
}

/// Translates a program, block by block.
pub struct Translator {
    source: Source,
    pass: Option<Arc<dyn Pass>>,
    breakpoints: Option<Arc<dyn Breakpoints>>,
    step: bool,
    /// Whether the program can observe float exceptions, computed at first use.
    shows_exceptions: OnceLock<bool>,
}

/// A block of a program.
pub struct Translated {
    /// The block as it was lifted.
    pub whole: Block,
    /// The block after all passes and simplification.
    pub simple: Block,
}

impl Translator {
    /// A translator of GCN code. With `step`, every instruction is a block of its own, and no dead write is removed.
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
            breakpoints: None,
            step,
            shows_exceptions: OnceLock::new(),
        }
    }

    /// The translator with a pass that transforms each block.
    pub fn with_pass(self, pass: Option<Arc<dyn Pass>>) -> Self {
        Translator { pass, ..self }
    }

    /// The translator with breakpoints, before which blocks end.
    pub fn with_breakpoints(self, breakpoints: Option<Arc<dyn Breakpoints>>) -> Self {
        Translator {
            breakpoints,
            ..self
        }
    }

    /// Whether a pass transforms the blocks.
    pub(crate) fn has_pass(&self) -> bool {
        self.pass.is_some()
    }

    /// Applies the pass to a lifted block.
    pub fn passed(&self, block: Block) -> Block {
        match &self.pass {
            Some(pass) => pass.pass(&block),
            None => block,
        }
    }

    /// The block at a PC for some modes. Without code there, the block reports so when it runs.
    pub fn block(&self, pc: u64, modes: Modes) -> Translated {
        self.translated(self.lift(pc, modes))
    }

    /// The block at a PC with at most `most` instructions; another block continues after it.
    pub fn short_block(&self, pc: u64, modes: Modes, most: usize) -> Translated {
        let modes = self.noting(modes);
        self.translated(self.divided(match &self.source {
            Source::Gcn(code) => lift_insts(&**code, pc, modes, most),
            Source::Other(front_end) => front_end.lift(pc, most),
        }))
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

    /// The vector registers that the back edge of a lifted block compares with those of the previous iteration: none if it closes
    /// no spin loop.
    pub(crate) fn compared_registers(&self, block: &Block, modes: Modes) -> RegisterSet {
        let spin_loop = match &self.source {
            Source::Gcn(code) if !self.step => spin_loop(&**code, block, modes),
            _ => None,
        };
        let registers = spin_loop.map_or(Vec::new(), |spin_loop| spin_loop.registers);
        let sets = registers.into_iter().map(RegisterSet::of);
        sets.fold(RegisterSet::default(), RegisterSet::with)
    }

    /// The cost of the simplified block, equal to that of the lifted one.
    pub fn cost_of_simplified(&self, block: &Translated, modes: Modes) -> BlockCost {
        self.block_cost(&block.whole, modes)
            .of_simplified(&block.simple)
    }

    /// The lifted block at a PC, not simplified.
    pub fn lift(&self, pc: u64, modes: Modes) -> Block {
        self.lift_for(pc, self.noting(modes))
    }

    /// The modes with exceptions recorded, for a program that can read the exception flags.
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

    /// The lifted block for exactly these modes, even if the program can read the exception flags: to find that out, all of its
    /// code must be scanned.
    pub(crate) fn lift_for(&self, pc: u64, modes: Modes) -> Block {
        self.divided(match &self.source {
            Source::Gcn(code) => {
                if self.step {
                    lift_insts(&**code, pc, modes, 1)
                } else {
                    lift_block(&**code, pc, modes)
                }
            }
            Source::Other(front_end) => front_end.lift(pc, if self.step { 1 } else { usize::MAX }),
        })
    }

    /// The part of a lifted block before its first breakpoint.
    fn divided(&self, block: Block) -> Block {
        match &self.breakpoints {
            Some(breakpoints) => divide(block, &**breakpoints),
            None => block,
        }
    }
}
