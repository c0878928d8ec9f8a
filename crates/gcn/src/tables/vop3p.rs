//! Rows of vector instructions on packed pairs of 16 bits, dot products and mixed precision (Vega ISA, 12.10 VOP3P).

use super::Ty::*;
use super::row::*;

family! {
    /// Vector instructions on packed pairs of 16 bits, dot products and mixed precision (Vega ISA, 12.10 VOP3P).
    Vop3p: Valu {
        //                                          gfx6  gfx7  gfx8  gfx9
        V_PK_MAD_I16     = row("v_pk_mad_i16",     [  __,   __,   __, 0x00], &[dst(V2I16), src0(V2I16), src1(V2I16), src2(V2I16)]).clamp(),
        V_PK_MUL_LO_U16  = row("v_pk_mul_lo_u16",  [  __,   __,   __, 0x01], &[dst(V2U16), src0(V2U16), src1(V2U16)]).clamp(),
        V_PK_ADD_I16     = row("v_pk_add_i16",     [  __,   __,   __, 0x02], &[dst(V2I16), src0(V2I16), src1(V2I16)]).clamp(),
        V_PK_SUB_I16     = row("v_pk_sub_i16",     [  __,   __,   __, 0x03], &[dst(V2I16), src0(V2I16), src1(V2I16)]).clamp(),
        V_PK_LSHLREV_B16 = row("v_pk_lshlrev_b16", [  __,   __,   __, 0x04], &[dst(V2U16), src0(V2U16), src1(V2U16)]).clamp(),
        V_PK_LSHRREV_B16 = row("v_pk_lshrrev_b16", [  __,   __,   __, 0x05], &[dst(V2U16), src0(V2U16), src1(V2U16)]).clamp(),
        V_PK_ASHRREV_I16 = row("v_pk_ashrrev_i16", [  __,   __,   __, 0x06], &[dst(V2I16), src0(V2I16), src1(V2I16)]).clamp(),
        V_PK_MAX_I16     = row("v_pk_max_i16",     [  __,   __,   __, 0x07], &[dst(V2I16), src0(V2I16), src1(V2I16)]).clamp(),
        V_PK_MIN_I16     = row("v_pk_min_i16",     [  __,   __,   __, 0x08], &[dst(V2I16), src0(V2I16), src1(V2I16)]).clamp(),
        V_PK_MAD_U16     = row("v_pk_mad_u16",     [  __,   __,   __, 0x09], &[dst(V2U16), src0(V2U16), src1(V2U16), src2(V2U16)]).clamp(),
        V_PK_ADD_U16     = row("v_pk_add_u16",     [  __,   __,   __, 0x0a], &[dst(V2U16), src0(V2U16), src1(V2U16)]).clamp(),
        V_PK_SUB_U16     = row("v_pk_sub_u16",     [  __,   __,   __, 0x0b], &[dst(V2U16), src0(V2U16), src1(V2U16)]).clamp(),
        V_PK_MAX_U16     = row("v_pk_max_u16",     [  __,   __,   __, 0x0c], &[dst(V2U16), src0(V2U16), src1(V2U16)]).clamp(),
        V_PK_MIN_U16     = row("v_pk_min_u16",     [  __,   __,   __, 0x0d], &[dst(V2U16), src0(V2U16), src1(V2U16)]).clamp(),
        V_PK_FMA_F16     = row("v_pk_fma_f16",     [  __,   __,   __, 0x0e], &[dst(V2F16), src0(V2F16), src1(V2F16), src2(V2F16)]).clamp(),
        V_PK_ADD_F16     = row("v_pk_add_f16",     [  __,   __,   __, 0x0f], &[dst(V2F16), src0(V2F16), src1(V2F16)]).clamp(),
        V_PK_MUL_F16     = row("v_pk_mul_f16",     [  __,   __,   __, 0x10], &[dst(V2F16), src0(V2F16), src1(V2F16)]).clamp(),
        V_PK_MIN_F16     = row("v_pk_min_f16",     [  __,   __,   __, 0x11], &[dst(V2F16), src0(V2F16), src1(V2F16)]).clamp(),
        V_PK_MAX_F16     = row("v_pk_max_f16",     [  __,   __,   __, 0x12], &[dst(V2F16), src0(V2F16), src1(V2F16)]).clamp(),
        V_MAD_MIX_F32    = row("v_mad_mix_f32",    [  __,   __,   __, 0x20], &[dst(F32), src0(F32), src1(F32), src2(F32)]).on(Chips::MAD_MIX),
        V_FMA_MIX_F32    = row("v_fma_mix_f32",    [  __,   __,   __, 0x20], &[dst(F32), src0(F32), src1(F32), src2(F32)]).on(Chips::FMA_MIX),
        V_MAD_MIXLO_F16  = row("v_mad_mixlo_f16",  [  __,   __,   __, 0x21], &[dst(F16).rmw(), src0(F32), src1(F32), src2(F32)]).on(Chips::MAD_MIX),
        V_FMA_MIXLO_F16  = row("v_fma_mixlo_f16",  [  __,   __,   __, 0x21], &[dst(F16).rmw(), src0(F32), src1(F32), src2(F32)]).on(Chips::FMA_MIX),
        V_MAD_MIXHI_F16  = row("v_mad_mixhi_f16",  [  __,   __,   __, 0x22], &[dst(F16).rmw(), src0(F32), src1(F32), src2(F32)]).on(Chips::MAD_MIX),
        V_FMA_MIXHI_F16  = row("v_fma_mixhi_f16",  [  __,   __,   __, 0x22], &[dst(F16).rmw(), src0(F32), src1(F32), src2(F32)]).on(Chips::FMA_MIX),
        V_DOT2_F32_F16   = row("v_dot2_f32_f16",   [  __,   __,   __, 0x23], &[dst(F32), src0(V2F16), src1(V2F16), src2(F32)]).on(Chips::FROM_906),
        V_DOT2_I32_I16   = row("v_dot2_i32_i16",   [  __,   __,   __, 0x26], &[dst(I32), src0(V2I16), src1(V2I16), src2(I32)]).on(Chips::FROM_906).clamp(),
        V_DOT2_U32_U16   = row("v_dot2_u32_u16",   [  __,   __,   __, 0x27], &[dst(U32), src0(V2U16), src1(V2U16), src2(U32)]).on(Chips::FROM_906).clamp(),
        V_DOT4_I32_I8    = row("v_dot4_i32_i8",    [  __,   __,   __, 0x28], &[dst(I32), src0(B32), src1(B32), src2(I32)]).on(Chips::FROM_906).clamp(),
        V_DOT4_U32_U8    = row("v_dot4_u32_u8",    [  __,   __,   __, 0x29], &[dst(U32), src0(B32), src1(B32), src2(U32)]).on(Chips::FROM_906).clamp(),
        V_DOT8_I32_I4    = row("v_dot8_i32_i4",    [  __,   __,   __, 0x2a], &[dst(I32), src0(B32), src1(B32), src2(I32)]).on(Chips::FROM_906).clamp(),
        V_DOT8_U32_U4    = row("v_dot8_u32_u4",    [  __,   __,   __, 0x2b], &[dst(U32), src0(B32), src1(B32), src2(U32)]).on(Chips::FROM_906).clamp(),
        V_DOT2_F32_BF16  = row("v_dot2_f32_bf16",  [  __,   __,   __, 0x1a], &[dst(F32), src0(V2Bf16), src1(V2Bf16), src2(F32)]).on(Chips::GFX950),
        V_PK_MINIMUM3_F16 = row("v_pk_minimum3_f16", [  __,   __,   __, 0x1b], &[dst(V2F16), src0(V2F16), src1(V2F16), src2(V2F16)]).clamp().on(Chips::GFX950),
        V_PK_MAXIMUM3_F16 = row("v_pk_maximum3_f16", [  __,   __,   __, 0x1c], &[dst(V2F16), src0(V2F16), src1(V2F16), src2(V2F16)]).clamp().on(Chips::GFX950),
        V_MFMA_LD_SCALE_B32 = row("v_mfma_ld_scale_b32", [  __,   __,   __, 0x2c], &[src0(B32), src1(B32)]).selects_only().no_exec().on(Chips::GFX950),
        V_PK_FMA_F32     = row("v_pk_fma_f32",     [  __,   __,   __, 0x30], &[dst(V2F32), src0(V2F32), src1(V2F32), src2(V2F32)]).clamp().on(Chips::FROM_90A),
        V_PK_MUL_F32     = row("v_pk_mul_f32",     [  __,   __,   __, 0x31], &[dst(V2F32), src0(V2F32), src1(V2F32)]).clamp().on(Chips::FROM_90A),
        V_PK_ADD_F32     = row("v_pk_add_f32",     [  __,   __,   __, 0x32], &[dst(V2F32), src0(V2F32), src1(V2F32)]).clamp().on(Chips::FROM_90A),
        V_PK_MOV_B32     = row("v_pk_mov_b32",     [  __,   __,   __, 0x33], &[dst(V2F32), src0(V2F32), src1(V2F32)]).clamp().on(Chips::FROM_90A),
    }
}
