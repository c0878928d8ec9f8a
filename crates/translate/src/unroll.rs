//! Loop unrolling: several iterations of a one-block loop as one block.
//!
//! A loop of one block comes back to its own start. What its registers hold then goes to memory and back in each iteration, if
//! a block is what an engine compiles. Where it can be told from scalar registers alone how often the loop goes on, several
//! iterations are one block, behind a *guard* that says whether so many will come.

use wavetank_ir::{Block, Node, Op, Options, Reg, RegFile, Span, Terminator, Ty, Value, simplify};
use wavetank_lift::Modes;

use crate::registers::changes_modes;
use crate::{Translated, Translator};

/// The most iterations that become one block.
const MAX_ITERATIONS: usize = 8;

/// The most nodes that the iterations of a block may have together.
const MAX_NODES: usize = 512;

/// Several iterations of a loop.
pub struct Unrolled {
    /// How many they are, two at least.
    pub count: usize,
    /// All of them. Where it ends, and where it goes on, the last iteration says.
    pub block: Block,
    /// Goes to the start of the loop, its branch taken, if no iteration but the last can leave it. Nothing else happens in it.
    pub guard: Block,
}

impl Translator {
    /// Several iterations of the loop that a block is, for the modes that it was translated for. None if it is no loop, if it is
    /// large, or if what keeps it going is not computed from scalar registers alone.
    pub fn unroll(&self, block: &Translated, modes: Modes) -> Option<Unrolled> {
        // A handler sees what an iteration has cost; the next iteration is another block if modes change.
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

/// A block so many times in a row, and the conditions on which each iteration but the last goes on.
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

/// A block that takes its branch if so many iterations of a loop all go on.
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

/// What the end of a block needs alone, if that is computed from scalar registers as they are at its start.
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

/// Whether a node gives the same at the start of a block as where it stands, behind writes of registers.
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
