//! The interpreter as a back end: lowered blocks, linked to their successors,
//! and the loop that runs them.

use std::ptr::{NonNull, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use wavetank_ir::{Block, Builder, Family, Node, Op, Terminator};
use wavetank_translate::{
    Breakpoints, Cache, Code, ColdEngine, ColdProgram, FrontEnd, Key, Modes, Pass, Translated,
    Translator, TrapEntry,
};

use wavetank_lane_ops::{Ctx, Next, Simd};
use wavetank_lower::{Code as Lowered, Extras, ROOM, TooMany, lower};
use wavetank_machine::{Backend, BlockCost, Leave};
use wavetank_memory::{Context, MemoryUnit, Uniform, Wave, sreg};

/// A lowered block with its address.
struct Linked {
    pc: u64,
    /// The cost of the block, charged to the wave's time slice.
    block_cost: BlockCost,
    code: Lowered,
    /// The blocks that followed last: after the end, and after a taken branch. Blocks live as long as the program.
    links: [AtomicPtr<Linked>; 2],
    /// The number of counted entries, by which an engine decides whether to compile the block; [`COLD`] if they are not counted.
    heat: AtomicU32,
}

/// The heat of a block that is never compiled.
const COLD: u32 = u32::MAX;

/// The options of translating a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Translation {
    /// Whether instructions are counted.
    pub count: bool,
    /// Whether every instruction is a block of its own, so that a budget of 1 stops after it and all writes are made.
    pub step: bool,
    /// Whether accesses, and waits for them, are recorded in the memory unit ([`MemoryUnit::drain_accesses`]).
    pub instrumented: bool,
    /// The level of processor features.
    pub simd: Simd,
}

/// The translations of a program, shared by the threads that run it.
pub struct Program {
    /// In a box, since a program that cannot be compiled is returned by value.
    translator: Box<Translator>,
    how: Translation,
    blocks: Cache<Linked>,
}

impl Program {
    /// Returns a program of GCN code.
    pub fn new(source: Arc<dyn Code + Send + Sync>, how: Translation) -> Self {
        Program::translated(Translator::new(source, how.step), how)
    }

    /// Returns a program of an instruction set other than GCN.
    pub fn of(front_end: Arc<dyn FrontEnd + Send + Sync>, how: Translation) -> Self {
        Program::translated(Translator::of(front_end, how.step), how)
    }

    /// Returns the program with a pass that is applied to each block. No block may have been translated yet.
    pub fn with_pass(self, pass: Option<Arc<dyn Pass>>) -> Self {
        let translator = Box::new(self.translator.with_pass(pass));
        Program { translator, ..self }
    }

    /// Returns the program with breakpoints, before which blocks end. No block may have been translated yet.
    pub fn with_breakpoints(self, breakpoints: Option<Arc<dyn Breakpoints>>) -> Self {
        let translator = Box::new(self.translator.with_breakpoints(breakpoints));
        Program { translator, ..self }
    }

    fn translated(translator: Translator, how: Translation) -> Self {
        Program {
            translator: Box::new(translator),
            how,
            blocks: Cache::default(),
        }
    }

    /// Returns the block at a PC for modes, which is translated once. The pointer is valid as long as the program.
    fn block(&self, pc: u64, modes: Modes) -> NonNull<Linked> {
        self.blocks
            .get(Key::new(pc, modes), || self.translate(pc, modes))
    }

    fn translate(&self, pc: u64, modes: Modes) -> Linked {
        let block = self.translator.block(pc, modes);
        let code = self
            .lower(&block.simple)
            .or_else(|_| self.lower(&self.translator.passed(block.whole.clone())));
        let (block, code) = match code {
            Ok(code) => (block, code),
            Err(_) => self.translate_less(pc, modes, block),
        };
        Linked {
            pc,
            block_cost: self.translator.cost_of_simplified(&block, modes),
            code,
            links: [AtomicPtr::new(null_mut()), AtomicPtr::new(null_mut())],
            heat: AtomicU32::new(0),
        }
    }

    /// Translates only the first instructions of a block that needs too many temporaries, as a pass may cause: as many as there
    /// is room for.
    #[cold]
    fn translate_less(&self, pc: u64, modes: Modes, block: Translated) -> (Translated, Lowered) {
        let is_inst = |node: &&Node| matches!(node.op, Op::Inst { .. });
        let insts = block.whole.nodes.iter().filter(is_inst);
        let mut most = insts.count() / 2;
        while most != 0 {
            let less = self.translator.short_block(pc, modes, most);
            if let Ok(code) = self.lower(&less.simple) {
                return (less, code);
            }
            most /= 2;
        }
        let code = self.lower(&too_long(pc));
        let none = |_| unreachable!("a block without values needs no temporaries");
        (block, code.unwrap_or_else(none))
    }

    fn lower(&self, block: &Block) -> Result<Lowered, TooMany> {
        let Translation {
            count,
            instrumented,
            ..
        } = self.how;
        let extras = Extras {
            count,
            instrumented,
        };
        lower(block, self.how.simd, extras)
    }
}

impl ColdProgram for Program {
    fn translator(&self) -> &Translator {
        &self.translator
    }

    fn entered(&self) -> Vec<Key> {
        self.blocks.keys()
    }

    fn keep_cold(&self, pc: u64, modes: Modes) {
        // SAFETY: blocks live as long as the program.
        let block = unsafe { self.block(pc, modes).as_ref() };
        block.heat.store(COLD, Ordering::Relaxed);
    }

    fn engine(&self) -> Box<dyn ColdEngine + '_> {
        Box::new(Interpreter::new(self))
    }
}

