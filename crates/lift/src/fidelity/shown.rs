//! Tests with an independent oracle that prove instructions exact.
//!
//! Execution alone is not enough. An instruction that is not listed here is [`Unshown`](super::Fidelity::Unshown), whatever its
//! arm looks like, until a crate above this one finds a case of it.

use wavetank_gcn::Op;

/// Tests that lift the instruction and evaluate the result, as `file::test`, with the instructions that each covers.
const MEANINGS: &[(&str, &str)] = &[
    ("meaning::bit_searches", "v_ffbh_i32"),
    (
        "meaning::small_conversions",
        "v_cvt_f32_ubyte0 v_cvt_f32_ubyte1 v_cvt_f32_ubyte2 v_cvt_f32_ubyte3 v_cvt_flr_i32_f32 \
         v_cvt_off_f32_i4 v_cvt_rpi_i32_f32",
    ),
    (
        "meaning::operand_order",
        "v_ashrrev_i16 v_ashrrev_i32 v_lshlrev_b16 v_lshlrev_b32 v_lshrrev_b32 v_max_i16 \
         v_max_u16 v_sub_u32 v_subrev_f32 v_subrev_u16 v_subrev_u32",
    ),
    (
        "meaning::integer_products",
        "v_mad_i32_i16 v_mad_i32_i24 v_mad_u32_u16 v_mad_u32_u24 v_mul_hi_i32 v_mul_hi_u32_u24 \
         v_mul_i32_i24",
    ),
    (
        "meaning::three_operands",
        "v_add_lshl_u32 v_alignbyte_b32 v_and_or_b32 v_bcnt_u32_b32 v_bfe_u32 v_bfm_b32 \
         v_cvt_pk_i16_i32 v_cvt_pk_u16_u32 v_cvt_pk_u8_f32 v_cvt_pknorm_u16_f32 \
         v_cvt_pkrtz_f16_f32 v_lshl_or_b32 v_mad_legacy_f32 v_med3_i32 v_med3_u32 v_min3_i32 \
         v_mul_legacy_f32 v_pack_b32_f16 v_sad_hi_u8 v_sad_u32 v_xad_u32",
    ),
    (
        "meaning::doubles_and_longs",
        "v_ashrrev_i64 v_fma_f64 v_lshrrev_b64",
    ),
    (
        "meaning::multiply_accumulate",
        "v_mac_f32 v_madak_f32 v_madmk_f32",
    ),
    ("meaning::legacy_rules_for_zero", "v_mullit_f32"),
    ("meaning::carries", "v_subrev_co_u32"),
    (
        "meaning::float_compares",
        "v_cmp_eq_f32 v_cmp_f_f32 v_cmp_ge_f32 v_cmp_gt_f32 v_cmp_le_f32 v_cmp_lg_f32 \
         v_cmp_lt_f32 v_cmp_neq_f32 v_cmp_nge_f32 v_cmp_ngt_f32 v_cmp_nle_f32 v_cmp_nlg_f32 \
         v_cmp_nlt_f32 v_cmp_o_f32 v_cmp_tru_f32 v_cmp_u_f32",
    ),
    (
        "meaning::integer_compares",
        "v_cmp_eq_i32 v_cmp_ge_i32 v_cmp_ge_u32 v_cmp_gt_u16 v_cmp_gt_u32 v_cmp_le_i32 \
         v_cmp_le_u32 v_cmp_lt_i16 v_cmp_lt_u32 v_cmp_ne_u32",
    ),
    ("meaning::compare_and_write_exec", "v_cmpx_lt_u32"),
    ("meaning::moves", "v_movreld_b32 v_movrels_b32 v_swap_b32"),
    ("meaning::quad_sums", "v_mqsad_u32_u8"),
    (
        "meaning::integer_clamp",
        "v_add_i16 v_add_i32 v_add_u16 v_dot4_i32_i8 v_mad_legacy_i16 v_mad_legacy_u16 \
         v_pk_add_u16 v_sub_i32",
    ),
    ("modifiers::op_sel_and_other_half", "v_mac_f16 v_min3_u16"),
    ("modifiers::packed", "v_pk_lshlrev_b16"),
    (
        "modifiers::mixed_precision",
        "v_mad_mixhi_f16 v_mad_mixlo_f16",
    ),
    (
        "modifiers::dot_products",
        "v_dot2_f32_f16 v_dot2_i32_i16 v_dot2_u32_u16",
    ),
    (
        "scalar::worked_examples",
        "s_abs_i32 s_bcnt0_i32_b32 s_bcnt1_i32_b32 s_ff0_i32_b32",
    ),
    (
        "scalar::one_source",
        "s_bcnt0_i32_b64 s_bcnt1_i32_b64 s_brev_b64 s_ff0_i32_b64 s_ff1_i32_b64 s_flbit_i32_b64 \
         s_flbit_i32_i64 s_quadmask_b64 s_sext_i32_i16 s_sext_i32_i8 s_wqm_b64",
    ),
    ("scalar::bit_fields", "s_bfe_i64 s_bfe_u64"),
    (
        "scalar::sums",
        "s_lshl1_add_u32 s_lshl2_add_u32 s_lshl4_add_u32 s_max_u32 s_min_i32 s_min_u32 \
         s_mul_hi_u32 s_mul_i32 s_pack_hh_b32_b16 s_pack_ll_b32_b16 s_subb_u32",
    ),
    (
        "scalar::logic_and_shifts",
        "s_and_b64 s_andn2_b64 s_ashr_i32 s_ashr_i64 s_bfm_b32 s_bfm_b64 s_lshl_b32 s_lshl_b64 \
         s_lshr_b32 s_nand_b64 s_nor_b64 s_or_b64 s_orn2_b64 s_xnor_b64 s_xor_b64",
    ),
    (
        "scalar::save_exec",
        "s_andn1_saveexec_b64 s_andn1_wrexec_b64 s_andn2_saveexec_b64 s_nand_saveexec_b64 \
         s_nor_saveexec_b64 s_or_saveexec_b64 s_orn1_saveexec_b64 s_xnor_saveexec_b64 \
         s_xor_saveexec_b64",
    ),
    (
        "scalar::compares",
        "s_bitcmp0_b32 s_bitcmp0_b64 s_bitcmp1_b32 s_bitcmp1_b64 s_cmp_eq_i32 s_cmp_eq_u32 \
         s_cmp_eq_u64 s_cmp_ge_i32 s_cmp_ge_u32 s_cmp_gt_i32 s_cmp_gt_u32 s_cmp_le_i32 \
         s_cmp_le_u32 s_cmp_lg_i32 s_cmp_lg_u32 s_cmp_lg_u64 s_cmp_lt_i32 s_cmp_lt_u32",
    ),
    ("scalar::relative_moves", "s_movreld_b32 s_movrels_b32"),
    (
        "scalar::conditional_moves",
        "s_bitset0_b32 s_bitset1_b64 s_cmov_b64",
    ),
    (
        "scalar::constants_of_16_bits",
        "s_cmpk_eq_i32 s_cmpk_eq_u32 s_cmpk_lt_u32 s_movk_i32 s_mulk_i32",
    ),
    (
        "scalar::branches",
        "s_branch s_cbranch_execnz s_cbranch_execz s_cbranch_scc0 s_cbranch_vccnz \
         s_cbranch_vccz",
    ),
    ("scalar::calls", "s_setpc_b64 s_swappc_b64"),
    ("scalar::fork_and_join", "s_cbranch_g_fork s_cbranch_join"),
];

