//! The walk over the values that an operation uses, common to all passes.

use crate::functions::{Bin, Cvt, Rel, Tern, Un};
use crate::image::{ImageKind, Lod, Tiling};
use crate::lane_fn::LaneFn;
use crate::matrix::MatrixOp;
use crate::mem::{
    Access, Clock, Counter, DataReg, Dialect, Elements, Family, GlobalSync, Half, MemKind, MemOp,
    WaitCnt,
};
use crate::operations::Op;
use crate::surface_atomic::{Dimensions, Outside};
use crate::types::{Elem, Fp, Reg, Ty, Value};

/// More values than any rule of a row has.
const ANY_NUMBER: usize = 1 << 16;

/// A field with values, in the order of the text form.
#[diagnostic::on_unimplemented(
    message = "nothing says which values there are in a `{Self}`",
    note = "if there are none, add it to the list in `operands.rs`"
)]
pub(crate) trait Operands {
    /// The largest number of values.
    const COUNT: usize = ANY_NUMBER;

    /// Calls `f` for each value.
    fn walk(&self, f: &mut impl FnMut(&Value));

    /// Calls `f` for each value, which it may replace.
    fn walk_mut(&mut self, f: &mut impl FnMut(&mut Value));
}

impl Op {
    /// Calls `f` for each value that the operation uses, in the order of the text form.
    pub fn for_each_operand(&self, f: &mut impl FnMut(&Value)) {
        self.walk(f);
    }

    /// Like `for_each_operand`, with values that `f` may replace.
    pub fn for_each_operand_mut(&mut self, f: &mut impl FnMut(&mut Value)) {
        self.walk_mut(f);
    }
}

impl MemOp {
    /// Calls `f` for each value that the operation uses, in the order of the text form.
    pub fn for_each_operand(&self, f: &mut impl FnMut(&Value)) {
        self.walk(f);
    }

    /// Like `for_each_operand`, with values that `f` may replace.
    pub fn for_each_operand_mut(&mut self, f: &mut impl FnMut(&mut Value)) {
        self.walk_mut(f);
    }
}

impl Operands for Value {
    const COUNT: usize = 1;

    fn walk(&self, f: &mut impl FnMut(&Value)) {
        f(self);
    }

    fn walk_mut(&mut self, f: &mut impl FnMut(&mut Value)) {
        f(self);
    }
}

/// Implements the walk for lists and optional fields of a type.
macro_rules! several {
    ($($ty:ty, [$($generic:tt)*], $count:expr;)*) => {$(
        impl<T: Operands, $($generic)*> Operands for $ty {
            const COUNT: usize = $count;

            fn walk(&self, f: &mut impl FnMut(&Value)) {
                self.iter().for_each(|field| field.walk(f));
            }

            fn walk_mut(&mut self, f: &mut impl FnMut(&mut Value)) {
                self.iter_mut().for_each(|field| field.walk_mut(f));
            }
        }
    )*};
}

several! {
    Option<T>, [], T::COUNT;
    Vec<T>, [], ANY_NUMBER;
    [T; N], [const N: usize], N * T::COUNT;
}

/// Implements the walk for types without values.
macro_rules! none {
    ($($ty:ty),* $(,)?) => {$(
        impl Operands for $ty {
            const COUNT: usize = 0;

            fn walk(&self, _: &mut impl FnMut(&Value)) {}

            fn walk_mut(&mut self, _: &mut impl FnMut(&mut Value)) {}
        }
    )*};
}

none! {
    u8, u16, u32, u64, i64, bool, Box<str>, &'static LaneFn, Reg, DataReg, Ty, Elem, Fp, Un, Bin, Tern, Rel, Cvt,
    Family, Clock, WaitCnt, GlobalSync, MemKind, Access, Counter, Half, Dialect, Elements, ImageKind, Lod, Tiling,
    Dimensions, Outside, MatrixOp,
}

impl<T: Operands> Operands for Box<T> {
    const COUNT: usize = T::COUNT;

    fn walk(&self, f: &mut impl FnMut(&Value)) {
        (**self).walk(f);
    }

    fn walk_mut(&mut self, f: &mut impl FnMut(&mut Value)) {
        (**self).walk_mut(f);
    }
}
