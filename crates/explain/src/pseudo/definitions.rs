//! Definitions of the functions in pseudo-code that need more than a sentence: the steps of divisions (`v_div_scale`, `v_div_fmas`,
//! `v_div_fixup`), cube maps, byte permutes, mixed precision. The operands are `a`, `b` and `c`, in their order.

/// A function, with the lines that define it.
pub(super) type Definition = (&'static str, &'static [&'static str]);

/// The rules of `V_DIV_SCALE`, where the exponents of a type limit the quotient (docs/reference/errata.md, and Vega ISA, 12.10).
macro_rules! div_scale {
    ($far:literal, $power:literal, $least:literal) => {
        &[
            "b is the denominator, c the numerator, and a one of them; E(x) is the exponent field of x",
            "if b == 0 or c == 0: NaN, flag = 0",
            concat!("else if E(c) - E(b) >= ", $far, ": a == b ? a * 2 ** ", $power, " : a, flag = 1"),
            concat!("else if b is denormal: a * 2 ** ", $power, ", flag = 0"),
            concat!("else if 1 / b and c / b are denormal: a == b ? a * 2 ** -", $power, " : a, flag = 1"),
            concat!("else if 1 / b is denormal: a * 2 ** -", $power, ", flag = 0"),
            concat!("else if c / b is denormal: a == c ? a * 2 ** ", $power, " : a, flag = 1"),
            concat!("else if E(c) <= ", $least, ": a * 2 ** ", $power, ", flag = 0"),
            "else: a, flag = 0",
        ]
    };
}

/// The rules of `V_DIV_FIXUP`; `$ends` are the rules for quotients beyond the range, which half precision does not have.
macro_rules! div_fixup {
    ($($ends:literal),*) => {
        &[
            "a is the quotient so far, b the denominator, c the numerator; E(x) is the exponent field of x",
            "if c is a NaN: c, made quiet",
            "else if b is a NaN: b, made quiet",
            "else if b and c are both zero, or both infinite: a quiet NaN",
            "else, with the sign of b exclusive or the sign of c:",
            "  if b is zero or c is infinite: an infinity",
            "  else if b is infinite or c is zero: 0",
            $($ends,)*
            "  else: |a|",
        ]
    };
}

/// The faces of a cube map, with the axis by which each is chosen (Vega ISA, 12.10 V_CUBEID_F32).
const CUBE_AXIS: &str =
    "the axis is z where |z| >= |x| and |z| >= |y|, else y where |y| >= |x|, else x";

pub(super) const DEFINITIONS: &[Definition] = &[
    ("div_scale_f32", div_scale!("96", "64", "23")),
    ("div_scale_f64", div_scale!("768", "128", "53")),
    (
        "div_fmas_scaled_f32",
        &["(a * b + c) * (|c| >= 2.0 ? 2 ** 64 : 2 ** -64), rounded once"],
    ),
    (
        "div_fmas_scaled_f64",
        &["(a * b + c) * (|c| >= 2.0 ? 2 ** 128 : 2 ** -128), rounded once"],
    ),
    ("div_fixup_f16", div_fixup!()),
    (
        "div_fixup_f32",
        div_fixup!(
            "  else if E(c) - E(b) < -150: 0",
            "  else if a is infinite or a NaN: an infinity"
        ),
    ),
    (
        "div_fixup_f64",
        div_fixup!(
            "  else if E(c) - E(b) < -1075: 0",
            "  else if a is infinite or a NaN: an infinity"
        ),
    ),
    (
        "permute_bytes",
        &[
            "byte n of the result, by s = byte n of c:",
            "  s from 0 to 3: byte s of b",
            "  s from 4 to 7: byte s - 4 of a",
            "  s from 8 to 11: 0xff if bit 15 of b, 31 of b, 15 of a, 31 of a is set, else 0",
            "  s == 12: 0",
            "  s above 12: 0xff",
        ],
    ),
    (
        "cube_id",
        &[
            "x, y, z = a, b, c",
            CUBE_AXIS,
            "z: z < 0 ? 5.0 : 4.0",
            "y: y < 0 ? 3.0 : 2.0",
            "x: x < 0 ? 1.0 : 0.0",
        ],
    ),
    (
        "cube_sc",
        &[
            "x, y, z = a, b, c",
            CUBE_AXIS,
            "z: z < 0 ? -x : x",
            "y: x",
            "x: x < 0 ? z : -z",
        ],
    ),
    (
        "cube_tc",
        &[
            "x, y, z = a, b, c",
            CUBE_AXIS,
            "z: -y",
            "y: y < 0 ? -z : z",
            "x: -y",
        ],
    ),
    ("cube_axis", &["x, y, z = a, b, c", CUBE_AXIS]),
    (
        "mixed",
        &[
            "source n, by bit n of op_sel_hi and of op_sel:",
            "  op_sel_hi[n] == 0: all 32 bits, a single-precision float",
            "  op_sel_hi[n] == 1, op_sel[n] == 0: the half-precision float in bits 15:0",
            "  op_sel_hi[n] == 1, op_sel[n] == 1: the half-precision float in bits 31:16",
            "then its magnitude with |…| (neg_hi[n]), then its negative with - (neg[n])",
        ],
    ),
];

/// Returns the definitions of the functions that lines call, in their order.
pub(super) fn definitions(called: &[&str]) -> Vec<Definition> {
    let of = |name: &&str| DEFINITIONS.iter().find(|(defined, _)| defined == name);
    called.iter().filter_map(of).copied().collect()
}
