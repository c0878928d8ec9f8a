//! The engine: which blocks are compiled, and how a wave goes from one to the next.

use std::collections::HashMap;
use std::fmt::Write;
use std::ptr::NonNull;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use wavetank_interp::single::{Ctx, ROOM, TooMany};
use wavetank_interp::{Interpreter, Program, Simd};
use wavetank_ir::{Block, Op, Terminator};
use wavetank_machine::{Backend, Ran, Stop, Toll};
use wavetank_memory::{Context, MemoryUnit, Uniform, Wave, sreg};
use wavetank_translate::{
    Cache, Caught, Key, Modes, Translated, Turns, VectorRegisters, changes_modes,
};

use crate::compiler::block::{BlockCode, compile, guard, leaves_the_file};
use crate::compiler::code_memory::CodeMemory;
use crate::compiler::exits::{Exit, GuardTargets, Head, entry};
use crate::compiler::listing::listing;
use crate::compiler::perf;
use crate::options::{CompileOptions, Compiled, Names};

/// How often a block is interpreted before it is compiled, unless a user wants otherwise: some 10 µs of interpreting, which
/// is what compiling takes.
pub const HOT: u32 = 40;

/// The function that compiled code is called by: of the context, the wave's files and the code.
type Enter = unsafe extern "C" fn(*mut Ctx<'_, '_>, *mut Uniform, *mut u32, *const u8) -> Back;

/// What compiled code gives back.
#[repr(C)]
struct Back {
    exit: u64,
    head: *const Head,
}

/// A block of a program.
enum Known {
    /// It is compiled.
    Code(Ready),
    /// It is left to the interpreter.
    Cold,
}

/// A compiled block.
struct Ready {
    code: *const u8,
    /// GprAlloc, not read.
    #[expect(clippy::vec_box, reason = "the code has their addresses")]
    heads: Vec<Box<Head>>,
}

// SAFETY: the code is not written any more, and what its head has to be changed is atomic.
unsafe impl Send for Known {}
// SAFETY: as above.
unsafe impl Sync for Known {}

/// The compiled blocks of a program, shared by the threads that run it.
pub struct Jit {
    cold: Program,
    options: CompileOptions,
    hot: u32,
    blocks: Cache<Known>,
    memory: Mutex<CodeMemory>,
    enter: Enter,
    compiled: Mutex<Compiled>,
    /// Registers that are dead after blocks, as far as they have been computed.
    spent: Mutex<HashMap<Key, VectorRegisters>>,
    /// Names for perf, if it is told.
    names: Option<Names>,
}

/// Why there can be no compiled code on this machine.
#[derive(Debug, thiserror::Error)]
pub enum Unavailable {
    /// The processor lacks instructions.
    #[error(
        "the processor has neither AVX-512 with F, BW, CD, DQ and VL nor AVX2 with FMA, F16C, BMI1, LZCNT and POPCNT"
    )]
    Processor,
    /// The system gives no memory that can be executed.
    #[error("the system gives no memory for code: {0}")]
    Memory(#[from] std::io::Error),
}

impl Unavailable {
    /// Whether hosts of this kind have it, as a rule: who finds kernels slow is to know why.
    pub fn is_unusual(&self) -> bool {
        true
    }
}

