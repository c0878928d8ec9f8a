//! The values an operation uses, for every pass.

use crate::export::Export;
use crate::functions::{Bin, Cvt, Rel, Tern, Un};
use crate::image::Image;
use crate::lane_fn::LaneFn;
use crate::mem::{Clock, Family, GlobalSync, MemOp, Space};
use crate::op::Value;
use crate::operations::Op;
use crate::types::{Elem, Fp, Reg, Ty};

/// The values in a field, in the order of the text form.
#[diagnostic::on_unimplemented(
    message = "nothing says which values there are in a `{Self}`",
    note = "if there are none, add it to the list in `operands.rs`"
)]
pub(crate) trait Operands {
    /// How many there are, where it is always the same number.
    const COUNT: usize = usize::MAX >> 1;

    /// Calls `f` for each.
    fn walk(&self, f: &mut impl FnMut(&Value));

    /// Lets `f` replace each.
    fn walk_mut(&mut self, f: &mut impl FnMut(&mut Value));
}

impl Op {
    /// Calls `f` for each value this uses, in the order of the text form.
    pub fn for_each_operand(&self, f: &mut impl FnMut(&Value)) {
        self.walk(f);
    }

    /// Like `for_each_operand`, and lets `f` replace the values.
    pub fn for_each_operand_mut(&mut self, f: &mut impl FnMut(&mut Value)) {
        self.walk_mut(f);
    }
}

impl MemOp {
    /// Calls `f` for each value this uses, in the order of the text form.
    pub fn for_each_operand(&self, f: &mut impl FnMut(&Value)) {
        self.walk(f);
    }

    /// Like `for_each_operand`, and lets `f` replace the values.
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

/// Several fields, none or one of a type.
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
    Option<T>, [], usize::MAX >> 1;
    Vec<T>, [], usize::MAX >> 1;
    [T; N], [const N: usize], N * T::COUNT;
}

/// Fields without values.
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
    u8, u16, u64, bool, Box<str>, &'static LaneFn, Reg, Ty, Elem, Fp, Un, Bin, Tern, Rel, Cvt, Family, Clock,
    GlobalSync,
}

/// The fields that have values, of a pattern.
macro_rules! of_fields {
    ($($ty:ident: $($pattern:pat => [$($field:ident),*]),*;)*) => {$(
        impl Operands for $ty {
            fn walk(&self, f: &mut impl FnMut(&Value)) {
                match self {$($pattern => {$($field.walk(f);)*})*}
            }

            fn walk_mut(&mut self, f: &mut impl FnMut(&mut Value)) {
                match self {$($pattern => {$($field.walk_mut(f);)*})*}
            }
        }
    )*};
}

of_fields! {
    Export: Export { sources, mask, .. } => [sources, mask];
    Image: Image { resource, sampler, address, .. } => [resource, sampler, address];
    MemOp: MemOp { space, data, mask, .. } => [space, data, mask];
    Space:
        Space::Global { address, index } | Space::Scalar { address, index } => [address, index],
        Space::Flat { address } | Space::Scratch { address } | Space::Lds { address } => [address],
        Space::Buffer { resource, index, offset, soffset, .. } => [resource, index, offset, soffset],
        Space::Image(image) => [image],
        Space::Gds { address, window } => [address, window],
        Space::LdsPair { address, other } => [address, other],
        Space::ScalarBuffer { resource, index } => [resource, index];
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
