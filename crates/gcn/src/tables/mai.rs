//! Rows of matrix instructions, and of moves between VGPRs and AGPRs (CDNA 3 ISA, 12.13 "VOP3P-MAI").
//!
//! A matrix instruction names its shape: M, N, K and the number of blocks, and the types of A, B and D. The widths of its operands
//! follow from both.

use super::Ty::{self, *};
use super::row::*;
use crate::shapes::{ElementType, Shape};

/// Makes the row of a dense product.
macro_rules! mfma {
    ($name:literal, $opcode:literal, $sizes:expr, [$a:ident, $b:ident, $d:ident]) => {
        dense!(
            $name,
            $opcode,
            Shape::new($sizes, ElementType::$a, ElementType::$b, ElementType::$d)
        )
    };
}

macro_rules! dense {
    ($name:literal, $opcode:literal, $shape:expr) => {
        row(
            $name,
            [__, __, __, $opcode],
            &[
                dst(d($shape)).vector(),
                src0(a($shape)).vector(),
                src1(b($shape)).vector(),
                src2(d($shape)).accumulator(),
            ],
        )
        .shape($shape)
        .no_exec()
    };
}

/// Makes the row of a product with a sparse A. The third source holds the places of the stored elements; the result is added to.
macro_rules! smfmac {
    ($name:literal, $opcode:literal, $sizes:expr, [$a:ident, $b:ident, $d:ident]) => {
        sparse!(
            $name,
            $opcode,
            Shape::new($sizes, ElementType::$a, ElementType::$b, ElementType::$d).sparse()
        )
    };
}

macro_rules! sparse {
    ($name:literal, $opcode:literal, $shape:expr) => {
        row(
            $name,
            [__, __, __, $opcode],
            &[
                dst(d($shape)).vector().rmw(),
                src0(a($shape)).vector(),
                src1(b($shape)).vector(),
                src2(B32).vgpr(),
            ],
        )
        .shape($shape)
        .no_exec()
    };
}

/// Returns the type of A as an operand.
const fn a(shape: Shape) -> Ty {
    ty(shape.a_dwords(shape.a), shape.d)
}

/// Returns the type of B as an operand.
const fn b(shape: Shape) -> Ty {
    ty(shape.b_dwords(shape.b), shape.d)
}

/// Returns the type of C and D as operands.
const fn d(shape: Shape) -> Ty {
    ty(shape.d_dwords(), shape.d)
}

/// Returns the type of so many registers. The factors of a product of doubles, and of no other, are doubles.
const fn ty(dwords: u8, d: ElementType) -> Ty {
    match dwords {
        1 => B32,
        2 if matches!(d, ElementType::F64) => Ty::F64,
        2 => B64,
        4 => B128,
        8 if matches!(d, ElementType::F64) => V4F64,
        8 => B256,
        16 => B512,
        _ => B1024,
    }
}

