//! Rows of scalar compares, which write SCC (Vega ISA, 12.4 SOPC).

use super::Ty::*;
use super::row::*;

family! {
    /// Scalar compares, which write SCC (Vega ISA, 12.4 SOPC).
    Sopc: Salu {
        //                                          gfx6  gfx7  gfx8  gfx9
        S_CMP_EQ_I32     = row("s_cmp_eq_i32",     [0x00, 0x00, 0x00, 0x00], &[src0(I32), src1(I32)]).writes(SCC),
        S_CMP_LG_I32     = row("s_cmp_lg_i32",     [0x01, 0x01, 0x01, 0x01], &[src0(I32), src1(I32)]).writes(SCC),
        S_CMP_GT_I32     = row("s_cmp_gt_i32",     [0x02, 0x02, 0x02, 0x02], &[src0(I32), src1(I32)]).writes(SCC),
        S_CMP_GE_I32     = row("s_cmp_ge_i32",     [0x03, 0x03, 0x03, 0x03], &[src0(I32), src1(I32)]).writes(SCC),
        S_CMP_LT_I32     = row("s_cmp_lt_i32",     [0x04, 0x04, 0x04, 0x04], &[src0(I32), src1(I32)]).writes(SCC),
        S_CMP_LE_I32     = row("s_cmp_le_i32",     [0x05, 0x05, 0x05, 0x05], &[src0(I32), src1(I32)]).writes(SCC),
        S_CMP_EQ_U32     = row("s_cmp_eq_u32",     [0x06, 0x06, 0x06, 0x06], &[src0(U32), src1(U32)]).writes(SCC),
        S_CMP_LG_U32     = row("s_cmp_lg_u32",     [0x07, 0x07, 0x07, 0x07], &[src0(U32), src1(U32)]).writes(SCC),
        S_CMP_GT_U32     = row("s_cmp_gt_u32",     [0x08, 0x08, 0x08, 0x08], &[src0(U32), src1(U32)]).writes(SCC),
        S_CMP_GE_U32     = row("s_cmp_ge_u32",     [0x09, 0x09, 0x09, 0x09], &[src0(U32), src1(U32)]).writes(SCC),
        S_CMP_LT_U32     = row("s_cmp_lt_u32",     [0x0a, 0x0a, 0x0a, 0x0a], &[src0(U32), src1(U32)]).writes(SCC),
        S_CMP_LE_U32     = row("s_cmp_le_u32",     [0x0b, 0x0b, 0x0b, 0x0b], &[src0(U32), src1(U32)]).writes(SCC),
        S_BITCMP0_B32    = row("s_bitcmp0_b32",    [0x0c, 0x0c, 0x0c, 0x0c], &[src0(B32), src1(U32)]).writes(SCC),
        S_BITCMP1_B32    = row("s_bitcmp1_b32",    [0x0d, 0x0d, 0x0d, 0x0d], &[src0(B32), src1(U32)]).writes(SCC),
        S_BITCMP0_B64    = row("s_bitcmp0_b64",    [0x0e, 0x0e, 0x0e, 0x0e], &[src0(B64), src1(U32)]).writes(SCC),
        S_BITCMP1_B64    = row("s_bitcmp1_b64",    [0x0f, 0x0f, 0x0f, 0x0f], &[src0(B64), src1(U32)]).writes(SCC),
        S_SETVSKIP       = row("s_setvskip",       [0x10, 0x10, 0x10, 0x10], &[src0(B32), src1(U32)]).reads(MODE).writes(MODE),
        S_SET_GPR_IDX_ON = row("s_set_gpr_idx_on", [  __,   __, 0x11, 0x11], &[src0(B32), gpr_idx_src1()]).reads(MODE.and(M0)).writes(MODE.and(M0)),
        S_CMP_EQ_U64     = row("s_cmp_eq_u64",     [  __,   __, 0x12, 0x12], &[src0(U64), src1(U64)]).writes(SCC),
        S_CMP_LG_U64     = row("s_cmp_lg_u64",     [  __,   __, 0x13, 0x13], &[src0(U64), src1(U64)]).writes(SCC),
    }
}
