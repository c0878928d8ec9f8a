//! VOPC: compares, which write a lane mask (Vega ISA, 12.9).
//!
//! V_CMPX writes EXEC as well. V_CMPS, or CLAMP, signals an exception for a NaN; the mask is the same as that of V_CMP.

use wavetank_gcn::tables::Vopc::{self, *};
use wavetank_ir::Rel;

use super::operand::Vector;
use crate::block::Flow;
use crate::value::{Float, Int};

#[rustfmt::skip] // one line a generation or so reads better than one a name
pub(super) fn lift(v: &Vector, op: Vopc) -> Flow {
    match op {
        V_CMP_F_F16 | V_CMPX_F_F16 | V_CMP_F_F32 | V_CMPX_F_F32 | V_CMP_F_F64 | V_CMPX_F_F64
        | V_CMP_F_I16 | V_CMP_F_U16 | V_CMPX_F_I16 | V_CMPX_F_U16 | V_CMP_F_I32 | V_CMP_F_U32
        | V_CMPX_F_I32 | V_CMPX_F_U32 | V_CMP_F_I64 | V_CMP_F_U64 | V_CMPX_F_I64 | V_CMPX_F_U64
        | V_CMPS_F_F32 | V_CMPSX_F_F32 | V_CMPS_F_F64 | V_CMPSX_F_F64 => v.compare(|_: [Int; 0]| v.always(false)),
        V_CMP_LT_F16 | V_CMPX_LT_F16 | V_CMP_LT_F32 | V_CMPX_LT_F32 | V_CMP_LT_F64
        | V_CMPX_LT_F64 | V_CMPS_LT_F32 | V_CMPSX_LT_F32 | V_CMPS_LT_F64 | V_CMPSX_LT_F64 => {
            v.compare(|[a, b]: [Float; 2]| a.cmp(Rel::Lt, b))
        }
        V_CMP_EQ_F16 | V_CMPX_EQ_F16 | V_CMP_EQ_F32 | V_CMPX_EQ_F32 | V_CMP_EQ_F64
        | V_CMPX_EQ_F64 | V_CMPS_EQ_F32 | V_CMPSX_EQ_F32 | V_CMPS_EQ_F64 | V_CMPSX_EQ_F64 => {
            v.compare(|[a, b]: [Float; 2]| a.cmp(Rel::Eq, b))
        }
        V_CMP_LE_F16 | V_CMPX_LE_F16 | V_CMP_LE_F32 | V_CMPX_LE_F32 | V_CMP_LE_F64
        | V_CMPX_LE_F64 | V_CMPS_LE_F32 | V_CMPSX_LE_F32 | V_CMPS_LE_F64 | V_CMPSX_LE_F64 => {
            v.compare(|[a, b]: [Float; 2]| a.cmp(Rel::Le, b))
        }
        V_CMP_GT_F16 | V_CMPX_GT_F16 | V_CMP_GT_F32 | V_CMPX_GT_F32 | V_CMP_GT_F64
        | V_CMPX_GT_F64 | V_CMPS_GT_F32 | V_CMPSX_GT_F32 | V_CMPS_GT_F64 | V_CMPSX_GT_F64 => {
            v.compare(|[a, b]: [Float; 2]| b.cmp(Rel::Lt, a))
        }
        V_CMP_LG_F16 | V_CMPX_LG_F16 | V_CMP_LG_F32 | V_CMPX_LG_F32 | V_CMP_LG_F64
        | V_CMPX_LG_F64 | V_CMPS_LG_F32 | V_CMPSX_LG_F32 | V_CMPS_LG_F64 | V_CMPSX_LG_F64 => {
            v.compare(|[a, b]: [Float; 2]| a.cmp(Rel::FLg, b))
        }
        V_CMP_GE_F16 | V_CMPX_GE_F16 | V_CMP_GE_F32 | V_CMPX_GE_F32 | V_CMP_GE_F64
        | V_CMPX_GE_F64 | V_CMPS_GE_F32 | V_CMPSX_GE_F32 | V_CMPS_GE_F64 | V_CMPSX_GE_F64 => {
            v.compare(|[a, b]: [Float; 2]| b.cmp(Rel::Le, a))
        }
        V_CMP_O_F16 | V_CMPX_O_F16 | V_CMP_O_F32 | V_CMPX_O_F32 | V_CMP_O_F64 | V_CMPX_O_F64
        | V_CMPS_O_F32 | V_CMPSX_O_F32 | V_CMPS_O_F64 | V_CMPSX_O_F64 => {
            v.compare(|[a, b]: [Float; 2]| a.cmp(Rel::FOrd, b))
        }
        V_CMP_U_F16 | V_CMPX_U_F16 | V_CMP_U_F32 | V_CMPX_U_F32 | V_CMP_U_F64 | V_CMPX_U_F64
        | V_CMPS_U_F32 | V_CMPSX_U_F32 | V_CMPS_U_F64 | V_CMPSX_U_F64 => {
            v.compare(|[a, b]: [Float; 2]| !a.cmp(Rel::FOrd, b))
        }
        V_CMP_NGE_F16 | V_CMPX_NGE_F16 | V_CMP_NGE_F32 | V_CMPX_NGE_F32 | V_CMP_NGE_F64
        | V_CMPX_NGE_F64 | V_CMPS_NGE_F32 | V_CMPSX_NGE_F32 | V_CMPS_NGE_F64 | V_CMPSX_NGE_F64 => {
            v.compare(|[a, b]: [Float; 2]| !b.cmp(Rel::Le, a))
        }
        V_CMP_NLG_F16 | V_CMPX_NLG_F16 | V_CMP_NLG_F32 | V_CMPX_NLG_F32 | V_CMP_NLG_F64
        | V_CMPX_NLG_F64 | V_CMPS_NLG_F32 | V_CMPSX_NLG_F32 | V_CMPS_NLG_F64 | V_CMPSX_NLG_F64 => {
            v.compare(|[a, b]: [Float; 2]| !a.cmp(Rel::FLg, b))
        }
        V_CMP_NGT_F16 | V_CMPX_NGT_F16 | V_CMP_NGT_F32 | V_CMPX_NGT_F32 | V_CMP_NGT_F64
        | V_CMPX_NGT_F64 | V_CMPS_NGT_F32 | V_CMPSX_NGT_F32 | V_CMPS_NGT_F64 | V_CMPSX_NGT_F64 => {
            v.compare(|[a, b]: [Float; 2]| !b.cmp(Rel::Lt, a))
        }
        V_CMP_NLE_F16 | V_CMPX_NLE_F16 | V_CMP_NLE_F32 | V_CMPX_NLE_F32 | V_CMP_NLE_F64
        | V_CMPX_NLE_F64 | V_CMPS_NLE_F32 | V_CMPSX_NLE_F32 | V_CMPS_NLE_F64 | V_CMPSX_NLE_F64 => {
            v.compare(|[a, b]: [Float; 2]| !a.cmp(Rel::Le, b))
        }
        V_CMP_NEQ_F16 | V_CMPX_NEQ_F16 | V_CMP_NEQ_F32 | V_CMPX_NEQ_F32 | V_CMP_NEQ_F64
        | V_CMPX_NEQ_F64 | V_CMPS_NEQ_F32 | V_CMPSX_NEQ_F32 | V_CMPS_NEQ_F64 | V_CMPSX_NEQ_F64 => {
            v.compare(|[a, b]: [Float; 2]| a.cmp(Rel::Ne, b))
        }
        V_CMP_NLT_F16 | V_CMPX_NLT_F16 | V_CMP_NLT_F32 | V_CMPX_NLT_F32 | V_CMP_NLT_F64
        | V_CMPX_NLT_F64 | V_CMPS_NLT_F32 | V_CMPSX_NLT_F32 | V_CMPS_NLT_F64 | V_CMPSX_NLT_F64 => {
            v.compare(|[a, b]: [Float; 2]| !a.cmp(Rel::Lt, b))
        }
        V_CMP_EQ_I16 | V_CMP_EQ_U16 | V_CMPX_EQ_I16 | V_CMPX_EQ_U16 | V_CMP_EQ_I32
        | V_CMP_EQ_U32 | V_CMPX_EQ_I32 | V_CMPX_EQ_U32 | V_CMP_EQ_I64 | V_CMP_EQ_U64
        | V_CMPX_EQ_I64 | V_CMPX_EQ_U64 => v.compare(|[a, b]: [Int; 2]| a.eq(b)),
        V_CMP_NE_I16 | V_CMP_NE_U16 | V_CMPX_NE_I16 | V_CMPX_NE_U16 | V_CMP_NE_I32
        | V_CMP_NE_U32 | V_CMPX_NE_I32 | V_CMPX_NE_U32 | V_CMP_NE_I64 | V_CMP_NE_U64
        | V_CMPX_NE_I64 | V_CMPX_NE_U64 => v.compare(|[a, b]: [Int; 2]| a.ne(b)),
        V_CMP_LT_I16 | V_CMPX_LT_I16 | V_CMP_LT_I32 | V_CMPX_LT_I32 | V_CMP_LT_I64
        | V_CMPX_LT_I64 => v.compare(|[a, b]: [Int; 2]| a.lt_s(b)),
        V_CMP_LT_U16 | V_CMPX_LT_U16 | V_CMP_LT_U32 | V_CMPX_LT_U32 | V_CMP_LT_U64
        | V_CMPX_LT_U64 => v.compare(|[a, b]: [Int; 2]| a.lt_u(b)),
        V_CMP_LE_I16 | V_CMPX_LE_I16 | V_CMP_LE_I32 | V_CMPX_LE_I32 | V_CMP_LE_I64
        | V_CMPX_LE_I64 => v.compare(|[a, b]: [Int; 2]| a.le_s(b)),
        V_CMP_LE_U16 | V_CMPX_LE_U16 | V_CMP_LE_U32 | V_CMPX_LE_U32 | V_CMP_LE_U64
        | V_CMPX_LE_U64 => v.compare(|[a, b]: [Int; 2]| a.le_u(b)),
        V_CMP_GT_I16 | V_CMPX_GT_I16 | V_CMP_GT_I32 | V_CMPX_GT_I32 | V_CMP_GT_I64
        | V_CMPX_GT_I64 => v.compare(|[a, b]: [Int; 2]| a.gt_s(b)),
        V_CMP_GT_U16 | V_CMPX_GT_U16 | V_CMP_GT_U32 | V_CMPX_GT_U32 | V_CMP_GT_U64
        | V_CMPX_GT_U64 => v.compare(|[a, b]: [Int; 2]| a.gt_u(b)),
        V_CMP_GE_I16 | V_CMPX_GE_I16 | V_CMP_GE_I32 | V_CMPX_GE_I32 | V_CMP_GE_I64
        | V_CMPX_GE_I64 => v.compare(|[a, b]: [Int; 2]| a.ge_s(b)),
        V_CMP_GE_U16 | V_CMPX_GE_U16 | V_CMP_GE_U32 | V_CMPX_GE_U32 | V_CMP_GE_U64
        | V_CMPX_GE_U64 => v.compare(|[a, b]: [Int; 2]| a.ge_u(b)),
        V_CMP_TRU_F16 | V_CMPX_TRU_F16 | V_CMP_TRU_F32 | V_CMPX_TRU_F32 | V_CMP_TRU_F64
        | V_CMPX_TRU_F64 | V_CMP_T_I16 | V_CMP_T_U16 | V_CMPX_T_I16 | V_CMPX_T_U16 | V_CMP_T_I32
        | V_CMP_T_U32 | V_CMPX_T_I32 | V_CMPX_T_U32 | V_CMP_T_I64 | V_CMP_T_U64 | V_CMPX_T_I64
        | V_CMPX_T_U64 | V_CMPS_TRU_F32 | V_CMPSX_TRU_F32 | V_CMPS_TRU_F64 | V_CMPSX_TRU_F64 => v.compare(|_: [Int; 0]| v.always(true)),
        V_CMP_CLASS_F32 | V_CMPX_CLASS_F32 | V_CMP_CLASS_F64 | V_CMPX_CLASS_F64
        | V_CMP_CLASS_F16 | V_CMPX_CLASS_F16 => {
            v.compare(|[a, classes]: [Float; 2]| a.class(classes.v))
        }
    }
}
