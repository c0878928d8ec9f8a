//! The interpreter as a back end: a cache of lowered blocks, linked to their
//! successors, and the loop that runs them.

use std::collections::HashMap;
use std::ptr::{NonNull, null_mut};
use std::str::FromStr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use wavetank_ir::{Block, Builder, Family, Options, Terminator, simplify};
use wavetank_lift::{Code, Modes, lift_block, lift_insts};

use super::drive::{Avx2, Avx512, Baseline, Level};
use super::lower::{self, lower};
use super::step::{Ctx, Next};
use crate::backend::{Backend, Stop};
use crate::memory::MemoryUnit;
use crate::turns::cost;
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

    /// This level, or the best of this processor if it does not have it.
    pub fn or_best(self) -> Simd {
        match (self, Simd::detect()) {
            (Simd::Avx512, best) | (Simd::Avx2, best @ Simd::Baseline) => best,
            _ => self,
        }
    }
}

/// A name that no level of processor features has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is no level of vector instructions; there are avx512, avx2 and baseline")]
pub struct UnknownSimd(String);

impl FromStr for Simd {
    type Err = UnknownSimd;

    fn from_str(text: &str) -> Result<Simd, UnknownSimd> {
        match text {
            "avx512" => Ok(Simd::Avx512),
            "avx2" => Ok(Simd::Avx2),
            "baseline" => Ok(Simd::Baseline),
            _ => Err(UnknownSimd(text.to_owned())),
        }
    }
}

/// A lowered block and where it is.
struct Linked {
    pc: u64,
    /// What it takes from a wave's budget.
    cost: i64,
    code: lower::Code,
    /// The blocks that followed last: after the end, after a taken branch. They
    /// live as long as the program.
    links: [AtomicPtr<Linked>; 2],
}

/// A PC and the key of the modes that its code was lifted for.
type Key = (u64, u64);

/// Blocks by what they were lifted for. They are never taken out, so that
/// pointers to them are good as long as the map.
///
/// Plain pointers, not boxes: a box that moves, as entries of a growing map do,
/// claims to be the only way to what it holds, and threads run it meanwhile.
#[derive(Default)]
struct Blocks(HashMap<Key, NonNull<Linked>>);

// SAFETY: the map owns its blocks, which are themselves `Send` and `Sync`.
unsafe impl Send for Blocks {}
// SAFETY: as above; blocks are only read, but for their atomic links.
unsafe impl Sync for Blocks {}

impl Blocks {
    fn get(&self, key: Key) -> Option<NonNull<Linked>> {
        self.0.get(&key).copied()
    }

    /// Keeps a block, unless another thread was faster; gives the one that is
    /// kept.
    fn insert(&mut self, key: Key, block: Linked) -> NonNull<Linked> {
        let kept = self.0.entry(key);
        *kept.or_insert_with(|| NonNull::from(Box::leak(Box::new(block))))
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        for block in self.0.values() {
            // SAFETY: `insert` made it of a box, and the program that goes is
            // borrowed by nobody who could still run it.
            drop(unsafe { Box::from_raw(block.as_ptr()) });
        }
    }
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
    blocks: RwLock<Blocks>,
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
    /// long as the program.
    fn block(&self, pc: u64, modes: Modes) -> NonNull<Linked> {
        let key = (pc, modes.key());
        let blocks = self.blocks.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(block) = blocks.get(key) {
            return block;
        }
        drop(blocks);
        let new = self.translate(pc, modes);
        let mut blocks = self.blocks.write().unwrap_or_else(PoisonError::into_inner);
        blocks.insert(key, new)
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
            cost: cost(&block),
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

/// A block at which a wave went on.
type Resumed = (Key, NonNull<Linked>);

/// Blocks that a thread remembers, a power of two.
const REMEMBERED: usize = 64;

/// The interpreter on a program, for one thread.
pub struct Interpreter<'p> {
    program: &'p Program,
    /// Where waves went on last, by the low bits of the PC: they take turns, and
    /// the map of all blocks has a lock and a hash.
    recent: Box<[Option<Resumed>; REMEMBERED]>,
}

impl<'p> Interpreter<'p> {
    /// An interpreter for one thread.
    pub fn new(program: &'p Program) -> Self {
        Interpreter {
            program,
            recent: Box::new([None; REMEMBERED]),
        }
    }

    /// The block at which a wave goes on.
    ///
    /// # Safety
    /// The state is that of a live wave, and nobody writes it meanwhile.
    #[inline(always)]
    unsafe fn resume(&mut self, state: *const Uniform) -> NonNull<Linked> {
        // SAFETY: by the caller's promise.
        let (pc, modes) = unsafe { ((*state).pc, modes(state)) };
        let key = (pc, modes.key());
        // Instructions are dwords.
        let recent = &mut self.recent[(pc >> 2) as usize % REMEMBERED];
        match *recent {
            Some((known, block)) if known == key => block,
            _ => {
                let block = self.program.block(pc, modes);
                *recent = Some((key, block));
                block
            }
        }
    }
}

/// The modes of a wave, which blocks are lifted for.
///
/// # Safety
/// The state is that of a live wave, and nobody writes it meanwhile.
unsafe fn modes(state: *const Uniform) -> Modes {
    // SAFETY: by the caller's promise.
    let (mode, m0) = unsafe {
        (
            (*state).hw[usize::from(hwreg::MODE)],
            (*state).s[usize::from(sreg::M0)],
        )
    };
    Modes::new(mode, m0)
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
    fn turn(&mut self, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Stop {
        // The state is only reached through this pointer: steps write through
        // it, so that no reference may be held beside it.
        let (uniform, vector) = wave.raw();
        let mut ctx = Ctx {
            uniform,
            vector: vector.cast(),
            memory,
            stop: None,
        };
        // SAFETY: the state belongs to the wave, which is borrowed here.
        let mut at = unsafe { self.resume(uniform) };
        loop {
            // SAFETY: blocks live as long as the program.
            let block = unsafe { at.as_ref() };
            let edge = match run_steps(block, &mut ctx) {
                Next::Stop => return ctx.stop.take().unwrap_or(Stop::Yield),
                Next::Taken => 1,
                _ => 0,
            };
            // SAFETY: the state belongs to the wave, and no step is running.
            unsafe {
                (*uniform).budget -= block.cost;
                if (*uniform).budget <= 0 {
                    return Stop::Yield;
                }
                at = self.follow(block, edge, uniform);
            }
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
    ///
    /// # Safety
    /// The state is that of a live wave, and nobody writes it meanwhile.
    #[inline(always)]
    unsafe fn follow(&self, block: &Linked, edge: usize, state: *const Uniform) -> NonNull<Linked> {
        let link = NonNull::new(block.links[edge].load(Ordering::Acquire));
        // SAFETY: links point to blocks of the program, which keeps them; the
        // state by the caller's promise.
        unsafe {
            match link {
                Some(link) if link.as_ref().pc == (*state).pc => link,
                _ => self.link(block, edge, state),
            }
        }
    }

    /// # Safety
    /// As for [`Interpreter::follow`].
    #[cold]
    unsafe fn link(&self, block: &Linked, edge: usize, state: *const Uniform) -> NonNull<Linked> {
        // SAFETY: by the caller's promise.
        let (pc, modes) = unsafe { ((*state).pc, modes(state)) };
        let next = self.program.block(pc, modes);
        // After a change of modes the same PC may need another block.
        if !block.code.changes_modes && !modes.gpr_index_enabled() {
            block.links[edge].store(next.as_ptr(), Ordering::Release);
        }
        next
    }
}
