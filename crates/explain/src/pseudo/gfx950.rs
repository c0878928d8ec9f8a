//! Hand-written pseudo-code of instructions that only gfx950 has, which are not executed. Transposing loads have none: no public
//! text says which lane gets which element.

use wavetank_gcn::tables::{Mai, Vop1, Vop2, Vop3, Vop3p};
use wavetank_gcn::{Chip, Op};

use crate::sentence::{Scaled, name};

/// Returns the lines of an operation.
pub(super) fn lines(op: Op) -> Option<Vec<String>> {
    let mut executed = Chip::EXECUTED.iter();
    if executed.any(|chip| op.row().exists_on(*chip)) {
        return None;
    }
    let lines: &[&str] = match op {
        Op::Vop1(op) => vop1(op)?,
        Op::Vop2(Vop2::V_DOT2C_F32_BF16) => &["D = D.f32 + S0[0] * S1[0] + S0[1] * S1[1]"],
        Op::Vop3p(op) => vop3p(op)?,
        Op::Mai(Mai::V_MFMA_F32_16X16X128_F8F6F4 | Mai::V_MFMA_F32_32X32X64_F8F6F4) => {
            &["D = matrix_product(S0 in the format CBSZ, S1 in the format BLGP) + S2"]
        }
        Op::MaiScaled(_) => {
            return Some(scaled_product(op.row().shape?.m));
        }
        Op::Mai(_) if op.row().shape?.sparse => &["D = matrix_product(S0, S1, S2) + D"],
        Op::Mai(_) => &["D = matrix_product(S0, S1) + S2"],
        Op::Vop3(own) => match vop3(own) {
            Some(lines) => lines,
            None => return scaled_conversion(op),
        },
        _ => return None,
    };
    Some(lines.iter().map(|line| (*line).to_owned()).collect())
}

fn vop1(op: Vop1) -> Option<&'static [&'static str]> {
    Some(match op {
        Vop1::V_PRNG_B32 => &["D = (S0 << 1) ^ (S0[31] ? 197 : 0)"],
        Vop1::V_PERMLANE16_SWAP_B32 => &[
            "lanes 16 to 31 of D and 0 to 15 of S0 change places",
            "lanes 48 to 63 of D and 32 to 47 of S0 change places",
        ],
        Vop1::V_PERMLANE32_SWAP_B32 => &["lanes 32 to 63 of D and 0 to 31 of S0 change places"],
        Vop1::V_CVT_F32_BF16 => &["D = S0[15:0] << 16"],
        _ => return None,
    })
}

fn vop3(op: Vop3) -> Option<&'static [&'static str]> {
    use Vop3::*;
    Some(match op {
        V_BITOP3_B16 => &["for n in 0 to 15: D[n] = BITOP3[4 * S0[n] + 2 * S1[n] + S2[n]]"],
        V_BITOP3_B32 => &["for n in 0 to 31: D[n] = BITOP3[4 * S0[n] + 2 * S1[n] + S2[n]]"],
        V_MINIMUM3_F32 => &["D = the least of S0.f32, S1.f32 and S2.f32, or a NaN of them"],
        V_MAXIMUM3_F32 => &["D = the greatest of S0.f32, S1.f32 and S2.f32, or a NaN of them"],
        V_ASHR_PK_I8_I32 => &[
            "low = S0.i32 >> S2[4:0], held to -128 to 127",
            "high = S1.i32 >> S2[4:0], held to -128 to 127",
            "the half of D that OP_SEL[3] chooses = {high, low}",
        ],
        V_ASHR_PK_U8_I32 => &[
            "low = S0.i32 >> S2[4:0], held to 0 to 255",
            "high = S1.i32 >> S2[4:0], held to 0 to 255",
            "the half of D that OP_SEL[3] chooses = {high, low}",
        ],
        V_CVT_PK_F16_F32 => &["D = {S1 as f16, S0 as f16}"],
        V_CVT_PK_BF16_F32 => &["D = {S1 as bf16, S0 as bf16}"],
        V_CVT_SR_F16_F32 => {
            &["the half of D that OP_SEL[3] chooses = S0 as f16, rounded by the bits of S1"]
        }
        V_CVT_SR_BF16_F32 => {
            &["the half of D that OP_SEL[3] chooses = S0 as bf16, rounded by the bits of S1"]
        }
        _ => return None,
    })
}

