//! The yield points, at which a time slice may end: one list for all engines and for single-stepping.
//!
//! | where | when |
//! |---|---|
//! | a branch back that is taken | its budget is used up |
//! | a computed jump | its budget is used up |
//! | the last wait for loads in flight before a write of memory | its budget is used up |
//! | a branch back that is taken, of a loop that loads | it spins |
//! | `s_sleep` | always |
//! | a barrier, of the work-group or among groups | always |
//!
//! The budget is counted in guest instructions; the scheduler sets it. A wave spins when it takes the back edge of a loop, the
//! loads in the loop returned the same values from the same addresses as in the previous iteration, and the wave has not written
//! memory: only other waves can end that. An atomic operation that returns the old value counts as such a load, since the same
//! old value is returned again only if the operation leaves memory unchanged.
//!
//! Code without a loop ends, so no other yield points are needed.

use crate::backend::{Leave, YieldPoint};
use wavetank_ir::{Block, Counter, MemKind, MemOp, Op, RegFile, Span, Terminator};
use wavetank_memory::{SpinState, Uniform, VECTOR_REGISTERS, VectorRegisters, sreg};

/// A spin loop: only a store of another wave can end it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SpinLoop {
    /// The guest address of the back edge.
    pub branch: u64,
    /// The scalar and vector registers that differ between iterations that make progress: the results of loads, and the parts of
    /// their addresses.
    pub registers: Vec<Span>,
}

/// The cost of a block, charged to a wave's budget, and the yield points at its ends.
#[derive(Clone, Debug)]
pub struct BlockCost {
    /// The guest address of the last instruction, after which it is charged.
    pc: u64,
    cost: i64,
    /// The yield points after the end of the block, and after its taken branch.
    points: [Option<YieldPoint>; 2],
    /// The target of a taken branch.
    taken: Option<u64>,
    /// Whether the block writes memory, so that earlier loads of a spin loop do not count.
    writes: bool,
    /// The loop that the block's back edge closes.
    spin_loop: Option<SpinLoop>,
}

impl BlockCost {
    /// Returns the cost of a block as it was lifted. Its back edge may close a spin loop.
    pub fn new(block: &Block, spin_loop: Option<SpinLoop>) -> BlockCost {
        let (mut at, mut loads, mut writes) = (block.pc, false, false);
        let (mut next, mut taken) = (None, None);
        for node in &block.nodes {
            match &node.op {
                Op::Inst { pc, .. } => at = *pc,
                Op::Mem(op) => {
                    loads |= op.loads();
                    writes |= writes_for_good(op);
                }
                Op::End(Terminator::Branch(to)) => {
                    next = (*to <= at).then_some(YieldPoint::BackEdge);
                }
                Op::End(Terminator::CondBranch { taken: to, .. }) => taken = Some(*to),
                Op::End(Terminator::Jump(_)) => next = Some(YieldPoint::Jump),
                _ => {}
            }
        }
        let wait = loads.then_some(YieldPoint::Wait);
        let back = taken.filter(|to| *to <= at).map(|_| YieldPoint::BackEdge);
        BlockCost {
            pc: at,
            cost: cost(block),
            points: [next.or(wait), back.or(wait)],
            taken,
            writes,
            spin_loop,
        }
    }

    /// Returns the cost of the simplified block: a branch that is always taken is its only edge.
    pub fn of_simplified(mut self, simple: &Block) -> BlockCost {
        let end = simple.nodes.last().map(|node| &node.op);
        if let Some(Op::End(Terminator::Branch(to))) = end
            && self.taken == Some(*to)
        {
            self.points[0] = self.points[1];
        }
        self
    }

    /// Returns the cost of several iterations of a one-block loop, of which only the last can end the time slice.
    pub fn of_iterations(self, count: usize) -> BlockCost {
        let cost = self.cost * count as i64;
        BlockCost { cost, ..self }
    }

    /// Returns the cost of one instruction for single-stepping: a budget of 1 is used up after it.
    pub const fn step(pc: u64) -> BlockCost {
        BlockCost {
            pc,
            cost: 1,
            points: [Some(YieldPoint::BackEdge); 2],
            taken: None,
            writes: false,
            spin_loop: None,
        }
    }

    /// Charges a wave in advance that has run the block up to `rest`, the block of its last instructions: it is charged for that
    /// one at the end, as other waves are. Returns whether the time slice ends there where it would end without this; if not,
    /// nothing is charged.
    pub fn charge_before(&self, rest: &BlockCost, wave: &mut Uniform) -> bool {
        let ends = |block: &BlockCost| (block.pc, block.points, block.taken);
        if ends(self) != ends(rest) || self.spin_loop != rest.spin_loop {
            return false;
        }
        wave.budget -= self.cost - rest.cost;
        if self.writes {
            wave.spin = SpinState::default();
        }
        true
    }

    /// Returns the edge by which the block was left, determined by the wave's PC: 1 for a taken branch, else 0.
    pub fn edge(&self, pc: u64) -> usize {
        usize::from(self.taken == Some(pc))
    }

