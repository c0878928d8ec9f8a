//! The compilation of a block: from the IR to host code.

use iced_x86::{Code, Register};
use wavetank_ir::{Block, MatrixOp, MemOp, Op, Reg, SHADOW_UNIFORM, Terminator, Value};
use wavetank_lane_ops::Simd;
use wavetank_lane_ops::is_in_file;
use wavetank_lower::{Single, Singles, Steps, TooMany};
use wavetank_machine::BlockCost;
use wavetank_translate::RegisterSet;

use crate::compiler::asm::{Asm, Assembled, Label, Mem, fixed};
use crate::compiler::avx2::finish;
use crate::compiler::counters::counters;
use crate::compiler::daz;
use crate::compiler::exits::{Exit, Exits, GuardTargets, Head};
use crate::compiler::gpr_alloc::GprAlloc;
use crate::compiler::lanes::{Forms, LaneAccess, leave_if_noted};
use crate::compiler::plan::{Plan, Planner};
use crate::compiler::product::Product;
use crate::compiler::recorded::record_load;
use crate::compiler::scalar_load::ScalarLoad;
use crate::compiler::schedule::schedule;
use crate::compiler::segments::{Reason, Segments};
use crate::compiler::tally::Tally;
use crate::compiler::tile::{Shared, Template, Tile};
use crate::compiler::uniform::Uniform;
use crate::options::CompileOptions;

/// A node on the slow path.
pub(super) struct Slow {
    pub node: Value,
    /// The name of its operation in reports.
    pub name: String,
    /// The reason why helpers compute it.
    pub reason: Reason,
}

/// The host code of a block, before it is copied to executable memory.
pub(super) struct BlockCode {
    /// The instructions with their constants.
    pub assembled: Assembled,
    /// The offsets in the code that the links point to at first.
    pub stubs: [usize; 2],
    /// The data that the code refers to.
    pub head: Box<Head>,
    /// The nodes on the slow path.
    pub by_helpers: Vec<Slow>,
    /// The number of segments with nodes of tiles.
    pub tiled: usize,
    /// The block with renamed registers, if it was compiled so.
    pub renamed: Option<Block>,
}

impl BlockCode {
    /// The block that was compiled, to whose nodes the code refers.
    pub(super) fn compiled<'b>(&'b self, block: &'b Block) -> &'b Block {
        self.renamed.as_ref().unwrap_or(block)
    }
}

/// Compiles the guard of several iterations of a loop.
///
/// # Errors
/// As [`compile`].
pub(super) fn guard(
    block: &Block,
    options: CompileOptions,
    targets: GuardTargets,
) -> Result<BlockCode, TooMany> {
    make(Task {
        block,
        block_cost: BlockCost::new(block, None),
        may_link: false,
        options,
        dead: RegisterSet::default(),
        exact_at_faults: true,
        targets: Some(targets),
    })
}

/// A block with the parameters of its compilation.
pub(super) struct Task<'b> {
    pub block: &'b Block,
    pub block_cost: BlockCost,
    /// Whether its successors are the same at every execution.
    pub may_link: bool,
    pub options: CompileOptions,
    /// The registers that are dead after it.
    pub dead: RegisterSet,
    /// Whether registers must be exact where an access faults.
    pub exact_at_faults: bool,
    /// The targets, if it is a guard.
    pub targets: Option<GuardTargets>,
}

impl Task<'_> {
    /// The task of compiling another form of the block.
    pub(super) fn of<'b>(&self, block: &'b Block) -> Task<'b> {
        Task {
            block,
            block_cost: self.block_cost.clone(),
            ..*self
        }
    }
}

