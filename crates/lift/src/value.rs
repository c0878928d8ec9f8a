//! Typed values with operators, so that an arm reads like the manual: `(a << (b & 31)) + c`.
//!
//! The operators work alike on uniform values and on lane vectors; each operation appends one node to the block.

mod cond;
mod float;
mod int;

pub(crate) use cond::Cond;
pub(crate) use float::Float;
pub(crate) use int::Int;

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_ir::{Builder, Op, Reg, Rel, Ty};

    /// Operators take the shape and width of their operands.
    #[test]
    fn shapes() {
        let b = Builder::new(0);
        let (s, v) = (
            Int::i32(&b, b.read(Reg::S(0))),
            Int::i32(&b, b.read(Reg::V(0))),
        );
        assert_eq!(b.ty((s + 1).v), Ty::U32);
        assert_eq!(b.ty((s + v).v), Ty::V32);
        assert_eq!(b.ty((v.widen() << (s & 63)).v), Ty::V64);
        assert_eq!(b.ty(v.lt_s(s).v), Ty::Mask);
        assert_eq!(b.ty(s.lt_s(3).v), Ty::U32);
        assert_eq!(b.ty((!v.eq(0)).v), Ty::Mask);
        assert_eq!(b.ty(s.pack(v).v), Ty::V64);
    }

    /// `a > b` is `b < a`: the operands are swapped, but not the order of nodes.
    #[test]
    fn greater_swaps() {
        let b = Builder::new(0);
        let x = Int::i32(&b, b.read(Reg::S(0)));
        let y = Int::i32(&b, b.read(Reg::S(1)));
        let (c, x, y) = (x.gt_u(y).v, x.v, y.v);
        let op = b.finish().node(c).op.clone();
        assert!(matches!(op, Op::Cmp(Rel::LtU, _, _, p, q) if p == y && q == x));
    }
}
