//! Sentences of instructions that CDNA has and GCN has not: those of products are composed of their shapes.

use wavetank_gcn::Op;
use wavetank_gcn::shapes::{MatrixType, Shape};

/// Names with the sentence.
pub(super) const SENTENCES: &[(&str, &str)] = &[
    ("v_mov_b64", "Copies a 64-bit word in each lane."),
    (
        "v_accvgpr_mov_b32",
        "Copies a 32-bit word between accumulation registers.",
    ),
    (
        "v_accvgpr_read_b32",
        "Copies a 32-bit word from an accumulation register.",
    ),
    (
        "v_accvgpr_write_b32",
        "Copies a 32-bit word to an accumulation register.",
    ),
    (
        "v_cvt_f32_fp8",
        "Converts a float of 8 bits, 4 of them exponent, to a single-precision float.",
    ),
    (
        "v_cvt_f32_bf8",
        "Converts a float of 8 bits, 5 of them exponent, to a single-precision float.",
    ),
    (
        "v_cvt_pk_f32_fp8",
        "Converts two floats of 8 bits, 4 of them exponent, to single-precision floats.",
    ),
    (
        "v_cvt_pk_f32_bf8",
        "Converts two floats of 8 bits, 5 of them exponent, to single-precision floats.",
    ),
    (
        "v_cvt_pk_fp8_f32",
        "Rounds two single-precision floats to 8 bits, 4 of them exponent, in one half of the destination.",
    ),
    (
        "v_cvt_pk_bf8_f32",
        "Rounds two single-precision floats to 8 bits, 5 of them exponent, in one half of the destination.",
    ),
    (
        "v_cvt_sr_fp8_f32",
        "Rounds a single-precision float by random bits to 8 bits, 4 of them exponent, in a byte.",
    ),
    (
        "v_cvt_sr_bf8_f32",
        "Rounds a single-precision float by random bits to 8 bits, 5 of them exponent, in a byte.",
    ),
    (
        "v_fmac_f64",
        "Multiplies two double-precision floats and adds the destination, rounded once.",
    ),
    (
        "v_fmamk_f32",
        "Multiplies by a literal and adds, rounded once.",
    ),
    (
        "v_fmaak_f32",
        "Multiplies and adds a literal, rounded once.",
    ),
    (
        "v_dot2c_f32_f16",
        "Adds the products of two pairs of half-precision floats to the destination.",
    ),
    (
        "v_dot2c_i32_i16",
        "Adds the products of two pairs of signed 16-bit integers to the destination.",
    ),
    (
        "v_dot4c_i32_i8",
        "Adds the products of four pairs of signed bytes to the destination.",
    ),
    (
        "v_dot8c_i32_i4",
        "Adds the products of eight pairs of signed nibbles to the destination.",
    ),
    (
        "v_pk_fmac_f16",
        "Multiplies pairs of half-precision floats and adds the destination, rounded once.",
    ),
    (
        "v_lshl_add_u64",
        "Shifts 64 bits left by at most 7, then adds.",
    ),
    (
        "v_pk_mul_f32",
        "Multiplies pairs of single-precision floats.",
    ),
    ("v_pk_add_f32", "Adds pairs of single-precision floats."),
    (
        "v_pk_mov_b32",
        "Copies a 32-bit word of each source to a pair of registers.",
    ),
    (
        "buffer_wbl2",
        "Writes what the L2 cache holds back to memory.",
    ),
    ("buffer_invl2", "Drops what the L2 cache holds."),
    (
        "buffer_inv",
        "Drops what the caches hold, up to a level that SC0 and SC1 choose.",
    ),
    (
        "v_mfma_ld_scale_b32",
        "Loads the scales for the matrix instruction after it.",
    ),
];

/// Returns the sentence of a matrix instruction. Every other one has a sentence.
pub(super) fn of_shape(op: Op) -> String {
    let Some(shape) = op.row().shape else {
        return String::new();
    };
    let Shape {
        m, n, k, blocks, ..
    } = shape;
    let sparse = if shape.sparse { "sparse " } else { "" };
    if shape.a == MatrixType::F8f6f4 {
        let scaled = match op {
            Op::MaiScaled(_) => ", with a scale for 32 elements each",
            _ => "",
        };
        return format!(
            "Multiplies a {m}×{k} matrix by a {k}×{n} matrix, of 8, 6 or 4 bits as CBSZ and BLGP say{scaled}, and adds one of f32."
        );
    }
    let (a, b, d) = (shape.a.name(), shape.b.name(), shape.d.name());
    let many = match blocks {
        1 => String::new(),
        blocks => format!(", in {blocks} blocks"),
    };
    format!(
        "Multiplies a {sparse}{m}×{k} matrix of {a} by a {k}×{n} matrix of {b}, and adds one of {d}{many}."
    )
}
