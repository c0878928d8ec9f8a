//! Scalar compares (Vega ISA, 12.4 SOPC).

use wavetank_gcn::tables::Sopc;
use wavetank_gcn::{Field, Operand};

use super::{only_scc, write_back};
use crate::block::{Flow, Lift};
use crate::control;

/// Lifts a SOPC instruction.
pub(crate) fn sopc(l: &Lift, op: Sopc) -> Flow {
    use Sopc::*;
    let [a, b] = [l.scalar(Field::Src0), l.scalar(Field::Src1)];
    let result = match op {
        S_CMP_EQ_I32 | S_CMP_EQ_U32 | S_CMP_EQ_U64 => a.eq(b),
        S_CMP_LG_I32 | S_CMP_LG_U32 | S_CMP_LG_U64 => a.ne(b),
        S_CMP_GT_I32 => a.gt_s(b),
        S_CMP_GE_I32 => a.ge_s(b),
        S_CMP_LT_I32 => a.lt_s(b),
        S_CMP_LE_I32 => a.le_s(b),
        S_CMP_GT_U32 => a.gt_u(b),
        S_CMP_GE_U32 => a.ge_u(b),
        S_CMP_LT_U32 => a.lt_u(b),
        S_CMP_LE_U32 => a.le_u(b),
        S_BITCMP0_B32 | S_BITCMP0_B64 => ((a >> b) & 1).eq(0),
        S_BITCMP1_B32 | S_BITCMP1_B64 => ((a >> b) & 1).eq(1),
        S_SETVSKIP => return control::set_vskip(l, (a >> b) & 1),
        S_SET_GPR_IDX_ON => return control::gpr_index_on(l, a, enables(l)),
    };
    write_back(l, only_scc(result))
}

/// The SRC1 field of s_set_gpr_idx_on as a number: the operands to index.
fn enables(l: &Lift) -> u8 {
    match l.inst.operand(Field::Src1) {
        Operand::Imm(bits) => bits as u8,
        Operand::Sgpr(code) => code,
        _ => 0,
    }
}