/// Tests that compare an operation of the IR with a soft-float library, with arithmetic in 128 bits or with the document's
/// pseudo-code, and the instructions whose arm is only that operation.
const OPERATIONS: &[(&str, &str)] = &[
    (
        "soft::sums_and_products_round_as_soft_floats",
        "v_mul_f16 v_mul_f32 v_sub_f16 v_subrev_f16",
    ),
    (
        "soft::fused_and_separate_multiply_adds_round_as_soft_floats",
        "v_fma_legacy_f16 v_fmac_f32 v_mad_f16 v_mad_legacy_f16 v_madak_f16 v_madmk_f16",
    ),
    ("soft::scaling_rounds_once", "v_ldexp_f16 v_ldexp_f64"),
    (
        "soft::formats_convert_as_soft_floats",
        "v_cvt_f32_f64 v_cvt_f64_f32",
    ),
    (
        "soft::integers_convert_as_soft_floats",
        "v_cvt_f16_i16 v_cvt_f16_u16 v_cvt_f32_i32 v_cvt_f32_u32 v_cvt_f64_i32 v_cvt_f64_u32",
    ),
    (
        "soft::floats_convert_to_saturated_integers",
        "v_cvt_i16_f16 v_cvt_i32_f64 v_cvt_u16_f16 v_cvt_u32_f64",
    ),
    (
        "special::minimum_maximum_and_median_follow_the_pseudo_code",
        "v_max_f16 v_max_f64 v_med3_f16 v_min_f16 v_min_f64",
    ),
    (
        "special::relations_are_those_of_the_numbers",
        "v_cmp_eq_f16 v_cmp_eq_f64 v_cmp_ge_f16 v_cmp_ge_f64 v_cmp_gt_f16 v_cmp_gt_f64 \
         v_cmp_le_f16 v_cmp_le_f64 v_cmp_lg_f16 v_cmp_lg_f64 v_cmp_lt_f16 v_cmp_lt_f64 \
         v_cmp_neq_f16 v_cmp_neq_f64 v_cmp_nge_f16 v_cmp_nge_f64 v_cmp_ngt_f16 v_cmp_ngt_f64 \
         v_cmp_nle_f16 v_cmp_nle_f64 v_cmp_nlg_f16 v_cmp_nlg_f64 v_cmp_nlt_f16 v_cmp_nlt_f64 \
         v_cmp_o_f16 v_cmp_o_f64 v_cmp_u_f16 v_cmp_u_f64",
    ),
    (
        "special::every_float_has_one_class",
        "v_cmp_class_f16 v_cmp_class_f64",
    ),
    (
        "special::parts_of_numbers",
        "v_frexp_exp_i16_f16 v_frexp_exp_i32_f64 v_frexp_mant_f16 v_frexp_mant_f64",
    ),
    (
        "special::integral_parts_of_every_half",
        "v_ceil_f16 v_floor_f16 v_rndne_f16 v_trunc_f16",
    ),
    (
        "integers::two_operands_against_wide_arithmetic",
        "v_and_b32 v_cmp_eq_i16 v_cmp_eq_i64 v_cmp_eq_u16 v_cmp_eq_u32 v_cmp_eq_u64 \
         v_cmp_ge_i16 v_cmp_ge_i64 v_cmp_ge_u16 v_cmp_ge_u64 v_cmp_gt_i16 v_cmp_gt_i64 \
         v_cmp_gt_u64 v_cmp_le_i16 v_cmp_le_i64 v_cmp_le_u16 v_cmp_le_u64 v_cmp_lt_i64 \
         v_cmp_lt_u16 v_cmp_lt_u64 v_cmp_ne_i16 v_cmp_ne_i32 v_cmp_ne_i64 v_cmp_ne_u16 \
         v_cmp_ne_u64 v_lshrrev_b16 v_max_i32 v_max_u32 v_min_i16 v_min_i32 v_min_u16 v_min_u32 \
         v_mul_lo_u16 v_mul_lo_u32 v_or_b32 v_sub_i16 v_sub_u16 v_xnor_b32 v_xor_b32",
    ),
    ("integers::products_of_24_bits", "v_mul_hi_i32_i24"),
    (
        "integers::bit_searches_of_the_document",
        "v_bfrev_b32 v_not_b32",
    ),
];

/// The test that proves an instruction bit for bit, as `file::test`.
pub(super) fn by(op: Op) -> Option<&'static str> {
    let name = name(op);
    let all = MEANINGS.iter().chain(OPERATIONS);
    let names = |instructions: &str| instructions.split_whitespace().any(|i| i == name);
    all.into_iter()
        .find_map(|(place, instructions)| names(instructions).then_some(*place))
}

/// The name on the last generation that has the instruction, where names are unique.
fn name(op: Op) -> &'static str {
    let names = op.row().mnemonics;
    names.into_iter().rev().flatten().next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