impl Jit {
    /// The program of an interpreter, whose blocks are compiled once they have been entered `hot` times.
    ///
    /// # Errors
    /// If this machine cannot run compiled code. The program comes back.
    pub fn new(
        cold: Program,
        options: CompileOptions,
        hot: u32,
    ) -> Result<Jit, (Program, Unavailable)> {
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
            cold,
            options,
            hot,
            blocks: Cache::default(),
            memory: Mutex::new(memory),
            enter,
            compiled: Mutex::default(),
            spent: Mutex::default(),
            names: None,
        })
    }

    /// Linux' `perf` is told of what is compiled from now on: its reports have the names of guest instructions.
    pub fn telling_perf(mut self, names: Names) -> Jit {
        let memory = self.memory.get_mut();
        memory.unwrap_or_else(PoisonError::into_inner).apart = true;
        self.names = Some(names);
        self
    }

    /// What was compiled so far.
    pub fn compiled(&self) -> Compiled {
        self.sums().clone()
    }

    fn sums(&self) -> MutexGuard<'_, Compiled> {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the block at a PC is compiled to for modes, as text, with the guest addresses of the blocks that follow it;
    /// nothing if it cannot be compiled. `guest` gives the text of a guest instruction.
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
        let mut text = listing(simple, made, guest);
        if let Some((turns, made)) = self.translate_turns(block, made, modes) {
            let _ = writeln!(text, "{} turns at once, if so many come:", turns.count);
            text += &listing(&turns.block, &made, guest);
        }
        Some((text, next))
    }

    /// A block and its code, not yet in its place.
    fn translate(&self, pc: u64, modes: Modes) -> Option<(Translated, BlockCode)> {
        let block = self.cold.translator().block(pc, modes);
        if leaves_the_file(&block.simple) {
            return None;
        }
        let toll = self.cold.translator().toll_of_simplified(&block, modes);
        let made = self.code_for(&block.simple, toll, pc, modes).ok()?;
        Some((block, made))
    }

    /// Several turns of the loop that a block is, and their code, not yet in its place. Only where the tiles of all turns are
    /// one segment: otherwise what the registers hold goes through memory in each turn all the same.
    fn translate_turns(
        &self,
        block: &Translated,
        one: &BlockCode,
        modes: Modes,
    ) -> Option<(Turns, BlockCode)> {
        // What a wave polls is looked at in every turn.
        if one.tiled != 1 || one.head.toll.may_poll(1) {
            return None;
        }
        let turns = self.cold.translator().turns(block, modes)?;
        let toll = one.head.toll.clone().of_turns(turns.count);
        let made = self.code_for(&turns.block, toll, block.simple.pc, modes);
        let made = made.ok().filter(|made| made.tiled == 1)?;
        Some((turns, made))
    }

    fn code_for(
        &self,
        block: &Block,
        toll: Toll,
        pc: u64,
        modes: Modes,
    ) -> Result<BlockCode, TooMany> {
        let links = may_link(block, modes);
        compile(block, toll, links, self.options, self.spent(pc, modes))
    }

    /// Registers that are dead after the block at a PC: none where registers are observable.
    fn spent(&self, pc: u64, modes: Modes) -> VectorRegisters {
        if self.options.registers_observable {
            return VectorRegisters::default();
        }
        let key = |pc| Key::new(pc, modes);
        let mut known = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(spent) = known.get(&key(pc)) {
            return *spent;
        }
        for (at, spent) in self.cold.translator().spent(pc, modes) {
            known.entry(key(at)).or_insert(spent);
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
        let turns = self.translate_turns(&block, &made, modes);
        let cost = made.head.toll.cost();
        let by_helpers = std::mem::take(&mut made.by_helpers);
        let (code, head) = self.place(&block.simple, made)?;
        let heads = vec![head];
        let mut ready = Ready { code, heads };
        let several = turns.and_then(|(turns, made)| {
            let least = cost * (turns.count as i64 - 1);
            self.place_turns(&mut ready, least, &turns, made)
        });
        let mut sums = self.sums();
        sums.loops += u64::from(several.is_some());
        for slow in by_helpers {
            *sums.by_helpers.entry(slow.name).or_default() += 1;
        }
        Some(ready)
    }

    /// Puts several turns of a loop beside one, and the guard before both.
    fn place_turns(
        &self,
        ready: &mut Ready,
        least: i64,
        turns: &Turns,
        made: BlockCode,
    ) -> Option<()> {
        let (several, head) = self.place(&turns.block, made)?;
        ready.heads.push(head);
        let one = ready.code;
        let targets = GuardTargets {
            least,
            one,
            several,
        };
        let made = guard(&turns.guard, self.options, targets).ok()?;
        let (code, head) = self.place(&turns.guard, made)?;
        ready.heads.push(head);
        ready.code = code;
        Some(())
    }

    /// Puts code in its place: where that is, and what it has to be kept with.
    fn place(&self, block: &Block, made: BlockCode) -> Option<(*const u8, Box<Head>)> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let code = memory.add(&made.assembled.bytes).ok()?;
        drop(memory);
        if let Some(names) = &self.names {
            // If the file cannot be written, reports have no names.
            let _ = perf::tell(names, block, &made, code as u64);
        }
        self.sums().bytes += made.assembled.bytes.len() as u64;
        for (link, stub) in made.head.links.iter().zip(made.stubs) {
            link.store(code.wrapping_add(stub).cast_mut(), Ordering::Relaxed);
        }
        Some((code, made.head))
    }
}

/// Whether what comes behind a block is the same every time.
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

/// The modes of a wave, which blocks are lifted for.
fn modes_of(wave: &Wave) -> Modes {
    let state = wave.uniform();
    Modes::of_wave(&state.hw, state.s[usize::from(sreg::M0)])
}

/// A block at which a wave went on.
type Resumed = (Key, NonNull<Known>);

/// Blocks that a thread remembers, a power of two.
const REMEMBERED: usize = 256;

/// The engine on a program, for one thread.
pub struct Jitted<'p> {
    program: &'p Jit,
    cold: Interpreter<'p>,
    /// Where waves went on last, by the low bits of the PC.
    recent: Box<[Option<Resumed>; REMEMBERED]>,
}

impl<'p> Jitted<'p> {
    /// An engine for one thread.
    pub fn new(program: &'p Jit) -> Self {
        Jitted {
            program,
            cold: Interpreter::new(&program.cold),
            recent: Box::new([None; REMEMBERED]),
        }
    }

