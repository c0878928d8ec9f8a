//! The engine: the selection of blocks to compile, and the transfer of a wave from one block to the next.

use std::collections::HashMap;
use std::fmt::Write;
use std::ptr::NonNull;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use wavetank_ir::{Block, Op, Terminator};
use wavetank_lane_ops::{Ctx, Simd};
use wavetank_lower::{ROOM, TooMany};
use wavetank_machine::{Backend, BlockCost, Leave};
use wavetank_memory::{Context, MemoryUnit, Uniform, Wave, sreg};
use wavetank_translate::{
    Cache, ColdEngine, ColdProgram, Key, Modes, RegisterSet, Translated, Translator, TrapEntry,
    Unrolled, changes_modes,
};

use crate::compiler::block::{BlockCode, Task, crossing, guard, leaves_the_file, make};
use crate::compiler::code_memory::CodeMemory;
use crate::compiler::exits::{Exit, GuardTargets, Head, entry};
use crate::compiler::listing::listing;
use crate::compiler::perf;
use crate::compiler::renaming::rename;
use crate::options::{CompileOptions, Compiled, Names};

/// The number of times that a block is interpreted before it is compiled, unless a user sets another: these take some 10 µs, as
/// long as compiling.
pub const HOT: u32 = 40;

/// The type of the function that calls compiled code. Its arguments are the context, the wave's files and the code.
type Enter = unsafe extern "C" fn(*mut Ctx<'_, '_>, *mut Uniform, *mut u32, *const u8) -> Back;

/// The result of compiled code.
#[repr(C)]
struct Back {
    exit: u64,
    head: *const Head,
}

/// A block of a program.
enum Known {
    /// The block is compiled.
    Code(Ready),
    /// The block is left to the interpreter.
    Cold,
}

/// A compiled block.
struct Ready {
    code: *const u8,
    /// Kept alive for the code, which has their addresses.
    #[expect(clippy::vec_box, reason = "the code has their addresses")]
    heads: Vec<Box<Head>>,
}

// SAFETY: the code is not written any more, and the parts of its head that change are atomic.
unsafe impl Send for Known {}
// SAFETY: as above.
unsafe impl Sync for Known {}

/// The compiled blocks of a program, shared by the threads that run it.
pub struct Jit {
    cold: Box<dyn ColdProgram>,
    options: CompileOptions,
    hot: u32,
    blocks: Cache<Known>,
    memory: Mutex<CodeMemory>,
    enter: Enter,
    compiled: Mutex<Compiled>,
    /// The registers that are dead after blocks, as computed so far.
    dead: Mutex<HashMap<Key, RegisterSet>>,
    /// The names for perf, if it gets any.
    names: Option<Names>,
}

/// The reason for which this machine cannot run compiled code.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// The processor lacks instructions.
    #[error(
        "the processor has neither AVX-512 with F, BW, CD, DQ and VL nor AVX2 with FMA, F16C, BMI1, LZCNT and POPCNT"
    )]
    Processor,
    /// The system does not provide executable memory.
    #[error("the system gives no memory for code: {0}")]
    Memory(#[from] std::io::Error),
}

impl Unavailable {
    /// Returns whether hosts of this kind usually run compiled code, so that slow kernels need an explanation.
    pub fn is_unusual(&self) -> bool {
        true
    }
}

