//! The simplifier: one pass down and one pass up, both linear in the block.
//!
//! Down: registers are forwarded from their writes to later reads, integer constants are folded, also those written half by half,
//! and operations without effect vanish. Up: writes of uniform registers that cannot be observed and values that are not used are
//! removed. The remaining nodes are numbered without gaps.
//!
//! Vector registers are unchanged: engines fuse their reads and writes into the operation between. Float arithmetic is left to
//! the engine, so that it has one implementation; only the sign bit of a constant is changed here.

mod dead;
mod fold;
mod identity;
mod registers;

use crate::op::{Block, Node};
use crate::operations::{Op, Terminator};
use crate::types::{Reg, Ty, Value};

use identity::Simpler;
use registers::Known;

/// Options of the simplifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Keep writes that a later write overwrites: for blocks under observation.
    pub keep_dead_writes: bool,
}

/// Simplifies a block that the verifier accepts; the result is accepted too.
///
/// The state of the guest stays exact at every operation that can fault, trap or yield: memory operations and the end of the
/// block. Every `inst` is kept.
///
/// # Panics
/// May panic if the block does not [verify](crate::verify).
///
/// ```
/// use wavetank_ir::{Builder, Elem, Family, Fp, Options, Reg, Rel, Terminator, simplify};
/// let b = Builder::new(0);
/// b.inst(0, Family::Salu);
/// let less = b.cmp(Rel::LtU, Elem::I32, Fp::default(), b.read(Reg::S(0)), b.read(Reg::S(1)));
/// b.write(Reg::Scc, less, None);
/// b.inst(4, Family::Branch);
/// let cond = b.read(Reg::Scc);
/// b.end(Terminator::CondBranch { cond, taken: 0x20, next: 8 });
/// let mut block = b.finish();
/// simplify(&mut block, Options::default());
/// // The branch uses the compare; SCC is still written for later blocks.
/// assert!(block.to_string().contains("cond_branch %3, 0x20, 0x8"));
/// assert!(block.to_string().contains("write scc, %3"));
/// ```
pub fn simplify(block: &mut Block, options: Options) {
    let nodes = std::mem::take(&mut block.nodes);
    let mut down = Down::with_capacity(nodes.len());
    for node in nodes {
        down.visit(node);
    }
    block.nodes = dead::remove(down.out, options.keep_dead_writes);
}

/// The state of the pass down.
struct Down {
    /// The nodes of the result.
    out: Vec<Node>,
    /// The new value for each old one.
    new: Vec<Value>,
    known: Known,
    /// The constant second results of folded operations, by old value.
    seconds: Vec<(Value, u64)>,
}

impl Down {
    fn with_capacity(n: usize) -> Self {
        Down {
            out: Vec::with_capacity(n),
            new: Vec::with_capacity(n),
            known: Known::default(),
            seconds: Vec::new(),
        }
    }

    fn visit(&mut self, Node { mut op, ty }: Node) {
        if let Op::Second(of) = op
            && let Ok(i) = self.seconds.binary_search_by_key(&of, |s| s.0)
        {
            op = Op::Const(self.seconds[i].1);
        }
        op.for_each_operand_mut(&mut |v| *v = self.new[v.index()]);
        let value = match ty {
            Some(ty) => self.value(op, ty),
            None => self.effect(op),
        };
        self.new.push(value);
    }

    /// Emits an operation with a result.
    fn value(&mut self, mut op: Op, ty: Ty) -> Value {
        if let Op::Read(reg) = op {
            match self.known.get(reg).map(|v| (v, self.ty(v))) {
                Some((v, is)) if is == ty => return v,
                // The same pair of registers, as a mask and as a number.
                Some((v, _)) => op = Op::Cast(ty, v),
                None => op = self.constant_halves(reg).map_or(op, Op::Const),
            }
        }
        if let Some(folded) = fold::fold(&op, ty, |v| self.constant(v)) {
            if let Some(second) = folded.second {
                self.seconds.push((Value(self.new.len() as u32), second));
            }
            return self.push(Op::Const(folded.value), Some(ty));
        }
        match identity::simpler(&self.out, &op, ty) {
            Some(Simpler::Is(v)) if self.ty(v) == ty => return v,
            Some(Simpler::Const(c)) if !ty.is_vector() => op = Op::Const(c),
            _ => {}
        }
        let reg = match op {
            Op::Read(reg) => Some(reg),
            _ => None,
        };
        let v = self.push(op, Some(ty));
        reg.into_iter().for_each(|reg| self.known.read(reg, v));
        v
    }

    /// Emits an operation without a result.
    fn effect(&mut self, mut op: Op) -> Value {
        if let Op::End(Terminator::CondBranch { cond, taken, next }) = op
            && let Some(c) = self.constant(cond)
        {
            op = Op::End(Terminator::Branch(if c != 0 { taken } else { next }));
        }
        self.known.effect(&op);
        self.push(op, None)
    }

    fn push(&mut self, op: Op, ty: Option<Ty>) -> Value {
        self.out.push(Node { op, ty });
        Value(self.out.len() as u32 - 1)
    }

    fn ty(&self, v: Value) -> Ty {
        self.out[v.index()].ty.expect("operands are values")
    }

    /// The value of a pair whose halves are known constants.
    fn constant_halves(&self, pair: Reg) -> Option<u64> {
        let [low, high] = self.known.halves(pair)?;
        Some(self.constant(low)? | self.constant(high)? << 32)
    }

    fn constant(&self, v: Value) -> Option<u64> {
        match self.out[v.index()].op {
            Op::Const(c) => Some(c),
            _ => None,
        }
    }
}
