//! Loop unrolling: several iterations of a one-block loop as one block.
//!
//! A loop of one block branches back to its own start. If an engine compiles single blocks, the values of registers go to memory
//! and back in each iteration. If scalar registers alone determine how often the loop continues, several iterations become one
//! block. A *guard* before that block tests that all of these iterations will run.

use wavetank_ir::{Block, Node, Op, Options, Reg, RegFile, Span, Terminator, Ty, Value, simplify};
use wavetank_lift::Modes;

use crate::registers::changes_modes;
use crate::{Translated, Translator};

/// The largest number of iterations in one block.
const MAX_ITERATIONS: usize = 8;

/// The largest number of nodes of all iterations together.
const MAX_NODES: usize = 512;

/// Several iterations of a loop.
pub struct Unrolled {
    /// The number of iterations, at least two.
    pub count: usize,
    /// The block of all iterations, with the end and the successors of the last iteration.
    pub block: Block,
    /// A block without other effects that branches to the start of the loop if no iteration except the last can leave it.
    pub guard: Block,
}

impl Translator {
    /// Unrolls the loop that a block is, for the modes that it was translated for. `None` if the block is not a loop, if it is
    /// large, or if its condition is not computed from scalar registers alone.
    pub fn unroll(&self, block: &Translated, modes: Modes) -> Option<Unrolled> {
        // A handler can observe the cost of an iteration. If modes change, the next iteration is another block.
        if modes.has_handler() || modes.gpr_index_enabled() || changes_modes(&block.whole) {
            return None;
        }
        let end = block.simple.nodes.last()?;
        let loops = matches!(end.op, Op::End(Terminator::CondBranch { taken, .. }) if taken == block.whole.pc);
        let count = (MAX_NODES / block.simple.nodes.len()).min(MAX_ITERATIONS);
        if !loops || count < 2 {
            return None;
        }
        let guard = guard(&block.whole, count - 1)?;
        let mut unrolled = repeat(&block.whole, count).0;
        simplify(&mut unrolled, Options::default());
        if self.has_pass() {
            unrolled = self.passed(unrolled);
            simplify(&mut unrolled, Options::default());
        }
        Some(Unrolled {
            count,
            block: unrolled,
            guard,
        })
    }
}

/// A block repeated `count` times, and the conditions on which each iteration except the last continues.
fn repeat(block: &Block, count: usize) -> (Block, Vec<Value>) {
    let (pc, nodes_each) = (block.pc, block.nodes.len());
    let mut nodes: Vec<Node> = Vec::with_capacity(nodes_each * count);
    let mut conditions = Vec::new();
    for n in 1..=count {
        let first = nodes.len() as u32;
        let moved = block.nodes.iter().cloned().map(|mut node| {
            node.op.for_each_operand_mut(&mut |v| v.0 += first);
            node
        });
        nodes.extend(moved);
        if n < count
            && let Some(Op::End(Terminator::CondBranch { cond, .. })) =
                nodes.pop().map(|node| node.op)
        {
            conditions.push(cond);
        }
    }
    (Block { pc, nodes }, conditions)
}

/// A block that takes its branch if `iterations` iterations of a loop all continue.
fn guard(block: &Block, iterations: usize) -> Option<Block> {
    let (mut all, conditions) = repeat(block, iterations);
    let Op::End(Terminator::CondBranch { cond, taken, next }) = all.nodes.pop()?.op else {
        return None;
    };
    let mut push = |op, ty| {
        all.nodes.push(Node { op, ty });
        Value(all.nodes.len() as u32 - 1)
    };
    let zero = push(Op::Const(0), Some(Ty::U32));
    let cond = conditions.iter().rev().fold(cond, |rest, cond| {
        push(Op::Select(*cond, rest, zero), Some(Ty::U32))
    });
    push(Op::End(Terminator::CondBranch { cond, taken, next }), None);
    simplify(&mut all, Options::default());
    without_effects(all)
}

/// The nodes that the end of a block depends on, if these are computed from scalar registers as they are at its start.
fn without_effects(block: Block) -> Option<Block> {
    let mut needed = vec![false; block.nodes.len()];
    *needed.last_mut()? = true;
    for (n, node) in block.nodes.iter().enumerate().rev() {
        if needed[n] {
            node.op.for_each_operand(&mut |v| needed[v.index()] = true);
        }
    }
    let mut written: Vec<Span> = Vec::new();
    let mut new = Vec::with_capacity(block.nodes.len());
    let mut nodes: Vec<Node> = Vec::new();
    for (mut node, needed) in block.nodes.into_iter().zip(needed) {
        new.push(Value(nodes.len() as u32));
        if needed {
            if !is_known_at_the_start(&node, &written) {
                return None;
            }
            node.op.for_each_operand_mut(&mut |v| *v = new[v.index()]);
            nodes.push(node);
        } else {
            written.extend(node.op.effects().writes.iter());
        }
    }
    let pc = block.pc;
    Some(Block { pc, nodes })
}

/// Whether a node has the same value at the start of a block as at its position after writes of registers.
fn is_known_at_the_start(node: &Node, written: &[Span]) -> bool {
    let effects = node.op.effects();
    match node.op {
        Op::End(_) => true,
        Op::Read(Reg::Hw(_)) => false,
        Op::Read(reg) => {
            let span = Span::of(reg);
            span.file != RegFile::Vector && written.iter().all(|w| !w.overlaps(span))
        }
        _ => {
            let scalar = node.ty.is_some_and(|ty| !ty.is_vector());
            let alone = !effects.any() && !effects.varies && effects.reads.is_empty();
            scalar && alone && !effects.crosses_lanes && !effects.reads_memory
        }
    }
}
