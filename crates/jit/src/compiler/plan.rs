//! The plan of each node of a block: a template computes it tile by tile, an emitter for the wave as a whole, or, on the slow
//! path, helpers: the interpreter's steps. Only this file decides; the matches over operations are exhaustive.

use wavetank_ir::{Block, Op, Reg, SHADOW_UNIFORM, Terminator, Ty, Value};
use wavetank_lane_ops::{Simd, is_in_file};

use crate::compiler::counters::Counters;
use crate::compiler::product::Product;
use crate::compiler::segments::{Placement, Reason, source};
use crate::compiler::templates;
use crate::compiler::tile::Template;
use crate::compiler::uniform::{Emit, select};

/// The way in which a node is compiled.
#[derive(Clone, Copy, Debug)]
pub(super) enum Plan {
    /// No code is needed.
    None,
    /// Code that counts instructions is emitted.
    Count,
    /// A tile reads or writes registers of the wave.
    TileRegister,
    /// A template computes it, tile by tile.
    Tile(Template),
    /// An emitter computes it for the wave as a whole.
    Wave(Emit),
    /// The block ends with a jump, or leaves to its caller.
    End,
    /// The block ends with a conditional branch.
    CondBranch,
    /// An access to memory, with helpers for the slow path.
    Access,
    /// A probe, with helpers that report values other than 0, or a tally, with helpers that make its counters.
    Note,
    /// An operation across lanes, from memory to memory.
    CrossLane,
    /// A product of matrices, from memory to memory.
    Product,
    /// Helpers compute it, for this reason.
    Slow(Reason),
}

impl Plan {
    /// The placement of a node in the order of its block.
    pub(super) fn placement(self) -> Placement {
        match self {
            Plan::None => Placement::None,
            Plan::TileRegister | Plan::Tile(_) => Placement::Tile,
            Plan::Count | Plan::Wave(_) => Placement::Wave,
            Plan::Access => Placement::Access,
            Plan::End | Plan::CondBranch => Placement::Helpers,
            Plan::Note | Plan::CrossLane | Plan::Product | Plan::Slow(_) => Placement::Helpers,
        }
    }

    /// Whether the code takes operands from general registers.
    pub(super) fn takes_registers(self) -> bool {
        match self {
            Plan::Wave(emit) => emit.takes_registers(),
            Plan::CondBranch => true,
            _ => false,
        }
    }

    /// The template, if tiles compute it.
    pub(super) fn template(self) -> Option<Template> {
        match self {
            Plan::Tile(template) => Some(template),
            _ => None,
        }
    }
}

/// The input of planning.
#[derive(Clone, Copy)]
pub(super) struct Planner<'c, 'b> {
    pub block: &'b Block,
    pub counts: &'c [Option<Counters>],
    /// Nodes whose code could not be lowered to AVX2.
    pub refused: &'c [Value],
    /// The level of processor features.
    pub simd: Simd,
    /// Whether waits for vector memory are recorded.
    pub instrumented: bool,
}

impl Planner<'_, '_> {
    /// The plan of a node. `needs_tile` says that it needs a value that the tiles of the open segment compute.
    pub(super) fn of(&self, v: Value, needs_tile: bool) -> Plan {
        match self.block.node(v).op {
            Op::Inst { .. } if self.counts[v.index()].is_some() => Plan::Count,
            Op::WaitCnt(ref wait) if self.instrumented && wait.vm.is_some() => {
                Plan::Slow("an observer records it")
            }
            Op::Inst { .. } | Op::Const(_) | Op::Cast(..) | Op::Second(_) | Op::WaitCnt(_) => {
                Plan::None
            }
            Op::End(ref end) => of_end(end),
            Op::Read(reg) => self.of_read(v, reg),
            _ if self.refused.contains(&v) => Plan::Slow("AVX2 has nothing for its instructions"),
            Op::Write {
                reg, value, bytes, ..
            } => self.of_write(v, reg, value, bytes, needs_tile),
            Op::Mem(_) => Plan::Access,
            Op::Probe { .. } | Op::Tally { .. } => Plan::Note,
            Op::ShuffleMask(..) | Op::Permute { .. } | Op::Scatter { .. } => Plan::CrossLane,
            // A shuffle within rows of 16 lanes has a template.
            Op::Shuffle(..) => match self.of_function(v, needs_tile) {
                Plan::Slow(_) => Plan::CrossLane,
                plan => plan,
            },
            Op::ReadIndexed { .. } | Op::ReadIndexedS { .. } => Plan::Slow(INDEXED),
            Op::WriteIndexed { .. } | Op::WriteIndexedS { .. } => Plan::Slow(INDEXED),
            Op::Clock(_) => Plan::Slow("the engine has the clocks"),
            Op::Matrix(ref product) => match Product::of(product, self.simd) {
                Some(_) => Plan::Product,
                None => Plan::Slow("a routine multiplies matrices of such numbers"),
            },
            Op::Un(..) | Op::Bin(..) | Op::Tern(..) | Op::Cmp(..) | Op::Class(..) | Op::Cvt(..) => {
                self.of_function(v, needs_tile)
            }
            Op::Select(..) | Op::AddCarry(..) | Op::SubBorrow(..) | Op::MadWide { .. } => {
                self.of_function(v, needs_tile)
            }
            Op::NonZero(_) | Op::LanesBelow { .. } | Op::LaneId | Op::LaneFn(..) => {
                self.of_function(v, needs_tile)
            }
            Op::ReadLane(..) | Op::ReadFirstLane(..) => self.of_function(v, needs_tile),
        }
    }

