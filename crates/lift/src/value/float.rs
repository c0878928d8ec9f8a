//! Floats with operators, in a float environment.

use std::ops::{Add, Mul, Neg, Sub};

use wavetank_ir::{Bin, Builder, Cvt, Elem, Fp, Rel, Tern, Un, Value};

use super::{Cond, Int};

/// A float of 16, 32 or 64 bits and the environment its operations run in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Float<'b> {
    /// The builder of its node.
    pub b: &'b Builder,
    /// The node of the value.
    pub v: Value,
    /// `F16`, `F32` or `F64`.
    pub elem: Elem,
    /// Rounding and denormals of operations on it.
    pub fp: Fp,
}

impl<'b> Float<'b> {
    /// A value that holds a float of this element type.
    pub(crate) fn new(b: &'b Builder, elem: Elem, fp: Fp, v: Value) -> Self {
        Float { b, v, elem, fp }
    }

    /// A uniform constant of the same element type, by its bits.
    pub(crate) fn constant_bits(self, bits: u64) -> Self {
        let v = if self.elem == Elem::F64 {
            self.b.u64(bits)
        } else {
            self.b.u32(bits as u32)
        };
        Float { v, ..self }
    }

    /// An operation of one operand, by its name in the IR, with a float result
    /// of the same type.
    pub(crate) fn un(self, op: Un) -> Self {
        let v = self.b.un(op, self.elem, self.fp, self.v);
        Float { v, ..self }
    }

    /// An operation of two operands, by its name in the IR.
    pub(crate) fn bin(self, op: Bin, rhs: Self) -> Self {
        let v = self.b.bin(op, self.elem, self.fp, self.v, rhs.v);
        Float { v, ..self }
    }

    /// An operation of three operands, by its name in the IR.
    pub(crate) fn tern(self, op: Tern, x: Self, y: Self) -> Self {
        let v = self.b.tern(op, self.elem, self.fp, self.v, x.v, y.v);
        Float { v, ..self }
    }

    /// Compares by a relation of the IR.
    pub(crate) fn cmp(self, rel: Rel, rhs: Self) -> Cond<'b> {
        let v = self.b.cmp(rel, self.elem, self.fp, self.v, rhs.v);
        Cond { b: self.b, v }
    }

    /// `self · b + c`, rounded once.
    pub(crate) fn fma(self, b: Self, c: Self) -> Self {
        self.tern(Tern::Fma, b, c)
    }

    /// `self · b` rounded, plus `c` rounded.
    pub(crate) fn mad(self, b: Self, c: Self) -> Self {
        self.tern(Tern::FMad, b, c)
    }

    /// Minimum by the ISA's rules.
    pub(crate) fn min(self, rhs: Self) -> Self {
        self.bin(Bin::FMin, rhs)
    }

    /// Maximum by the ISA's rules.
    pub(crate) fn max(self, rhs: Self) -> Self {
        self.bin(Bin::FMax, rhs)
    }

    /// The bits of the float as an integer.
    pub(crate) fn as_int(self) -> Int<'b> {
        let elem = match self.elem {
            Elem::F16 => Elem::I16,
            Elem::F64 => Elem::I64,
            _ => Elem::I32,
        };
        Int::new(self.b, elem, self.v)
    }

    /// Converts to a signed integer: toward zero, saturating, NaN to 0.
    pub(crate) fn to_int_s(self, elem: Elem) -> Int<'b> {
        let v = self.b.cvt(Cvt::FToS, self.elem, elem, self.fp, self.v);
        Int::new(self.b, elem, v)
    }

    /// Converts to an unsigned integer: toward zero, saturating, NaN to 0.
    pub(crate) fn to_int_u(self, elem: Elem) -> Int<'b> {
        let v = self.b.cvt(Cvt::FToU, self.elem, elem, self.fp, self.v);
        Int::new(self.b, elem, v)
    }

    /// Converts to a float of another width; operations on the result run in `fp`.
    pub(crate) fn to_float(self, elem: Elem, fp: Fp) -> Float<'b> {
        let v = self.b.cvt(Cvt::FToF, self.elem, elem, fp, self.v);
        Float {
            b: self.b,
            v,
            elem,
            fp,
        }
    }
}

macro_rules! float_operators {
    ($($trait:ident $method:ident $op:ident,)*) => {$(
        impl $trait for Float<'_> {
            type Output = Self;
            fn $method(self, rhs: Self) -> Self {
                self.bin(Bin::$op, rhs)
            }
        }
    )*};
}

float_operators! {
    Add add FAdd,
    Sub sub FSub,
    Mul mul FMul,
}

impl Neg for Float<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.un(Un::FNeg)
    }
}
