//! Who does each node of a block: compiled code for the wave as a whole, compiled code tile by tile, or steps.

use wavetank_ir::{Block, Op, Reg, SHADOW_UNIFORM, Ty, Value};
use wavetank_lane_ops::is_in_file;

use crate::counts::Counts;
use crate::stages::{Doer, source};
use crate::templates;
use crate::uniform::has_template;

/// Who does each node.
#[derive(Clone, Copy)]
pub struct Doers<'c, 'b> {
    pub block: &'b Block,
    pub counts: &'c [Option<Counts>],
    /// Those that compiled code cannot do.
    pub refused: &'c [Value],
}

impl Doers<'_, '_> {
    pub fn of(&self, v: Value, needs_tile: bool) -> Doer {
        let block = self.block;
        let node = block.node(v);
        match node.op {
            Op::Inst { .. } if self.counts[v.index()].is_some() => Doer::Uniform,
            Op::Inst { .. } | Op::Const(_) | Op::Cast(..) | Op::Second(_) | Op::WaitCnt(_) => {
                Doer::Nobody
            }
            Op::Read(Reg::Hw(_)) | Op::Mem(_) | Op::End(_) => Doer::Steps,
            _ if self.refused.contains(&v) => Doer::Steps,
            Op::Write {
                reg, value, bytes, ..
            } => self.of_write(reg, value, bytes, needs_tile),
            _ => self.of_function(v, needs_tile),
        }
    }

    fn of_write(&self, reg: Reg, value: Value, bytes: u8, needs_tile: bool) -> Doer {
        let is_mask = self.block.ty(source(self.block, value)) == Ty::Mask;
        match reg {
            Reg::V(n) if is_in_file(n.into(), 1) => Doer::Tile,
            Reg::V64(n) if bytes == 0xf && is_in_file(n.into(), 2) => Doer::Tile,
            Reg::Mask(n) | Reg::S64(n) if is_mask && needs_tile && n & !SHADOW_UNIFORM < 127 => {
                Doer::Tile
            }
            Reg::S(_) | Reg::S64(_) | Reg::Mask(_) | Reg::Scc => Doer::Uniform,
            Reg::V(_) | Reg::V64(_) | Reg::Hw(_) => Doer::Steps,
        }
    }

    fn of_function(&self, v: Value, needs_tile: bool) -> Doer {
        let (block, op) = (self.block, &self.block.node(v).op);
        let mut lanes = false;
        op.for_each_operand(&mut |a| lanes |= block.ty(*a).is_vector());
        let in_tile = match block.node(v).ty {
            Some(Ty::V32 | Ty::V64) => true,
            Some(Ty::Mask) => lanes || needs_tile,
            _ => false,
        };
        if in_tile && templates::vector(block, op).is_some() {
            Doer::Tile
        } else if !in_tile && has_template(block, op) {
            Doer::Uniform
        } else {
            Doer::Steps
        }
    }
}
