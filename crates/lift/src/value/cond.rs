//! Truth values with operators, masks or uniform.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use wavetank_ir::{Bin, Builder, Elem, Fp, Ty, Un, Value};

use super::int::Operand;
use super::{Float, Int};

/// A truth value: a lane mask, or a uniform 0 or 1 such as SCC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cond<'b> {
    /// The builder of its node.
    pub b: &'b Builder,
    /// The node: a `Mask`, or a `U32` that is 0 or 1.
    pub v: Value,
}

impl<'b> Cond<'b> {
    /// A lane mask, or a uniform that is 0 or 1.
    pub(crate) fn new(b: &'b Builder, v: Value) -> Self {
        Cond { b, v }
    }

    /// `self ? yes : no`, on integers.
    pub(crate) fn select(self, yes: Int<'b>, no: impl Operand<'b>) -> Int<'b> {
        let no = no.operand(yes);
        Int {
            v: self.b.select(self.v, yes.v, no.v),
            ..yes
        }
    }

    /// `self ? yes : no`, on floats.
    pub(crate) fn select_float(self, yes: Float<'b>, no: Float<'b>) -> Float<'b> {
        Float {
            v: self.b.select(self.v, yes.v, no.v),
            ..yes
        }
    }

    /// A uniform condition as the integer 0 or 1, a mask as its 64 bits.
    pub(crate) fn as_int(self) -> Int<'b> {
        if self.b.ty(self.v) == Ty::U32 {
            Int::i32(self.b, self.v)
        } else {
            Int::i64(self.b, self.v)
        }
    }

    fn bin(self, op: Bin, rhs: Self) -> Self {
        let elem = if self.b.ty(self.v) == Ty::U32 {
            Elem::I32
        } else {
            Elem::I64
        };
        let v = self.b.bin(op, elem, Fp::default(), self.v, rhs.v);
        Cond { v, ..self }
    }
}

impl BitAnd for Cond<'_> {
    type Output = Self;
    fn bitand(self, rhs: Self) -> Self {
        self.bin(Bin::And, rhs)
    }
}

impl BitOr for Cond<'_> {
    type Output = Self;
    fn bitor(self, rhs: Self) -> Self {
        self.bin(Bin::Or, rhs)
    }
}

impl BitXor for Cond<'_> {
    type Output = Self;
    fn bitxor(self, rhs: Self) -> Self {
        self.bin(Bin::Xor, rhs)
    }
}

impl Not for Cond<'_> {
    type Output = Self;
    fn not(self) -> Self {
        if self.b.ty(self.v) == Ty::U32 {
            let one = Cond {
                v: self.b.u32(1),
                ..self
            };
            return self ^ one;
        }
        let v = self.b.un(Un::Not, Elem::I64, Fp::default(), self.v);
        Cond { v, ..self }
    }
}
