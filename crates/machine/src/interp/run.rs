//! The interpreter as a back end: a cache of lowered blocks, linked to their
//! successors, and the loop that runs them.

use std::collections::HashMap;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use wavetank_ir::{Block, Builder, Family, Options, Terminator, simplify};
use wavetank_lift::{Code, Modes, lift_block, lift_insts};

use super::drive::{Avx2, Avx512, Baseline, Level};
use super::lower::{self, lower};
use super::step::{Ctx, Next};
use crate::backend::{Backend, Stop};
use crate::memory::MemoryUnit;
use crate::wave::{Uniform, Wave, hwreg, sreg};

/// A level of processor features the interpreter's steps are made for. All
/// levels compute the same bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Simd {
    /// AVX-512.
    Avx512,
    /// AVX2 and FMA.
    Avx2,
    /// What every x86-64 has.
    Baseline,
}

impl Simd {
    /// The best level of this processor.
    pub fn detect() -> Simd {
        if Avx512::is_available() {
            Simd::Avx512
        } else if Avx2::is_available() {
            Simd::Avx2
        } else {
            Simd::Baseline
        }
    }

    /// The level that the environment variable `WAVETANK_SIMD` names, if the
    /// processor has it; else the best.
    pub fn from_env() -> Simd {
        let best = Simd::detect();
        match std::env::var("WAVETANK_SIMD").as_deref() {
            Ok("baseline") => Simd::Baseline,
            Ok("avx2") if best == Simd::Avx512 => Simd::Avx2,
            _ => best,
        }
    }
}

/// A lowered block and where it is.
struct Linked {
    pc: u64,
    code: lower::Code,
    /// The blocks that followed last: after the end, after a taken branch. They
    /// live as long as the program.
    links: [AtomicPtr<Linked>; 2],
}

/// How a program is translated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Translation {
    /// Instructions are counted.
    pub count: bool,
    /// Every instruction is a block, so that a budget of 1 stops after it, and
    /// no write is left out.
    pub step: bool,
    /// The level of processor features.
    pub simd: Simd,
}

/// The translations of a program, shared by the threads that run it.
pub struct Program {
    source: Arc<dyn Code + Send + Sync>,
    how: Translation,
    blocks: RwLock<HashMap<(u64, u64), Box<Linked>>>,
}

impl Program {
    /// A program from its code.
    pub fn new(source: Arc<dyn Code + Send + Sync>, how: Translation) -> Self {
        Program {
            source,
            how,
            blocks: RwLock::default(),
        }
    }

    /// The block at a PC for modes, translated once. The pointer is good as
    /// long as the program: blocks are boxed and never dropped before.
    fn block(&self, pc: u64, modes: Modes) -> *const Linked {
        let key = (pc, modes.key());
        let blocks = self.blocks.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(block) = blocks.get(&key) {
            return &raw const **block;
        }
        drop(blocks);
        let new = Box::new(self.translate(pc, modes));
        let mut blocks = self.blocks.write().unwrap_or_else(PoisonError::into_inner);
        &raw const **blocks.entry(key).or_insert(new)
    }

    fn translate(&self, pc: u64, modes: Modes) -> Linked {
        let block = match self.how.step {
            true => lift_insts(&*self.source, pc, modes, 1),
            false => lift_block(&*self.source, pc, modes),
        };
        let keep_dead_writes = self.how.step;
        let mut simple = block.clone();
        simplify(&mut simple, Options { keep_dead_writes });
        let code = self
            .lower(&simple)
            .or_else(|_| self.lower(&block))
            .or_else(|_| self.lower(&too_long(pc)))
            .unwrap_or_else(|_| unreachable!("a block without values needs no temporaries"));
        Linked {
            pc,
            code,
            links: [AtomicPtr::new(null_mut()), AtomicPtr::new(null_mut())],
        }
    }

    fn lower(&self, block: &Block) -> Result<lower::Code, lower::TooMany> {
        match self.how.simd {
            Simd::Avx512 => lower::<Avx512>(block, self.how.count),
            Simd::Avx2 => lower::<Avx2>(block, self.how.count),
            Simd::Baseline => lower::<Baseline>(block, self.how.count),
        }
    }
}

/// A block that stops the kernel.
fn too_long(pc: u64) -> Block {
    let b = Builder::new(pc);
    b.inst(pc, Family::Other);
    let what = "the instruction keeps more values at once than the interpreter has room for";
    b.end(Terminator::Unsupported { what: what.into() });
    b.finish()
}

/// The interpreter on a program, for one thread.
pub struct Interpreter<'p> {
    program: &'p Program,
}

impl<'p> Interpreter<'p> {
    /// An interpreter for one thread.
    pub fn new(program: &'p Program) -> Self {
        Interpreter { program }
    }
}

fn modes(u: &Uniform) -> Modes {
    Modes::new(u.hw[usize::from(hwreg::MODE)], u.s[usize::from(sreg::M0)])
}

impl Backend for Interpreter<'_> {
    fn run(&mut self, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Stop {
        memory.enter();
        let stop = self.turn(wave, memory);
        memory.leave();
        stop
    }
}

impl Interpreter<'_> {
    fn turn(&self, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Stop {
        let (uniform, vector) = wave.raw();
        let mut ctx = Ctx {
            uniform,
            vector: vector.cast(),
            memory,
            stop: None,
        };
        // SAFETY: the state belongs to the wave, which is borrowed here; nothing
        // else refers to it while steps run.
        let state = || unsafe { &mut *uniform };
        let mut at = self.program.block(state().pc, modes(state()));
        loop {
            // SAFETY: blocks live as long as the program.
            let block = unsafe { &*at };
            let edge = match run_steps(block, &mut ctx) {
                Next::Stop => return ctx.stop.take().unwrap_or(Stop::Yield),
                Next::Taken => 1,
                _ => 0,
            };
            let state = state();
            state.budget -= 1;
            if state.budget <= 0 {
                return Stop::Yield;
            }
            at = self.follow(block, edge, state);
        }
    }
}

/// Runs the steps of a block to its end.
#[inline(always)]
fn run_steps(block: &Linked, ctx: &mut Ctx<'_, '_>) -> Next {
    for step in &block.code.steps {
        // SAFETY: the steps were lowered for this processor, with offsets in
        // range; the context is that of a live wave.
        let next = unsafe { (step.run)(ctx, step) };
        if next != Next::Step {
            return next;
        }
    }
    Next::Block
}

impl Interpreter<'_> {
    /// The block after an edge: the one that followed last, if it is it.
    #[inline(always)]
    fn follow(&self, block: &Linked, edge: usize, state: &Uniform) -> *const Linked {
        let link = block.links[edge].load(Ordering::Acquire);
        // SAFETY: links point to blocks of the program, which keeps them.
        if !link.is_null() && unsafe { (*link).pc } == state.pc {
            return link;
        }
        self.link(block, edge, state)
    }

    #[cold]
    fn link(&self, block: &Linked, edge: usize, state: &Uniform) -> *const Linked {
        let modes = modes(state);
        let next = self.program.block(state.pc, modes);
        // After a change of modes the same PC may need another block.
        if !block.code.changes_modes && !modes.gpr_index_enabled() {
            block.links[edge].store(next.cast_mut(), Ordering::Release);
        }
        next
    }
}
