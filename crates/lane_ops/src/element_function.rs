//! The function that computes one element, for each operation of the IR and each element type.
//!
//! A result of `None` says that no function computes the operation on this element type.

use wavetank_ir::{Bin, Cvt, Elem, Fp, Op, Rel, Tern, Un};

use crate::lanes::Env;
use crate::visit::Visit;
use crate::{convert, float, int, packed};

/// Calls the visitor with the function that computes an operation on its element type.
pub fn visit_function<V: Visit>(op: &Op, v: V) -> Option<V::Out> {
    match *op {
        Op::Un(o, e, fp, _) => un(o, e, fp, v),
        Op::Bin(o, e, fp, ..) => bin(o, e, fp, v),
        Op::Tern(o, e, fp, ..) => tern(o, e, fp, v),
        Op::Cmp(r, e, fp, ..) => cmp(r, e, fp, v),
        Op::Class(e, ..) => class(e, v),
        Op::Cvt(c, from, to, fp, _) => cvt(c, from, to, fp, v),
        Op::NonZero(_) => Some(non_zero(v)),
        _ => None,
    }
}

/// Returns the float environment of an operation; that of the default settings if the operation has none.
pub(crate) fn environment(op: &Op) -> Env {
    let fp = match *op {
        Op::Un(_, _, fp, _)
        | Op::Bin(_, _, fp, ..)
        | Op::Tern(_, _, fp, ..)
        | Op::Cmp(_, _, fp, ..)
        | Op::Cvt(_, _, _, fp, _) => fp,
        _ => Fp::default(),
    };
    Env(Env::pack(fp))
}

/// Calls the visitor with the function of an operation with one operand.
fn un<V: Visit>(op: Un, elem: Elem, fp: Fp, v: V) -> Option<V::Out> {
    if elem.half().is_some() {
        packed::un(op, elem, v)
    } else if elem.is_float() {
        float::un(op, elem, fp, v)
    } else {
        int::un(op, elem, v)
    }
}

/// Calls the visitor with the function of an operation with two operands.
fn bin<V: Visit>(op: Bin, elem: Elem, fp: Fp, v: V) -> Option<V::Out> {
    if elem.half().is_some() {
        packed::bin(op, elem, fp, v)
    } else if elem.is_float() {
        float::bin(op, elem, fp, v)
    } else {
        int::bin(op, elem, v)
    }
}

/// Calls the visitor with the function of an operation with three operands.
fn tern<V: Visit>(op: Tern, elem: Elem, fp: Fp, v: V) -> Option<V::Out> {
    if elem.half().is_some() {
        packed::tern(op, elem, fp, v)
    } else if elem.is_float() {
        float::tern(op, elem, fp, v)
    } else {
        int::tern(op, elem, v)
    }
}

/// Calls the visitor with the function of a relation.
fn cmp<V: Visit>(rel: Rel, elem: Elem, _fp: Fp, v: V) -> Option<V::Out> {
    if elem.is_float() {
        float::cmp(rel, elem, v)
    } else {
        int::cmp(rel, elem, v)
    }
}

/// Calls the visitor with the test of a float's class. Its operands are the bits of the float and a mask of classes.
fn class<V: Visit>(elem: Elem, v: V) -> Option<V::Out> {
    float::class(elem, v)
}

/// Calls the visitor with the function of a conversion.
fn cvt<V: Visit>(cvt: Cvt, from: Elem, to: Elem, fp: Fp, v: V) -> Option<V::Out> {
    convert::cvt(cvt, from, to, fp, v)
}

/// Calls the visitor with the test of a 32-bit value for nonzero: a relation whose two operands are both this value.
fn non_zero<V: Visit>(v: V) -> V::Out {
    v.rare_test::<int::NonZero>()
}
