//! Sentences of arithmetic instructions in VOP2, VOP3 and VOP3P, and of VINTRP and EXP.

/// Names, or names without their type, with the sentence: `{a}` is one value of the type, `{s}` are several.
pub(super) const SENTENCES: &[(&str, &str)] = &[
    // Sums of differences.
    (
        "v_sad_u8",
        "Adds the absolute differences of four pairs of bytes to the third source.",
    ),
    (
        "v_sad_hi_u8",
        "Adds the absolute differences of four pairs of bytes, times 65536, to the third source.",
    ),
    (
        "v_sad_u16",
        "Adds the absolute differences of two pairs of 16 bits to the third source.",
    ),
    (
        "v_sad_u32",
        "Adds the absolute difference of two integers to the third source.",
    ),
    (
        "v_msad_u8",
        "Adds the absolute differences of pairs of bytes, without those that are 0 in the second source.",
    ),
    (
        "v_qsad_pk_u16_u8",
        "Four sums of absolute differences of bytes, each a byte further on, packed as 16 bits.",
    ),
    (
        "v_mqsad_pk_u16_u8",
        "Four masked sums of absolute differences of bytes, each a byte further on, packed as 16 bits.",
    ),
    (
        "v_mqsad_u32_u8",
        "Four masked sums of absolute differences of bytes, each a byte further on, of 32 bits.",
    ),
    // Sums and products.
    ("v_add", "Adds two {s}."),
    ("v_sub", "Subtracts the second of two {s} from the first."),
    (
        "v_subrev",
        "Subtracts the first of two {s} from the second.",
    ),
    (
        "v_add_co_u32",
        "Adds two 32-bit integers and gives the carries as a mask.",
    ),
    (
        "v_sub_co_u32",
        "Subtracts the second 32-bit integer from the first and gives the borrows as a mask.",
    ),
    (
        "v_subrev_co_u32",
        "Subtracts the first 32-bit integer from the second and gives the borrows as a mask.",
    ),
    (
        "v_addc_co_u32",
        "Adds two 32-bit integers and a carry, and gives the new carries as a mask.",
    ),
    (
        "v_subb_co_u32",
        "Subtracts the second 32-bit integer and a borrow from the first, and gives the new borrows.",
    ),
    (
        "v_subbrev_co_u32",
        "Subtracts the first 32-bit integer and a borrow from the second, and gives the new borrows.",
    ),
    ("v_add3_u32", "Adds three 32-bit integers."),
    ("v_mul", "Multiplies two {s}."),
    (
        "v_mul_legacy_f32",
        "Multiplies two floats, where 0 times anything is 0.",
    ),
    (
        "v_mul_i32_i24",
        "Multiplies two signed 24-bit integers; the low 32 bits.",
    ),
    (
        "v_mul_hi_i32_i24",
        "Multiplies two signed 24-bit integers; the bits from 32 on.",
    ),
    (
        "v_mul_u32_u24",
        "Multiplies two unsigned 24-bit integers; the low 32 bits.",
    ),
    (
        "v_mul_hi_u32_u24",
        "Multiplies two unsigned 24-bit integers; the bits from 32 on.",
    ),
    (
        "v_mul_lo_u32",
        "Multiplies two 32-bit integers; the low 32 bits.",
    ),
    (
        "v_mul_lo_i32",
        "Multiplies two signed 32-bit integers; the low 32 bits.",
    ),
    (
        "v_mul_lo_u16",
        "Multiplies two 16-bit integers; the low 16 bits.",
    ),
    (
        "v_mul_hi_u32",
        "Multiplies two unsigned 32-bit integers; the high 32 bits.",
    ),
    (
        "v_mul_hi_i32",
        "Multiplies two signed 32-bit integers; the high 32 bits.",
    ),
    (
        "v_mullit_f32",
        "Multiplies for lighting: the lowest float unless the third source is positive.",
    ),
    (
        "v_mac",
        "Multiplies two {s} and adds the product, rounded, to the destination.",
    ),
    (
        "v_mac_legacy_f32",
        "Multiplies two floats, where 0 times anything is 0, and adds that to the destination.",
    ),
    (
        "v_fmac_f32",
        "Multiplies two floats and adds the destination, rounded once.",
    ),
    (
        "v_madmk",
        "Multiplies {a} by a constant and adds the second source.",
    ),
    ("v_madak", "Multiplies two {s} and adds a constant."),
    ("v_mad", "Multiplies two {s} and adds a third."),
    (
        "v_mad_legacy_f32",
        "Multiplies two floats, where 0 times anything is 0, and adds a third.",
    ),
    (
        "v_mad_legacy",
        "Multiplies two {s} and adds a third; clears the upper half of the register.",
    ),
    (
        "v_mad_i32_i24",
        "Multiplies two signed 24-bit integers and adds a third of 32 bits.",
    ),
    (
        "v_mad_u32_u24",
        "Multiplies two unsigned 24-bit integers and adds a third of 32 bits.",
    ),
    (
        "v_mad_u32_u16",
        "Multiplies two unsigned 16-bit integers and adds a third of 32 bits.",
    ),
    (
        "v_mad_i32_i16",
        "Multiplies two signed 16-bit integers and adds a third of 32 bits.",
    ),
    (
        "v_mad_u64_u32",
        "Multiplies two unsigned 32-bit integers and adds a third of 64 bits, with the carries as a mask.",
    ),
    (
        "v_mad_i64_i32",
        "Multiplies two signed 32-bit integers and adds a third of 64 bits, with overflows as a mask.",
    ),
    (
        "v_fma",
        "Multiplies two {s} and adds a third, rounded once.",
    ),
    (
        "v_fma_legacy_f16",
        "Multiplies and adds in half precision, rounded once; clears the upper half of the register.",
    ),
    (
        "v_mad_mix_f32",
        "Multiplies and adds floats, each in single or half precision, to single precision.",
    ),
    (
        "v_fma_mix_f32",
        "Multiplies and adds floats, each in single or half precision, rounded once.",
    ),
    (
        "v_mad_mixlo_f16",
        "Multiplies and adds floats of either precision; the low half gets the result.",
    ),
    (
        "v_fma_mixlo_f16",
        "Multiplies and adds floats of either precision, rounded once; the low half gets the result.",
    ),
    (
        "v_mad_mixhi_f16",
        "Multiplies and adds floats of either precision; the high half gets the result.",
    ),
    (
        "v_fma_mixhi_f16",
        "Multiplies and adds floats of either precision, rounded once; the high half gets the result.",
    ),
    // Division and its steps.
    (
        "v_div_scale",
        "Scales {a} so that a division by steps stays in range; a mask says where.",
    ),
    (
        "v_div_fmas",
        "Multiplies and adds {s}, and scales back where v_div_scale did.",
    ),
    (
        "v_div_fixup",
        "Puts a quotient of {s} right at zeros, infinities, NaNs and signs.",
    ),
    (
        "v_div_fixup_legacy_f16",
        "Puts a quotient in half precision right; clears the upper half of the register.",
    ),
    // Order: minimum, maximum, median.
    ("v_min", "The smaller of two {s}."),
    ("v_max", "The larger of two {s}."),
    (
        "v_min_legacy_f32",
        "The first of two floats if it is smaller, and else the second, be it a NaN.",
    ),
    (
        "v_max_legacy_f32",
        "The first of two floats if it is the larger or equal, and else the second, be it a NaN.",
    ),
    ("v_min3", "The smallest of three {s}."),
    ("v_max3", "The largest of three {s}."),
    ("v_med3", "The middle one of three {s}."),
    // Cube map coordinates.
    (
        "v_cubeid_f32",
        "The face of a cube map that a direction points to, 0.0 to 5.0.",
    ),
    (
        "v_cubesc_f32",
        "The first coordinate of a direction on its face of a cube map.",
    ),
    (
        "v_cubetc_f32",
        "The second coordinate of a direction on its face of a cube map.",
    ),
    (
        "v_cubema_f32",
        "Twice the longest coordinate of a direction, by which a cube map's are divided.",
    ),
    // Interpolation of attributes.
    (
        "v_interp_p1_f32",
        "Interpolates an attribute, first step: P10 times i, and P0.",
    ),
    (
        "v_interp_p2_f32",
        "Interpolates an attribute, second step: adds P20 times j.",
    ),
    (
        "v_interp_mov_f32",
        "Copies one parameter of an attribute without interpolation.",
    ),
    (
        "v_interp_p1ll_f16",
        "Interpolates half-precision attributes, first step, with both parameters from LDS.",
    ),
    (
        "v_interp_p1lv_f16",
        "Interpolates half-precision attributes, first step, with P0 from a register.",
    ),
    (
        "v_interp_p2_f16",
        "Interpolates half-precision attributes, second step; keeps the other half of the register.",
    ),
    (
        "v_interp_p2_legacy_f16",
        "Interpolates half-precision attributes, second step; clears the upper half of the register.",
    ),
    // Packed pairs.
    ("v_pk_mad", "Multiplies and adds pairs of {s}."),
    (
        "v_pk_fma",
        "Multiplies and adds pairs of {s}, rounded once.",
    ),
    (
        "v_pk_mul_lo",
        "Multiplies pairs of {s}; the low 16 bits of each.",
    ),
    ("v_pk_mul", "Multiplies pairs of {s}."),
    ("v_pk_add", "Adds pairs of {s}."),
    ("v_pk_sub", "Subtracts pairs of {s}."),
    (
        "v_pk_lshlrev",
        "Shifts pairs of {s} left, each by a count of its own.",
    ),
    (
        "v_pk_lshrrev",
        "Shifts pairs of {s} right and fills with zeros, each by a count of its own.",
    ),
    (
        "v_pk_ashrrev",
        "Shifts pairs of {s} right and fills with the sign, each by a count of its own.",
    ),
    ("v_pk_max", "The larger ones of pairs of {s}."),
    ("v_pk_min", "The smaller ones of pairs of {s}."),
    (
        "v_dot2_f32_f16",
        "Adds the products of two pairs of half-precision floats to a single-precision one.",
    ),
    (
        "v_dot2_i32_i16",
        "Adds the products of two pairs of signed 16-bit integers to a third source.",
    ),
    (
        "v_dot2_u32_u16",
        "Adds the products of two pairs of unsigned 16-bit integers to a third source.",
    ),
    (
        "v_dot4_i32_i8",
        "Adds the products of four pairs of signed bytes to a third source.",
    ),
    (
        "v_dot4_u32_u8",
        "Adds the products of four pairs of unsigned bytes to a third source.",
    ),
    (
        "v_dot8_i32_i4",
        "Adds the products of eight pairs of signed nibbles to a third source.",
    ),
    (
        "v_dot8_u32_u4",
        "Adds the products of eight pairs of unsigned nibbles to a third source.",
    ),
    (
        "exp",
        "Sends up to four values of each lane to fixed hardware: a color, a position or a parameter.",
    ),
];
