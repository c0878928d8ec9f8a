//! Sentences of moves, conversions, bit operations and functions of one float in VOP1, VOP2 and VOP3.

/// Names, or names without their type, with the sentence: `{a}` is one value of the type, `{s}` are several.
pub(super) const SENTENCES: &[(&str, &str)] = &[
    // Moves and lane accesses.
    ("v_nop", "Does nothing."),
    ("v_mov_b32", "Copies a 32-bit word in each lane."),
    (
        "v_mov_fed_b32",
        "Copies a 32-bit word, and makes the hardware put an error into it.",
    ),
    (
        "v_mov_prsv_b32",
        "Copies a 32-bit word and keeps what the destination has beside it.",
    ),
    ("v_swap_b32", "Exchanges two vector registers."),
    (
        "v_readfirstlane_b32",
        "Copies the value of the first active lane to a scalar register.",
    ),
    (
        "v_readlane_b32",
        "Copies the value of one lane, active or not, to a scalar register.",
    ),
    (
        "v_readlane_regrd_b32",
        "Copies the value of one lane, as a test of the register file's read.",
    ),
    (
        "v_writelane_b32",
        "Writes a scalar value to one lane, active or not.",
    ),
    (
        "v_writelane_regwr_b32",
        "Writes a scalar value to one lane, as a test of the register file's write.",
    ),
    (
        "v_movreld_b32",
        "Copies to the vector register that M0 adds to the destination.",
    ),
    (
        "v_movrels_b32",
        "Copies from the vector register that M0 adds to the source.",
    ),
    (
        "v_movrelsd_b32",
        "Copies with M0 added to the numbers of both registers.",
    ),
    (
        "v_cndmask_b32",
        "Chooses the second source in lanes where the mask is set, and else the first.",
    ),
    ("v_clrexcp", "Clears the exceptions of the wave."),
    (
        "v_screen_partition_4se_b32",
        "Looks up which of four shader engines has a place on the screen.",
    ),
    // Conversions that differ in more than their types.
    (
        "v_cvt_rpi_i32_f32",
        "Rounds to the nearest whole number, halves up: floor of x + 0.5 as an integer.",
    ),
    (
        "v_cvt_flr_i32_f32",
        "Rounds down to a signed 32-bit integer.",
    ),
    (
        "v_cvt_off_f32_i4",
        "Converts a signed nibble to a float in sixteenths: -0.5 to 0.4375.",
    ),
    (
        "v_cvt_f32_ubyte0",
        "Converts byte 0, bits 7:0, to a single-precision float.",
    ),
    (
        "v_cvt_f32_ubyte1",
        "Converts byte 1, bits 15:8, to a single-precision float.",
    ),
    (
        "v_cvt_f32_ubyte2",
        "Converts byte 2, bits 23:16, to a single-precision float.",
    ),
    (
        "v_cvt_f32_ubyte3",
        "Converts byte 3, bits 31:24, to a single-precision float.",
    ),
    (
        "v_cvt_norm_i16_f16",
        "Converts -1.0 to 1.0 in half precision to 16 bits with a sign.",
    ),
    (
        "v_cvt_norm_u16_f16",
        "Converts 0.0 to 1.0 in half precision to 16 bits without a sign.",
    ),
    (
        "v_cvt_pknorm_i16_f32",
        "Converts two floats of -1.0 to 1.0 to a pair of 16 bits with signs.",
    ),
    (
        "v_cvt_pknorm_u16_f32",
        "Converts two floats of 0.0 to 1.0 to a pair of 16 bits without signs.",
    ),
    (
        "v_cvt_pknorm_i16_f16",
        "Converts two half-precision floats of -1.0 to 1.0 to a pair of 16 bits with signs.",
    ),
    (
        "v_cvt_pknorm_u16_f16",
        "Converts two half-precision floats of 0.0 to 1.0 to a pair of 16 bits without signs.",
    ),
    (
        "v_cvt_pkrtz_f16_f32",
        "Converts two floats to a pair in half precision, rounded toward 0.",
    ),
    (
        "v_cvt_pk_u16_u32",
        "Packs two unsigned integers into 16 bits each, held to their range.",
    ),
    (
        "v_cvt_pk_i16_i32",
        "Packs two signed integers into 16 bits each, held to their range.",
    ),
    (
        "v_cvt_pk_u8_f32",
        "Converts a float to a byte and puts it into one byte of the third source.",
    ),
    (
        "v_cvt_pkaccum_u8_f32",
        "Converts a float to a byte and puts it into one byte of the destination.",
    ),
    (
        "v_sat_pk_u8_i16",
        "Packs two signed 16-bit integers into two bytes, held to 0 to 255.",
    ),
    (
        "v_pack_b32_f16",
        "Packs two half-precision floats into one register, the first in the low half.",
    ),
    // Functions of one float.
    ("v_trunc", "Rounds {a} toward 0 to a whole number."),
    ("v_ceil", "Rounds {a} up to a whole number."),
    (
        "v_rndne",
        "Rounds {a} to the nearest whole number, halves to the even one.",
    ),
    ("v_floor", "Rounds {a} down to a whole number."),
    (
        "v_fract",
        "The part of {a} above the next lower whole number, always below 1.0.",
    ),
    ("v_exp", "2 to the power of {a}, approximately."),
    (
        "v_exp_legacy_f32",
        "2 to the power of a float, with the rounding that older chips had.",
    ),
    ("v_log", "The base-2 logarithm of {a}, approximately."),
    (
        "v_log_legacy_f32",
        "The base-2 logarithm of a float, with the rounding that older chips had.",
    ),
    (
        "v_log_clamp_f32",
        "The base-2 logarithm of a float, where the largest number stands for infinity.",
    ),
    ("v_rcp", "The reciprocal of {a}, approximately."),
    (
        "v_rcp_iflag_f32",
        "The reciprocal of a float for integer division: raises no flag but that of division by 0.",
    ),
    (
        "v_rcp_clamp",
        "The reciprocal of {a}, where the largest number stands for infinity.",
    ),
    (
        "v_rcp_legacy_f32",
        "The reciprocal of a float, where 0 stands for infinity.",
    ),
    (
        "v_rsq",
        "The reciprocal of the square root of {a}, approximately.",
    ),
    (
        "v_rsq_clamp",
        "The reciprocal of the square root of {a}, where the largest number stands for infinity.",
    ),
    (
        "v_rsq_legacy_f32",
        "The reciprocal of the square root of a float, where 0 stands for infinity.",
    ),
    ("v_sqrt", "The square root of {a}, approximately."),
    ("v_sin", "The sine of {a} that counts whole turns."),
    ("v_cos", "The cosine of {a} that counts whole turns."),
    (
        "v_frexp_exp_i32_f64",
        "The exponent of a double-precision float whose mantissa is 0.5 to 1.0.",
    ),
    (
        "v_frexp_exp_i32_f32",
        "The exponent of a single-precision float whose mantissa is 0.5 to 1.0.",
    ),
    (
        "v_frexp_exp_i16_f16",
        "The exponent of a half-precision float whose mantissa is 0.5 to 1.0.",
    ),
    (
        "v_frexp_mant",
        "The mantissa of {a}, 0.5 to 1.0 with its sign.",
    ),
    ("v_ldexp", "{A} times a power of 2."),
    (
        "v_trig_preop_f64",
        "Bits of 2/π that fit a large double-precision float, to reduce an angle.",
    ),
    // Operations on bits.
    ("v_not_b32", "Turns every bit of a 32-bit word over."),
    ("v_bfrev_b32", "Reverses the bits of a 32-bit word."),
    (
        "v_ffbh_u32",
        "Counts the zeros above the highest one, -1 without one.",
    ),
    ("v_ffbl_b32", "Finds the lowest one, -1 without one."),
    (
        "v_ffbh_i32",
        "Counts the bits that equal the sign, from the top; -1 if all do.",
    ),
    (
        "v_bcnt_u32_b32",
        "Counts the ones of the first source and adds the second.",
    ),
    (
        "v_mbcnt_lo_u32_b32",
        "Counts the ones of a mask below this lane, of lanes 0 to 31, and adds the second source.",
    ),
    (
        "v_mbcnt_hi_u32_b32",
        "Counts the ones of a mask below this lane, of lanes 32 to 63, and adds the second source.",
    ),
    ("v_and_b32", "Bitwise and of two 32-bit words."),
    ("v_or_b32", "Bitwise or of two 32-bit words."),
    ("v_xor_b32", "Bitwise exclusive or of two 32-bit words."),
    (
        "v_xnor_b32",
        "Sets the bits in which two 32-bit words are equal.",
    ),
    ("v_or3_b32", "Bitwise or of three 32-bit words."),
    (
        "v_and_or_b32",
        "Bitwise and of two sources, then bitwise or with the third.",
    ),
    (
        "v_lshrrev",
        "Shifts the second source, {a}, right by the first and fills with zeros.",
    ),
    (
        "v_ashrrev",
        "Shifts the second source, {a}, right by the first and fills with its sign.",
    ),
    (
        "v_lshlrev",
        "Shifts the second source, {a}, left by the first.",
    ),
    (
        "v_lshr",
        "Shifts the first source, {a}, right by the second and fills with zeros.",
    ),
    (
        "v_ashr",
        "Shifts the first source, {a}, right by the second and fills with its sign.",
    ),
    (
        "v_lshl",
        "Shifts the first source, {a}, left by the second.",
    ),
    ("v_lshl_add_u32", "Shifts left, then adds."),
    ("v_add_lshl_u32", "Adds, then shifts left."),
    (
        "v_lshl_or_b32",
        "Shifts left, then sets the bits of the third source.",
    ),
    ("v_xad_u32", "Bitwise exclusive or, then adds."),
    (
        "v_bfe_u32",
        "Takes a field out of a word: offset and width are the other sources.",
    ),
    (
        "v_bfe_i32",
        "Takes a field with its sign out of a word: offset and width are the other sources.",
    ),
    (
        "v_bfi_b32",
        "Takes bits of the second source where the first has ones, and else of the third.",
    ),
    (
        "v_bfm_b32",
        "Makes a mask for a field: so many ones, from a place on.",
    ),
    (
        "v_alignbit_b32",
        "Shifts two words as one right by bits, and gives the low one.",
    ),
    (
        "v_alignbyte_b32",
        "Shifts two words as one right by whole bytes, and gives the low one.",
    ),
    (
        "v_perm_b32",
        "Picks each byte of the result from two words, by a byte of the third source.",
    ),
    (
        "v_lerp_u8",
        "The averages of four pairs of bytes; the third source says how each is rounded.",
    ),
];
