//! From a block of the IR to host code.

use std::mem::offset_of;
use std::sync::atomic::AtomicPtr;

use iced_x86::{Code, Register};
use wavetank_interp::Simd;
use wavetank_interp::single::{Next, Single, Singles, Steps, TooMany, is_in_file};
use wavetank_ir::{Block, MemOp, Op, Reg, SHADOW_UNIFORM, Terminator, Value};
use wavetank_machine::BlockCost;
use wavetank_memory::{SpinState, Uniform as State};
use wavetank_translate::RegisterSet;

use crate::about::How;
use crate::asm::{Arg, Asm, Assembled, Label, Mem, fixed};
use crate::avx2::FRAME;
use crate::counts::counts;
use crate::crossings;
use crate::doers::Doers;
use crate::held::Held;
use crate::lanes::{LaneAccess, leave_if_noted};
use crate::memory::ScalarLoad;
use crate::stages::Stages;
use crate::tile::Tile;
use crate::uniform::Uniform;
use crate::zeros;

/// What compiled code knows of its block, at an address that stays.
pub struct Head {
    /// What the block takes of a wave's turn.
    pub block_cost: BlockCost,
    /// Where compiled code goes on: after the end, after a taken branch.
    pub links: [AtomicPtr<u8>; 2],
    /// Whether blocks behind it may be linked: they are the same every time.
    pub may_link: bool,
    /// Steps that the code runs.
    pub steps: Vec<Steps>,
    /// The guest address of the last instruction.
    pub end: u64,
}

/// Why compiled code came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Exit {
    /// The block ended: its cost is to be charged.
    End = Next::Block as u32,
    /// The same, and its branch was taken.
    Taken = Next::Taken as u32,
    /// The wave stops; the context says why.
    Stop = Next::Stop as u32,
    /// The block ended and has been charged; nobody knows what comes next.
    Unlinked = 4,
    /// The same, and its branch was taken.
    UnlinkedTaken = 5,
    /// The wave ended.
    Ended = 6,
    /// The wave waits at a barrier.
    Barrier = 7,
}

/// A block as host code that is not in its place yet.
pub struct Made {
    /// The code.
    pub assembled: Assembled,
    /// Where the links point at first, from the start of the code.
    pub stubs: [usize; 2],
    /// What it knows.
    pub head: Box<Head>,
    /// The operations that steps of the interpreter do.
    pub by_steps: Vec<String>,
    /// Stages in which tiles do something.
    pub tiled: usize,
}

/// Where a guard leads.
#[derive(Clone, Copy)]
pub struct Ways {
    /// More than that must be left of the budget, lest the wave's turn end before the last turn of the loop.
    pub least: i64,
    /// One turn.
    pub one: *const u8,
    /// Several.
    pub several: *const u8,
}

/// Compiles a block. Registers that are `dead` nobody reads behind it.
///
/// # Errors
/// If it keeps more values at once than there is room for.
pub fn compile(
    block: &Block,
    block_cost: BlockCost,
    may_link: bool,
    how: How,
    dead: RegisterSet,
) -> Result<Made, TooMany> {
    make(Task {
        block,
        block_cost,
        may_link,
        how,
        dead,
        ways: None,
    })
}

/// Compiles the guard of several turns of a loop.
///
/// # Errors
/// As [`compile`].
pub fn guard(block: &Block, how: How, ways: Ways) -> Result<Made, TooMany> {
    make(Task {
        block,
        block_cost: BlockCost::new(block, None),
        may_link: false,
        how,
        dead: RegisterSet::default(),
        ways: Some(ways),
    })
}

/// What is to be compiled.
struct Task<'b> {
    block: &'b Block,
    block_cost: BlockCost,
    may_link: bool,
    how: How,
    dead: RegisterSet,
    ways: Option<Ways>,
}

/// Compiles; once more, with steps for those nodes that turn out to have instructions which AVX2 has nothing for.
fn make(task: Task<'_>) -> Result<Made, TooMany> {
    let mut refused = Vec::new();
    loop {
        let mut made = attempt(&task, &refused)?;
        let more = std::mem::take(&mut made.assembled.refused);
        if more.is_empty() {
            return Ok(made);
        }
        if more.iter().any(|v| refused.contains(v)) {
            return Err(TooMany);
        }
        refused.extend(more);
    }
}