    /// Charges a wave that has run the block and left it by an [`edge`](Self::edge). Returns the yield point if the wave's time
    /// slice ends here.
    #[inline(always)]
    pub fn charge(
        &self,
        edge: usize,
        wave: &mut Uniform,
        vector: &VectorRegisters,
    ) -> Option<Leave> {
        let point = self.ends_slice(edge, wave, vector)?;
        Some(Leave::yields(point, self.pc))
    }

    #[inline(always)]
    fn ends_slice(
        &self,
        edge: usize,
        wave: &mut Uniform,
        vector: &VectorRegisters,
    ) -> Option<YieldPoint> {
        wave.budget -= self.cost;
        if self.writes {
            wave.spin = SpinState::default();
        }
        let point = self.points[edge]?;
        if let (YieldPoint::BackEdge, Some(spin_loop)) = (point, &self.spin_loop)
            && spin_loop.came_round(wave, vector)
        {
            return Some(YieldPoint::Spin);
        }
        (wave.budget <= 0).then_some(point)
    }

    /// Returns the cost in guest instructions.
    pub fn cost(&self) -> i64 {
        self.cost
    }

    /// Returns whether the time slice may end after the block, left by an [`edge`](Self::edge). Compiled code charges the cost
    /// itself; if the slice may end, only while there is budget left.
    pub fn may_end(&self, edge: usize) -> bool {
        self.points[edge].is_some()
    }

    /// Returns whether spinning is detected on this [`edge`](Self::edge) out of the block.
    pub fn may_spin(&self, edge: usize) -> bool {
        self.points[edge] == Some(YieldPoint::BackEdge) && self.spin_loop.is_some()
    }

    /// Returns whether the block writes memory, which resets the [`SpinState`].
    pub fn resets_spin_state(&self) -> bool {
        self.writes
    }
}

impl SpinLoop {
    /// Returns whether the iteration that ends at this back edge made no progress: all compared registers have the values of the
    /// previous iteration.
    #[cold]
    #[inline(never)]
    fn came_round(&self, wave: &mut Uniform, vector: &VectorRegisters) -> bool {
        let (last, branch, exec) = (wave.spin, self.branch, wave.s64(sreg::EXEC));
        // Most loops that write do so in every iteration, and a compare-and-swap loop loses lanes: registers are compared from the
        // second iteration without either on.
        let again = last.known > 0 && last.branch == branch && last.exec == exec;
        let seen = if again { self.digest(wave, vector) } else { 0 };
        wave.spin = SpinState {
            known: 1 + u64::from(again),
            branch,
            exec,
            seen,
        };
        again && last.known == 2 && seen == last.seen
    }

    /// Returns a hash of the values of the registers.
    fn digest(&self, wave: &Uniform, vector: &VectorRegisters) -> u64 {
        // Several chains, which the host computes at the same time.
        let mut chains = [0; 8];
        for span in &self.registers {
            let file = |len: usize| span.first as usize..(span.end() as usize).min(len);
            match span.file {
                RegFile::Uniform => add(&mut chains, &wave.s[file(wave.s.len())]),
                RegFile::Vector => add(&mut chains, vector[file(VECTOR_REGISTERS)].as_flattened()),
                RegFile::Scc => add(&mut chains, &[wave.scc]),
                RegFile::Hardware => {}
            }
        }
        chains.into_iter().fold(0, mix)
    }
}

/// Adds words to the chains of a hash.
fn add(chains: &mut [u64; 8], words: &[u32]) {
    for eight in words.chunks(chains.len()) {
        for (chain, word) in chains.iter_mut().zip(eight) {
            *chain = mix(*chain, u64::from(*word));
        }
    }
}

/// Returns the hash with another word.
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Returns whether an access may change memory in every iteration of a loop. An atomic operation that returns the old value does
/// not count: that value is among the compared registers.
fn writes_for_good(op: &MemOp) -> bool {
    op.kind == MemKind::Store || matches!(op.kind, MemKind::Atomic(_)) && op.ret.is_none()
}

/// The cost of a load from LDS or scalar memory, in addition to that of its instruction: the first time slice of a wave ends
/// after it.
const SHORT_WAIT: i64 = crate::time_slice::FIRST;

/// The cost of a load from vector memory. On a chip it takes so long that siblings that read LDS meanwhile are done before this
/// wave writes there. So time slices end at such loads until they have grown well beyond a loop that reads.
const LONG_WAIT: i64 = 2048;

/// Returns the cost of a block: one for each instruction, and the largest wait for its loads, which ends with the block or soon
/// after.
fn cost(block: &Block) -> i64 {
    let instructions = |op: &Op| matches!(op, Op::Inst { .. });
    let wait = |op: &Op| match op {
        Op::Mem(m) if !m.loads() => 0,
        Op::Mem(m) if m.counter == Counter::Lgkm => SHORT_WAIT,
        Op::Mem(_) => LONG_WAIT,
        _ => 0,
    };
    let ops = || block.nodes.iter().map(|node| &node.op);
    let count = ops().filter(|op| instructions(op)).count() as i64;
    count + ops().map(wait).max().unwrap_or(0)
}
