//! Explanations of the functions in pseudo-code, one sentence each.

/// Functions whose names are not clear enough, with their meanings.
pub(super) const TERMS: &[(&str, &str)] = &[
    ("reverse", "the bits in reverse order"),
    ("count_ones", "the number of ones"),
    (
        "leading_zeros",
        "how many zeros stand above the highest one; -1 without a one",
    ),
    (
        "leading_signs",
        "how many bits stand above the highest that differs from the sign; -1 without one",
    ),
    (
        "trailing_zeros",
        "the place of the lowest one; -1 without a one",
    ),
    (
        "clamp",
        "held to 0.0 … 1.0; a NaN becomes 0 with DX10_CLAMP",
    ),
    ("canonical", "denormals as MODE has them, NaNs made quiet"),
    ("exp2", "2 to this power"),
    ("log2", "the logarithm to base 2"),
    (
        "fract",
        "what is above the next lower whole number, always below 1.0",
    ),
    ("trunc", "rounded toward 0"),
    ("ceil", "rounded up"),
    ("floor", "rounded down"),
    (
        "round_even",
        "the nearest whole number, of two the even one",
    ),
    (
        "exponent",
        "e of x = m * 2 ** e with 0.5 <= |m| < 1; 0 for 0, infinity and NaN",
    ),
    ("mantissa", "m of x = m * 2 ** e with 0.5 <= |m| < 1"),
    ("sext", "sign-extended to the whole register"),
    ("mul_hi", "the high half of the product"),
    ("mul24", "the low 32 bits of the product of the low 24 bits"),
    ("mul24_hi", "bits 47:32 of the product of the low 24 bits"),
    ("add_sat", "the sum, held at the ends of its range"),
    ("sub_sat", "the difference, held at the ends of its range"),
    (
        "pack_sat",
        "both held to 16 bits, the first in the low half",
    ),
    ("fma", "a * b + c, rounded once"),
    (
        "matrix_product",
        "of the matrices in these registers, in all lanes whatever EXEC is; with a third operand, it has the places of A's elements",
    ),
    (
        "f32_of_fp8",
        "the value of a float of 8 bits, 4 of them exponent",
    ),
    (
        "f32_of_bf8",
        "the value of a float of 8 bits, 5 of them exponent",
    ),
    (
        "pk_fp8",
        "both rounded to floats of 8 bits, 4 of them exponent; NaN if too large",
    ),
    (
        "pk_bf8",
        "both rounded to floats of 8 bits, 5 of them exponent; NaN if too large",
    ),
    (
        "sr_fp8",
        "a rounded by the bits of b to a float of 8 bits, 4 of them exponent",
    ),
    (
        "sr_bf8",
        "a rounded by the bits of b to a float of 8 bits, 5 of them exponent",
    ),
    (
        "bits",
        "c bits of a from bit b on, b and c taken modulo the width",
    ),
    (
        "insert_byte",
        "c with its byte b & 3 replaced by a, at most 255",
    ),
    ("median", "the middle one"),
    (
        "permute_bytes",
        "each byte of c selects a byte of a or b, a sign, or a constant",
    ),
    ("average_bytes", "(a + b + (c & 1)) >> 1 in each byte"),
    ("sad_u8", "c + the sum of |a - b| over the four bytes"),
    (
        "masked_sad_u8",
        "c + the sum of |a - b| over the bytes that are not 0 in b",
    ),
    ("sad_u16", "c + the sum of |a - b| over both halves"),
    ("sad_u32", "c + |a - b|"),
    ("ordered", "neither is a NaN"),
    (
        "class",
        "bit n of the mask is set for class n: signaling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf",
    ),
    ("carry", "the carry out of the sum"),
    ("borrow", "the borrow out of the difference"),
    ("flag", "the second result of the function: a bit a lane"),
    (
        "lane",
        "the value in the lane of that number modulo 64, active or not: EXEC does not count",
    ),
    (
        "taken",
        "the value in the lane of that number, or 0 if that lane is not active",
    ),
    (
        "first_lane",
        "the value in the lowest lane of the mask, lane 0 of an empty one",
    ),
    (
        "sent",
        "lane n sends the first to lane number; the highest sender wins, 0 without one",
    ),
    (
        "shuffle",
        "the value in the lane that OFFSET or the DPP control says",
    ),
    (
        "quad_perm",
        "lanes 0 to 3 of each four take the first from those lanes of the four that the numbers say",
    ),
    ("row_shl", "the value so many lanes higher, in the same 16"),
    ("row_shr", "the value so many lanes lower, in the same 16"),
    (
        "row_ror",
        "the value so many lanes lower, in the same 16, where the last follows the first",
    ),
    ("wave_shl", "the value in the next higher lane"),
    (
        "wave_rol",
        "the value in the next higher lane; lane 63 takes that of lane 0",
    ),
    ("wave_shr", "the value in the next lower lane"),
    (
        "wave_ror",
        "the value in the next lower lane; lane 0 takes that of lane 63",
    ),
    ("row_mirror", "the values of each 16 lanes in reverse order"),
    (
        "row_half_mirror",
        "the values of each 8 lanes in reverse order",
    ),
    (
        "row_bcast15",
        "the value in the last lane of the 16 lanes before",
    ),
    ("row_bcast31", "the value in lane 31, for lanes 32 to 63"),
    (
        "swizzle",
        "the value in lane ((LANE & b) | c) ^ d of the same 32",
    ),
    (
        "rotate_up",
        "the value b lanes higher, round in the same 32; bits of the lane's number in c stay",
    ),
    (
        "rotate_down",
        "the value b lanes lower, round in the same 32; bits of the lane's number in c stay",
    ),
    (
        "fft",
        "the value in the lane with reversed bits, of the same 32, above those in b, which stay",
    ),
    ("clock", "the counter of shader clocks"),
    ("real_time", "the counter of 100 MHz"),
    (
        "texel",
        "the texel at whole-number coordinates, converted by its format",
    ),
    ("raw_texel", "the bits of the texel, not converted"),
    ("raw_texel_signed", "the bits of the texel, sign-extended"),
    ("size", "width, height, depth, and number of levels"),
    (
        "sample",
        "texels around the coordinates at LOD, with the sampler's bias and bounds, filtered as it says",
    ),
    (
        "sample_compare",
        "sample of 1.0 where the sampler's compare of reference and texel holds, and else of 0.0",
    ),
    (
        "gather",
        "one component of the four texels that a filter would use",
    ),
    (
        "gather_compare",
        "for these texels 1.0 where the sampler's compare of reference and texel holds, and else 0.0",
    ),
    (
        "lod",
        "log2 of the texels from one pixel to the next: of neighbours among four lanes, or as given",
    ),
    (
        "level_of_detail",
        "the level a sample would use, clamped and not",
    ),
    ("dot4_i8", "the sum of the products of four signed bytes"),
    ("dot4_u8", "the sum of the products of four unsigned bytes"),
    ("dot8_i4", "the sum of the products of eight signed nibbles"),
    (
        "dot8_u4",
        "the sum of the products of eight unsigned nibbles",
    ),
    (
        "qsad_pk_u16_u8",
        "four sums of |a - b| over bytes, a moving on by a byte, added to c",
    ),
    (
        "mqsad_pk_u16_u8",
        "four sums of |a - b| over the bytes that are not 0 in b, a moving on by a byte, added to c",
    ),
    ("sat_pk_u8_i16", "both halves held to 0 … 255, as two bytes"),
    ("cube_axis", "the longest coordinate of a direction"),
    (
        "cube_id",
        "the face of a cube, 0.0 to 5.0, that a direction points to",
    ),
    ("cube_sc", "the first coordinate on that face"),
    ("cube_tc", "the second coordinate on that face"),
    (
        "div_fixup_f16",
        "the quotient a, put right where b or c are zero, infinite or NaN",
    ),
    (
        "div_fixup_f32",
        "the quotient a, put right where b or c are zero, infinite or NaN",
    ),
    (
        "div_fixup_f64",
        "the quotient a, put right where b or c are zero, infinite or NaN",
    ),
    (
        "div_fmas_scaled_f32",
        "a * b + c, scaled back after v_div_scale_f32, rounded once",
    ),
    (
        "div_fmas_scaled_f64",
        "a * b + c, scaled back after v_div_scale_f64, rounded once",
    ),
    (
        "div_scale_f32",
        "a by a power of 2 where c / b would leave the range; the flag says so",
    ),
    (
        "div_scale_f64",
        "a by a power of 2 where c / b would leave the range; the flag says so",
    ),
    (
        "mixed",
        "the source as a single- or half-precision float, as op_sel_hi and op_sel say",
    ),
    ("pk_snorm16", "both as 16 bits for -1.0 … 1.0, signed"),
    ("pk_unorm16", "both as 16 bits for 0.0 … 1.0, unsigned"),
    ("snorm16", "16 bits for -1.0 … 1.0, signed"),
    ("unorm16", "16 bits for 0.0 … 1.0, unsigned"),
    (
        "screen_partition_4se",
        "which of four shader engines has a place on the screen",
    ),
    (
        "trig_preop_f64",
        "53 bits of 2/π, from those on that the operands choose",
    ),
];

/// Returns the functions that lines call, in their order, each once.
pub(super) fn called(lines: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for line in lines {
        for (end, _) in line.match_indices('(') {
            let head = &line[..end];
            let start = head.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let name = &head[start.map_or(0, |at| at + 1)..];
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Returns the explanations for functions, except for the well-known ones.
pub(super) fn terms(called: &[&str]) -> Vec<(&'static str, &'static str)> {
    let known = |name: &&str| TERMS.iter().find(|(term, _)| term == name).copied();
    called.iter().filter_map(known).collect()
}

/// Well-known functions, and conversions, which are named for the type of their result.
#[cfg(test)]
const KNOWN: &[&str] = &[
    "min", "max", "sqrt", "sin", "cos", "f16", "f32", "f64", "i16", "u16", "i32", "u32", "i64",
    "u64",
];

/// Whether a function is well known or explained.
#[cfg(test)]
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.contains(&name) || TERMS.iter().any(|(term, _)| *term == name)
}