fn vop3p(op: Vop3p) -> Option<&'static [&'static str]> {
    Some(match op {
        Vop3p::V_DOT2_F32_BF16 => &["D = S2.f32 + S0[0] * S1[0] + S0[1] * S1[1]"],
        Vop3p::V_PK_MINIMUM3_F16 => {
            &["for n in 0 to 1: D[n] = the least of S0[n], S1[n] and S2[n], or a NaN of them"]
        }
        Vop3p::V_PK_MAXIMUM3_F16 => {
            &["for n in 0 to 1: D[n] = the greatest of S0[n], S1[n] and S2[n], or a NaN of them"]
        }
        _ => return None,
    })
}

/// A product with scales: 32 elements of a row of A, or of a column of B, have one, a power of two (E8M0).
fn scaled_product(m: u16) -> Vec<String> {
    vec![
        format!(
            "scale of A[i][k] = 2 ** (a byte of lane i + {m} * (k / 32) of its register - 127)"
        ),
        format!(
            "scale of B[k][j] = 2 ** (a byte of lane j + {m} * (k / 32) of its register - 127)"
        ),
        "D = matrix_product(S0 * scales in the format CBSZ, S1 * scales in the format BLGP) + S2"
            .to_owned(),
    ]
}

/// A conversion with a scale, which is the last source.
fn scaled_conversion(op: Op) -> Option<Vec<String>> {
    let scaled = Scaled::of(name(op))?;
    // The destination is an operand as well.
    let scale = op.row().operands.len().checked_sub(2)?;
    let rounded = if scaled.is_stochastic {
        ", rounded by the bits of S1"
    } else {
        ""
    };
    let (values, operator) = match (scaled.count, scaled.narrows()) {
        ("pk", true) if scaled.from == "f32" && !scaled.is_stochastic => ("S0 and S1", '/'),
        ("2xpk16", _) => ("S0 and S1", '/'),
        (_, true) => ("S0", '/'),
        (_, false) => ("S0", '*'),
    };
    let to = scaled.to;
    Some(vec![format!(
        "D = for each value of {values}: value {operator} S{scale}.f32, as {to}{rounded}"
    )])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(wanted: &str) -> Vec<String> {
        let op = Op::all().find(|op| name(*op) == wanted).expect("it exists");
        lines(op).unwrap_or_default()
    }

    #[test]
    fn everything_but_memory_has_code() {
        for op in Op::all() {
            let mut executed = Chip::EXECUTED.iter();
            let is_executed = executed.any(|chip| op.row().exists_on(*chip));
            let vector = matches!(
                op,
                Op::Vop1(_)
                    | Op::Vop2(_)
                    | Op::Vop3(_)
                    | Op::Vop3p(_)
                    | Op::Mai(_)
                    | Op::MaiScaled(_)
            );
            // The scales are a part of the instruction after them.
            let is_part = op == Op::Vop3p(Vop3p::V_MFMA_LD_SCALE_B32);
            let wanted = vector && !is_executed && !is_part;
            assert_eq!(lines(op).is_some(), wanted, "{}", name(op));
        }
    }

    /// OCP Microscaling Formats 1.0, 5.1: a value is its element times the scale. Operands: LLVM, `VOP3Instructions.td`.
    #[test]
    fn scales_multiply_what_is_widened() {
        for (name, line) in [
            (
                "v_cvt_scalef32_pk_fp8_f32",
                "D = for each value of S0 and S1: value / S2.f32, as fp8",
            ),
            (
                "v_cvt_scalef32_pk_fp8_f16",
                "D = for each value of S0: value / S1.f32, as fp8",
            ),
            (
                "v_cvt_scalef32_sr_pk_fp4_f16",
                "D = for each value of S0: value / S2.f32, as fp4, rounded by the bits of S1",
            ),
            (
                "v_cvt_scalef32_f32_bf8",
                "D = for each value of S0: value * S1.f32, as f32",
            ),
        ] {
            assert_eq!(lines_of(name), [line], "{name}");
        }
    }
}