/// Compiles a block; if nodes cannot be lowered to AVX2, once more with helpers for these.
///
/// # Errors
/// If it needs more values at once than there is room for.
pub(super) fn make(task: Task<'_>) -> Result<BlockCode, TooMany> {
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

/// The plan of each node, and the segments of the block.
fn arrange(task: &Task<'_>, planner: &Planner<'_, '_>) -> (Vec<Plan>, Segments) {
    // The order contains all reads already.
    let nodes = (0..).map(Value).zip(&task.block.nodes);
    let mut plans: Vec<Plan> = nodes
        .map(|(v, node)| match node.op {
            Op::Read(_) => planner.of(v, false),
            _ => Plan::None,
        })
        .collect();
    let registers = match task.options.simd {
        Simd::Avx512 => 24,
        // A value is two of sixteen registers.
        _ => 6,
    };
    let mut segments = Segments::new(task.block, task.exact_at_faults, |v, needs_tile| {
        let plan = planner.of(v, needs_tile);
        plans[v.index()] = plan;
        plan.placement()
    });
    for segment in &mut segments.list {
        let nodes = std::mem::take(&mut segment.tile);
        segment.tile = schedule(task.block, nodes, registers);
    }
    (plans, segments)
}

/// The values of a block that tiles of one segment compute and another segment needs.
pub(super) fn crossing(task: &Task<'_>) -> Vec<Value> {
    let counts = counters(task.block, task.options.count);
    let planner = Planner {
        block: task.block,
        counts: &counts,
        refused: &[],
        simd: task.options.simd,
        instrumented: task.options.instrumented,
    };
    arrange(task, &planner).1.crossing()
}

/// Compiles a block, with helpers for the refused nodes.
fn attempt(task: &Task<'_>, refused: &[Value]) -> Result<BlockCode, TooMany> {
    let (block, options) = (task.block, task.options);
    let counts = counters(block, options.count);
    let planner = Planner {
        block,
        counts: &counts,
        refused,
        simd: options.simd,
        instrumented: options.instrumented,
    };
    let (plans, segments) = arrange(task, &planner);
    let single = Singles {
        block,
        copied: segments.copied.clone(),
        last: segments.last.clone(),
        stages: segments.list.len() + 1,
        instrumented: options.instrumented,
    };
    let mut single = single.at(options.simd);
    let mut asm = match options.simd {
        Simd::Avx512 => Asm::new(),
        _ => Asm::to_avx2(),
    };
    let (stop, out) = (asm.label(), asm.label());
    let head = Box::new(Head {
        block_cost: task.block_cost.clone(),
        links: Default::default(),
        may_link: task.may_link,
        helpers: Vec::new(),
        end: block.instruction_of(Value(block.nodes.len() as u32 - 1)),
    });
    let mut compiler = Compiler {
        planner,
        dead: segments.dead(block, task.dead),
        segments: &segments,
        templates: plans.iter().map(|plan| plan.template()).collect(),
        gprs: GprAlloc::new(block, &segments, |v| plans[v.index()].takes_registers()),
        plans,
        forms: Forms::new(block, &segments),
        asm: &mut asm,
        single: &mut *single,
        exits: Exits {
            head,
            targets: task.targets,
            stubs: [None; 2],
            out,
        },
        stop,
        by_helpers: Vec::new(),
        aside: Vec::new(),
    };
    compiler.run()?;
    let Compiler {
        exits: Exits { head, stubs, .. },
        by_helpers,
        ..
    } = compiler;
    let assembled = finish(asm);
    let stubs = stubs.map(|stub| stub.map_or(0, |stub| assembled.position(stub)));
    Ok(BlockCode {
        tiled: (segments.list.iter())
            .filter(|s| !s.tile.is_empty())
            .count(),
        assembled,
        stubs,
        head,
        by_helpers,
        renamed: None,
    })
}

struct Compiler<'c, 'b> {
    planner: Planner<'c, 'b>,
    /// The plan of each node.
    plans: Vec<Plan>,
    segments: &'c Segments,
    /// The registers that are dead after each segment.
    dead: Vec<RegisterSet>,
    gprs: GprAlloc,
    /// The forms of indices that loads share.
    forms: Forms,
    /// The template of each node that tiles compute.
    templates: Vec<Option<Template>>,
    asm: &'c mut Asm,
    single: &'c mut (dyn Single + 'b),
    exits: Exits,
    /// The code that stops the wave for a reason that a helper has given.
    stop: Label,
    by_helpers: Vec<Slow>,
    /// The slow paths of accesses and probes: the start, the return label, the node and its steps.
    aside: Vec<(Label, Label, Value, Steps)>,
}