family! {
    /// Matrix instructions, and moves between VGPRs and AGPRs (CDNA 3 ISA, 12.13 "VOP3P-MAI").
    Mai: Valu {
        V_ACCVGPR_READ_B32 = row("v_accvgpr_read_b32", [__, __, __, 0x58], &[dst(B32), src0(B32).agpr()]).on(Chips::FROM_908),
        V_ACCVGPR_WRITE_B32 = row("v_accvgpr_write_b32", [__, __, __, 0x59], &[dst(B32).agpr(), src0(B32)]).on(Chips::FROM_908),
        V_MFMA_F32_32X32X1F32          = mfma!("v_mfma_f32_32x32x1f32", 0x40, [32, 32, 1, 2], [F32, F32, F32]).named_942("v_mfma_f32_32x32x1_2b_f32", 0x40).on(Chips::FROM_908),
        V_MFMA_F32_16X16X1F32          = mfma!("v_mfma_f32_16x16x1f32", 0x41, [16, 16, 1, 4], [F32, F32, F32]).named_942("v_mfma_f32_16x16x1_4b_f32", 0x41).on(Chips::FROM_908),
        V_MFMA_F32_4X4X1F32            = mfma!("v_mfma_f32_4x4x1f32", 0x42, [4, 4, 1, 16], [F32, F32, F32]).named_942("v_mfma_f32_4x4x1_16b_f32", 0x42).on(Chips::FROM_908),
        V_MFMA_F32_32X32X2F32          = mfma!("v_mfma_f32_32x32x2f32", 0x44, [32, 32, 2, 1], [F32, F32, F32]).named_942("v_mfma_f32_32x32x2_f32", 0x44).on(Chips::FROM_908),
        V_MFMA_F32_16X16X4F32          = mfma!("v_mfma_f32_16x16x4f32", 0x45, [16, 16, 4, 1], [F32, F32, F32]).named_942("v_mfma_f32_16x16x4_f32", 0x45).on(Chips::FROM_908),
        V_MFMA_F32_32X32X4F16          = mfma!("v_mfma_f32_32x32x4f16", 0x48, [32, 32, 4, 2], [F16, F16, F32]).named_942("v_mfma_f32_32x32x4_2b_f16", 0x48).on(Chips::FROM_908),
        V_MFMA_F32_16X16X4F16          = mfma!("v_mfma_f32_16x16x4f16", 0x49, [16, 16, 4, 4], [F16, F16, F32]).named_942("v_mfma_f32_16x16x4_4b_f16", 0x49).on(Chips::FROM_908),
        V_MFMA_F32_4X4X4F16            = mfma!("v_mfma_f32_4x4x4f16", 0x4a, [4, 4, 4, 16], [F16, F16, F32]).named_942("v_mfma_f32_4x4x4_16b_f16", 0x4a).on(Chips::FROM_908),
        V_MFMA_F32_32X32X8F16          = mfma!("v_mfma_f32_32x32x8f16", 0x4c, [32, 32, 8, 1], [F16, F16, F32]).named_942("v_mfma_f32_32x32x8_f16", 0x4c).on(Chips::FROM_908),
        V_MFMA_F32_16X16X16F16         = mfma!("v_mfma_f32_16x16x16f16", 0x4d, [16, 16, 16, 1], [F16, F16, F32]).named_942("v_mfma_f32_16x16x16_f16", 0x4d).on(Chips::FROM_908),
        V_MFMA_I32_32X32X4I8           = mfma!("v_mfma_i32_32x32x4i8", 0x50, [32, 32, 4, 2], [I8, I8, I32]).named_942("v_mfma_i32_32x32x4_2b_i8", 0x50).on(Chips::FROM_908),
        V_MFMA_I32_16X16X4I8           = mfma!("v_mfma_i32_16x16x4i8", 0x51, [16, 16, 4, 4], [I8, I8, I32]).named_942("v_mfma_i32_16x16x4_4b_i8", 0x51).on(Chips::FROM_908),
        V_MFMA_I32_4X4X4I8             = mfma!("v_mfma_i32_4x4x4i8", 0x52, [4, 4, 4, 16], [I8, I8, I32]).named_942("v_mfma_i32_4x4x4_16b_i8", 0x52).on(Chips::FROM_908),
        V_MFMA_I32_32X32X8I8           = mfma!("v_mfma_i32_32x32x8i8", 0x54, [32, 32, 8, 1], [I8, I8, I32]).on(Chips::CDNA_1_2),
        V_MFMA_I32_16X16X16I8          = mfma!("v_mfma_i32_16x16x16i8", 0x55, [16, 16, 16, 1], [I8, I8, I32]).on(Chips::CDNA_1_2),
        V_MFMA_F32_32X32X2BF16         = mfma!("v_mfma_f32_32x32x2bf16", 0x68, [32, 32, 2, 2], [Bf16, Bf16, F32]).on(Chips::CDNA_1_2),
        V_MFMA_F32_16X16X2BF16         = mfma!("v_mfma_f32_16x16x2bf16", 0x69, [16, 16, 2, 4], [Bf16, Bf16, F32]).on(Chips::CDNA_1_2),
        V_MFMA_F32_4X4X2BF16           = mfma!("v_mfma_f32_4x4x2bf16", 0x6b, [4, 4, 2, 16], [Bf16, Bf16, F32]).on(Chips::CDNA_1_2),
        V_MFMA_F32_32X32X4BF16         = mfma!("v_mfma_f32_32x32x4bf16", 0x6c, [32, 32, 4, 1], [Bf16, Bf16, F32]).on(Chips::CDNA_1_2),
        V_MFMA_F32_16X16X8BF16         = mfma!("v_mfma_f32_16x16x8bf16", 0x6d, [16, 16, 8, 1], [Bf16, Bf16, F32]).on(Chips::CDNA_1_2),
        V_MFMA_F32_32X32X4BF16_1K      = mfma!("v_mfma_f32_32x32x4bf16_1k", 0x63, [32, 32, 4, 2], [Bf16, Bf16, F32]).named_942("v_mfma_f32_32x32x4_2b_bf16", 0x5d).on(Chips::FROM_90A),
        V_MFMA_F32_16X16X4BF16_1K      = mfma!("v_mfma_f32_16x16x4bf16_1k", 0x64, [16, 16, 4, 4], [Bf16, Bf16, F32]).named_942("v_mfma_f32_16x16x4_4b_bf16", 0x5e).on(Chips::FROM_90A),
        V_MFMA_F32_4X4X4BF16_1K        = mfma!("v_mfma_f32_4x4x4bf16_1k", 0x65, [4, 4, 4, 16], [Bf16, Bf16, F32]).named_942("v_mfma_f32_4x4x4_16b_bf16", 0x5f).on(Chips::FROM_90A),
        V_MFMA_F32_32X32X8BF16_1K      = mfma!("v_mfma_f32_32x32x8bf16_1k", 0x66, [32, 32, 8, 1], [Bf16, Bf16, F32]).named_942("v_mfma_f32_32x32x8_bf16", 0x60).on(Chips::FROM_90A),
        V_MFMA_F32_16X16X16BF16_1K     = mfma!("v_mfma_f32_16x16x16bf16_1k", 0x67, [16, 16, 16, 1], [Bf16, Bf16, F32]).named_942("v_mfma_f32_16x16x16_bf16", 0x61).on(Chips::FROM_90A),
        V_MFMA_F64_16X16X4F64          = mfma!("v_mfma_f64_16x16x4f64", 0x6e, [16, 16, 4, 1], [F64, F64, F64]).named_942("v_mfma_f64_16x16x4_f64", 0x6e).on(Chips::FROM_90A),
        V_MFMA_F64_4X4X4F64            = mfma!("v_mfma_f64_4x4x4f64", 0x6f, [4, 4, 4, 4], [F64, F64, F64]).named_942("v_mfma_f64_4x4x4_4b_f64", 0x6f).on(Chips::FROM_90A),
        V_MFMA_F32_16X16X8_XF32        = mfma!("v_mfma_f32_16x16x8_xf32", 0x3e, [16, 16, 8, 1], [Xf32, Xf32, F32]).on(Chips::GFX942),
        V_MFMA_F32_32X32X4_XF32        = mfma!("v_mfma_f32_32x32x4_xf32", 0x3f, [32, 32, 4, 1], [Xf32, Xf32, F32]).on(Chips::GFX942),
        V_MFMA_I32_32X32X16_I8         = mfma!("v_mfma_i32_32x32x16_i8", 0x56, [32, 32, 16, 1], [I8, I8, I32]).on(Chips::FROM_942),
        V_MFMA_I32_16X16X32_I8         = mfma!("v_mfma_i32_16x16x32_i8", 0x57, [16, 16, 32, 1], [I8, I8, I32]).on(Chips::FROM_942),
        V_SMFMAC_F32_16X16X32_F16      = smfmac!("v_smfmac_f32_16x16x32_f16", 0x62, [16, 16, 32, 1], [F16, F16, F32]).on(Chips::FROM_942),
        V_SMFMAC_F32_32X32X16_F16      = smfmac!("v_smfmac_f32_32x32x16_f16", 0x64, [32, 32, 16, 1], [F16, F16, F32]).on(Chips::FROM_942),
        V_SMFMAC_F32_16X16X32_BF16     = smfmac!("v_smfmac_f32_16x16x32_bf16", 0x66, [16, 16, 32, 1], [Bf16, Bf16, F32]).on(Chips::FROM_942),
        V_SMFMAC_F32_32X32X16_BF16     = smfmac!("v_smfmac_f32_32x32x16_bf16", 0x68, [32, 32, 16, 1], [Bf16, Bf16, F32]).on(Chips::FROM_942),
        V_SMFMAC_I32_16X16X64_I8       = smfmac!("v_smfmac_i32_16x16x64_i8", 0x6a, [16, 16, 64, 1], [I8, I8, I32]).on(Chips::FROM_942),
        V_SMFMAC_I32_32X32X32_I8       = smfmac!("v_smfmac_i32_32x32x32_i8", 0x6c, [32, 32, 32, 1], [I8, I8, I32]).on(Chips::FROM_942),
        V_MFMA_F32_16X16X32_BF8_BF8    = mfma!("v_mfma_f32_16x16x32_bf8_bf8", 0x70, [16, 16, 32, 1], [Bf8, Bf8, F32]).on(Chips::FROM_942),
        V_MFMA_F32_16X16X32_BF8_FP8    = mfma!("v_mfma_f32_16x16x32_bf8_fp8", 0x71, [16, 16, 32, 1], [Bf8, Fp8, F32]).on(Chips::FROM_942),
        V_MFMA_F32_16X16X32_FP8_BF8    = mfma!("v_mfma_f32_16x16x32_fp8_bf8", 0x72, [16, 16, 32, 1], [Fp8, Bf8, F32]).on(Chips::FROM_942),
        V_MFMA_F32_16X16X32_FP8_FP8    = mfma!("v_mfma_f32_16x16x32_fp8_fp8", 0x73, [16, 16, 32, 1], [Fp8, Fp8, F32]).on(Chips::FROM_942),
        V_MFMA_F32_32X32X16_BF8_BF8    = mfma!("v_mfma_f32_32x32x16_bf8_bf8", 0x74, [32, 32, 16, 1], [Bf8, Bf8, F32]).on(Chips::FROM_942),
        V_MFMA_F32_32X32X16_BF8_FP8    = mfma!("v_mfma_f32_32x32x16_bf8_fp8", 0x75, [32, 32, 16, 1], [Bf8, Fp8, F32]).on(Chips::FROM_942),
        V_MFMA_F32_32X32X16_FP8_BF8    = mfma!("v_mfma_f32_32x32x16_fp8_bf8", 0x76, [32, 32, 16, 1], [Fp8, Bf8, F32]).on(Chips::FROM_942),
        V_MFMA_F32_32X32X16_FP8_FP8    = mfma!("v_mfma_f32_32x32x16_fp8_fp8", 0x77, [32, 32, 16, 1], [Fp8, Fp8, F32]).on(Chips::FROM_942),
        V_SMFMAC_F32_16X16X64_BF8_BF8  = smfmac!("v_smfmac_f32_16x16x64_bf8_bf8", 0x78, [16, 16, 64, 1], [Bf8, Bf8, F32]).on(Chips::FROM_942),
        V_SMFMAC_F32_16X16X64_BF8_FP8  = smfmac!("v_smfmac_f32_16x16x64_bf8_fp8", 0x79, [16, 16, 64, 1], [Bf8, Fp8, F32]).on(Chips::FROM_942),
        V_SMFMAC_F32_16X16X64_FP8_BF8  = smfmac!("v_smfmac_f32_16x16x64_fp8_bf8", 0x7a, [16, 16, 64, 1], [Fp8, Bf8, F32]).on(Chips::FROM_942),
        V_SMFMAC_F32_16X16X64_FP8_FP8  = smfmac!("v_smfmac_f32_16x16x64_fp8_fp8", 0x7b, [16, 16, 64, 1], [Fp8, Fp8, F32]).on(Chips::FROM_942),
        V_SMFMAC_F32_32X32X32_BF8_BF8  = smfmac!("v_smfmac_f32_32x32x32_bf8_bf8", 0x7c, [32, 32, 32, 1], [Bf8, Bf8, F32]).on(Chips::FROM_942),
        V_SMFMAC_F32_32X32X32_BF8_FP8  = smfmac!("v_smfmac_f32_32x32x32_bf8_fp8", 0x7d, [32, 32, 32, 1], [Bf8, Fp8, F32]).on(Chips::FROM_942),
        V_SMFMAC_F32_32X32X32_FP8_BF8  = smfmac!("v_smfmac_f32_32x32x32_fp8_bf8", 0x7e, [32, 32, 32, 1], [Fp8, Bf8, F32]).on(Chips::FROM_942),
        V_SMFMAC_F32_32X32X32_FP8_FP8  = smfmac!("v_smfmac_f32_32x32x32_fp8_fp8", 0x7f, [32, 32, 32, 1], [Fp8, Fp8, F32]).on(Chips::FROM_942),
        V_MFMA_F32_16X16X128_F8F6F4    = dense!("v_mfma_f32_16x16x128_f8f6f4", 0x2d, Shape::chosen([16, 16, 128, 1])).on(Chips::GFX950),
        V_MFMA_F32_32X32X64_F8F6F4     = dense!("v_mfma_f32_32x32x64_f8f6f4", 0x2e, Shape::chosen([32, 32, 64, 1])).on(Chips::GFX950),
        V_MFMA_F32_16X16X32_BF16       = mfma!("v_mfma_f32_16x16x32_bf16", 0x35, [16, 16, 32, 1], [Bf16, Bf16, F32]).on(Chips::GFX950),
        V_MFMA_I32_16X16X64_I8         = mfma!("v_mfma_i32_16x16x64_i8", 0x36, [16, 16, 64, 1], [I8, I8, I32]).on(Chips::GFX950),
        V_MFMA_F32_32X32X16_BF16       = mfma!("v_mfma_f32_32x32x16_bf16", 0x37, [32, 32, 16, 1], [Bf16, Bf16, F32]).on(Chips::GFX950),
        V_MFMA_I32_32X32X32_I8         = mfma!("v_mfma_i32_32x32x32_i8", 0x38, [32, 32, 32, 1], [I8, I8, I32]).on(Chips::GFX950),
        V_SMFMAC_F32_16X16X64_BF16     = smfmac!("v_smfmac_f32_16x16x64_bf16", 0x39, [16, 16, 64, 1], [Bf16, Bf16, F32]).on(Chips::GFX950),
        V_SMFMAC_I32_16X16X128_I8      = smfmac!("v_smfmac_i32_16x16x128_i8", 0x3a, [16, 16, 128, 1], [I8, I8, I32]).on(Chips::GFX950),
        V_SMFMAC_F32_16X16X128_BF8_BF8 = smfmac!("v_smfmac_f32_16x16x128_bf8_bf8", 0x3b, [16, 16, 128, 1], [Bf8, Bf8, F32]).on(Chips::GFX950),
        V_SMFMAC_F32_16X16X128_BF8_FP8 = smfmac!("v_smfmac_f32_16x16x128_bf8_fp8", 0x3c, [16, 16, 128, 1], [Bf8, Fp8, F32]).on(Chips::GFX950),
        V_SMFMAC_F32_16X16X128_FP8_BF8 = smfmac!("v_smfmac_f32_16x16x128_fp8_bf8", 0x3d, [16, 16, 128, 1], [Fp8, Bf8, F32]).on(Chips::GFX950),
        V_SMFMAC_F32_16X16X128_FP8_FP8 = smfmac!("v_smfmac_f32_16x16x128_fp8_fp8", 0x43, [16, 16, 128, 1], [Fp8, Fp8, F32]).on(Chips::GFX950),
        V_SMFMAC_F32_32X32X32_BF16     = smfmac!("v_smfmac_f32_32x32x32_bf16", 0x46, [32, 32, 32, 1], [Bf16, Bf16, F32]).on(Chips::GFX950),
        V_SMFMAC_I32_32X32X64_I8       = smfmac!("v_smfmac_i32_32x32x64_i8", 0x47, [32, 32, 64, 1], [I8, I8, I32]).on(Chips::GFX950),
        V_SMFMAC_F32_32X32X64_BF8_BF8  = smfmac!("v_smfmac_f32_32x32x64_bf8_bf8", 0x4b, [32, 32, 64, 1], [Bf8, Bf8, F32]).on(Chips::GFX950),
        V_SMFMAC_F32_32X32X64_BF8_FP8  = smfmac!("v_smfmac_f32_32x32x64_bf8_fp8", 0x4e, [32, 32, 64, 1], [Bf8, Fp8, F32]).on(Chips::GFX950),
        V_SMFMAC_F32_32X32X64_FP8_BF8  = smfmac!("v_smfmac_f32_32x32x64_fp8_bf8", 0x4f, [32, 32, 64, 1], [Fp8, Bf8, F32]).on(Chips::GFX950),
        V_SMFMAC_F32_32X32X64_FP8_FP8  = smfmac!("v_smfmac_f32_32x32x64_fp8_fp8", 0x53, [32, 32, 64, 1], [Fp8, Fp8, F32]).on(Chips::GFX950),
        V_MFMA_F32_16X16X32_F16        = mfma!("v_mfma_f32_16x16x32_f16", 0x54, [16, 16, 32, 1], [F16, F16, F32]).on(Chips::GFX950),
        V_MFMA_F32_32X32X16_F16        = mfma!("v_mfma_f32_32x32x16_f16", 0x55, [32, 32, 16, 1], [F16, F16, F32]).on(Chips::GFX950),
        V_SMFMAC_F32_16X16X64_F16      = smfmac!("v_smfmac_f32_16x16x64_f16", 0x5a, [16, 16, 64, 1], [F16, F16, F32]).on(Chips::GFX950),
        V_SMFMAC_F32_32X32X32_F16      = smfmac!("v_smfmac_f32_32x32x32_f16", 0x5b, [32, 32, 32, 1], [F16, F16, F32]).on(Chips::GFX950),
    }
}
