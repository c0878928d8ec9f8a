//! Values derived from another one: computed once in a segment, and reused by later nodes of it.
//!
//! A half of a dword is derived in single precision. The template that computes it may leave it in both forms (`result_derives`),
//! so that a chain of halves stays in single precision: the bits are stored for the registers of the wave, but no later link of the
//! chain waits for them. What is written under a mask is derived in the lanes of the mask alone, and serves nodes whose result
//! is used in no other lanes.

use iced_x86::Register;
use wavetank_ir::{Block, Elem, Op, Reg, Un, Value};
use wavetank_lower::TooMany;

use super::Tile;
use super::vars::{Derivation, Derived, MASK, VarId};
use crate::compiler::segments::source;

/// How many nodes are followed from a result to the write that takes it.
const LINKS: usize = 3;

impl Tile<'_, '_> {
    /// The register of a value derived from an operand. `make` computes it into a register from another, unless it exists
    /// already.
    pub(crate) fn derived_once(
        &mut self,
        v: Value,
        what: Derived,
        make: impl FnOnce(&mut Self, Register, Register),
    ) -> Result<Register, TooMany> {
        let var = self.var(v, 0);
        if let Some(known) = self.derivation(var, what) {
            return self.register(known);
        }
        let from = self.register(var)?;
        let to = self.free_register(false)?;
        make(self, to, from);
        let known = self.new_var(None, false);
        self.vars[known].values = self.vars[var].values.clone();
        let lanes = None;
        let derivation = Derivation {
            what,
            var: known,
            lanes,
        };
        self.vars[var].derived.push(derivation);
        self.put(known, to);
        Ok(to)
    }

    /// A value derived from another one that is right where the current node needs it.
    fn derivation(&self, var: VarId, what: Derived) -> Option<VarId> {
        let derived = &self.vars[var].derived;
        if derived.is_empty() {
            return None;
        }
        let lanes = self.wanted_lanes();
        let fits = |d: &&Derivation| {
            let is_right = d.lanes.is_none() || d.lanes == lanes;
            d.what == what && is_right && self.is_there(d.var)
        };
        derived.iter().rev().find(fits).map(|d| d.var)
    }

    /// The mask of the only lanes in which the result of the current node is used, if there is one.
    fn wanted_lanes(&self) -> Option<VarId> {
        let lanes = |mask: Value| self.of.get(source(self.block, mask), MASK);
        if let Some((_, mask)) = self.merge {
            return mask.and_then(lanes);
        }
        let mut v = self.this();
        for _ in 0..LINKS {
            let [at] = *self.uses.of(v) else {
                return None;
            };
            if self.segments.needed[v.index()] > self.segment {
                return None;
            }
            v = self.nodes[at];
            match self.block.node(v).op {
                Op::Write { mask, .. } => return mask.and_then(lanes),
                ref op if is_of_halves(op) => {}
                _ => return None,
            }
        }
        None
    }

    /// Whether later nodes take the lower and the higher half of the result in single precision.
    pub(crate) fn halves_are_wanted(&self) -> [bool; 2] {
        let mut wanted = [false; 2];
        let this = self.this();
        let mut look = |v: Value| {
            for at in self.uses.of(v).iter().filter(|at| **at > self.at) {
                let halves = widens(self.block, self.nodes[*at]);
                wanted = [wanted[0] | halves[0], wanted[1] | halves[1]];
            }
        };
        look(this);
        if let Some(Op::Write { reg: Reg::V(n), .. }) = self.next_op() {
            self.later_reads(n, self.at + 2).into_iter().for_each(look);
        }
        wanted
    }

    fn next_op(&self) -> Option<Op> {
        let next = self.nodes.get(self.at + 1)?;
        Some(self.block.node(*next).op.clone())
    }

    /// The nodes from a position on that read a vector register before it is written.
    fn later_reads(&self, n: u16, from: usize) -> Vec<Value> {
        let mut reads = Vec::new();
        for v in self.nodes.iter().skip(from) {
            match self.block.node(*v).op {
                Op::Read(Reg::V(of)) if of == n => reads.push(*v),
                Op::Write {
                    reg: Reg::V(of), ..
                } if of == n => break,
                Op::Write {
                    reg: Reg::V64(of), ..
                } if of == n || of + 1 == n => break,
                _ => {}
            }
        }
        reads
    }

    /// Records what a register has of the result of the current node, in several forms if they are the same.
    pub(crate) fn result_derives(&mut self, forms: &[Derived], register: Register) {
        let this = self.this();
        let (base, var) = (self.var(this, 0), self.new_var(None, false));
        self.vars[var].values.push(this);
        let mut lanes = None;
        if let Some((n, mask)) = self.merge {
            lanes = mask.map(|mask| self.var(mask, MASK));
            let reads = self.later_reads(n, self.at + 2);
            self.vars[var].values.extend(reads);
        }
        let derived = forms.iter().map(|what| Derivation {
            what: *what,
            var,
            lanes,
        });
        self.vars[base].derived.extend(derived);
        self.put(var, register);
    }

    /// A write of some bytes of a register keeps a half of what was there, or takes one from the value.
    pub(super) fn keep_halves(
        &mut self,
        n: u16,
        [old, value, new]: [VarId; 3],
        mask: Option<Value>,
        bytes: u8,
    ) {
        if self.vars[old].derived.is_empty() && self.vars[value].derived.is_empty() {
            return;
        }
        let lanes = mask.map(|mask| self.var(mask, MASK));
        let of_half = |d: &Derivation, high: bool| match d.what {
            Derived::Half(half) => half.high == high,
            Derived::WithoutDenormals => false,
        };
        let mut derived = Vec::new();
        for (high, its) in [(false, 0b0011), (true, 0b1100)] {
            let from = if bytes & its == 0 { old } else { value };
            if bytes & its != 0 && bytes & its != its {
                continue;
            }
            for d in self.vars[from].derived.iter().filter(|d| of_half(d, high)) {
                if from == old {
                    derived.push(*d);
                } else if d.lanes.is_none() || d.lanes == lanes {
                    derived.push(Derivation { lanes, ..*d });
                }
            }
        }
        let reads = self.later_reads(n, self.at + 1);
        for d in &derived {
            self.vars[d.var].values.extend(&reads);
        }
        self.vars[new].derived = derived;
    }
}

/// Whether an operation on halves makes halves, lane by lane.
fn is_of_halves(op: &Op) -> bool {
    match op {
        Op::Un(_, elem, ..) | Op::Bin(_, elem, ..) | Op::Tern(_, elem, ..) => {
            matches!(elem, Elem::F16 | Elem::F16x2)
        }
        _ => false,
    }
}

/// The halves of its operands that a node takes in single precision.
fn widens(block: &Block, v: Value) -> [bool; 2] {
    match block.node(v).op {
        // The sign is a bit.
        Op::Un(Un::FNeg | Un::FAbs, ..) => [false; 2],
        Op::Un(_, elem, ..) | Op::Bin(_, elem, ..) | Op::Tern(_, elem, ..) => match elem {
            Elem::F16 => [true, false],
            Elem::F16x2 => [true; 2],
            _ => [false; 2],
        },
        Op::Cmp(_, Elem::F16, ..) | Op::Cvt(_, Elem::F16, ..) => [true, false],
        _ => [false; 2],
    }
}
