//! The kinds of instructions.
//!
//! What registers hold (`Tank::set_up`): v0 the lane, v1 a float, v[2:3] an address in the buffer, v4 its offset, v5 two
//! halfs, v[6:7] a double, v[8:9] texel coordinates, v[10:11] image coordinates, v12 bytes' numbers; from v20 on results. s[0:1] the buffer's
//! address, s[4:7] its resource, s[8:15] an image, s[16:19] a sampler, s[24:27] numbers; from s40 on results.

use crate::tank::{BYTES, LDS, SCRATCH};

/// An instruction, and what it is measured on.
pub(crate) struct Kind {
    pub name: String,
    /// One instruction, or several in lines. `{s}` is the number of a scalar register that each copy has for itself, and
    /// `{t}` that of the next: a result that another copy overwrites unread would not be computed.
    pub text: String,
    /// The offsets that lanes access.
    pub offsets: [u32; 64],
    pub exec: u64,
}

/// What needs no memory, by subject. The name of a kind is its instruction; see [`Kind::text`].
const PLAIN: &[&str] = &[
    // 32-bit integers.
    "v_add_u32 v20, v20, v1",
    "v_mov_b32 v20, v1",
    "v_mov_b32 v20, 1.0",
    "v_and_b32 v20, v0, v1",
    "v_lshlrev_b32 v20, 3, v1",
    "v_lshl_add_u32 v20, v0, 4, v1",
    "v_add3_u32 v20, v0, v1, v20",
    "v_mul_lo_u32 v20, v20, v1",
    "v_mul_hi_u32 v20, v20, v1",
    "v_mul_u32_u24 v20, v20, v1",
    "v_mad_u32_u24 v20, v0, v1, v20",
    "v_mad_u64_u32 v[20:21], vcc, v0, v1, v[20:21]",
    "v_mad_i64_i32 v[20:21], vcc, v0, v1, v[20:21]",
    "v_lshlrev_b64 v[20:21], 1, v[6:7]",
    "v_lshrrev_b64 v[20:21], v0, v[6:7]",
    "v_ashrrev_i64 v[20:21], v0, v[6:7]",
    "v_add_co_u32 v20, vcc, v20, v1",
    "v_addc_co_u32 v20, vcc, v20, v1, vcc",
    "v_bfe_u32 v20, v1, 3, 9",
    "v_bfe_i32 v20, v1, 3, 9",
    "v_bfe_u32 v20, v1, v0, 9",
    "v_bfi_b32 v20, v0, v1, v20",
    "v_bfm_b32 v20, v0, v1",
    "v_bfrev_b32 v20, v1",
    "v_ffbh_u32 v20, v1",
    "v_ffbl_b32 v20, v1",
    "v_bcnt_u32_b32 v20, v1, v0",
    "v_mbcnt_lo_u32_b32 v20, s24, 0",
    "v_alignbit_b32 v20, v0, v1, 7",
    "v_alignbyte_b32 v20, v0, v1, 1",
    "v_perm_b32 v20, v0, v1, v12",
    "v_perm_b32 v20, v0, v1, s27",
    "v_lerp_u8 v20, v0, v1, v5",
    "v_sad_u8 v20, v0, v1, v20",
    "v_sad_hi_u8 v20, v0, v1, v20",
    "v_sad_u16 v20, v0, v1, v20",
    "v_sad_u32 v20, v0, v1, v20",
    "v_msad_u8 v20, v0, v1, v20",
    "v_qsad_pk_u16_u8 v[20:21], v[6:7], v1, v[22:23]",
    "v_mqsad_pk_u16_u8 v[20:21], v[6:7], v1, v[22:23]",
    "v_mqsad_u32_u8 v[20:23], v[6:7], v1, v[24:27]",
    "v_min_i32 v20, v0, v1",
    "v_med3_i32 v20, v0, v1, v20",
    "v_cmp_lt_i32 s[{s}:{t}], v0, v1",
    "v_cmp_lt_u64 s[{s}:{t}], v[6:7], v[22:23]",
    "v_cmpx_le_i32 vcc, v0, v1",
    "v_cndmask_b32 v20, v0, v1, vcc",
    // 16-bit and packed integers.
    "v_add_u16 v20, v5, v1",
    "v_mul_lo_u16 v20, v5, v1",
    "v_lshlrev_b16 v20, 3, v5",
    "v_mad_u16 v20, v5, v1, v20",
    "v_max_i16 v20, v5, v1",
    "v_med3_i16 v20, v5, v1, v20",
    "v_cmp_lt_i16 s[{s}:{t}], v5, v1",
    "v_pk_add_u16 v20, v5, v1",
    "v_pk_mul_lo_u16 v20, v5, v1",
    "v_pk_mad_u16 v20, v5, v1, v20",
    "v_pk_lshlrev_b16 v20, v5, v1",
    "v_pk_max_i16 v20, v5, v1",
    "v_pk_sub_i16 v20, v5, v1 clamp",
    // Single precision.
    "v_add_f32 v20, v1, v20",
    "v_mul_f32 v20, v1, v1",
    "v_mac_f32 v20, v1, v1",
    "v_fma_f32 v20, v1, v1, v20",
    "v_fma_f32 v20, -v1, |v1|, 1.0",
    "v_mad_f32 v20, v1, v1, 1.0",
    "v_mul_legacy_f32 v20, v1, v1",
    "v_min_f32 v20, v1, v20",
    "v_max3_f32 v20, v1, v20, 1.0",
    "v_med3_f32 v20, v20, v1, 1.0",
    "v_cmp_lt_f32 s[{s}:{t}], v1, v20",
    "v_cmp_class_f32 s[{s}:{t}], v1, v0",
    "v_floor_f32 v20, v1",
    "v_rndne_f32 v20, v1",
    "v_fract_f32 v20, v1",
    "v_ldexp_f32 v20, v1, v0",
    "v_frexp_mant_f32 v20, v1",
    "v_frexp_exp_i32_f32 v20, v1",
    "v_rcp_f32 v20, v1",
    "v_rsq_f32 v20, v1",
    "v_sqrt_f32 v20, v1",
    "v_exp_f32 v20, v1",
    "v_log_f32 v20, v1",
    "v_sin_f32 v20, v1",
    "v_cos_f32 v20, v1",
    "v_div_scale_f32 v20, vcc, v1, v1, 1.0",
    "v_div_scale_f32 v20, vcc, 1.0, v1, 1.0",
    "v_div_fmas_f32 v20, v1, v1, v20",
    "v_div_fixup_f32 v20, v20, v1, 1.0",
    "v_cubeid_f32 v20, v1, v20, v10",
    "v_cubema_f32 v20, v1, v20, v10",
    "v_cubesc_f32 v20, v1, v20, v10",
    "v_cubetc_f32 v20, v1, v20, v10",
    // Double precision.
    "v_add_f64 v[20:21], v[6:7], v[20:21]",
    "v_mul_f64 v[20:21], v[6:7], v[6:7]",
    "v_fma_f64 v[20:21], v[6:7], v[6:7], v[20:21]",
    "v_fma_f64 v[20:21], -v[6:7], v[6:7], 1.0",
    "v_min_f64 v[20:21], v[6:7], v[20:21]",
    "v_cmp_lt_f64 s[{s}:{t}], v[6:7], v[20:21]",
    "v_cmp_class_f64 s[{s}:{t}], v[6:7], v0",
    "v_floor_f64 v[20:21], v[6:7]",
    "v_rndne_f64 v[20:21], v[6:7]",
    "v_fract_f64 v[20:21], v[6:7]",
    "v_trig_preop_f64 v[20:21], v[6:7], v0",
    "v_ldexp_f64 v[20:21], v[6:7], v0",
    "v_frexp_mant_f64 v[20:21], v[6:7]",
    "v_frexp_exp_i32_f64 v20, v[6:7]",
    "v_rcp_f64 v[20:21], v[6:7]",
    "v_rsq_f64 v[20:21], v[6:7]",
    "v_sqrt_f64 v[20:21], v[6:7]",
    "v_div_scale_f64 v[20:21], vcc, v[6:7], v[6:7], 1.0",
    "v_div_fmas_f64 v[20:21], v[6:7], v[6:7], v[20:21]",
    "v_div_fixup_f64 v[20:21], v[20:21], v[6:7], 1.0",
    // Half precision, packed and mixed.
    "v_add_f16 v20, v5, v5",
    "v_mul_f16 v20, v5, v5",
    "v_mac_f16 v20, v5, v5",
    "v_fma_f16 v20, v5, v5, v20",
    "v_mad_f16 v20, v5, v5, v20",
    "v_min_f16 v20, v5, v20",
    "v_med3_f16 v20, v5, v20, 1.0",
    "v_cmp_lt_f16 s[{s}:{t}], v5, v20",
    "v_floor_f16 v20, v5",
    "v_ldexp_f16 v20, v5, v0",
    "v_frexp_mant_f16 v20, v5",
    "v_rcp_f16 v20, v5",
    "v_rsq_f16 v20, v5",
    "v_sqrt_f16 v20, v5",
    "v_exp_f16 v20, v5",
    "v_log_f16 v20, v5",
    "v_sin_f16 v20, v5",
    "v_cos_f16 v20, v5",
    "v_div_fixup_f16 v20, v5, v5, 1.0",
    "v_pk_add_f16 v20, v5, v5",
    "v_pk_mul_f16 v20, v5, v5",
    "v_pk_fma_f16 v20, v5, v5, v20",
    "v_pk_min_f16 v20, v5, v20",
    "v_mad_mix_f32 v20, v5, v1, v20",
    "v_mad_mix_f32 v20, v5, v5, v20 op_sel_hi:[1,1,0]",
    "v_mad_mixlo_f16 v20, v1, v1, v20",
    "v_mad_mixhi_f16 v20, v1, v1, v20",
    // Conversions.
    "v_cvt_f32_i32 v20, v0",
    "v_cvt_f32_u32 v20, v1",
    "v_cvt_i32_f32 v20, v1",
    "v_cvt_u32_f32 v20, v1",
    "v_cvt_rpi_i32_f32 v20, v1",
    "v_cvt_f16_f32 v20, v1",
    "v_cvt_f32_f16 v20, v5",
    "v_cvt_f16_i16 v20, v5",
    "v_cvt_i16_f16 v20, v5",
    "v_cvt_f64_f32 v[20:21], v1",
    "v_cvt_f32_f64 v20, v[6:7]",
    "v_cvt_f64_i32 v[20:21], v1",
    "v_cvt_i32_f64 v20, v[6:7]",
    "v_cvt_u32_f64 v20, v[6:7]",
    "v_cvt_f32_ubyte1 v20, v1",
    "v_cvt_off_f32_i4 v20, v1",
    "v_cvt_pkrtz_f16_f32 v20, v1, v10",
    "v_cvt_pknorm_i16_f32 v20, v1, v10",
    "v_cvt_pknorm_u16_f32 v20, v1, v10",
    "v_cvt_pk_u16_u32 v20, v0, v1",
    "v_cvt_pk_i16_i32 v20, v0, v1",
    "v_cvt_pk_u8_f32 v20, v1, v0, v20",
    // SDWA and DPP.
    "v_add_u32_sdwa v20, v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_1",
    "v_or_b32_sdwa v20, v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD",
    "v_lshlrev_b32_sdwa v20, v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:WORD_1",
    "v_add_f16_sdwa v20, v5, v5 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0",
    "v_mov_b32_dpp v20, v1 row_shr:1 row_mask:0xf bank_mask:0xf",
    "v_add_u32_dpp v20, v1, v20 row_shr:1 row_mask:0xf bank_mask:0xf",
    "v_add_f32_dpp v20, v1, v20 row_shr:8 row_mask:0xf bank_mask:0xf bound_ctrl:0",
    "v_add_u32_dpp v20, v1, v20 row_bcast:15 row_mask:0xa bank_mask:0xf",
    "v_add_u32_dpp v20, v1, v20 row_bcast:31 row_mask:0xc bank_mask:0xf",
    "v_add_u32_dpp v20, v1, v20 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf",
    "v_add_u32_dpp v20, v1, v20 row_mirror row_mask:0xf bank_mask:0xf",
    "v_add_u32_dpp v20, v1, v20 wave_shr:1 row_mask:0xf bank_mask:0xf",
    // Between lanes, and scalars.
    "v_readlane_b32 s{s}, v1, 3",
    "v_readfirstlane_b32 s{s}, v1",
    "v_writelane_b32 v20, s24, 3",
    "ds_bpermute_b32 v20, v4, v1",
    "ds_permute_b32 v20, v4, v1",
    "ds_swizzle_b32 v20, v1 offset:0x041f",
    "ds_swizzle_b32 v20, v1 offset:0x8055",
    "s_add_u32 s40, s40, s24",
    "s_mul_i32 s40, s40, s24",
    "s_and_b64 s[40:41], s[40:41], s[24:25]",
    "s_bcnt1_i32_b64 s{s}, s[24:25]",
    "s_bfe_u32 s{s}, s25, 0x90003",
    "s_cmp_lt_i32 s24, s25\ns_cselect_b32 s{s}, s24, s25",
    "s_cselect_b32 s{s}, s24, s25",
    "s_nop 0",
    // Scalar memory, images, exports.
    "s_load_dword s40, s[0:1], 0x0",
    "s_load_dwordx2 s[40:41], s[0:1], 0x10",
    "s_load_dwordx4 s[40:43], s[0:1], 0x10",
    "s_load_dwordx8 s[40:47], s[0:1], 0x20",
    "s_load_dwordx16 s[40:55], s[0:1], 0x40",
    "s_buffer_load_dword s40, s[4:7], 0x0",
    "s_buffer_load_dwordx4 s[40:43], s[4:7], 0x10",
    "s_store_dword s24, s[0:1], 0x0",
    "image_load v[20:23], v[8:9], s[8:15] dmask:0xf unorm",
    "image_store v[20:23], v[8:9], s[8:15] dmask:0xf unorm",
    "image_sample_lz v[20:23], v[10:11], s[8:15], s[16:19] dmask:0xf",
    "exp mrt0 v1, v1, v1, v1 done",
];

