//! Predicates of scalar registers that are not orders of numbers: bits, pairs of registers, and masks that are zero.

use wavetank_gcn::numbers::sreg;
use wavetank_gcn::tables::{Sop1, Sopc, Sopp};
use wavetank_gcn::{Field, Inst, Op, Operand};

use crate::code::constant;

/// A predicate of scalar registers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Predicate {
    /// A bit of a register is set.
    Bit(u8, u8),
    /// A pair of registers, which begins with this one, equals another pair.
    EqualPairs(u8, u8),
    /// A pair of registers, which begins with this one, equals a constant that is extended by its sign.
    EqualConstant(u8, u32),
}

/// A predicate, and whether it is true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outcome {
    pub predicate: Predicate,
    pub is_true: bool,
}

impl Predicate {
    /// Returns the predicate that a pair of registers is zero.
    fn is_zero(pair: u8) -> Predicate {
        Predicate::EqualConstant(pair, 0)
    }

    /// Whether the predicate is about a register.
    pub(super) fn is_about(self, register: u8) -> bool {
        let is_in = |pair: u8| register == pair || register == pair + 1;
        match self {
            Predicate::Bit(own, _) => own == register,
            Predicate::EqualPairs(a, b) => is_in(a) || is_in(b),
            Predicate::EqualConstant(own, _) => is_in(own),
        }
    }
}

impl Outcome {
    fn new(predicate: Predicate, is_true: bool) -> Outcome {
        Outcome { predicate, is_true }
    }

    /// Returns the outcome of the opposite.
    pub(super) fn opposite(self) -> Outcome {
        Outcome::new(self.predicate, !self.is_true)
    }

    /// Returns the outcome of which SCC is the truth after an instruction; `None` for instructions that are not such tests.
    pub(super) fn of_scc(inst: &Inst) -> Option<Outcome> {
        let (left, right) = (inst.operand(Field::Src0), inst.operand(Field::Src1));
        let Op::Sopc(op) = inst.op else { return None };
        match op {
            Sopc::S_BITCMP0_B32 | Sopc::S_BITCMP1_B32 => {
                let (Operand::Sgpr(register), bit) = (left, constant(right)?) else {
                    return None;
                };
                let bit = Predicate::Bit(register, (bit % 32) as u8);
                Some(Outcome::new(bit, op == Sopc::S_BITCMP1_B32))
            }
            Sopc::S_CMP_EQ_U64 | Sopc::S_CMP_LG_U64 => {
                let equal = match (left, right) {
                    (Operand::Sgpr(a), Operand::Sgpr(b)) => {
                        Predicate::EqualPairs(a.min(b), a.max(b))
                    }
                    // A literal has zeros above its 32 bits, where the other constants have signs.
                    (_, Operand::Literal(_)) | (Operand::Literal(_), _) => return None,
                    (Operand::Sgpr(pair), other) | (other, Operand::Sgpr(pair)) => {
                        Predicate::EqualConstant(pair, constant(other)?)
                    }
                    _ => return None,
                };
                Some(Outcome::new(equal, op == Sopc::S_CMP_EQ_U64))
            }
            _ => None,
        }
    }

    /// Returns the outcome that a branch tests itself, if it does not test SCC: it is taken if this is so. VCCZ and EXECZ say that
    /// a mask is zero (Vega ISA, 4.2).
    pub(super) fn of_branch(inst: &Inst) -> Option<Outcome> {
        let (pair, is_zero) = match inst.op {
            Op::Sopp(Sopp::S_CBRANCH_VCCZ) => (sreg::VCC, true),
            Op::Sopp(Sopp::S_CBRANCH_VCCNZ) => (sreg::VCC, false),
            Op::Sopp(Sopp::S_CBRANCH_EXECZ) => (sreg::EXEC, true),
            Op::Sopp(Sopp::S_CBRANCH_EXECNZ) => (sreg::EXEC, false),
            _ => return None,
        };
        Some(Outcome::new(Predicate::is_zero(pair), is_zero))
    }

    /// Returns the outcome that holds after an instruction that writes a register, for one that sets or clears a bit of it.
    pub(super) fn of_result(inst: &Inst) -> Option<Outcome> {
        let (Op::Sop1(op), Operand::Sgpr(to)) = (inst.op, inst.operand(Field::Sdst)) else {
            return None;
        };
        let sets = match op {
            Sop1::S_BITSET0_B32 => false,
            Sop1::S_BITSET1_B32 => true,
            _ => return None,
        };
        let bit = constant(inst.operand(Field::Src0))?;
        Some(Outcome::new(Predicate::Bit(to, (bit % 32) as u8), sets))
    }
}
