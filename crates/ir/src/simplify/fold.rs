//! Constant folding of integer operations.

use crate::evaluate::{add_carry, mad_wide, sub_borrow};
use crate::operations::Op;
use crate::types::{Elem, Ty, Value};

/// The results of an operation on constants.
pub(super) struct Folded {
    /// The only result, or the first one.
    pub value: u64,
    /// The second result, for operations that have one.
    pub second: Option<u64>,
}

/// Evaluates an operation with only constant operands. `None` for other operations: float arithmetic is left to the engine.
pub(super) fn fold(op: &Op, ty: Ty, get: impl Fn(Value) -> Option<u64>) -> Option<Folded> {
    // Only uniforms and masks can be constants.
    if ty.is_vector() {
        return None;
    }
    // Masks are 64 bits wide, whatever the element of the operation.
    let wide = |elem| if ty == Ty::Mask { Elem::I64 } else { elem };
    let value = match *op {
        Op::Un(un, elem, _, a) => un.evaluate(wide(elem), get(a)?)?,
        Op::Bin(bin, elem, _, a, b) => bin.evaluate(wide(elem), get(a)?, get(b)?)?,
        Op::Tern(tern, elem, _, a, b, c) => {
            tern.evaluate(wide(elem), [get(a)?, get(b)?, get(c)?])?
        }
        Op::Cmp(rel, elem, _, a, b) => rel.evaluate(elem, get(a)?, get(b)?)?.into(),
        Op::Cast(_, a) => get(a)?,
        Op::NonZero(a) => match get(a)? {
            0 => 0,
            _ => u64::MAX,
        },
        Op::ReadLane(v, _) | Op::ReadFirstLane(v, _) => get(v)?,
        Op::AddCarry(a, b, carry) => {
            return Some(two(add_carry(get(a)?, get(b)?, carry_in(carry, get)?)));
        }
        Op::SubBorrow(a, b, borrow) => {
            return Some(two(sub_borrow(get(a)?, get(b)?, carry_in(borrow, get)?)));
        }
        Op::MadWide {
            signed,
            args: [a, b, c],
        } => {
            return Some(two(mad_wide(signed, get(a)?, get(b)?, get(c)?)));
        }
        _ => return None,
    };
    Some(Folded {
        value,
        second: None,
    })
}

fn two((value, second): (u64, bool)) -> Folded {
    Folded {
        value,
        second: Some(second.into()),
    }
}

/// The value of a constant carry, which must be 0 or 1.
fn carry_in(carry: Option<Value>, get: impl Fn(Value) -> Option<u64>) -> Option<bool> {
    match carry.map_or(Some(0), get)? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}