/// An access to memory: its text, the bytes of a lane, the bytes that can be reached.
struct Access {
    text: &'static str,
    bytes: u32,
    room: u32,
}

const fn access(text: &'static str, bytes: u32, room: u32) -> Access {
    Access { text, bytes, room }
}

const ACCESSES: &[Access] = &[
    access("global_load_ubyte v20, v[2:3], off", 1, BYTES),
    access("global_load_ushort v20, v[2:3], off", 2, BYTES),
    access("global_load_short_d16_hi v20, v[2:3], off", 2, BYTES),
    access("global_load_dword v20, v[2:3], off", 4, BYTES),
    access("global_load_dword v20, v4, s[0:1]", 4, BYTES),
    access("global_load_dwordx2 v[20:21], v[2:3], off", 8, BYTES),
    access("global_load_dwordx3 v[20:22], v[2:3], off", 12, BYTES),
    access("global_load_dwordx4 v[20:23], v[2:3], off", 16, BYTES),
    access("global_store_byte v[2:3], v1, off", 1, BYTES),
    access("global_store_short v[2:3], v1, off", 2, BYTES),
    access("global_store_dword v[2:3], v1, off", 4, BYTES),
    access("global_store_dwordx2 v[2:3], v[20:21], off", 8, BYTES),
    access("global_store_dwordx3 v[2:3], v[20:22], off", 12, BYTES),
    access("global_store_dwordx4 v[2:3], v[20:23], off", 16, BYTES),
    access("flat_load_ubyte v20, v[2:3]", 1, BYTES),
    access("flat_load_dword v20, v[2:3]", 4, BYTES),
    access("flat_load_dwordx4 v[20:23], v[2:3]", 16, BYTES),
    access("flat_store_dword v[2:3], v1", 4, BYTES),
    access("flat_store_dwordx4 v[2:3], v[20:23]", 16, BYTES),
    access("buffer_load_ubyte v20, v4, s[4:7], 0 offen", 1, BYTES),
    access("buffer_load_dword v20, v4, s[4:7], 0 offen", 4, BYTES),
    access(
        "buffer_load_dwordx4 v[20:23], v4, s[4:7], 0 offen",
        16,
        BYTES,
    ),
    access("buffer_store_dword v1, v4, s[4:7], 0 offen", 4, BYTES),
    access(
        "buffer_store_dwordx4 v[20:23], v4, s[4:7], 0 offen",
        16,
        BYTES,
    ),
    access(
        "buffer_load_format_xyzw v[20:23], v4, s[4:7], 0 offen",
        4,
        BYTES,
    ),
    access("buffer_store_format_x v1, v4, s[4:7], 0 offen", 4, BYTES),
    access("scratch_load_ubyte v20, v4, off", 1, SCRATCH),
    access("scratch_load_dword v20, v4, off", 4, SCRATCH),
    access("scratch_load_dwordx4 v[20:23], v4, off", 16, SCRATCH),
    access("scratch_store_dword v4, v1, off", 4, SCRATCH),
    access("scratch_store_dwordx4 v4, v[20:23], off", 16, SCRATCH),
    access("ds_read_u8 v20, v4", 1, LDS),
    access("ds_read_u16 v20, v4", 2, LDS),
    access("ds_read_b32 v20, v4", 4, LDS),
    access("ds_read_b64 v[20:21], v4", 8, LDS),
    access("ds_read_b128 v[20:23], v4", 16, LDS),
    access("ds_read2_b32 v[20:21], v4 offset1:1", 8, LDS),
    access("ds_read2st64_b32 v[20:21], v4 offset1:1", 4, LDS),
    access("ds_read2_b64 v[20:23], v4 offset1:1", 16, LDS),
    access("ds_write_b8 v4, v1", 1, LDS),
    access("ds_write_b16 v4, v1", 2, LDS),
    access("ds_write_b32 v4, v1", 4, LDS),
    access("ds_write_b64 v4, v[20:21]", 8, LDS),
    access("ds_write_b128 v4, v[20:23]", 16, LDS),
    access("ds_write2_b32 v4, v0, v1 offset1:1", 8, LDS),
];

