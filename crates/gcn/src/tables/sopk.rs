//! Rows of scalar instructions with a 16-bit constant (Vega ISA, 12.2 SOPK).

use super::Ty::*;
use super::row::*;

family! {
    /// Scalar instructions with a 16-bit constant (Vega ISA, 12.2 SOPK).
    Sopk: Salu {
        //                                              gfx6  gfx7  gfx8  gfx9
        S_MOVK_I32         = row("s_movk_i32",         [0x00, 0x00, 0x00, 0x00], &[sdst(I32), simm16()]),
        S_CMOVK_I32        = row("s_cmovk_i32",        [0x02, 0x02, 0x01, 0x01], &[sdst(I32).rmw(), simm16()]).reads(SCC),
        S_CMPK_EQ_I32      = row("s_cmpk_eq_i32",      [0x03, 0x03, 0x02, 0x02], &[sdst(I32).read(), simm16()]).writes(SCC),
        S_CMPK_LG_I32      = row("s_cmpk_lg_i32",      [0x04, 0x04, 0x03, 0x03], &[sdst(I32).read(), simm16()]).writes(SCC),
        S_CMPK_GT_I32      = row("s_cmpk_gt_i32",      [0x05, 0x05, 0x04, 0x04], &[sdst(I32).read(), simm16()]).writes(SCC),
        S_CMPK_GE_I32      = row("s_cmpk_ge_i32",      [0x06, 0x06, 0x05, 0x05], &[sdst(I32).read(), simm16()]).writes(SCC),
        S_CMPK_LT_I32      = row("s_cmpk_lt_i32",      [0x07, 0x07, 0x06, 0x06], &[sdst(I32).read(), simm16()]).writes(SCC),
        S_CMPK_LE_I32      = row("s_cmpk_le_i32",      [0x08, 0x08, 0x07, 0x07], &[sdst(I32).read(), simm16()]).writes(SCC),
        S_CMPK_EQ_U32      = row("s_cmpk_eq_u32",      [0x09, 0x09, 0x08, 0x08], &[sdst(U32).read(), simm16()]).writes(SCC),
        S_CMPK_LG_U32      = row("s_cmpk_lg_u32",      [0x0a, 0x0a, 0x09, 0x09], &[sdst(U32).read(), simm16()]).writes(SCC),
        S_CMPK_GT_U32      = row("s_cmpk_gt_u32",      [0x0b, 0x0b, 0x0a, 0x0a], &[sdst(U32).read(), simm16()]).writes(SCC),
        S_CMPK_GE_U32      = row("s_cmpk_ge_u32",      [0x0c, 0x0c, 0x0b, 0x0b], &[sdst(U32).read(), simm16()]).writes(SCC),
        S_CMPK_LT_U32      = row("s_cmpk_lt_u32",      [0x0d, 0x0d, 0x0c, 0x0c], &[sdst(U32).read(), simm16()]).writes(SCC),
        S_CMPK_LE_U32      = row("s_cmpk_le_u32",      [0x0e, 0x0e, 0x0d, 0x0d], &[sdst(U32).read(), simm16()]).writes(SCC),
        S_ADDK_I32         = row("s_addk_i32",         [0x0f, 0x0f, 0x0e, 0x0e], &[sdst(I32).rmw(), simm16()]).writes(SCC),
        S_MULK_I32         = row("s_mulk_i32",         [0x10, 0x10, 0x0f, 0x0f], &[sdst(I32).rmw(), simm16()]),
        S_CBRANCH_I_FORK   = row("s_cbranch_i_fork",   [0x11, 0x11, 0x10, 0x10], &[sdst(B64).read(), target()]).reads(EXEC.and(MODE)).writes(EXEC.and(MODE).and(PC)).indexed().class(Class::Branch),
        S_GETREG_B32       = row("s_getreg_b32",       [0x12, 0x12, 0x11, 0x11], &[sdst(B32), hwreg()]).reads(MODE),
        S_SETREG_B32       = row("s_setreg_b32",       [0x13, 0x13, 0x12, 0x12], &[hwreg(), sdst(B32).read()]).reads(MODE).writes(MODE),
        S_GETREG_REGRD_B32 = row("s_getreg_regrd_b32", [0x14, 0x14, 0x13, 0x13], &[sdst(B32), hwreg()]).reads(MODE).unlisted([6, 7, 8, 9]),
        S_SETREG_IMM32_B32 = row("s_setreg_imm32_b32", [0x15, 0x15, 0x14, 0x14], &[hwreg(), literal(B32)]).reads(MODE).writes(MODE),
        S_CALL_B64         = row("s_call_b64",         [  __,   __,   __, 0x15], &[sdst(B64), target()]).reads(PC).writes(PC).class(Class::Branch),
    }
}
