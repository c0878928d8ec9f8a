//! What an instruction does to the scalar registers and to SCC, as far as facts about them follow.

use wavetank_gcn::tables::{Class, Sop1, Sop2, Sopk};
use wavetank_gcn::{Field, Inst, Op, Operand};

use super::condition::{Condition, Right};
use super::predicate::Outcome;
use crate::code::{Node, constant};

/// The effect of an instruction on facts.
#[derive(Clone, Debug)]
pub(super) struct Effect {
    /// The scalar registers that are written.
    pub writes: Vec<u8>,
    /// Whether every register may be written: by a call, or by an index in M0.
    pub writes_all: bool,
    /// The known results: at most two.
    pub results: Vec<Written>,
    /// The value of a bit of the register that is written, if the other bits stay.
    pub bit: Option<Outcome>,
    /// SCC after the instruction.
    pub scc: Scc,
}

/// The known result of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    /// The register.
    pub to: u8,
    pub number: Number,
    /// Whether the difference between the result and the register of its sum may matter.
    pub keeps_difference: bool,
}

/// A number of 32 bits that follows from registers before the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    Constant(u32),
    /// A register and a constant are added.
    Sum(u8, u32),
    /// The low bits of a register, by their mask.
    Low(u8, u32),
    /// The register keeps its value, unless SCC is set: then it is the constant.
    UnlessScc(u32),
}

/// What an instruction does to SCC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scc {
    Kept,
    Unknown,
    /// The condition holds for registers after the instruction.
    Is(Condition),
    /// SCC says that this is the outcome.
    Says(Outcome),
}

impl Effect {
    /// Returns the effect of a node; `None` if it changes no fact.
    pub(super) fn of(node: &Node) -> Option<Effect> {
        let inst = &node.inst;
        let writes: Vec<u8> = node.effects.writes.scalars().collect();
        let writes_scc = node
            .effects
            .writes
            .state()
            .contains(wavetank_gcn::tables::SCC);
        let is_indexed = node.effects.indexed && inst.row().class == Class::Salu;
        let writes_all = node.successors.calls || is_indexed;
        if writes.is_empty() && !writes_scc && !writes_all {
            return None;
        }
        let condition = || Condition::of(inst).map(Scc::Is);
        let outcome = || Outcome::of_scc(inst).map(Scc::Says);
        let register = || Some(Scc::Is(Condition::is_not_zero(result_register(inst)?)));
        let scc = condition().or_else(outcome).or_else(register);
        let otherwise = if writes_scc || writes_all {
            Scc::Unknown
        } else {
            Scc::Kept
        };
        Some(Effect {
            writes,
            writes_all,
            results: results(inst),
            bit: Outcome::of_result(inst),
            scc: scc.unwrap_or(otherwise),
        })
    }

    /// Returns the registers whose values matter for branches: those that are compared, and those whose low bits are.
    pub(super) fn compared(&self) -> Vec<u8> {
        let mut registers = Vec::new();
        if let Scc::Is(condition) = self.scc {
            registers.push(condition.left);
            if let Right::Register(right) = condition.right {
                registers.push(right);
            }
        }
        for known in &self.results {
            if let Number::Low(from, _) = known.number {
                registers.push(from);
            }
        }
        registers
    }

    /// Keeps the difference between the result and the register of its sum, if both registers are compared.
    pub(super) fn keep_difference(&mut self, is_compared: impl Fn(u8) -> bool) {
        for known in &mut self.results {
            if let Number::Sum(from, _) = known.number {
                known.keeps_difference = is_compared(known.to) && is_compared(from);
            }
        }
    }
}

/// Returns the numbers that an instruction writes.
fn results(inst: &Inst) -> Vec<Written> {
    let known = |(to, number)| Written {
        to,
        number,
        keeps_difference: false,
    };
    let pair = move_of_pair(inst).into_iter().flatten();
    result(inst).into_iter().chain(pair).map(known).collect()
}

/// Returns both numbers that `s_mov_b64` writes, with their registers.
fn move_of_pair(inst: &Inst) -> Option<[(u8, Number); 2]> {
    let Operand::Sgpr(to) = inst.operand(Field::Sdst) else {
        return None;
    };
    if inst.op != Op::Sop1(Sop1::S_MOV_B64) {
        return None;
    }
    let [low, high] = match inst.operand(Field::Src0) {
        Operand::Sgpr(from) => [Number::Sum(from, 0), Number::Sum(from + 1, 0)],
        Operand::Literal(low) => [Number::Constant(low), Number::Constant(0)],
        other => {
            let low = constant(other)?;
            let high = (low as i32 >> 31) as u32;
            [Number::Constant(low), Number::Constant(high)]
        }
    };
    Some([(to, low), (to + 1, high)])
}

/// Returns the number of 32 bits that an instruction writes, and the register.
fn result(inst: &Inst) -> Option<(u8, Number)> {
    let Operand::Sgpr(to) = inst.operand(Field::Sdst) else {
        return None;
    };
    let (left, right) = (inst.operand(Field::Src0), inst.operand(Field::Src1));
    let short = match inst.operand(Field::Simm16) {
        Operand::Imm(number) => number as i16 as u32,
        _ => 0,
    };
    let number = match inst.op {
        Op::Sopk(Sopk::S_MOVK_I32) => Number::Constant(short),
        Op::Sopk(Sopk::S_ADDK_I32) => Number::Sum(to, short),
        Op::Sopk(Sopk::S_CMOVK_I32) => Number::UnlessScc(short),
        Op::Sop1(Sop1::S_MOV_B32) => match left {
            Operand::Sgpr(from) => Number::Sum(from, 0),
            _ => Number::Constant(constant(left)?),
        },
        Op::Sop1(Sop1::S_CMOV_B32) => Number::UnlessScc(constant(left)?),
        Op::Sop2(Sop2::S_ADD_U32 | Sop2::S_ADD_I32) => match (left, right) {
            (Operand::Sgpr(from), other) | (other, Operand::Sgpr(from)) => {
                Number::Sum(from, constant(other)?)
            }
            _ => return None,
        },
        Op::Sop2(Sop2::S_AND_B32) => match (left, right) {
            (Operand::Sgpr(from), other) | (other, Operand::Sgpr(from)) => {
                let mask = constant(other)?;
                let is_low = mask & mask.wrapping_add(1) == 0;
                Number::Low(from, is_low.then_some(mask)?)
            }
            _ => return None,
        },
        Op::Sop2(Sop2::S_SUB_U32 | Sop2::S_SUB_I32) => match left {
            Operand::Sgpr(from) => Number::Sum(from, constant(right)?.wrapping_neg()),
            _ => return None,
        },
        _ => return None,
    };
    Some((to, number))
}

/// Returns the register whose result SCC compares with 0, for bitwise operations on 32 bits.
fn result_register(inst: &Inst) -> Option<u8> {
    use Sop2::*;
    let bitwise = [
        S_AND_B32,
        S_OR_B32,
        S_XOR_B32,
        S_ANDN2_B32,
        S_ORN2_B32,
        S_NAND_B32,
        S_NOR_B32,
        S_XNOR_B32,
        S_LSHL_B32,
        S_LSHR_B32,
        S_ASHR_I32,
        S_BFE_U32,
        S_BFE_I32,
    ];
    match (inst.op, inst.operand(Field::Sdst)) {
        (Op::Sop2(op), Operand::Sgpr(to)) if bitwise.contains(&op) => Some(to),
        _ => None,
    }
}