    fn of_read(&self, v: Value, reg: Reg) -> Plan {
        match reg {
            Reg::V(_) | Reg::V64(_) => Plan::TileRegister,
            Reg::Hw(_) => Plan::Slow("hardware registers are computed when they are read"),
            Reg::S(_) | Reg::S64(_) | Reg::Mask(_) | Reg::Scc => self.of_wave(v),
        }
    }

    fn of_write(&self, v: Value, reg: Reg, value: Value, bytes: u8, needs_tile: bool) -> Plan {
        let is_mask = self.block.ty(source(self.block, value)) == Ty::Mask;
        match reg {
            Reg::V(n) if is_in_file(n.into(), 1) => Plan::TileRegister,
            Reg::V64(n) if bytes == 0xf && is_in_file(n.into(), 2) => Plan::TileRegister,
            Reg::Mask(n) | Reg::S64(n) if is_mask && needs_tile && n & !SHADOW_UNIFORM < 127 => {
                Plan::TileRegister
            }
            Reg::S(_) | Reg::S64(_) | Reg::Mask(_) | Reg::Scc => self.of_wave(v),
            Reg::V(_) | Reg::V64(_) => Plan::Slow("it writes beyond the file, or parts of 64 bits"),
            Reg::Hw(_) => Plan::Slow("writes of hardware registers have effects of their own"),
        }
    }

    fn of_function(&self, v: Value, needs_tile: bool) -> Plan {
        let (block, op) = (self.block, &self.block.node(v).op);
        let mut lanes = false;
        op.for_each_operand(&mut |a| lanes |= block.ty(*a).is_vector());
        let in_tile = match block.node(v).ty {
            Some(Ty::V32 | Ty::V64) => true,
            Some(Ty::Mask) => lanes || needs_tile,
            Some(Ty::U32 | Ty::U64) | None => false,
        };
        if in_tile {
            templates::for_lanes(block, op).map_or_else(Plan::Slow, Plan::Tile)
        } else {
            self.of_wave(v)
        }
    }

    fn of_wave(&self, v: Value) -> Plan {
        select(self.block, &self.block.node(v).op).map_or_else(Plan::Slow, Plan::Wave)
    }
}

const INDEXED: Reason = "an index chooses the register";

fn of_end(end: &Terminator) -> Plan {
    match end {
        Terminator::CondBranch { .. } => Plan::CondBranch,
        Terminator::Branch(_) | Terminator::EndProgram | Terminator::Barrier { .. } => Plan::End,
        Terminator::Jump(_) => Plan::Slow("the engine looks for computed addresses"),
        Terminator::Sleep { .. } | Terminator::GlobalSync { .. } | Terminator::Message { .. } => {
            Plan::Slow("the wave gives its turn away")
        }
        Terminator::Export { .. } => Plan::Slow("values leave the wave"),
        Terminator::Breakpoint { .. } => Plan::Slow("an observer looks at the wave"),
        Terminator::Trap { .. } | Terminator::Unsupported { .. } => Plan::Slow("the wave stops"),
    }
}
