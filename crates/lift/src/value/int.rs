//! Integers with operators, uniform or one a lane.

use std::ops::{Add, BitAnd, BitOr, BitXor, Mul, Neg, Not, Shl, Shr, Sub};

use wavetank_ir::{Bin, Builder, Cvt, Elem, Fp, Rel, Tern, Ty, Un, Value};

use super::{Cond, Float};

/// An integer of 16, 32 or 64 bits, uniform or one a lane. The operations distinguish signed and unsigned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Int<'b> {
    /// The builder of its node.
    pub b: &'b Builder,
    /// The node of the value.
    pub v: Value,
    /// `I16`, `I32` or `I64`.
    pub elem: Elem,
}

impl<'b> Int<'b> {
    /// A value that holds an integer of this element type.
    pub(crate) fn new(b: &'b Builder, elem: Elem, v: Value) -> Self {
        Int { b, v, elem }
    }

    /// A 32-bit integer value.
    pub(crate) fn i32(b: &'b Builder, v: Value) -> Self {
        Int::new(b, Elem::I32, v)
    }

    /// A 64-bit integer value; a lane mask counts as its 64 bits.
    pub(crate) fn i64(b: &'b Builder, v: Value) -> Self {
        let v = if b.ty(v) == Ty::Mask {
            b.cast(Ty::U64, v)
        } else {
            v
        };
        Int::new(b, Elem::I64, v)
    }

    /// A uniform constant of 32 bits.
    pub(crate) fn const32(b: &'b Builder, c: u32) -> Self {
        Int::i32(b, b.u32(c))
    }

    /// A uniform constant of 64 bits.
    pub(crate) fn const64(b: &'b Builder, c: u64) -> Self {
        Int::i64(b, b.u64(c))
    }

    /// A uniform constant of the same element type.
    pub(crate) fn constant(self, c: u64) -> Self {
        let v = match self.elem {
            Elem::I64 => self.b.u64(c),
            Elem::I16 => self.b.u32(u32::from(c as u16)),
            _ => self.b.u32(c as u32),
        };
        Int { v, ..self }
    }

    /// The width in bits.
    pub(crate) fn bits(self) -> u32 {
        match self.elem {
            Elem::I16 => 16,
            Elem::I64 => 64,
            _ => 32,
        }
    }

    fn un(self, op: Un, elem: Elem) -> Self {
        let v = self.b.un(op, self.elem, Fp::default(), self.v);
        Int { v, elem, ..self }
    }

    fn bin(self, op: Bin, rhs: impl Operand<'b>) -> Self {
        let rhs = rhs.operand(self);
        let v = self.b.bin(op, self.elem, Fp::default(), self.v, rhs.v);
        Int { v, ..self }
    }

    /// A shift; the count is a 32-bit value for every width.
    fn shift(self, op: Bin, rhs: impl Operand<'b>) -> Self {
        let count = rhs.operand(Int {
            elem: Elem::I32,
            ..self
        });
        let count = if count.elem == Elem::I64 {
            count.low()
        } else {
            count
        };
        let v = self.b.bin(op, self.elem, Fp::default(), self.v, count.v);
        Int { v, ..self }
    }

    fn tern(self, op: Tern, x: impl Operand<'b>, y: impl Operand<'b>) -> Self {
        let (x, y) = (x.operand(self), y.operand(self));
        let v = self.b.tern(op, self.elem, Fp::default(), self.v, x.v, y.v);
        Int { v, ..self }
    }

