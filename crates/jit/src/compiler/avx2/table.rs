//! The table of the lowering: a row for each instruction, with the form of its mask, the equivalent AVX2 instruction on 256 bits
//! if there is one, and the recipe. Instructions without a row are refused: halves by AVX512-FP16, conversions of qwords.

use iced_x86::Code;

use super::row::{Recipe, Row};
use super::state::Form::{self, Bytes, Dwords, Qwords, Words};
use super::{compare, floats, lanes, masks, moves, numbers, per_half, permute};
use crate::compiler::asm::inst_list::{GATHER, SCATTER};

const NONE: Code = Code::INVALID;

/// The row of an instruction, if it has one.
pub(super) fn row(code: Code) -> Option<Row> {
    let (form, code, recipe): (Form, Code, Recipe) = match code {
        // Instructions with an equivalent on each half.
        Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpaddd_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpsubd_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpmulld_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpminud_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpminsd_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpmaxud_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpmaxsd_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpsrlvd_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpsllvd_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpsravd_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64 => {
            (Qwords, Code::VEX_Vpaddq_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64 => {
            (Qwords, Code::VEX_Vpsubq_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpsrlvq_zmm_k1z_zmm_zmmm512b64 => {
            (Qwords, Code::VEX_Vpsrlvq_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpsllvq_zmm_k1z_zmm_zmmm512b64 => {
            (Qwords, Code::VEX_Vpsllvq_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64 => {
            (Qwords, Code::VEX_Vpmuludq_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64 => {
            (Qwords, Code::VEX_Vpmuldq_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpaddw_zmm_k1z_zmm_zmmm512 => {
            (Words, Code::VEX_Vpaddw_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpsubw_zmm_k1z_zmm_zmmm512 => {
            (Words, Code::VEX_Vpsubw_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpaddsw_zmm_k1z_zmm_zmmm512 => {
            (Words, Code::VEX_Vpaddsw_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpsubsw_zmm_k1z_zmm_zmmm512 => {
            (Words, Code::VEX_Vpsubsw_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpaddusw_zmm_k1z_zmm_zmmm512 => {
            (Words, Code::VEX_Vpaddusw_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpsubusw_zmm_k1z_zmm_zmmm512 => {
            (Words, Code::VEX_Vpsubusw_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpminuw_zmm_k1z_zmm_zmmm512 => {
            (Words, Code::VEX_Vpminuw_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpmaxuw_zmm_k1z_zmm_zmmm512 => {
            (Words, Code::VEX_Vpmaxuw_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpminsw_zmm_k1z_zmm_zmmm512 => {
            (Words, Code::VEX_Vpminsw_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpmaxsw_zmm_k1z_zmm_zmmm512 => {
            (Words, Code::VEX_Vpmaxsw_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpmullw_zmm_k1z_zmm_zmmm512 => {
            (Words, Code::VEX_Vpmullw_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpmulhw_zmm_k1z_zmm_zmmm512 => {
            (Words, Code::VEX_Vpmulhw_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpmulhuw_zmm_k1z_zmm_zmmm512 => {
            (Words, Code::VEX_Vpmulhuw_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpmaddubsw_zmm_k1z_zmm_zmmm512 => {
            (Words, Code::VEX_Vpmaddubsw_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpaddb_zmm_k1z_zmm_zmmm512 => {
            (Bytes, Code::VEX_Vpaddb_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpsubb_zmm_k1z_zmm_zmmm512 => {
            (Bytes, Code::VEX_Vpsubb_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpaddusb_zmm_k1z_zmm_zmmm512 => {
            (Bytes, Code::VEX_Vpaddusb_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpminub_zmm_k1z_zmm_zmmm512 => {
            (Bytes, Code::VEX_Vpminub_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpmaxub_zmm_k1z_zmm_zmmm512 => {
            (Bytes, Code::VEX_Vpmaxub_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpavgb_zmm_k1z_zmm_zmmm512 => {
            (Bytes, Code::VEX_Vpavgb_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpshufb_zmm_k1z_zmm_zmmm512 => {
            (Bytes, Code::VEX_Vpshufb_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpunpckldq_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpunpckhdq_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpunpcklqdq_zmm_k1z_zmm_zmmm512b64 => (
            Qwords,
            Code::VEX_Vpunpcklqdq_ymm_ymm_ymmm256,
            per_half::each,
        ),
        Code::EVEX_Vpunpckhqdq_zmm_k1z_zmm_zmmm512b64 => (
            Qwords,
            Code::VEX_Vpunpckhqdq_ymm_ymm_ymmm256,
            per_half::each,
        ),
        Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er => {
            (Dwords, Code::VEX_Vaddps_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er => {
            (Dwords, Code::VEX_Vsubps_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er => {
            (Dwords, Code::VEX_Vmulps_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er => {
            (Dwords, Code::VEX_Vdivps_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae => {
            (Dwords, Code::VEX_Vminps_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae => {
            (Dwords, Code::VEX_Vmaxps_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er => {
            (Qwords, Code::VEX_Vaddpd_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er => {
            (Qwords, Code::VEX_Vsubpd_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er => {
            (Qwords, Code::VEX_Vmulpd_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vdivpd_zmm_k1z_zmm_zmmm512b64_er => {
            (Qwords, Code::VEX_Vdivpd_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vminpd_zmm_k1z_zmm_zmmm512b64_sae => {
            (Qwords, Code::VEX_Vminpd_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vmaxpd_zmm_k1z_zmm_zmmm512b64_sae => {
            (Qwords, Code::VEX_Vmaxpd_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpand_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64 => {
            (Qwords, Code::VEX_Vpand_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpord_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpor_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vporq_zmm_k1z_zmm_zmmm512b64 => {
            (Qwords, Code::VEX_Vpor_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32 => {
            (Dwords, Code::VEX_Vpxor_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64 => {
            (Qwords, Code::VEX_Vpxor_ymm_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er => {
            (Dwords, Code::VEX_Vsqrtps_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er => {
            (Qwords, Code::VEX_Vsqrtpd_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er => {
            (Dwords, Code::VEX_Vcvtdq2ps_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae => {
            (Dwords, Code::VEX_Vcvttps2dq_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vcvtps2dq_zmm_k1z_zmmm512b32_er => {
            (Dwords, Code::VEX_Vcvtps2dq_ymm_ymmm256, per_half::each)
        }
        Code::EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae => {
            (Dwords, Code::VEX_Vroundps_ymm_ymmm256_imm8, per_half::each)
        }
        Code::EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae => {
            (Qwords, Code::VEX_Vroundpd_ymm_ymmm256_imm8, per_half::each)
        }
        Code::EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8 => {
            (Dwords, Code::VEX_Vpshufd_ymm_ymmm256_imm8, per_half::each)
        }
        // Shifts by constants, on each half.
        Code::EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8 => (
            Dwords,
            Code::VEX_Vpslld_ymm_ymm_imm8,
            per_half::each_of_register,
        ),
        Code::EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8 => (
            Dwords,
            Code::VEX_Vpsrld_ymm_ymm_imm8,
            per_half::each_of_register,
        ),
        Code::EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8 => (
            Dwords,
            Code::VEX_Vpsrad_ymm_ymm_imm8,
            per_half::each_of_register,
        ),
        Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8 => (
            Qwords,
            Code::VEX_Vpsllq_ymm_ymm_imm8,
            per_half::each_of_register,
        ),
        Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8 => (
            Qwords,
            Code::VEX_Vpsrlq_ymm_ymm_imm8,
            per_half::each_of_register,
        ),
        // Fused multiply-adds, on each half.
        Code::EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er => (
            Dwords,
            Code::VEX_Vfmadd213ps_ymm_ymm_ymmm256,
            per_half::fused,
        ),
        Code::EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er => (
            Qwords,
            Code::VEX_Vfmadd213pd_ymm_ymm_ymmm256,
            per_half::fused,
        ),
        Code::EVEX_Vfnmadd231ps_zmm_k1z_zmm_zmmm512b32_er => (
            Dwords,
            Code::VEX_Vfnmadd231ps_ymm_ymm_ymmm256,
            per_half::fused,
        ),
        Code::EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er => (
            Dwords,
            Code::VEX_Vfnmadd213ps_ymm_ymm_ymmm256,
            per_half::fused,
        ),
        Code::EVEX_Vfnmadd231pd_zmm_k1z_zmm_zmmm512b64_er => (
            Qwords,
            Code::VEX_Vfnmadd231pd_ymm_ymm_ymmm256,
            per_half::fused,
        ),
        Code::EVEX_Vfnmadd213pd_zmm_k1z_zmm_zmmm512b64_er => (
            Qwords,
            Code::VEX_Vfnmadd213pd_ymm_ymm_ymmm256,
            per_half::fused,
        ),
        Code::EVEX_Vfmsub231pd_zmm_k1z_zmm_zmmm512b64_er => (
            Qwords,
            Code::VEX_Vfmsub231pd_ymm_ymm_ymmm256,
            per_half::fused,
        ),
        Code::EVEX_Vfmsub213pd_zmm_k1z_zmm_zmmm512b64_er => (
            Qwords,
            Code::VEX_Vfmsub213pd_ymm_ymm_ymmm256,
            per_half::fused,
        ),
        Code::EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er => (
            Dwords,
            Code::VEX_Vfmadd231ps_ymm_ymm_ymmm256,
            per_half::fused,
        ),
        Code::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er => (
            Qwords,
            Code::VEX_Vfmadd231pd_ymm_ymm_ymmm256,
            per_half::fused,
        ),
        Code::EVEX_Vfmadd132ps_zmm_k1z_zmm_zmmm512b32_er => (
            Dwords,
            Code::VEX_Vfmadd132ps_ymm_ymm_ymmm256,
            per_half::fused,
        ),
        Code::EVEX_Vfmadd132pd_zmm_k1z_zmm_zmmm512b64_er => (
            Qwords,
            Code::VEX_Vfmadd132pd_ymm_ymm_ymmm256,
            per_half::fused,
        ),
        // Moves, loads, stores and broadcasts.
        Code::EVEX_Vmovdqa32_zmm_k1z_zmmm512 => {
            (Dwords, Code::VEX_Vmovdqu_ymm_ymmm256, per_half::copy)
        }
        Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512 => {
            (Dwords, Code::VEX_Vmovdqu_ymm_ymmm256, per_half::copy)
        }
        Code::EVEX_Vmovdqu8_zmm_k1z_zmmm512 => {
            (Bytes, Code::VEX_Vmovdqu_ymm_ymmm256, per_half::copy)
        }
        Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512 => {
            (Qwords, Code::VEX_Vmovdqu_ymm_ymmm256, per_half::copy)
        }
        Code::EVEX_Vmovdqu16_zmm_k1z_zmmm512 => {
            (Words, Code::VEX_Vmovdqu_ymm_ymmm256, per_half::copy)
        }
        Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm => (Dwords, NONE, per_half::store),
        Code::EVEX_Vpbroadcastd_zmm_k1z_xmmm32 => (
            Dwords,
            Code::VEX_Vpbroadcastd_ymm_xmmm32,
            per_half::broadcast,
        ),
        Code::EVEX_Vpbroadcastq_zmm_k1z_xmmm64 => (
            Qwords,
            Code::VEX_Vpbroadcastq_ymm_xmmm64,
            per_half::broadcast,
        ),
        Code::EVEX_Vbroadcasti32x4_zmm_k1z_m128 => (
            Dwords,
            Code::VEX_Vbroadcasti128_ymm_m128,
            per_half::broadcast_quarter,
        ),
        Code::EVEX_Vpbroadcastd_zmm_k1z_r32 => (
            Dwords,
            Code::VEX_Vpbroadcastd_ymm_xmmm32,
            per_half::broadcast_general,
        ),
        Code::EVEX_Vpblendmd_zmm_k1z_zmm_zmmm512b32 => (Dwords, NONE, per_half::blend),
        // Instructions on the lowest 128 or 256 bits.
        Code::VEX_Vmovd_rm32_xmm => (Dwords, Code::VEX_Vmovd_rm32_xmm, per_half::short),
        Code::VEX_Vmovdqu_xmmm128_xmm => (Dwords, Code::VEX_Vmovdqu_xmmm128_xmm, per_half::short),
        Code::VEX_Vmovdqu_xmm_xmmm128 => (Dwords, Code::VEX_Vmovdqu_xmm_xmmm128, per_half::short),
        Code::VEX_Vucomiss_xmm_xmmm32 => (Dwords, Code::VEX_Vucomiss_xmm_xmmm32, per_half::short),
        Code::VEX_Vucomisd_xmm_xmmm64 => (Dwords, Code::VEX_Vucomisd_xmm_xmmm64, per_half::short),
        Code::VEX_Vpinsrd_xmm_xmm_rm32_imm8 => {
            (Dwords, Code::VEX_Vpinsrd_xmm_xmm_rm32_imm8, per_half::short)
        }
        Code::VEX_Vpextrd_rm32_xmm_imm8 => {
            (Dwords, Code::VEX_Vpextrd_rm32_xmm_imm8, per_half::short)
        }
        Code::VEX_Vmovq_xmmm64_xmm => (Dwords, Code::VEX_Vmovq_xmmm64_xmm, per_half::short),
        Code::VEX_Vmovq_xmm_xmmm64 => (Dwords, Code::VEX_Vmovq_xmm_xmmm64, per_half::short),
        Code::VEX_Vmovq_xmm_rm64 => (Dwords, Code::VEX_Vmovq_xmm_rm64, per_half::short),
        Code::VEX_Vmovq_rm64_xmm => (Dwords, Code::VEX_Vmovq_rm64_xmm, per_half::short),
        Code::VEX_Vmovdqu_ymmm256_ymm => (Dwords, Code::VEX_Vmovdqu_ymmm256_ymm, per_half::short),
        Code::VEX_Vmovdqu_ymm_ymmm256 => (Dwords, Code::VEX_Vmovdqu_ymm_ymmm256, per_half::short),
        Code::VEX_Vmovd_xmm_rm32 => (Dwords, Code::VEX_Vmovd_xmm_rm32, per_half::short),
        Code::VEX_Vaddss_xmm_xmm_xmmm32 => {
            (Dwords, Code::VEX_Vaddss_xmm_xmm_xmmm32, per_half::short)
        }
        Code::VEX_Vaddsd_xmm_xmm_xmmm64 => {
            (Dwords, Code::VEX_Vaddsd_xmm_xmm_xmmm64, per_half::short)
        }
        Code::EVEX_Vmovd_rm32_xmm => (Dwords, Code::VEX_Vmovd_rm32_xmm, per_half::short),
        // Comparisons, with masks as results.
        Code::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8 => (Dwords, NONE, compare::unsigned),
        Code::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8 => (Qwords, NONE, compare::unsigned),
        Code::EVEX_Vpcmpub_kr_k1_zmm_zmmm512_imm8 => (Bytes, NONE, compare::unsigned),
        Code::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8 => (Dwords, NONE, compare::signed),
        Code::EVEX_Vpcmpq_kr_k1_zmm_zmmm512b64_imm8 => (Qwords, NONE, compare::signed),
        Code::EVEX_Vptestmd_kr_k1_zmm_zmmm512b32 => (Dwords, NONE, compare::any_bits),
        Code::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32 => (Dwords, NONE, compare::no_bits),
        Code::EVEX_Vptestmq_kr_k1_zmm_zmmm512b64 => (Qwords, NONE, compare::any_bits),
        Code::EVEX_Vptestnmq_kr_k1_zmm_zmmm512b64 => (Qwords, NONE, compare::no_bits),
        Code::EVEX_Vptestnmw_kr_k1_zmm_zmmm512 => (Words, NONE, compare::no_bits),
        Code::EVEX_Vptestmb_kr_k1_zmm_zmmm512 => (Bytes, NONE, compare::any_bits),
        Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae => (
            Dwords,
            Code::VEX_Vcmpps_ymm_ymm_ymmm256_imm8,
            compare::floats,
        ),
        Code::EVEX_Vcmppd_kr_k1_zmm_zmmm512b64_imm8_sae => (
            Qwords,
            Code::VEX_Vcmppd_ymm_ymm_ymmm256_imm8,
            compare::floats,
        ),
        Code::EVEX_Vfpclassps_kr_k1_zmmm512b32_imm8 => (Dwords, NONE, compare::classes),
        Code::EVEX_Vfpclasspd_kr_k1_zmmm512b64_imm8 => (Qwords, NONE, compare::classes),
        // Operations on mask registers.
        Code::VEX_Kandw_kr_kr_kr => (Dwords, Code::VEX_Vpand_ymm_ymm_ymmm256, masks::combine),
        Code::VEX_Korw_kr_kr_kr => (Dwords, Code::VEX_Vpor_ymm_ymm_ymmm256, masks::combine),
        Code::VEX_Kxorw_kr_kr_kr => (Dwords, Code::VEX_Vpxor_ymm_ymm_ymmm256, masks::combine),
        Code::VEX_Kandnw_kr_kr_kr => (Dwords, Code::VEX_Vpandn_ymm_ymm_ymmm256, masks::combine),
        Code::VEX_Knotw_kr_kr => (Dwords, NONE, masks::not),
        Code::VEX_Knotd_kr_kr => (Dwords, NONE, masks::not),
        Code::VEX_Kshiftrw_kr_kr_imm8 => (Dwords, NONE, masks::shift),
        Code::VEX_Kunpckbw_kr_kr_kr => (Dwords, NONE, masks::unpack),
        Code::VEX_Kortestw_kr_kr => (Dwords, NONE, masks::test),
        Code::VEX_Kortestb_kr_kr => (Dwords, NONE, masks::test),
        Code::VEX_Kortestd_kr_kr => (Dwords, NONE, masks::test),
        Code::VEX_Kortestq_kr_kr => (Dwords, NONE, masks::test),
        Code::VEX_Kmovw_kr_km16 => (Dwords, NONE, masks::load),
        Code::VEX_Kmovw_kr_r32 => (Dwords, NONE, masks::load),
        Code::VEX_Kmovq_kr_r64 => (Bytes, NONE, masks::load_bytes),
        Code::VEX_Kmovw_r32_kr => (Dwords, NONE, masks::store),
        Code::VEX_Kmovq_r64_kr => (Dwords, NONE, masks::store),
        Code::VEX_Kmovw_m16_kr => (Dwords, NONE, masks::store_to_memory),
        Code::EVEX_Vpmovd2m_kr_zmm => (Dwords, NONE, masks::signs),
        Code::EVEX_Vpmovq2m_kr_zmm => (Qwords, Code::VEX_Vpcmpgtq_ymm_ymm_ymmm256, masks::signs),
        Code::EVEX_Vpmovb2m_kr_zmm => (Bytes, Code::VEX_Vpcmpgtb_ymm_ymm_ymmm256, masks::signs),
        Code::EVEX_Vpmovm2b_zmm_kr => (Bytes, NONE, masks::fields),
        // Conversions between field sizes, and parts of registers.
        Code::EVEX_Vpmovzxwd_zmm_k1z_ymmm256 => {
            (Dwords, Code::VEX_Vpmovzxwd_ymm_xmmm128, moves::extend)
        }
        Code::EVEX_Vpmovsxwd_zmm_k1z_ymmm256 => {
            (Dwords, Code::VEX_Vpmovsxwd_ymm_xmmm128, moves::extend)
        }
        Code::EVEX_Vpmovzxdq_zmm_k1z_ymmm256 => {
            (Qwords, Code::VEX_Vpmovzxdq_ymm_xmmm128, moves::extend)
        }
        Code::EVEX_Vcvtps2pd_zmm_k1z_ymmm256b32_sae => {
            (Qwords, Code::VEX_Vcvtps2pd_ymm_xmmm128, moves::extend)
        }
        Code::EVEX_Vcvtdq2pd_zmm_k1z_ymmm256b32_er => {
            (Qwords, Code::VEX_Vcvtdq2pd_ymm_xmmm128, moves::extend)
        }
        Code::EVEX_Vcvtph2ps_zmm_k1z_ymmm256_sae => {
            (Dwords, Code::VEX_Vcvtph2ps_ymm_xmmm128, moves::extend)
        }
        Code::EVEX_Vpmovzxbd_zmm_k1z_xmmm128 => {
            (Dwords, Code::VEX_Vpmovzxbd_ymm_xmmm64, moves::extend_bytes)
        }
        Code::EVEX_Vpmovsxbd_zmm_k1z_xmmm128 => {
            (Dwords, Code::VEX_Vpmovsxbd_ymm_xmmm64, moves::extend_bytes)
        }
        Code::EVEX_Vcvtpd2ps_ymm_k1z_zmmm512b64_er => {
            (Qwords, Code::VEX_Vcvtpd2ps_xmm_ymmm256, moves::narrow)
        }
        Code::EVEX_Vcvtpd2dq_ymm_k1z_zmmm512b64_er => {
            (Qwords, Code::VEX_Vcvtpd2dq_xmm_ymmm256, moves::narrow)
        }
        Code::EVEX_Vcvttpd2dq_ymm_k1z_zmmm512b64_sae => {
            (Qwords, Code::VEX_Vcvttpd2dq_xmm_ymmm256, moves::narrow)
        }
        Code::EVEX_Vcvtps2ph_ymmm256_k1z_zmm_imm8_sae => (
            Dwords,
            Code::VEX_Vcvtps2ph_xmmm128_ymm_imm8,
            moves::narrow_halves,
        ),
        Code::EVEX_Vpmovdw_ymmm256_k1z_zmm => (
            Dwords,
            Code::VEX_Vmovdqu_ymmm256_ymm,
            moves::truncate_to_words,
        ),
        Code::EVEX_Vpmovdb_xmmm128_k1z_zmm => (Dwords, NONE, moves::truncate_to_bytes),
        Code::EVEX_Vpmovsdw_ymmm256_k1z_zmm => {
            (Dwords, Code::VEX_Vpackssdw_ymm_ymm_ymmm256, moves::saturate)
        }
        Code::EVEX_Vpmovusdw_ymmm256_k1z_zmm => (
            Dwords,
            Code::VEX_Vpackusdw_ymm_ymm_ymmm256,
            moves::saturate_unsigned,
        ),
        Code::EVEX_Vinserti32x8_zmm_k1z_zmm_ymmm256_imm8 => (Dwords, NONE, moves::insert_half),
        Code::EVEX_Vinserti32x4_zmm_k1z_zmm_xmmm128_imm8 => (Dwords, NONE, moves::insert_quarter),
        Code::EVEX_Vextracti32x8_ymmm256_k1z_zmm_imm8 => (Dwords, NONE, moves::extract_half),
        Code::EVEX_Vextracti32x4_xmmm128_k1z_zmm_imm8 => (Dwords, NONE, moves::extract_quarter),
        // Instructions that move elements across lanes.
        Code::EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32 => (Dwords, NONE, permute::one),
        Code::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32 => (Dwords, NONE, permute::two),
        Code::EVEX_Vshufi32x4_zmm_k1z_zmm_zmmm512b32_imm8 => (Dwords, NONE, permute::quarters),
        Code::EVEX_Vshufi64x2_zmm_k1z_zmm_zmmm512b64_imm8 => (Qwords, NONE, permute::quarters),
        Code::EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8 => (Dwords, NONE, permute::align),
        // Gathers, scatters and other accesses at separate places.
        GATHER => (Dwords, NONE, lanes::gather),
        SCATTER => (Dwords, NONE, lanes::scatter),
        // Integer instructions with a recipe.
        Code::EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8 => (Dwords, NONE, numbers::ternary),
        Code::EVEX_Vpminsq_zmm_k1z_zmm_zmmm512b64 => (Qwords, NONE, numbers::min_signed),
        Code::EVEX_Vpmaxsq_zmm_k1z_zmm_zmmm512b64 => (Qwords, NONE, numbers::max_signed),
        Code::EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64 => (Qwords, NONE, numbers::min_unsigned),
        Code::EVEX_Vpmaxuq_zmm_k1z_zmm_zmmm512b64 => (Qwords, NONE, numbers::max_unsigned),
        Code::EVEX_Vpmullq_zmm_k1z_zmm_zmmm512b64 => (Qwords, NONE, numbers::product),
        Code::EVEX_Vpsravq_zmm_k1z_zmm_zmmm512b64 => (Qwords, NONE, numbers::shift_signed),
        Code::EVEX_Vpsllvw_zmm_k1z_zmm_zmmm512 => (
            Words,
            Code::VEX_Vpsllvd_ymm_ymm_ymmm256,
            numbers::shift_words,
        ),
        Code::EVEX_Vpsrlvw_zmm_k1z_zmm_zmmm512 => (
            Words,
            Code::VEX_Vpsrlvd_ymm_ymm_ymmm256,
            numbers::shift_words,
        ),
        Code::EVEX_Vpsravw_zmm_k1z_zmm_zmmm512 => (
            Words,
            Code::VEX_Vpsravd_ymm_ymm_ymmm256,
            numbers::shift_words,
        ),
        Code::EVEX_Vplzcntd_zmm_k1z_zmmm512b32 => (Dwords, NONE, numbers::leading_zeros),
        Code::EVEX_Vpopcntd_zmm_k1z_zmmm512b32 => (Dwords, NONE, numbers::count_ones),
        // Float instructions with a recipe.
        Code::EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae => (Dwords, NONE, floats::range),
        Code::EVEX_Vgetmantps_zmm_k1z_zmmm512b32_imm8_sae => (Dwords, NONE, floats::mantissa),
        Code::EVEX_Vgetexpps_zmm_k1z_zmmm512b32_sae => (Dwords, NONE, floats::exponent),
        Code::EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er => (Dwords, NONE, floats::scale),
        Code::EVEX_Vrangepd_zmm_k1z_zmm_zmmm512b64_imm8_sae => (Qwords, NONE, floats::range),
        Code::EVEX_Vgetmantpd_zmm_k1z_zmmm512b64_imm8_sae => (Qwords, NONE, floats::mantissa),
        Code::EVEX_Vgetexppd_zmm_k1z_zmmm512b64_sae => (Qwords, NONE, floats::exponent),
        Code::EVEX_Vscalefpd_zmm_k1z_zmm_zmmm512b64_er => (Qwords, NONE, floats::scale_wide),
        Code::EVEX_Vrsqrt14ps_zmm_k1z_zmmm512b32 => (Dwords, NONE, floats::root_estimate),
        Code::EVEX_Vrsqrt14pd_zmm_k1z_zmmm512b64 => (Qwords, NONE, floats::reciprocal_root),
        Code::EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er => (Dwords, NONE, floats::from_unsigned),
        Code::EVEX_Vcvtudq2pd_zmm_k1z_ymmm256b32_er => (Qwords, NONE, floats::wide_from_unsigned),
        Code::EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae => (Dwords, NONE, floats::to_unsigned),
        Code::EVEX_Vcvttpd2udq_ymm_k1z_zmmm512b64_sae => (Qwords, NONE, floats::wide_to_unsigned),
        _ => return None,
    };
    Some(Row { form, code, recipe })
}
