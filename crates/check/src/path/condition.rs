//! Conditions on scalar registers: what a compare says about its operands.

use wavetank_gcn::tables::{Sopc, Sopk};
use wavetank_gcn::{Field, Inst, Op, Operand};

use super::values::Values;
use crate::code::constant;

/// The orders that two 32-bit numbers may have: a bit for each pair of an unsigned and a signed one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Orders(u8);

impl Orders {
    pub(super) const EQUAL: Orders = Orders(1);
    /// Less as unsigned and as signed numbers.
    const LESS_LESS: Orders = Orders(1 << 1);
    /// Less as unsigned numbers, greater as signed ones.
    const LESS_GREATER: Orders = Orders(1 << 2);
    const GREATER_LESS: Orders = Orders(1 << 3);
    const GREATER_GREATER: Orders = Orders(1 << 4);

    const LESS_UNSIGNED: Orders = Orders::LESS_LESS.or(Orders::LESS_GREATER);
    const GREATER_UNSIGNED: Orders = Orders::GREATER_LESS.or(Orders::GREATER_GREATER);
    const LESS_SIGNED: Orders = Orders::LESS_LESS.or(Orders::GREATER_LESS);
    const GREATER_SIGNED: Orders = Orders::LESS_GREATER.or(Orders::GREATER_GREATER);

    /// Every order.
    pub(super) const ANY: Orders = Orders(0b11111);

    const fn or(self, other: Orders) -> Orders {
        Orders(self.0 | other.0)
    }

    /// Returns the orders that are in both sets.
    pub(super) const fn both(self, other: Orders) -> Orders {
        Orders(self.0 & other.0)
    }

    /// Returns the other orders.
    pub(super) const fn opposite(self) -> Orders {
        Orders(!self.0 & Orders::ANY.0)
    }

    /// Whether there is no order in the set.
    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether every order of another set is in this one.
    pub(super) const fn contains(self, other: Orders) -> bool {
        other.0 & !self.0 == 0
    }

    /// Returns the orders of the numbers in exchanged places.
    pub(super) fn exchanged(self) -> Orders {
        let pairs = [
            (Orders::EQUAL, Orders::EQUAL),
            (Orders::LESS_LESS, Orders::GREATER_GREATER),
            (Orders::LESS_GREATER, Orders::GREATER_LESS),
            (Orders::GREATER_LESS, Orders::LESS_GREATER),
            (Orders::GREATER_GREATER, Orders::LESS_LESS),
        ];
        let exchanged = pairs.iter().filter(|(own, _)| self.contains(*own));
        exchanged.fold(Orders(0), |all, (_, other)| all.or(*other))
    }

    /// Returns the values that have one of the orders to a number.
    pub(super) fn values_beside(self, number: u32) -> Values {
        /// Signed numbers are in the order of unsigned ones with the sign bit inverted.
        const SIGN: u32 = 1 << 31;
        let signed = number ^ SIGN;
        let parts = [
            (Orders::EQUAL, Values::one(number)),
            (
                Orders::LESS_LESS,
                below(number).both(&below(signed).plus(SIGN)),
            ),
            (
                Orders::LESS_GREATER,
                below(number).both(&above(signed).plus(SIGN)),
            ),
            (
                Orders::GREATER_LESS,
                above(number).both(&below(signed).plus(SIGN)),
            ),
            (
                Orders::GREATER_GREATER,
                above(number).both(&above(signed).plus(SIGN)),
            ),
        ];
        let parts = parts.iter().filter(|(order, _)| self.contains(*order));
        parts.fold(Values::none(), |all, (_, values)| all.or(values))
    }
}

fn below(number: u32) -> Values {
    let last = number.checked_sub(1);
    last.map_or_else(Values::none, |last| Values::between(0, last))
}

fn above(number: u32) -> Values {
    let first = number.checked_add(1);
    first.map_or_else(Values::none, |first| Values::between(first, u32::MAX))
}

/// The right side of a condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Right {
    Register(u8),
    Constant(u32),
}

/// A condition on a scalar register: it has one of some orders to another one, or to a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Condition {
    pub left: u8,
    pub orders: Orders,
    pub right: Right,
}

impl Condition {
    /// Returns the condition for SCC after a compare; `None` for other instructions, and for compares without registers.
    pub(super) fn of(inst: &Inst) -> Option<Condition> {
        let orders = orders(inst.op)?;
        let (left, right) = match inst.op {
            Op::Sopk(_) => {
                let Operand::Imm(number) = inst.operand(Field::Simm16) else {
                    return None;
                };
                let number = extended(inst.op, number);
                (inst.operand(Field::Sdst), Right::Constant(number))
            }
            _ => {
                let right = inst.operand(Field::Src1);
                match right {
                    Operand::Sgpr(n) => (inst.operand(Field::Src0), Right::Register(n)),
                    _ => (inst.operand(Field::Src0), Right::Constant(constant(right)?)),
                }
            }
        };
        match (left, right) {
            (Operand::Sgpr(left), right) => Some(Condition {
                left,
                orders,
                right,
            }),
            (left, Right::Register(register)) => Some(Condition {
                left: register,
                orders: orders.exchanged(),
                right: Right::Constant(constant(left)?),
            }),
            _ => None,
        }
    }

    /// Returns the condition that a register is not 0: that for SCC after most bitwise operations.
    pub(super) fn is_not_zero(register: u8) -> Condition {
        Condition {
            left: register,
            orders: Orders::EQUAL.opposite(),
            right: Right::Constant(0),
        }
    }