const ATOMICS: &[Access] = &[
    access("global_atomic_add v[2:3], v1, off", 4, BYTES),
    access("global_atomic_add v20, v[2:3], v1, off glc", 4, BYTES),
    access("global_atomic_umax v[2:3], v1, off", 4, BYTES),
    access("global_atomic_or v[2:3], v1, off", 4, BYTES),
    access("global_atomic_swap v20, v[2:3], v1, off glc", 4, BYTES),
    access(
        "global_atomic_cmpswap v20, v[2:3], v[24:25], off glc",
        4,
        BYTES,
    ),
    access("global_atomic_add_x2 v[2:3], v[20:21], off", 8, BYTES),
    access("flat_atomic_add v[2:3], v1", 4, BYTES),
    access("buffer_atomic_add v1, v4, s[4:7], 0 offen", 4, BYTES),
    access("ds_add_u32 v4, v1", 4, LDS),
    access("ds_add_rtn_u32 v20, v4, v1", 4, LDS),
    access("ds_max_u32 v4, v1", 4, LDS),
    access("ds_add_f32 v4, v1", 4, LDS),
    access("ds_cmpst_rtn_b32 v20, v4, v24, v25", 4, LDS),
    access("ds_add_u64 v4, v[20:21]", 8, LDS),
];