impl Jit {
    /// Returns a program on the engine of the first tier, whose blocks are compiled once they have been entered `hot` times.
    ///
    /// # Errors
    /// If this machine cannot run compiled code. The program is returned with the error.
    pub fn new<C: ColdProgram + 'static>(
        cold: C,
        options: CompileOptions,
        hot: u32,
    ) -> Result<Jit, (C, Unavailable)> {
        if !processor_can(options.simd) {
            return Err((cold, Unavailable::Processor));
        }
        let mut memory = CodeMemory::default();
        let at = match memory.add(&entry()) {
            Ok(at) => at,
            Err(error) => return Err((cold, error.into())),
        };
        // SAFETY: the code is a function of this type.
        let enter = unsafe { std::mem::transmute::<*const u8, Enter>(at) };
        Ok(Jit {
            cold: Box::new(cold),
            options,
            hot,
            blocks: Cache::default(),
            memory: Mutex::new(memory),
            enter,
            compiled: Mutex::default(),
            dead: Mutex::default(),
            names: None,
        })
    }

    /// Passes the names of code compiled from now on to Linux's `perf`, whose reports then show guest instructions.
    pub fn with_perf_names(mut self, names: Names) -> Jit {
        let memory = self.memory.get_mut();
        memory.unwrap_or_else(PoisonError::into_inner).apart = true;
        self.names = Some(names);
        self
    }

    /// Returns the counts of compiled code.
    pub fn compiled(&self) -> Compiled {
        self.sums().clone()
    }

    /// The translator of the program's code.
    pub fn translator(&self) -> &Translator {
        self.cold.translator()
    }

    /// The blocks that waves have entered so far, in compiled code or before it; some may come twice.
    pub fn entered(&self) -> Vec<Key> {
        let mut entered = self.cold.entered();
        entered.extend(self.blocks.keys());
        entered
    }

    fn sums(&self) -> MutexGuard<'_, Compiled> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a listing of the compiled block at a PC for modes, with the guest addresses of the blocks that follow it; `None`
    /// if the block cannot be compiled. `guest` returns the text of a guest instruction.
    pub fn listing(
        &self,
        pc: u64,
        modes: Modes,
        guest: &dyn Fn(u64) -> String,
    ) -> Option<(String, Vec<u64>)> {
        let (block, made) = &self.translate(pc, modes)?;
        let simple = &block.simple;
        let end = simple.nodes.last().map(|node| &node.op);
        let next = match end {
            Some(Op::End(Terminator::Branch(to))) => vec![*to],
            Some(Op::End(Terminator::CondBranch { taken, next, .. })) => vec![*next, *taken],
            Some(Op::End(
                Terminator::Barrier { next }
                | Terminator::Sleep { next }
                | Terminator::GlobalSync { next, .. }
                | Terminator::Export { next, .. }
                | Terminator::Message { next, .. },
            )) => vec![*next],
            _ => Vec::new(),
        };
        let mut text = listing(made.compiled(simple), made, guest);
        if let Some((unrolled, made)) = self.translate_unrolled(block, made, modes) {
            let _ = writeln!(text, "{} turns at once, if so many come:", unrolled.count);
            text += &listing(made.compiled(&unrolled.block), &made, guest);
        }
        Some((text, next))
    }

    /// Returns a block and its code, which is not yet in code memory.
    fn translate(&self, pc: u64, modes: Modes) -> Option<(Translated, BlockCode)> {
        let block = self.cold.translator().block(pc, modes);
        if leaves_the_file(&block.simple) {
            return None;
        }
        let block_cost = self.cold.translator().cost_of_simplified(&block, modes);
        let made = self.code_for(&block.simple, block_cost, pc, modes).ok()?;
        Some((block, made))
    }

    /// Returns several iterations of a one-block loop, and their code, which is not yet in code memory. Only if the tiles of all
    /// iterations form one segment: otherwise the registers would be stored and reloaded in each iteration all the same.
    fn translate_unrolled(
        &self,
        block: &Translated,
        one: &BlockCode,
        modes: Modes,
    ) -> Option<(Unrolled, BlockCode)> {
        // A spin loop is checked in every iteration, so it is not unrolled.
        if one.tiled != 1 || one.head.block_cost.may_spin(1) {
            return None;
        }
        let unrolled = self.cold.translator().unroll(block, modes)?;
        let block_cost = one.head.block_cost.clone().of_iterations(unrolled.count);
        let made = self.code_for(&unrolled.block, block_cost, block.simple.pc, modes);
        let made = made.ok().filter(|made| made.tiled == 1)?;
        Some((unrolled, made))
    }

    fn code_for(
        &self,
        block: &Block,
        block_cost: BlockCost,
        pc: u64,
        modes: Modes,
    ) -> Result<BlockCode, TooMany> {
        let dead = self.dead(pc, modes);
        let exact_at_faults = self.options.registers_observable || modes.has_handler();
        let task = Task {
            block,
            block_cost,
            may_link: may_link(block, modes),
            options: self.options,
            dead,
            exact_at_faults,
            targets: None,
        };
        if !exact_at_faults
            && let Some(renamed) = rename(block, dead, |renamed| crossing(&task.of(renamed)))
            && let Ok(code) = make(task.of(&renamed))
        {
            let renamed = Some(renamed);
            return Ok(BlockCode { renamed, ..code });
        }
        make(task)
    }

    /// Returns the registers that are dead after the block at a PC: none if registers are observable.
    fn dead(&self, pc: u64, modes: Modes) -> RegisterSet {
        if self.options.registers_observable {
            return RegisterSet::default();
        }
        let key = |pc| Key::new(pc, modes);
        let mut known = self.dead.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(dead) = known.get(&key(pc)) {
            return *dead;
        }
        for (at, dead) in self.cold.translator().dead_registers(pc, modes) {
            known.entry(key(at)).or_insert(dead);
        }
        *known.entry(key(pc)).or_default()
    }

    fn block(&self, pc: u64, modes: Modes) -> NonNull<Known> {
        self.blocks
            .get(Key::new(pc, modes), || self.make(pc, modes))
    }

    fn make(&self, pc: u64, modes: Modes) -> Known {
        let start = Instant::now();
        let known = match self.compile(pc, modes) {
            Some(ready) => Known::Code(ready),
            None => {
                self.cold.keep_cold(pc, modes);
                Known::Cold
            }
        };
        let mut sums = self.sums();
        sums.time += start.elapsed();
        match known {
            Known::Code(_) => sums.blocks += 1,
            Known::Cold => sums.refused += 1,
        }
        drop(sums);
        known
    }

    fn compile(&self, pc: u64, modes: Modes) -> Option<Ready> {
        let (block, mut made) = self.translate(pc, modes)?;
        let unrolled = self.translate_unrolled(&block, &made, modes);
        let cost = made.head.block_cost.cost();
        let by_helpers = std::mem::take(&mut made.by_helpers);
        let (code, head) = self.place(&block.simple, made)?;
        let heads = vec![head];
        let mut ready = Ready { code, heads };
        let several = unrolled.and_then(|(unrolled, made)| {
            let least = cost * (unrolled.count as i64 - 1);
            self.place_unrolled(&mut ready, least, &unrolled, made)
        });
        let mut sums = self.sums();
        sums.loops += u64::from(several.is_some());
        for slow in by_helpers {
            *sums.by_helpers.entry(slow.name).or_default() += 1;
        }
        Some(ready)
    }

    /// Places the unrolled code of a loop beside that of one iteration, with the guard before both.
    fn place_unrolled(
        &self,
        ready: &mut Ready,
        least: i64,
        unrolled: &Unrolled,
        made: BlockCode,
    ) -> Option<()> {
        let (several, head) = self.place(&unrolled.block, made)?;
        ready.heads.push(head);
        let one = ready.code;
        let targets = GuardTargets {
            least,
            one,
            several,
        };
        let made = guard(&unrolled.guard, self.options, targets).ok()?;
        let (code, head) = self.place(&unrolled.guard, made)?;
        ready.heads.push(head);
        ready.code = code;
        Some(())
    }

    /// Copies code to code memory. Returns its address, and the head that must be kept with it.
    fn place(&self, block: &Block, made: BlockCode) -> Option<(*const u8, Box<Head>)> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let code = memory.add(&made.assembled.bytes).ok()?;
        drop(memory);
        if let Some(names) = &self.names {
            // If the file cannot be written, reports have no names.
            let _ = perf::append(names, made.compiled(block), &made, code as u64);
        }
        self.sums().bytes += made.assembled.bytes.len() as u64;
        for (link, stub) in made.head.links.iter().zip(made.stubs) {
            link.store(code.wrapping_add(stub).cast_mut(), Ordering::Relaxed);
        }
        Some((code, made.head))
    }
}