    fn cmp(self, rel: Rel, rhs: impl Operand<'b>) -> Cond<'b> {
        let rhs = rhs.operand(self);
        let v = self.b.cmp(rel, self.elem, Fp::default(), self.v, rhs.v);
        Cond { b: self.b, v }
    }

    /// Shifts right and fills with the sign bit.
    pub(crate) fn sar(self, count: impl Operand<'b>) -> Self {
        self.shift(Bin::Sar, count)
    }

    /// The high half of the unsigned product.
    pub(crate) fn mul_hi_u(self, rhs: impl Operand<'b>) -> Self {
        self.bin(Bin::MulHiU, rhs)
    }

    /// The high half of the signed product.
    pub(crate) fn mul_hi_s(self, rhs: impl Operand<'b>) -> Self {
        self.bin(Bin::MulHiS, rhs)
    }

    /// Any other operation of two operands, by its name in the IR.
    pub(crate) fn apply(self, op: Bin, rhs: impl Operand<'b>) -> Self {
        self.bin(op, rhs)
    }

    /// The unsigned minimum of both.
    pub(crate) fn min_u(self, rhs: impl Operand<'b>) -> Self {
        self.bin(Bin::MinU, rhs)
    }

    /// The unsigned maximum of both.
    pub(crate) fn max_u(self, rhs: impl Operand<'b>) -> Self {
        self.bin(Bin::MaxU, rhs)
    }

    /// The signed minimum of both.
    pub(crate) fn min_s(self, rhs: impl Operand<'b>) -> Self {
        self.bin(Bin::MinS, rhs)
    }

    /// The signed maximum of both.
    pub(crate) fn max_s(self, rhs: impl Operand<'b>) -> Self {
        self.bin(Bin::MaxS, rhs)
    }

    /// The number of ones, in 32 bits.
    pub(crate) fn count_ones(self) -> Self {
        self.un(Un::CountOnes, Elem::I32)
    }

    /// The number of zeros above the highest one, −1 for 0; in 32 bits.
    pub(crate) fn leading_zeros(self) -> Self {
        self.un(Un::LeadingZeros, Elem::I32)
    }

    /// The number of top bits equal to the sign, −1 if all are; in 32 bits.
    pub(crate) fn leading_signs(self) -> Self {
        self.un(Un::LeadingSigns, Elem::I32)
    }

    /// The position of the lowest one, −1 for 0; in 32 bits.
    pub(crate) fn trailing_zeros(self) -> Self {
        self.un(Un::TrailingZeros, Elem::I32)
    }

    /// The bits in reverse order.
    pub(crate) fn reverse(self) -> Self {
        self.un(Un::Reverse, self.elem)
    }

    /// The low half of 64 bits.
    pub(crate) fn low(self) -> Self {
        self.un(Un::Low, Elem::I32)
    }

    /// The high half of 64 bits.
    pub(crate) fn high(self) -> Self {
        self.un(Un::High, Elem::I32)
    }

    /// The value in 64 bits, zero-extended.
    pub(crate) fn widen(self) -> Self {
        self.un(Un::Widen, Elem::I64)
    }

    /// The value in 64 bits, sign-extended.
    pub(crate) fn widen_signed(self) -> Self {
        self.un(Un::WidenSigned, Elem::I64)
    }

    /// Sign-extends the low 8, 16 or 24 bits to 32.
    pub(crate) fn sign_extend(self, bits: u8) -> Self {
        self.un(Un::SignExtend(bits), Elem::I32)
    }

    /// The unsigned field of `width` bits at `offset`, both modulo 32.
    pub(crate) fn bfe_u(self, offset: impl Operand<'b>, width: impl Operand<'b>) -> Self {
        self.tern(Tern::BfeU, offset, width)
    }

    /// The signed field of `width` bits at `offset`, both modulo 32.
    pub(crate) fn bfe_s(self, offset: impl Operand<'b>, width: impl Operand<'b>) -> Self {
        self.tern(Tern::BfeS, offset, width)
    }

    /// The bits of `ones` where this has a 1, of `zeros` where it has a 0.
    pub(crate) fn bit_select(self, ones: impl Operand<'b>, zeros: impl Operand<'b>) -> Self {
        self.tern(Tern::BitSelect, ones, zeros)
    }

    /// Any other operation of three operands, by its name in the IR.
    pub(crate) fn apply3(self, op: Tern, x: impl Operand<'b>, y: impl Operand<'b>) -> Self {
        self.tern(op, x, y)
    }

    /// A value with this as the low half and `high` as the high half: 16 and 16 bits make 32, 32 and 32 make 64.
    pub(crate) fn pack(self, high: impl Operand<'b>) -> Self {
        let elem = if self.elem == Elem::I16 {
            Elem::I32
        } else {
            Elem::I64
        };
        Int {
            elem,
            ..self.bin(Bin::Pack, high)
        }
    }

    /// The same carrier as a 16-bit integer in its low half.
    pub(crate) fn as_i16(self) -> Self {
        Int {
            elem: Elem::I16,
            ..self
        }
    }

    /// 32-bit sum and carry out.
    pub(crate) fn add_carry(
        self,
        rhs: impl Operand<'b>,
        carry: Option<Cond<'b>>,
    ) -> (Self, Cond<'b>) {
        let rhs = rhs.operand(self);
        let (sum, out) = self.b.add_carry(self.v, rhs.v, carry.map(|c| c.v));
        (Int { v: sum, ..self }, Cond { b: self.b, v: out })
    }

    /// 32-bit difference and borrow out.
    pub(crate) fn sub_borrow(
        self,
        rhs: impl Operand<'b>,
        borrow: Option<Cond<'b>>,
    ) -> (Self, Cond<'b>) {
        let rhs = rhs.operand(self);
        let (diff, out) = self.b.sub_borrow(self.v, rhs.v, borrow.map(|c| c.v));
        (Int { v: diff, ..self }, Cond { b: self.b, v: out })
    }

    /// Whether the two numbers are equal.
    pub(crate) fn eq(self, rhs: impl Operand<'b>) -> Cond<'b> {
        self.cmp(Rel::Eq, rhs)
    }

    /// Whether the two numbers differ.
    pub(crate) fn ne(self, rhs: impl Operand<'b>) -> Cond<'b> {
        self.cmp(Rel::Ne, rhs)
    }

    /// Less, as unsigned integers.
    pub(crate) fn lt_u(self, rhs: impl Operand<'b>) -> Cond<'b> {
        self.cmp(Rel::LtU, rhs)
    }

    /// Less or equal, as unsigned integers.
    pub(crate) fn le_u(self, rhs: impl Operand<'b>) -> Cond<'b> {
        self.cmp(Rel::LeU, rhs)
    }

    /// Greater, as unsigned integers.
    pub(crate) fn gt_u(self, rhs: impl Operand<'b>) -> Cond<'b> {
        rhs.operand(self).cmp(Rel::LtU, self)
    }

    /// Greater or equal, as unsigned integers.
    pub(crate) fn ge_u(self, rhs: impl Operand<'b>) -> Cond<'b> {
        rhs.operand(self).cmp(Rel::LeU, self)
    }

    /// Less, as signed integers.
    pub(crate) fn lt_s(self, rhs: impl Operand<'b>) -> Cond<'b> {
        self.cmp(Rel::Lt, rhs)
    }

    /// Less or equal, as signed integers.
    pub(crate) fn le_s(self, rhs: impl Operand<'b>) -> Cond<'b> {
        self.cmp(Rel::Le, rhs)
    }

    /// Greater, as signed integers.
    pub(crate) fn gt_s(self, rhs: impl Operand<'b>) -> Cond<'b> {
        rhs.operand(self).cmp(Rel::Lt, self)
    }

    /// Greater or equal, as signed integers.
    pub(crate) fn ge_s(self, rhs: impl Operand<'b>) -> Cond<'b> {
        rhs.operand(self).cmp(Rel::Le, self)
    }

    /// Whether the value is not zero.
    pub(crate) fn non_zero(self) -> Cond<'b> {
        self.ne(0)
    }

    /// A uniform 0 or 1 as a condition.
    pub(crate) fn as_cond(self) -> Cond<'b> {
        Cond {
            b: self.b,
            v: self.v,
        }
    }

    /// 64 uniform bits as a lane mask.
    pub(crate) fn as_mask(self) -> Cond<'b> {
        Cond {
            b: self.b,
            v: self.b.cast(Ty::Mask, self.v),
        }
    }

    /// A signed integer as a float.
    pub(crate) fn to_float_s(self, elem: Elem, fp: Fp) -> Float<'b> {
        let v = self.b.cvt(Cvt::SToF, self.elem, elem, fp, self.v);
        Float {
            b: self.b,
            v,
            elem,
            fp,
        }
    }

    /// An unsigned integer as a float.
    pub(crate) fn to_float_u(self, elem: Elem, fp: Fp) -> Float<'b> {
        let v = self.b.cvt(Cvt::UToF, self.elem, elem, fp, self.v);
        Float {
            b: self.b,
            v,
            elem,
            fp,
        }
    }
}

/// The right operand of an operator: a value or a plain number.
pub(crate) trait Operand<'b> {
    /// The operand as a value; a number gets the element type of `like`.
    fn operand(self, like: Int<'b>) -> Int<'b>;
}

impl<'b> Operand<'b> for Int<'b> {
    fn operand(self, _: Int<'b>) -> Int<'b> {
        self
    }
}

impl<'b> Operand<'b> for u64 {
    fn operand(self, like: Int<'b>) -> Int<'b> {
        like.constant(self)
    }
}

macro_rules! int_operators {
    ($($trait:ident $method:ident $how:ident $op:ident,)*) => {$(
        impl<'b> $trait for Int<'b> {
            type Output = Int<'b>;
            fn $method(self, rhs: Int<'b>) -> Int<'b> {
                self.$how(Bin::$op, rhs)
            }
        }

        impl<'b> $trait<u64> for Int<'b> {
            type Output = Int<'b>;
            fn $method(self, rhs: u64) -> Int<'b> {
                self.$how(Bin::$op, rhs)
            }
        }
    )*};
}

int_operators! {
    Add add bin Add,
    Sub sub bin Sub,
    Mul mul bin Mul,
    BitAnd bitand bin And,
    BitOr bitor bin Or,
    BitXor bitxor bin Xor,
    Shl shl shift Shl,
    Shr shr shift Shr,
}

impl<'b> Not for Int<'b> {
    type Output = Int<'b>;
    fn not(self) -> Int<'b> {
        self.un(Un::Not, self.elem)
    }
}

impl<'b> Neg for Int<'b> {
    type Output = Int<'b>;
    fn neg(self) -> Int<'b> {
        self.constant(0) - self
    }
}