/// Compiles, with steps for some nodes.
fn attempt(task: &Task<'_>, refused: &[Value]) -> Result<Made, TooMany> {
    let (block, how) = (task.block, task.how);
    let counts = counts(block, how.count);
    let doers = Doers {
        block,
        counts: &counts,
        refused,
    };
    let stages = Stages::new(block, |v, needs_tile| doers.of(v, needs_tile));
    let single = Singles {
        block,
        copied: stages.copied.clone(),
        last: stages.last.clone(),
        stages: stages.list.len() + 1,
    };
    let mut single = single.at(how.simd);
    let mut asm = match how.simd {
        Simd::Avx512 => Asm::new(),
        _ => Asm::to_avx2(),
    };
    let (stop, out) = (asm.label(), asm.label());
    let head = Box::new(Head {
        block_cost: task.block_cost.clone(),
        links: Default::default(),
        may_link: task.may_link,
        steps: Vec::new(),
        end: block.instruction_of(Value(block.nodes.len() as u32 - 1)),
    });
    let mut compiler = Compiler {
        doers,
        dead: stages.dead(block, task.dead),
        stages: &stages,
        held: Held::new(block, &stages),
        asm: &mut asm,
        single: &mut *single,
        head,
        stop,
        out,
        ways: task.ways,
        stubs: [None; 2],
        by_steps: Vec::new(),
        aside: Vec::new(),
    };
    compiler.run()?;
    let Compiler {
        head,
        stubs,
        by_steps,
        ..
    } = compiler;
    let assembled = asm.finish();
    let stubs = stubs.map(|stub| stub.map_or(0, |stub| assembled.position(stub)));
    Ok(Made {
        tiled: (stages.list.iter()).filter(|s| !s.tile.is_empty()).count(),
        assembled,
        stubs,
        head,
        by_steps,
    })
}

/// Code that calls compiled code: a function of the C convention, of the context, the wave's files and the code.
pub fn entry() -> Vec<u8> {
    let mut asm = Asm::new();
    for register in SAVED {
        asm.op(Code::Push_r64, &[register.into()]);
    }
    // What blocks have on the stack, at a multiple of 64, and where it was before.
    let (rsp, rax) = (Register::RSP, Register::RAX);
    asm.op(Code::Mov_r64_rm64, &[rax.into(), rsp.into()]);
    asm.with_constant(Code::Sub_rm64_imm32, rsp.into(), FRAME as i32, true);
    asm.with_constant(Code::And_rm64_imm32, rsp.into(), -64, true);
    asm.op(Code::Mov_rm64_r64, &[STACK.into(), rax.into()]);
    let moves = [
        (fixed::CTX, Register::RDI),
        (fixed::UNIFORM, Register::RSI),
        (fixed::VECTOR, Register::RDX),
    ];
    for (to, from) in moves {
        asm.op(Code::Mov_r64_rm64, &[to.into(), from.into()]);
    }
    asm.op(Code::Jmp_rm64, &[Register::RCX.into()]);
    asm.finish().bytes
}

/// Where the stack began.
const STACK: Mem = Mem {
    base: Register::RSP,
    index: Register::None,
    offset: 8,
};

const SAVED: [Register; 6] = [
    Register::RBP,
    Register::RBX,
    Register::R12,
    Register::R13,
    Register::R14,
    Register::R15,
];

struct Compiler<'c, 'b> {
    doers: Doers<'c, 'b>,
    stages: &'c Stages,
    /// Of each stage, the registers that nobody reads behind it.
    dead: Vec<RegisterSet>,
    held: Held,
    asm: &'c mut Asm,
    single: &'c mut (dyn Single + 'b),
    head: Box<Head>,
    /// Where the wave stops, because a step said so.
    stop: Label,
    /// Where it goes back, with the reason in the first register.
    out: Label,
    /// Of a guard, where it leads.
    ways: Option<Ways>,
    stubs: [Option<Label>; 2],
    by_steps: Vec<String>,
    /// Accesses and notes with their steps: where these begin, and where the code goes on.
    aside: Vec<(Label, Label, Value, Steps)>,
}