/// Returns whether the block after each edge of a block is always the same.
fn may_link(block: &Block, modes: Modes) -> bool {
    !changes_modes(block) && !modes.gpr_index_enabled()
}

fn processor_can(simd: Simd) -> bool {
    let scalar = is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("lzcnt");
    let vector = match simd {
        Simd::Avx512 => {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512cd")
        }
        Simd::Avx2 => {
            is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
        }
        Simd::Baseline => false,
    };
    scalar && vector
}

/// Returns the modes of a wave, for which blocks are lifted.
fn modes_of(wave: &Wave) -> Modes {
    let state = wave.uniform();
    Modes::of_wave(&state.hw, state.s[usize::from(sreg::M0)])
}

/// A block at which a wave has continued.
type Resumed = (Key, NonNull<Known>);

/// The number of recent blocks of a thread, a power of two.
const REMEMBERED: usize = 256;

/// The engine on a program, for one thread.
pub struct Jitted<'p> {
    program: &'p Jit,
    cold: Box<dyn ColdEngine + 'p>,
    /// The blocks at which waves continued last, by the low bits of the PC.
    recent: Box<[Option<Resumed>; REMEMBERED]>,
}

impl<'p> Jitted<'p> {
    /// Returns an engine for one thread.
    pub fn new(program: &'p Jit) -> Self {
        Jitted {
            program,
            cold: program.cold.engine(),
            recent: Box::new([None; REMEMBERED]),
        }
    }

    /// Returns the block at which a wave continues, if it has been compiled or marked. Nothing is compiled before the interpreter
    /// reports the block as hot.
    fn resume(&mut self, key: Key, pc: u64) -> Option<NonNull<Known>> {
        match self.recent[(pc >> 2) as usize % REMEMBERED] {
            Some((known, block)) if known == key => Some(block),
            _ => None,
        }
    }

    /// Returns the block at which a wave continues, and compiles it if needed.
    fn make(&mut self, key: Key, pc: u64, modes: Modes) -> NonNull<Known> {
        let block = self.program.block(pc, modes);
        self.recent[(pc >> 2) as usize % REMEMBERED] = Some((key, block));
        block
    }
}