impl<'b> Compiler<'_, 'b> {
    fn run(&mut self) -> Result<(), TooMany> {
        self.exits.look_at_budget(self.asm);
        for segment in 0..self.segments.list.len() {
            for v in &self.segments.list[segment].uniform {
                self.gprs.next();
                self.uniform(*v, segment as u32)?;
            }
            self.tiles(segment as u32)?;
            self.single.done(segment as u32);
        }
        self.asm.place(self.stop);
        self.asm.set(Register::RAX, Exit::Leave as u64);
        self.asm.place(self.exits.out);
        self.exits.leave_to_caller(self.asm);
        self.asides();
        Ok(())
    }

    fn block(&self) -> &'b Block {
        self.planner.block
    }

    /// Compiles a node of the wave as a whole.
    fn uniform(&mut self, v: Value, segment: u32) -> Result<(), TooMany> {
        self.asm.mark(v);
        if self.segments.done[v.index()] {
            return Ok(());
        }
        let op = &self.block().node(v).op;
        match self.plans[v.index()] {
            Plan::None => return Ok(()),
            Plan::Count => {
                if let Some(counts) = &self.planner.counts[v.index()] {
                    counts.add(self.asm);
                }
                return Ok(());
            }
            Plan::Wave(emit) => return self.uniforms(segment).node(v, emit),
            Plan::End | Plan::CondBranch => {
                self.end(op, segment);
                return Ok(());
            }
            Plan::TileRegister | Plan::Tile(_) => unreachable!("tiles do it"),
            Plan::Access | Plan::Note | Plan::CrossLane | Plan::Product | Plan::Slow(_) => {}
        }
        self.uniforms(segment).forget(true)?;
        match (self.plans[v.index()], op) {
            (Plan::Access, Op::Mem(op)) => self.access(v, op, segment),
            (
                Plan::Note,
                Op::Tally {
                    site,
                    lanes,
                    before,
                },
            ) => {
                let (site, lanes, before) = (*site, *lanes, *before);
                self.tally(
                    v,
                    Tally {
                        site,
                        lanes,
                        before,
                    },
                    segment,
                )
            }
            (Plan::Note, Op::Probe { of, lanes, .. }) => self.probe(v, [*of, *lanes], segment),
            (Plan::CrossLane, _) => self.uniforms(segment).cross(v),
            (Plan::Product, Op::Matrix(op)) => self.product(v, op, segment),
            (Plan::Slow(reason), _) => self.helpers(v, segment, reason),
            _ => unreachable!("plans are those of their operations"),
        }
    }

    /// Compiles the end of a block that needs no call.
    fn end(&mut self, op: &Op, segment: u32) {
        match op {
            Op::End(Terminator::Branch(to)) => self.exits.leave(self.asm, 0, *to),
            Op::End(Terminator::CondBranch { cond, taken, next }) => {
                let other = self.asm.label();
                let comparison = self.segments.in_branch.map(|v| self.plans[v.index()]);
                let comparison = match comparison {
                    Some(Plan::Wave(emit)) => Some(emit),
                    _ => None,
                };
                self.uniforms(segment).jump_if(*cond, comparison, other);
                self.exits.leave(self.asm, 0, *next);
                self.asm.place(other);
                self.exits.leave(self.asm, 1, *taken);
            }
            Op::End(Terminator::EndProgram) => self.exits.end_program(self.asm),
            Op::End(Terminator::Barrier { next }) => self.exits.wait_at_barrier(self.asm, *next),
            _ => unreachable!("other ends are those of helpers"),
        }
    }

    /// Compiles an access to memory, with a slow path for accesses that compiled code does not support.
    fn access(&mut self, v: Value, op: &MemOp, segment: u32) -> Result<(), TooMany> {
        if self.planner.instrumented && !op.shadow {
            return self.recorded_access(v, op, segment);
        }
        let block = self.block();
        let pc = block.instruction_of(v);
        let (slow, done) = (self.asm.label(), self.asm.label());
        if let Some(load) = ScalarLoad::of(op, pc) {
            load.emit(&mut self.uniforms(segment), slow);
        } else if let Some(access) = LaneAccess::of(op, |v| block.ty(v), pc) {
            let form = self.forms.of(v, self.single)?;
            let mut uniforms = Uniform {
                block,
                asm: self.asm,
                single: self.single,
                segments: self.segments,
                gprs: &mut self.gprs,
                segment,
            };
            access.emit(&mut uniforms, form, slow)?;
        } else {
            return self.helpers(
                v,
                segment,
                "the access has a form that compiled code leaves to helpers",
            );
        }
        self.asm.place(done);
        let helpers = self.single.steps(v, segment)?;
        self.aside.push((slow, done, v, helpers));
        Ok(())
    }

    /// Compiles an access that is recorded. Compiled code makes those of the wave as a whole and those of rows, and has them
    /// recorded; helpers make and record all others.
    fn recorded_access(&mut self, v: Value, op: &MemOp, segment: u32) -> Result<(), TooMany> {
        let block = self.block();
        let pc = block.instruction_of(v);
        let helpers = self.single.steps(v, segment)?;
        let Some(request) = helpers.request() else {
            return Ok(());
        };
        let (slow, done) = (self.asm.label(), self.asm.label());
        if let Some(load) = ScalarLoad::of(op, pc) {
            load.emit(&mut self.uniforms(segment), slow);
            record_load(self.asm, request);
        } else if let Some(access) = LaneAccess::of(op, |v| block.ty(v), pc) {
            access.emit_recorded(&mut self.uniforms(segment), request, slow)?;
        } else {
            self.by_helpers.push(Slow {
                node: v,
                name: name(&block.node(v).op),
                reason: "helpers record the access",
            });
            self.call_helpers(helpers);
            return Ok(());
        }
        self.asm.place(done);
        self.aside.push((slow, done, v, helpers));
        Ok(())
    }

    /// Compiles a product of matrices.
    fn product(&mut self, v: Value, op: &MatrixOp, segment: u32) -> Result<(), TooMany> {
        let Some(product) = Product::of(op, self.planner.simd) else {
            return Ok(());
        };
        let (slow, done) = (self.asm.label(), self.asm.label());
        product.emit(self.asm, slow);
        self.asm.place(done);
        if product.may_leave() {
            let helpers = self.single.steps(v, segment)?;
            self.aside.push((slow, done, v, helpers));
        } else {
            self.asm.place(slow);
        }
        Ok(())
    }

    /// Compiles a probe. Mostly the value is 0, and the helpers are not called.
    fn probe(&mut self, v: Value, [of, lanes]: [Value; 2], segment: u32) -> Result<(), TooMany> {
        let (slow, done) = (self.asm.label(), self.asm.label());
        leave_if_noted(&mut self.uniforms(segment), of, lanes, slow);
        self.asm.place(done);
        let helpers = self.single.steps(v, segment)?;
        self.aside.push((slow, done, v, helpers));
        Ok(())
    }

    /// Compiles a tally. The helpers are called once, to make the counters.
    fn tally(&mut self, v: Value, tally: Tally, segment: u32) -> Result<(), TooMany> {
        let (slow, done) = (self.asm.label(), self.asm.label());
        tally.emit(&mut self.uniforms(segment), slow);
        self.asm.place(done);
        let helpers = self.single.steps(v, segment)?;
        self.aside.push((slow, done, v, helpers));
        Ok(())
    }

    /// Emits the slow paths of accesses and probes, after all other code.
    fn asides(&mut self) {
        for (slow, done, v, helpers) in std::mem::take(&mut self.aside) {
            self.asm.mark(v);
            self.asm.place(slow);
            self.call_helpers(helpers);
            self.asm.jump(Code::Jmp_rel32_64, done);
        }
    }

    fn uniforms(&mut self, segment: u32) -> Uniform<'_, 'b> {
        Uniform {
            block: self.planner.block,
            asm: self.asm,
            single: self.single,
            segments: self.segments,
            gprs: &mut self.gprs,
            segment,
        }
    }

    /// Emits a call of the helpers of a node.
    fn helpers(&mut self, v: Value, segment: u32, reason: Reason) -> Result<(), TooMany> {
        let helpers = self.single.steps(v, segment)?;
        if helpers.as_slice().is_empty() {
            return Ok(());
        }
        let op = &self.block().node(v).op;
        if matches!(op, Op::End(_)) {
            self.run_helpers(helpers);
            // The helpers have set the exit reason.
            self.asm.jump(Code::Jmp_rel32_64, self.exits.out);
        } else {
            self.by_helpers.push(Slow {
                node: v,
                name: name(op),
                reason,
            });
            self.call_helpers(helpers);
        }
        Ok(())
    }

    /// Emits a call of helpers that do not end the block.
    fn call_helpers(&mut self, helpers: Steps) {
        self.run_helpers(helpers);
        let eax = Register::EAX;
        self.asm.op(Code::Test_rm32_r32, &[eax.into(), eax.into()]);
        self.asm.jump(Code::Jne_rel32_64, self.stop);
    }

    fn run_helpers(&mut self, helpers: Steps) {
        let slice = helpers.as_slice();
        let address = slice.as_ptr().expose_provenance() as u64;
        let (count, rdi) = (slice.len() as u64, Register::RDI);
        self.asm
            .op(Code::Mov_r64_rm64, &[rdi.into(), fixed::CTX.into()]);
        self.asm.set(Register::RSI, address);
        self.asm.set(Register::RDX, count);
        self.call(Steps::run as *const () as usize);
        self.exits.head.helpers.push(helpers);
    }

    fn call(&mut self, function: usize) {
        // The callee may use SSE instructions, which are slow while upper halves are in use.
        self.asm.op(Code::VEX_Vzeroupper, &[]);
        self.asm.set(Register::RAX, function as u64);
        self.asm.op(Code::Call_rm64, &[Register::RAX.into()]);
    }

    /// Emits the loop over the tiles of a segment.
    fn tiles(&mut self, segment: u32) -> Result<(), TooMany> {
        let nodes = self.segments.list[segment as usize].tile.len();
        if nodes == 0 {
            return Ok(());
        }
        self.gprs.tiles(nodes);
        self.uniforms(segment).forget(false)?;
        let again = self.asm.label();
        self.asm.use_constants();
        let zeros = daz::suit(self.block(), &self.segments.list[segment as usize].tile);
        if zeros {
            daz::begin(self.asm);
        }
        self.asm.set(fixed::TILE, 0);
        self.asm.set(fixed::PIECE, 0);
        self.asm.place(again);
        let block = self.block();
        let shared = Shared {
            asm: self.asm,
            block,
            single: self.single,
            segments: self.segments,
            gprs: &mut self.gprs,
            segment,
        };
        let mut tile = Tile::new(shared, &self.templates, zeros);
        tile.dead = self.dead[segment as usize];
        let gathered = tile.run()?;
        self.asm
            .with_constant(Code::Add_rm64_imm32, fixed::PIECE.into(), 2, true);
        self.asm
            .with_constant(Code::Add_rm64_imm32, fixed::TILE.into(), 64, true);
        self.asm
            .with_constant(Code::Cmp_rm64_imm32, fixed::TILE.into(), 256, true);
        self.asm.jump(Code::Jne_rel32_64, again);
        if zeros {
            daz::end(self.asm);
        }
        for mask in gathered {
            for at in mask.slots {
                let to = Mem::at(fixed::UNIFORM, at);
                self.asm
                    .op(Code::Mov_rm64_r64, &[to.into(), mask.register.into()]);
            }
            self.gprs.put(mask.register, mask.values);
        }
        Ok(())
    }
}

/// The name of an operation in reports: the first word of its text.
fn name(op: &Op) -> String {
    let text = op.to_string();
    let mut words = text.split_whitespace();
    match op {
        Op::LaneFn(..) | Op::Mem(_) => words.take(2).collect::<Vec<_>>().join(" "),
        _ => words.next().unwrap_or_default().to_owned(),
    }
}

/// Whether the block uses vector registers past the end of the file, which read as another one: such a block is not compiled.
pub(super) fn leaves_the_file(block: &Block) -> bool {
    let beyond = |op: &Op| match *op {
        Op::Read(Reg::V(n)) => !is_in_file(n.into(), 1),
        Op::Read(Reg::V64(n)) => !is_in_file(n.into(), 2),
        Op::Read(Reg::S64(n) | Reg::Mask(n)) => n & !SHADOW_UNIFORM > 126,
        _ => false,
    };
    block.nodes.iter().any(|node| beyond(&node.op))
}