impl<'b> Compiler<'_, 'b> {
    fn run(&mut self) -> Result<(), TooMany> {
        if let Some(ways) = self.ways {
            self.look_at_budget(ways);
        }
        for stage in 0..self.stages.list.len() {
            for v in &self.stages.list[stage].uniform {
                self.held.next();
                self.uniform(*v, stage as u32)?;
            }
            self.tiles(stage as u32)?;
            self.single.done(stage as u32);
        }
        self.asm.place(self.stop);
        self.asm.set(Register::RAX, Exit::Stop as u64);
        self.asm.place(self.out);
        self.leave_to_caller();
        self.asides();
        Ok(())
    }

    fn block(&self) -> &'b Block {
        self.doers.block
    }

    fn uniform(&mut self, v: Value, stage: u32) -> Result<(), TooMany> {
        let op = &self.block().node(v).op;
        self.asm.mark(v);
        match op {
            Op::Inst { .. } => {
                if let Some(counts) = &self.doers.counts[v.index()] {
                    counts.add(self.asm);
                }
                return Ok(());
            }
            Op::End(Terminator::Branch(to)) => {
                self.leave(0, *to);
                return Ok(());
            }
            Op::End(Terminator::CondBranch { cond, taken, next }) => {
                let other = self.asm.label();
                self.uniforms(stage).jump_if(*cond, other);
                self.leave(0, *next);
                self.asm.place(other);
                self.leave(1, *taken);
                return Ok(());
            }
            // What every wave does needs no call.
            Op::End(Terminator::EndProgram) => {
                self.set_pc(self.head.end);
                self.exit(Exit::Ended);
                return Ok(());
            }
            Op::End(Terminator::Barrier { next }) => {
                self.set_pc(*next);
                self.exit(Exit::Barrier);
                return Ok(());
            }
            _ => {}
        }
        if self.stages.done[v.index()] {
            return Ok(());
        }
        if self.stages.compiled[v.index()] {
            return self.uniforms(stage).node(v);
        }
        self.uniforms(stage).forget(true)?;
        match op {
            _ if self.doers.refused.contains(&v) => self.steps(v, stage),
            Op::Mem(op) => self.access(v, op, stage),
            Op::Probe { of, lanes, .. } => self.probe(v, [*of, *lanes], stage),
            op if crossings::is_known(op) => self.uniforms(stage).cross(v),
            _ => self.steps(v, stage),
        }
    }

    /// An access to memory: what compiled code does itself, and steps for where it cannot.
    fn access(&mut self, v: Value, op: &MemOp, stage: u32) -> Result<(), TooMany> {
        let block = self.block();
        let pc = block.instruction_of(v);
        let (slow, done) = (self.asm.label(), self.asm.label());
        if let Some(load) = ScalarLoad::of(op, pc) {
            load.emit(&mut self.uniforms(stage), slow);
        } else if let Some(access) = LaneAccess::of(op, |v| block.ty(v), pc) {
            access.emit(&mut self.uniforms(stage), slow)?;
        } else {
            return self.steps(v, stage);
        }
        self.asm.place(done);
        let steps = self.single.steps(v, stage)?;
        self.aside.push((slow, done, v, steps));
        Ok(())
    }

    /// What is noted, by steps: mostly it is 0, and they are not called.
    fn probe(&mut self, v: Value, [of, lanes]: [Value; 2], stage: u32) -> Result<(), TooMany> {
        let (slow, done) = (self.asm.label(), self.asm.label());
        leave_if_noted(&mut self.uniforms(stage), of, lanes, slow);
        self.asm.place(done);
        let steps = self.single.steps(v, stage)?;
        self.aside.push((slow, done, v, steps));
        Ok(())
    }

    /// The steps for what compiled code cannot do of accesses, and for what is noted, behind all other code.
    fn asides(&mut self) {
        for (slow, done, v, steps) in std::mem::take(&mut self.aside) {
            self.asm.mark(v);
            self.asm.place(slow);
            self.call_steps(steps);
            self.asm.jump(Code::Jmp_rel32_64, done);
        }
    }

    fn uniforms(&mut self, stage: u32) -> Uniform<'_, 'b> {
        Uniform {
            block: self.doers.block,
            asm: self.asm,
            single: self.single,
            stages: self.stages,
            held: &mut self.held,
            stage,
        }
    }

    /// Calls the steps of a node.
    fn steps(&mut self, v: Value, stage: u32) -> Result<(), TooMany> {
        let steps = self.single.steps(v, stage)?;
        if steps.as_slice().is_empty() {
            return Ok(());
        }
        let op = &self.block().node(v).op;
        if matches!(op, Op::End(_)) {
            self.run_steps(steps);
            // What the steps gave is why it comes back.
            self.asm.jump(Code::Jmp_rel32_64, self.out);
        } else {
            self.by_steps.push(name(op));
            self.call_steps(steps);
        }
        Ok(())
    }

    /// Calls steps that do not end the block.
    fn call_steps(&mut self, steps: Steps) {
        self.run_steps(steps);
        let eax = Register::EAX;
        self.asm.op(Code::Test_rm32_r32, &[eax.into(), eax.into()]);
        self.asm.jump(Code::Jne_rel32_64, self.stop);
    }

    fn run_steps(&mut self, steps: Steps) {
        let slice = steps.as_slice();
        let address = slice.as_ptr().expose_provenance() as u64;
        let (count, rdi) = (slice.len() as u64, Register::RDI);
        self.asm
            .op(Code::Mov_r64_rm64, &[rdi.into(), fixed::CTX.into()]);
        self.asm.set(Register::RSI, address);
        self.asm.set(Register::RDX, count);
        self.call(Steps::run as *const () as usize);
        self.head.steps.push(steps);
    }

    fn call(&mut self, function: usize) {
        // What is called may use the older instructions, which wait for upper halves that are in use.
        self.asm.op(Code::VEX_Vzeroupper, &[]);
        self.asm.set(Register::RAX, function as u64);
        self.asm.op(Code::Call_rm64, &[Register::RAX.into()]);
    }

    /// The loop over the tiles of a stage.
    fn tiles(&mut self, stage: u32) -> Result<(), TooMany> {
        let nodes = self.stages.list[stage as usize].tile.len();
        if nodes == 0 {
            return Ok(());
        }
        self.held.tiles(nodes);
        self.uniforms(stage).forget(false)?;
        let again = self.asm.label();
        self.asm.use_constants();
        let zeros = zeros::suit(self.block(), &self.stages.list[stage as usize].tile);
        if zeros {
            zeros::begin(self.asm);
        }
        self.asm.set(fixed::TILE, 0);
        self.asm.set(fixed::PIECE, 0);
        self.asm.place(again);
        let block = self.block();
        let mut tile = Tile::new(
            self.asm,
            block,
            self.single,
            self.stages,
            &mut self.held,
            stage,
            zeros,
        );
        tile.dead = self.dead[stage as usize];
        let gathered = tile.run()?;
        self.asm
            .with_constant(Code::Add_rm64_imm32, fixed::PIECE.into(), 2, true);
        self.asm
            .with_constant(Code::Add_rm64_imm32, fixed::TILE.into(), 64, true);
        self.asm
            .with_constant(Code::Cmp_rm64_imm32, fixed::TILE.into(), 256, true);
        self.asm.jump(Code::Jne_rel32_64, again);
        if zeros {
            zeros::end(self.asm);
        }
        for mask in gathered {
            for at in mask.homes {
                let to = Mem::at(fixed::UNIFORM, at);
                self.asm
                    .op(Code::Mov_rm64_r64, &[to.into(), mask.register.into()]);
            }
            self.held.put(mask.register, mask.values);
        }
        Ok(())
    }

    /// Goes on with one turn if the budget does not do for several.
    fn look_at_budget(&mut self, ways: Ways) {
        let enough = self.asm.label();
        let least = ways.least as i32;
        self.asm
            .with_constant(Code::Cmp_rm64_imm32, budget().into(), least, true);
        self.asm.jump(Code::Jg_rel32_64, enough);
        self.go_to(ways.one);
        self.asm.place(enough);
    }

    fn go_to(&mut self, code: *const u8) {
        let rax = Register::RAX;
        self.asm.set(rax, code.expose_provenance() as u64);
        self.asm.op(Code::Jmp_rm64, &[rax.into()]);
    }

    /// Pays for the block and goes on at a guest address.
    fn leave(&mut self, way: usize, to: u64) {
        if let Some(ways) = self.ways {
            return self.go_to([ways.one, ways.several][way]);
        }
        let budget = budget();
        let block_cost = &self.head.block_cost;
        let (cost, may_end) = (block_cost.cost() as i32, block_cost.may_end(way));
        let (spins, forgets) = (block_cost.may_spin(way), block_cost.resets_spin_state());
        if forgets {
            let known = offset_of!(State, spin) + offset_of!(SpinState, known);
            let known = Mem::at(fixed::UNIFORM, known as u32);
            self.asm
                .with_constant(Code::Mov_rm64_imm32, known.into(), 0, true);
        }
        let [ending, taken] = [Exit::End, Exit::Taken];
        let unpaid = if way == 0 { ending } else { taken };
        if spins {
            self.set_pc(to);
            return self.exit(unpaid);
        }
        let rax = Register::RAX;
        let slow = self.asm.label();
        if may_end {
            self.asm
                .op(Code::Mov_r64_rm64, &[rax.into(), budget.into()]);
            self.asm
                .with_constant(Code::Sub_rm64_imm32, rax.into(), cost, true);
            self.asm.jump(Code::Jle_rel32_64, slow);
            self.asm
                .op(Code::Mov_rm64_r64, &[budget.into(), rax.into()]);
        } else {
            self.asm
                .with_constant(Code::Sub_rm64_imm32, budget.into(), cost, true);
        }
        let link = (&raw const self.head.links[way]).expose_provenance() as u64;
        self.asm.set(rax, link);
        self.asm
            .op(Code::Jmp_rm64, &[Arg::M(Mem::at(Register::RAX, 0))]);
        let stub = self.asm.label();
        self.asm.place(stub);
        self.stubs[way] = Some(stub);
        self.set_pc(to);
        let [end, taken] = [Exit::Unlinked, Exit::UnlinkedTaken];
        self.exit(if way == 0 { end } else { taken });
        if may_end {
            self.asm.place(slow);
            self.set_pc(to);
            self.exit(unpaid);
        }
    }

    fn set_pc(&mut self, pc: u64) {
        let to = Mem::at(fixed::UNIFORM, offset_of!(State, pc) as u32);
        self.asm.set(Register::RAX, pc);
        self.asm
            .op(Code::Mov_rm64_r64, &[to.into(), Register::RAX.into()]);
    }

    fn exit(&mut self, exit: Exit) {
        self.asm.set(Register::RAX, exit as u64);
        self.asm.jump(Code::Jmp_rel32_64, self.out);
    }

    /// Returns with what the first register says, and the head.
    fn leave_to_caller(&mut self) {
        let head = (&raw const *self.head).expose_provenance() as u64;
        self.asm.set(Register::RDX, head);
        self.asm.op(Code::VEX_Vzeroupper, &[]);
        let rsp = Register::RSP;
        self.asm.op(Code::Mov_r64_rm64, &[rsp.into(), STACK.into()]);
        for register in SAVED.into_iter().rev() {
            self.asm.op(Code::Pop_r64, &[register.into()]);
        }
        self.asm.op(Code::Retnq, &[]);
    }
}

/// Where the budget of the wave's turn is.
fn budget() -> Mem {
    Mem::at(fixed::UNIFORM, offset_of!(State, budget) as u32)
}

/// The name of an operation in reports: as its text begins.
fn name(op: &Op) -> String {
    let text = op.to_string();
    let mut words = text.split_whitespace();
    match op {
        Op::LaneFn(..) | Op::Mem(_) => words.take(2).collect::<Vec<_>>().join(" "),
        _ => words.next().unwrap_or_default().to_owned(),
    }
}

/// Whether the block names vector registers past the end of the file, which read as another: no code is made for that.
pub fn leaves_the_file(block: &Block) -> bool {
    let beyond = |op: &Op| match *op {
        Op::Read(Reg::V(n)) => !is_in_file(n.into(), 1),
        Op::Read(Reg::V64(n)) => !is_in_file(n.into(), 2),
        Op::Read(Reg::S64(n) | Reg::Mask(n)) => n & !SHADOW_UNIFORM > 126,
        _ => false,
    };
    block.nodes.iter().any(|node| beyond(&node.op))
}
