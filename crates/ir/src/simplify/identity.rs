//! Algebraic identities: operations that return one of their operands.

use crate::functions::{Bin, Rel, Un};
use crate::op::Node;
use crate::operations::Op;
use crate::types::{Elem, Reg, Ty, Value};

/// The simpler form of an operation.
pub(super) enum Simpler {
    /// An existing value. The caller checks that it has the type of the result: a uniform does not replace a lane vector.
    Is(Value),
    /// A constant, for uniforms and masks only.
    Const(u64),
}

use Simpler::{Const, Is};

/// The simpler form of an operation whose operands are simplified, if there is one.
pub(super) fn simpler(nodes: &[Node], op: &Op, ty: Ty) -> Option<Simpler> {
    let at = At { nodes };
    match *op {
        Op::Un(un, elem, _, a) => at.un(un, elem, a),
        // 16-bit results are zero-extended, so the upper half of the operand may differ.
        Op::Bin(_, Elem::I16, _, _, _) if ty != Ty::Mask => None,
        // The identities of pairs need other constants.
        Op::Bin(_, elem, ..) if elem.half().is_some() => None,
        Op::Bin(bin, _, _, a, b) => at.bin(bin, ty.bits(), a, b),
        Op::Cmp(rel, Elem::I32, _, a, b) if ty == Ty::U32 => at.boolean(rel, a, b),
        Op::Select(cond, a, b) => at.select(cond, a, b),
        Op::Cast(to, a) => match at.nodes[a.index()] {
            _ if at.ty(a) == to => Some(Is(a)),
            Node {
                op: Op::Cast(_, inner),
                ..
            } => Some(Is(inner)),
            _ => None,
        },
        _ => None,
    }
}

struct At<'a> {
    nodes: &'a [Node],
}

impl At<'_> {
    fn op(&self, v: Value) -> &Op {
        &self.nodes[v.index()].op
    }

    fn ty(&self, v: Value) -> Ty {
        self.nodes[v.index()].ty.expect("operands are values")
    }

    fn constant(&self, v: Value) -> Option<u64> {
        match *self.op(v) {
            Op::Const(c) => Some(c),
            _ => None,
        }
    }

    fn un(&self, un: Un, elem: Elem, a: Value) -> Option<Simpler> {
        // The halves are returned zero-extended, whatever the upper bits were.
        let whole = !matches!(elem, Elem::I16 | Elem::F16);
        match (un, self.op(a)) {
            (Un::Not, &Op::Un(Un::Not, inner, _, x)) if whole && inner == elem => Some(Is(x)),
            (Un::FNeg, &Op::Un(Un::FNeg, inner, _, x)) if whole && inner == elem => Some(Is(x)),
            (Un::FAbs, &Op::Un(Un::FAbs, inner, _, _)) if inner == elem => Some(Is(a)),
            (Un::Low, &Op::Un(Un::Widen | Un::WidenSigned, _, _, x)) => Some(Is(x)),
            (Un::Low, &Op::Bin(Bin::Pack, _, _, low, _)) => Some(Is(low)),
            (Un::High, &Op::Bin(Bin::Pack, _, _, _, high)) => Some(Is(high)),
            _ => None,
        }
    }

    fn bin(&self, bin: Bin, bits: u32, a: Value, b: Value) -> Option<Simpler> {
        let ones = u64::MAX >> (64 - bits);
        if a == b {
            match bin {
                Bin::And | Bin::Or | Bin::MinU | Bin::MaxU | Bin::MinS | Bin::MaxS => {
                    return Some(Is(a));
                }
                Bin::Xor | Bin::Sub => return Some(Const(0)),
                _ => {}
            }
        }
        let commutes = matches!(bin, Bin::Add | Bin::Mul | Bin::And | Bin::Or | Bin::Xor);
        let (x, c) = match (self.constant(a), self.constant(b)) {
            (_, Some(c)) => (a, c),
            (Some(c), None) if commutes => (b, c),
            _ => return None,
        };
        match (bin, c) {
            (Bin::Add | Bin::Sub | Bin::Or | Bin::Xor, 0) => Some(Is(x)),
            (Bin::Mul, 1) => Some(Is(x)),
            (Bin::And | Bin::Mul, 0) => Some(Const(0)),
            (Bin::And, c) if c == ones => Some(Is(x)),
            (Bin::Or, c) if c == ones => Some(Const(ones)),
            (Bin::Shl | Bin::Shr | Bin::Sar, c) if c % u64::from(bits) == 0 => Some(Is(x)),
            _ => None,
        }
    }

    /// `x ≠ 0` and `x = 1` for a condition x are the condition.
    fn boolean(&self, rel: Rel, a: Value, b: Value) -> Option<Simpler> {
        let against = match rel {
            Rel::Ne => 0,
            Rel::Eq => 1,
            _ => return None,
        };
        let is = |x, c| self.is_condition(x) && self.constant(c) == Some(against);
        match (a, b) {
            (x, c) if is(x, c) => Some(Is(x)),
            (c, x) if is(x, c) => Some(Is(x)),
            _ => None,
        }
    }

    /// Whether a uniform is 0 or 1.
    fn is_condition(&self, v: Value) -> bool {
        let condition = matches!(self.op(v), Op::Cmp(..) | Op::Second(_) | Op::Read(Reg::Scc));
        condition && self.ty(v) == Ty::U32
    }

    fn select(&self, cond: Value, a: Value, b: Value) -> Option<Simpler> {
        if a == b {
            return Some(Is(a));
        }
        match (self.ty(cond), self.constant(cond)) {
            (Ty::Mask, Some(u64::MAX)) => return Some(Is(a)),
            (_, Some(0)) => return Some(Is(b)),
            (Ty::U32, Some(_)) => return Some(Is(a)),
            _ => {}
        }
        let one_or_zero = self.constant(a) == Some(1) && self.constant(b) == Some(0);
        (one_or_zero && self.is_condition(cond)).then_some(Is(cond))
    }
}