    /// The block at which a wave goes on, if it is known. Nothing is made before the interpreter says that it is hot.
    fn resume(&mut self, key: Key, pc: u64) -> Option<NonNull<Known>> {
        match self.recent[(pc >> 2) as usize % REMEMBERED] {
            Some((known, block)) if known == key => Some(block),
            _ => None,
        }
    }

    /// The block at which a wave goes on, compiled now if it was not.
    fn make(&mut self, key: Key, pc: u64, modes: Modes) -> NonNull<Known> {
        let block = self.program.block(pc, modes);
        self.recent[(pc >> 2) as usize % REMEMBERED] = Some((key, block));
        block
    }
}

impl Backend for Jitted<'_> {
    fn run(&mut self, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Stop {
        self.run_turn(wave, memory).into()
    }

    fn run_turn(&mut self, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Ran {
        memory.enter();
        wave.make_room(ROOM);
        // Where the wave comes from: a link to fill in.
        let mut from: Option<(*const Head, usize)> = None;
        // The modes with which it enters a trap handler, behind an access.
        let mut caught = Caught::default();
        let mut entering: Option<Modes> = None;
        loop {
            let pc = wave.uniform().pc;
            let enters = entering.is_some();
            let modes = entering.take().unwrap_or_else(|| modes_of(wave));
            let key = Key::new(pc, modes);
            let known = match self.resume(key, pc) {
                Some(known) => known,
                None if self.program.hot == 0 || enters => self.make(key, pc, modes),
                None => match self.cold.run_cold(wave, memory, self.program.hot) {
                    Some(stop) => return stop.into(),
                    None => {
                        let (pc, modes) = (wave.uniform().pc, modes_of(wave));
                        let at = Key::new(pc, modes);
                        // It went on for a while.
                        if at != key {
                            from = None;
                        }
                        self.make(at, pc, modes)
                    }
                },
            };
            // SAFETY: blocks live as long as the program.
            let ready = match unsafe { known.as_ref() } {
                Known::Code(ready) => ready,
                Known::Cold => {
                    from = None;
                    // The interpreter finds out for itself.
                    caught.release(wave.uniform_mut());
                    match self.cold.run_cold(wave, memory, self.program.hot) {
                        Some(stop) => return stop.into(),
                        None => continue,
                    }
                }
            };
            if let Some((head, way)) = from.take() {
                // SAFETY: heads live as long as the program.
                let head = unsafe { &*head };
                if head.may_link {
                    head.links[way].store(ready.code.cast_mut(), Ordering::Release);
                }
            }
            let left = self.enter(ready, wave, memory);
            if enters && !matches!(left, Left::Stopped(_)) {
                caught.release(wave.uniform_mut());
            }
            match left {
                Left::Ran(ran) => return ran,
                Left::Stopped(stop) => match caught.catch(&stop, wave.uniform_mut()) {
                    Some(modes) => entering = Some(modes),
                    None => return (*stop).into(),
                },
                Left::At(head, way) => from = Some((head, way)),
                Left::Somewhere => {}
            }
        }
    }
}

/// Where compiled code left the wave.
enum Left {
    /// Its turn is over.
    Ran(Ran),
    /// A step stopped it.
    Stopped(Box<Stop>),
    /// After a block whose link has no target yet.
    At(*const Head, usize),
    /// Behind a block.
    Somewhere,
}

impl Jitted<'_> {
    fn enter(&self, ready: &Ready, wave: &mut Wave, memory: &mut MemoryUnit<'_>) -> Left {
        let (uniform, vector) = wave.raw();
        let context = Context {
            uniform,
            vector: vector.cast(),
            memory,
        };
        let mut ctx = Ctx {
            context,
            stop: None,
        };
        // SAFETY: the code was made for this processor and the layout of a wave, whose files these are; it reaches them
        // and the context alone, which is borrowed mutably.
        let back = unsafe { (self.program.enter)(&raw mut ctx, uniform, vector, ready.code) };
        // SAFETY: heads live as long as the program.
        let head = unsafe { &*back.head };
        let way = match back.exit {
            exit if exit == Exit::Ended as u64 => return Left::Ran(Ran::End(head.end)),
            exit if exit == Exit::Barrier as u64 => return Left::Ran(Ran::Barrier(head.end)),
            exit if exit == Exit::Stop as u64 => {
                let stop = ctx.stop.take().expect("who stops says why");
                return Left::Stopped(Box::new(stop));
            }
            exit if exit == Exit::Unlinked as u64 => return Left::At(head, 0),
            exit if exit == Exit::UnlinkedTaken as u64 => return Left::At(head, 1),
            exit => usize::from(exit == Exit::Taken as u64),
        };
        // SAFETY: the files are those of the wave, and no compiled code is running.
        let paid = unsafe { head.toll.pay_turn(way, &mut *uniform, &*vector.cast()) };
        match paid {
            Some(ran) => Left::Ran(ran),
            None => Left::Somewhere,
        }
    }
}