/// How the lanes' addresses lie to each other.
#[derive(Clone, Copy, PartialEq)]
enum Pattern {
    Consecutive,
    Same,
    /// Each row of 16 lanes at one address.
    SameInRow,
    /// A dword from lane to lane, of accesses that are wider.
    Overlapping,
    /// Consecutive from an odd address.
    Misaligned,
    /// A column of a matrix with rows of 33 elements, as far as there is room.
    Strided,
    Random,
}

use Pattern::{Consecutive, Misaligned, Overlapping, Random, Same, SameInRow, Strided};

impl Pattern {
    const ALL: [Pattern; 7] = [
        Consecutive,
        Same,
        SameInRow,
        Overlapping,
        Misaligned,
        Strided,
        Random,
    ];

    fn name(self) -> &'static str {
        match self {
            Consecutive => "consecutive",
            Same => "same",
            SameInRow => "same in row",
            Overlapping => "overlapping",
            Misaligned => "misaligned",
            Strided => "strided",
            Random => "random",
        }
    }

    /// The offset of a lane's access.
    fn offset(self, access: &Access, lane: u32) -> u32 {
        let bytes = access.bytes;
        // Accesses of two places have the second within 512 bytes.
        let elements = (access.room - 512) / bytes;
        match self {
            Consecutive => bytes * lane,
            Same => 64,
            SameInRow => lane / 16 * 256,
            Overlapping => 4 * lane,
            Misaligned => bytes * lane + 1,
            Strided => 33 * lane % elements * bytes,
            Random => (lane + 7).wrapping_mul(0x9e37_79b9) % elements * bytes,
        }
    }

    /// Whether it is something else than the others for this access.
    fn fits(self, access: &Access) -> bool {
        match self {
            Overlapping => access.bytes > 4,
            Misaligned => access.bytes > 1,
            _ => true,
        }
    }
}