impl Backend for Jitted<'_> {
    fn run(&mut self, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Leave {
        memory.enter();
        wave.make_room(ROOM);
        let mut trap_entry = TrapEntry::default();
        let mut next = NextBlock::AtPc;
        loop {
            let enters_trap = matches!(next, NextBlock::Trap(_));
            let ready = match self.ready(next, &mut trap_entry, wave, memory) {
                Ok(ready) => ready,
                Err(leave) => return leave,
            };
            let outcome = self.enter(ready, wave, memory);
            if enters_trap && !matches!(outcome, Outcome::Leave(Leave::Other(_))) {
                trap_entry.release(wave.uniform_mut());
            }
            next = match outcome {
                Outcome::Next(next) => next,
                Outcome::Leave(leave @ Leave::Other(_)) => {
                    match trap_entry.catch(&leave, wave.uniform_mut()) {
                        Some(modes) => NextBlock::Trap(modes),
                        None => return leave,
                    }
                }
                Outcome::Leave(leave) => return leave,
            };
        }
    }
}

/// The way to the next block of a wave.
enum NextBlock {
    /// An edge of a block, whose link has no target yet.
    Linked(*const Head, usize),
    /// The wave's PC alone.
    AtPc,
    /// A refused access, which is passed to the trap handler with these modes.
    Trap(Modes),
}

/// The outcome of compiled code.
enum Outcome {
    /// The wave leaves the engine.
    Leave(Leave),
    /// The wave continues.
    Next(NextBlock),
}

impl<'p> Jitted<'p> {
    /// Returns the compiled block at which a wave continues, after the engine of the first tier has run the blocks before it that
    /// are not compiled. The error is the reason for which the wave left there.
    #[inline(always)]
    fn ready(
        &mut self,
        mut next: NextBlock,
        trap_entry: &mut TrapEntry,
        wave: &mut Wave,
        memory: &mut MemoryUnit<'_>,
    ) -> Result<&'p Ready, Leave> {
        loop {
            let pc = wave.uniform().pc;
            let (modes, enters_trap) = match next {
                NextBlock::Trap(modes) => (modes, true),
                _ => (modes_of(wave), false),
            };
            let key = Key::new(pc, modes);
            let known = match self.resume(key, pc) {
                Some(known) => known,
                None if self.program.hot == 0 || enters_trap => self.make(key, pc, modes),
                None => {
                    let left = self.cold.run_cold(wave, memory, self.program.hot);
                    left.map_or(Ok(()), Err)?;
                    let (pc, modes) = (wave.uniform().pc, modes_of(wave));
                    let at = Key::new(pc, modes);
                    if at != key {
                        next = NextBlock::AtPc;
                    }
                    self.make(at, pc, modes)
                }
            };
            // SAFETY: blocks live as long as the program.
            if let Known::Code(ready) = unsafe { known.as_ref() } {
                if let NextBlock::Linked(head, edge) = next {
                    // SAFETY: heads live as long as the program.
                    unsafe { &*head }.link(edge, ready.code);
                }
                return Ok(ready);
            }
            // The engine of the first tier enters the trap handler itself.
            trap_entry.release(wave.uniform_mut());
            let left = self.cold.run_cold(wave, memory, self.program.hot);
            left.map_or(Ok(()), Err)?;
            next = NextBlock::AtPc;
        }
    }

    fn enter(&self, ready: &Ready, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Outcome {
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
        // SAFETY: the code was made for this processor and the layout of a wave, whose files these are; it reaches them
        // and the context alone, which is borrowed mutably.
        let back = unsafe { (self.program.enter)(&raw mut ctx, uniform, vector, ready.code) };
        // SAFETY: heads live as long as the program.
        let head = unsafe { &*back.head };
        let edge = match back.exit {
            exit if exit == Exit::Ended as u64 => return Outcome::Leave(Leave::End(head.end)),
            exit if exit == Exit::Barrier as u64 => {
                return Outcome::Leave(Leave::Barrier(head.end));
            }
            exit if exit == Exit::Leave as u64 => {
                let leave = ctx.leave.take().expect("a step that leaves says why");
                return Outcome::Leave(leave);
            }
            exit if exit == Exit::Unlinked as u64 => {
                return Outcome::Next(NextBlock::Linked(head, 0));
            }
            exit if exit == Exit::UnlinkedTaken as u64 => {
                return Outcome::Next(NextBlock::Linked(head, 1));
            }
            exit => usize::from(exit == Exit::Taken as u64),
        };
        // SAFETY: the files are those of the wave, and no compiled code is running.
        let left = unsafe { head.block_cost.charge(edge, &mut *uniform, &*vector.cast()) };
        left.map_or(Outcome::Next(NextBlock::AtPc), Outcome::Leave)
    }
}