/// Returns a block that stops the kernel.
fn too_long(pc: u64) -> Block {
    let b = Builder::new(pc);
    b.inst(pc, Family::Other);
    let what = "the instruction keeps more values at once than the interpreter has room for";
    b.end(Terminator::Unsupported { what: what.into() });
    b.finish()
}

/// A block at which a wave has continued.
type Resumed = (Key, NonNull<Linked>);

/// The number of recent blocks of a thread, a power of two.
const REMEMBERED: usize = 64;

/// The interpreter on a program, for one thread.
pub struct Interpreter<'p> {
    program: &'p Program,
    /// The blocks at which waves continued last, by the low bits of the PC. Waves take turns, and the map of all blocks has a
    /// lock and a hash.
    recent: Box<[Option<Resumed>; REMEMBERED]>,
}

impl<'p> Interpreter<'p> {
    /// Returns an interpreter for one thread.
    pub fn new(program: &'p Program) -> Self {
        Interpreter {
            program,
            recent: Box::new([None; REMEMBERED]),
        }
    }

    /// Returns the block at which a wave continues.
    ///
    /// # Safety
    /// The state is that of a live wave, and has no other writer meanwhile.
    #[inline(always)]
    unsafe fn resume(&mut self, state: *const Uniform) -> NonNull<Linked> {
        // SAFETY: by the caller's promise.
        let (pc, modes) = unsafe { ((*state).pc, modes(state)) };
        let key = Key::new(pc, modes);
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

/// Returns the modes of a wave, for which blocks are lifted.
///
/// # Safety
/// The state is that of a live wave, and has no other writer meanwhile.
unsafe fn modes(state: *const Uniform) -> Modes {
    // SAFETY: by the caller's promise.
    let (hw, m0) = unsafe { (&(*state).hw, (*state).s[usize::from(sreg::M0)]) };
    Modes::of_wave(hw, m0)
}

impl Backend for Interpreter<'_> {
    fn run(&mut self, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Leave {
        memory.enter();
        wave.make_room(ROOM);
        let leave = self.time_slice::<false>(wave, memory, 0);
        leave.expect("without heat the time slice goes on until the wave leaves")
    }
}

impl ColdEngine for Interpreter<'_> {
    fn run_cold(
        &mut self,
        wave: &mut Wave,
        memory: &mut MemoryUnit<'_>,
        hot: u32,
    ) -> Option<Leave> {
        self.time_slice::<true>(wave, memory, hot)
    }
}

impl Interpreter<'_> {
    #[inline(always)]
    fn time_slice<const HEAT: bool>(
        &mut self,
        wave: &mut Wave,
        memory: &mut MemoryUnit<'_>,
        hot: u32,
    ) -> Option<Leave> {
        // The state is accessed only through this pointer. Steps write through it, so no reference to the state may exist
        // meanwhile.
        let (uniform, vector) = wave.raw();
        let context = Context {
            uniform,
            vector: vector.cast(),
            memory,
        };
        let mut ctx = Ctx {
            context,
            leave: None,
        };
        // SAFETY: the state belongs to the wave, which is borrowed here.
        let mut at = unsafe { self.resume(uniform) };
        loop {
            // SAFETY: blocks live as long as the program.
            let block = unsafe { at.as_ref() };
            if HEAT && block.is_hot(hot) {
                return None;
            }
            let (block, edge) = match run_steps(block, &mut ctx) {
                // SAFETY: the context is that of the wave, and no step is running.
                Next::Leave => match unsafe { self.catch(&mut ctx) } {
                    Ok(entered) => entered,
                    Err(leave) => return Some(leave),
                },
                Next::Taken => (block, 1),
                _ => (block, 0),
            };
            // SAFETY: the state belongs to the wave, and no step is running.
            unsafe {
                if let Some(leave) = block
                    .block_cost
                    .charge(edge, &mut *uniform, &*vector.cast())
                {
                    return Some(leave);
                }
                at = self.follow(block, edge, uniform);
            }
        }
    }
}

impl Linked {
    /// Returns whether the block has been entered `hot` times, and counts this entry if not. Of concurrent counts, one may be
    /// lost.
    #[inline(always)]
    fn is_hot(&self, hot: u32) -> bool {
        let heat = self.heat.load(Ordering::Relaxed);
        if heat < hot {
            self.heat.store(heat + 1, Ordering::Relaxed);
        }
        heat >= hot && heat != COLD
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
    /// Returns the block after an edge: the one that followed last, if it is at the wave's PC.
    ///
    /// # Safety
    /// The state is that of a live wave, and has no other writer meanwhile.
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

    /// Handles a step that left its block: returns the block that has entered the wave's trap handler, and its edge. The error is
    /// the reason for which the wave leaves.
    ///
    /// # Safety
    /// The context is that of a live wave, and no step is running.
    #[cold]
    unsafe fn catch(&self, ctx: &mut Ctx<'_, '_>) -> Result<(&Linked, usize), Leave> {
        let mut trap_entry = TrapEntry::default();
        loop {
            let leave = ctx.leave.take().expect("a step that leaves says why");
            // SAFETY: by the caller's promise.
            let state = unsafe { &mut *ctx.context.uniform };
            let modes = trap_entry.catch(&leave, state).ok_or(leave)?;
            let block = self.program.block(state.pc, modes);
            // SAFETY: blocks live as long as the program.
            let block = unsafe { block.as_ref() };
            let next = run_steps(block, ctx);
            if next != Next::Leave {
                // SAFETY: by the caller's promise.
                trap_entry.release(unsafe { &mut *ctx.context.uniform });
                return Ok((block, usize::from(next == Next::Taken)));
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