    /// Returns the condition that holds if this one does not.
    pub(super) fn opposite(self) -> Condition {
        let orders = self.orders.opposite();
        Condition { orders, ..self }
    }

    /// Whether the condition is about a register.
    pub(super) fn is_about(&self, register: u8) -> bool {
        self.left == register || self.right == Right::Register(register)
    }
}

/// Returns the orders for which a 32-bit compare sets SCC.
fn orders(op: Op) -> Option<Orders> {
    use Sopc::*;
    use Sopk::*;
    Some(match op {
        Op::Sopc(S_CMP_EQ_I32 | S_CMP_EQ_U32) | Op::Sopk(S_CMPK_EQ_I32 | S_CMPK_EQ_U32) => {
            Orders::EQUAL
        }
        Op::Sopc(S_CMP_LG_I32 | S_CMP_LG_U32) | Op::Sopk(S_CMPK_LG_I32 | S_CMPK_LG_U32) => {
            Orders::EQUAL.opposite()
        }
        Op::Sopc(S_CMP_GT_I32) | Op::Sopk(S_CMPK_GT_I32) => Orders::GREATER_SIGNED,
        Op::Sopc(S_CMP_GE_I32) | Op::Sopk(S_CMPK_GE_I32) => Orders::LESS_SIGNED.opposite(),
        Op::Sopc(S_CMP_LT_I32) | Op::Sopk(S_CMPK_LT_I32) => Orders::LESS_SIGNED,
        Op::Sopc(S_CMP_LE_I32) | Op::Sopk(S_CMPK_LE_I32) => Orders::GREATER_SIGNED.opposite(),
        Op::Sopc(S_CMP_GT_U32) | Op::Sopk(S_CMPK_GT_U32) => Orders::GREATER_UNSIGNED,
        Op::Sopc(S_CMP_GE_U32) | Op::Sopk(S_CMPK_GE_U32) => Orders::LESS_UNSIGNED.opposite(),
        Op::Sopc(S_CMP_LT_U32) | Op::Sopk(S_CMPK_LT_U32) => Orders::LESS_UNSIGNED,
        Op::Sopc(S_CMP_LE_U32) | Op::Sopk(S_CMPK_LE_U32) => Orders::GREATER_UNSIGNED.opposite(),
        _ => return None,
    })
}

/// Returns the constant of 16 bits with those that the compare adds to it (Vega ISA, 12.2 SOPK).
fn extended(op: Op, number: i32) -> u32 {
    use Sopk::*;
    let unsigned = [
        S_CMPK_EQ_U32,
        S_CMPK_LG_U32,
        S_CMPK_GT_U32,
        S_CMPK_GE_U32,
        S_CMPK_LT_U32,
        S_CMPK_LE_U32,
    ];
    if unsigned.iter().any(|own| op == Op::Sopk(*own)) {
        number as u16 as u32
    } else {
        number as i16 as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers at which compares differ.
    const NUMBERS: [u32; 9] = [
        0,
        1,
        2,
        0x7fff_fffe,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        u32::MAX - 1,
        u32::MAX,
    ];

    #[test]
    fn values_are_those_for_which_a_compare_is_true() {
        type Compare = fn(u32, u32) -> bool;
        let compares: [(Sopc, Compare); 12] = [
            (Sopc::S_CMP_EQ_I32, |a, b| a == b),
            (Sopc::S_CMP_LG_I32, |a, b| a != b),
            (Sopc::S_CMP_GT_I32, |a, b| a as i32 > b as i32),
            (Sopc::S_CMP_GE_I32, |a, b| a as i32 >= b as i32),
            (Sopc::S_CMP_LT_I32, |a, b| (a as i32) < b as i32),
            (Sopc::S_CMP_LE_I32, |a, b| a as i32 <= b as i32),
            (Sopc::S_CMP_EQ_U32, |a, b| a == b),
            (Sopc::S_CMP_LG_U32, |a, b| a != b),
            (Sopc::S_CMP_GT_U32, |a, b| a > b),
            (Sopc::S_CMP_GE_U32, |a, b| a >= b),
            (Sopc::S_CMP_LT_U32, |a, b| a < b),
            (Sopc::S_CMP_LE_U32, |a, b| a <= b),
        ];
        for (op, is_true) in compares {
            let orders = orders(Op::Sopc(op)).expect("a compare");
            for (a, b) in NUMBERS.iter().flat_map(|a| NUMBERS.map(|b| (*a, b))) {
                let is_in =
                    |orders: Orders, a, b| orders.values_beside(b).contains(&Values::one(a));
                assert_eq!(is_in(orders, a, b), is_true(a, b), "{op:?} {a:#x} {b:#x}");
                assert_eq!(is_in(orders.opposite(), a, b), !is_true(a, b), "not {op:?}");
                assert_eq!(
                    is_in(orders.exchanged(), b, a),
                    is_true(a, b),
                    "{op:?} exchanged"
                );
            }
        }
    }

    #[test]
    fn short_constants_are_extended() {
        assert_eq!(extended(Op::Sopk(Sopk::S_CMPK_EQ_U32), -1), 0xffff);
        assert_eq!(extended(Op::Sopk(Sopk::S_CMPK_EQ_I32), -1), u32::MAX);
        assert_eq!(extended(Op::Sopk(Sopk::S_CMPK_GT_I32), 0x8000), 0xffff_8000);
    }
}
