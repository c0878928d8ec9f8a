//! From an operation of the IR to the function of its element.

use wavetank_ir::{Bin, Cvt, Elem, Fp, Rel, Tern, Un};

use super::int;
use super::visit::Visit;

/// The function of an operation with one operand; `None` if there is no such
/// combination of operation and element.
pub fn un<V: Visit>(op: Un, elem: Elem, fp: Fp, v: V) -> Option<V::Out> {
    let _ = (op, elem, fp, v);
    None
}

/// The function of an operation with two operands.
pub fn bin<V: Visit>(op: Bin, elem: Elem, fp: Fp, v: V) -> Option<V::Out> {
    let _ = fp;
    int::bin(op, elem, v)
}

/// The function of an operation with three operands.
pub fn tern<V: Visit>(op: Tern, elem: Elem, fp: Fp, v: V) -> Option<V::Out> {
    let _ = (op, elem, fp, v);
    None
}

/// The function of a relation.
pub fn cmp<V: Visit>(rel: Rel, elem: Elem, fp: Fp, v: V) -> Option<V::Out> {
    let _ = (rel, elem, fp, v);
    None
}

/// The test of the class of a float: its bits, and the classes as a `u32`.
pub fn class<V: Visit>(elem: Elem, v: V) -> Option<V::Out> {
    let _ = (elem, v);
    None
}

/// The function of a conversion.
pub fn cvt<V: Visit>(cvt: Cvt, from: Elem, to: Elem, fp: Fp, v: V) -> Option<V::Out> {
    let _ = (cvt, from, to, fp, v);
    None
}

/// Whether a 32-bit value is nonzero: a relation, both of whose operands are
/// that value.
pub fn non_zero<V: Visit>(v: V) -> V::Out {
    v.rare_test::<int::NonZero>()
}
