//! Conditions of hazards on both instructions together.

use super::matrix::Span;
use super::valu::is_dot;
use wavetank_gcn::{Field, Inst};

/// A condition on the first and the second instruction of a hazard.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Link {
    /// There is no condition.
    Any,
    /// SrcC of the second is exactly the result of the first.
    SameC,
    /// SrcC of the second overlaps the result of the first, and is not the same.
    OtherC,
    /// The first is not a dot product.
    NotDot,
    /// The operations differ.
    OtherOperation,
    /// The operations differ, or the register is not what the second adds to.
    NotChained,
}

impl Link {
    /// Whether two instructions meet the condition, if they are linked by a vector register.
    pub(super) fn holds(self, first: &Inst, second: &Inst, number: u16) -> bool {
        match self {
            Link::Any => true,
            Link::SameC => Span::of_result(first) == Span::of_c(second),
            Link::OtherC => Span::of_result(first) != Span::of_c(second),
            Link::NotDot => !is_dot(first),
            Link::OtherOperation => first.op != second.op,
            Link::NotChained => first.op != second.op || is_factor_of_dot(second, number),
        }
    }
}

/// Whether a dot product reads a register as one of its first two sources.
fn is_factor_of_dot(inst: &Inst, number: u16) -> bool {
    [Field::Src0, Field::Src1].into_iter().any(|field| {
        Span::in_field(inst, field).is_some_and(|span| span.numbers().contains(&number))
    })
}