/// Every kind, in the order in which it is printed.
pub(crate) fn all() -> Vec<Kind> {
    let plain = PLAIN.iter().map(|text| Kind {
        name: short(text),
        text: (*text).to_owned(),
        offsets: std::array::from_fn(|lane| 4 * lane as u32),
        exec: !0,
    });
    let on = |patterns: &'static [Pattern]| move |access| on_patterns(access, patterns);
    let accesses = ACCESSES.iter().flat_map(on(&Pattern::ALL));
    let atomics = ATOMICS.iter().flat_map(on(&[Consecutive, Same, Random]));
    plain.chain(accesses).chain(atomics).collect()
}

/// An access with every pattern, and where it matters most with every other lane on as well.
fn on_patterns(access: &'static Access, patterns: &'static [Pattern]) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for pattern in patterns.iter().filter(|pattern| pattern.fits(access)) {
        let kind = |suffix: &str, exec| Kind {
            name: format!("{}: {}{suffix}", short(access.text), pattern.name()),
            text: access.text.to_owned(),
            offsets: std::array::from_fn(|lane| pattern.offset(access, lane as u32)),
            exec,
        };
        kinds.push(kind("", !0));
        if matches!(pattern, Consecutive | Random) {
            kinds.push(kind(", half", 0x5555_5555_5555_5555));
        }
    }
    kinds
}

/// An instruction without what all of its kind have in common.
fn short(text: &str) -> String {
    let text = text.replace(" row_mask:0xf bank_mask:0xf", "");
    let text = text
        .replace("s[{s}:{t}]", "s[..]")
        .replace("s{s}", "s..")
        .replace('\n', "; ");
    text.replace("dst_sel:", "")
        .replace("dst_unused:UNUSED_", "")
        .replace("_sel:", ":")
}
