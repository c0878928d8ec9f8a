//! Where this assembler and `llvm-mc` differ by intent.

use wavetank_gcn::{Chip, Form, parse};

use crate::lines::Line;
use crate::llvm::Assembled;

/// The words after the operands, in the order in which LLVM expects them.
const ORDER: [&str; 35] = [
    "op_sel:",
    "op_sel_hi:",
    "neg_lo:",
    "neg_hi:",
    "high",
    "clamp",
    "mul:",
    "div:",
    "dst_sel:",
    "dst_unused:",
    "src0_sel:",
    "src1_sel:",
    "dmask:",
    "row_mask:",
    "bank_mask:",
    "bound_ctrl:",
    "unorm",
    "idxen",
    "offen",
    "addr64",
    "offset0:",
    "offset1:",
    "offset",
    "lds",
    "glc",
    "slc",
    "r128",
    "a16",
    "tfe",
    "lwe",
    "da",
    "d16",
    "gds",
    "done",
    "compr",
];

/// Why a difference is none to remove.
pub(crate) fn explain(line: &Line, chip: Chip, theirs: Option<&Assembled>) -> Option<&'static str> {
    let ours = parse(&line.text, chip);
    let has = |word: &str| line.text.contains(word);
    let sdwa = line.form == Form::Sdwa
        || ours.as_ref().is_ok_and(|inst| inst.form == Form::Sdwa)
        || theirs.is_some_and(|theirs| theirs.text.contains("_sdwa"));
    match (&ours, theirs) {
        (Err(error), Some(_))
            if error.message.contains("is outside")
                || has(":0x10 ")
                || line.text.ends_with(":0x10") =>
        {
            Some("llvm-mc cuts numbers that are too large for their field")
        }
        (Err(_), Some(_)) if has("op_sel") || has("neg_lo") || has("neg_hi") => {
            Some("llvm-mc ignores the end of a list that is too long")
        }
        (Err(_), Some(_)) if line.text.starts_with("v_div_scale") => {
            Some("llvm-mc drops modifiers that VOP3B has no bits for")
        }
        (Err(error), Some(_))
            if error.message.starts_with("expected ") && has_word_at_end(&line.text) =>
        {
            Some("llvm-mc takes the first modifier for the symbol of a missing operand")
        }
        (Err(_), Some(_)) if has("sext(") && line.form == Form::Vop3 => {
            Some("llvm-mc writes the sext of a long form as neg")
        }
        (_, Some(_)) if has("nocompr") => Some("llvm-mc takes nocompr for compr"),
        (_, Some(_)) if has("v_ldexp_f16") => {
            Some("llvm-mc reads the exponent of v_ldexp_f16 as a float")
        }
        (Ok(_), None) if has("v_cvt_f32_f16") && chip < Chip::Gfx801 => {
            Some("llvm-mc takes no constants of 16 bits in long forms before gfx8")
        }
        (Ok(_), None) if has("image_gather4") && has("tfe") && has("d16") => {
            Some("llvm-mc has no gather with both tfe and packed d16")
        }
        (Ok(_), None) if has(" scc ") && has("buffer_") => {
            Some("llvm-mc takes the scalar offset `scc` for a modifier")
        }
        (_, _)
            if sdwa
                && has("16")
                && (has("0.15915494")
                    || has("0x3e22f983")
                    || has("0x3f800000")
                    || has("0xffff")) =>
        {
            Some("llvm-mc reads some constants of 16-bit integers in SDWA as 32 bits")
        }
        (Err(_), Some(theirs)) if theirs.text.contains("vcc") => {
            Some("llvm-mc lets vcc be left out of short forms")
        }
        (Ok(_), Some(theirs)) if theirs.text.contains("/*") => {
            Some("llvm-mc prints a remark into its text")
        }
        (Ok(_), Some(theirs))
            if (theirs.text.contains('-') || theirs.text.contains("0xffff8"))
                && matches!(line.form, Form::Sopp | Form::Sopk) =>
        {
            Some("llvm-mc prints negative 16-bit numbers as written, not as the bytes have them")
        }
        (_, Some(_)) if line.text.starts_with("s_setreg_imm32") => {
            Some("llvm-mc takes the low half of a double for the literal of s_setreg_imm32_b32")
        }
        (Ok(_), Some(_)) if line.text.contains("16") && float_literal(&line.text) => Some(
            "llvm-mc writes 32-bit floats as the literals of 16-bit integers, and prints half of them",
        ),
        (Ok(_), None) | (Err(_), Some(_)) if has(" no") => {
            Some("a flag may be denied in any form that has it")
        }
        (Ok(_), None) if line.form == Form::Mtbuf && (has("fmt:") || has("tfe")) => Some(
            "dfmt and nfmt may stand after the offset, and tfe is known, which the encoding has",
        ),
        (Ok(_), None)
            if matches!(line.form, Form::Flat | Form::Global | Form::Scratch)
                && (has("tfe") || has("lds")) =>
        {
            Some("tfe and lds of FLAT are known, which the encoding has")
        }
        (Ok(_), None) if has(" r128") => {
            Some("the resource may be written with the 4 registers that r128 reads")
        }
        (Ok(_), None) if !in_order(&line.text) || has(" lds ") => {
            Some("modifiers may stand in any order")
        }
        _ => None,
    }
}

/// Whether the last word is a modifier without a value.
fn has_word_at_end(text: &str) -> bool {
    text.rsplit(' ')
        .next()
        .is_some_and(|w| w.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Whether a number with a point, or an exponent, stands among the operands.
fn float_literal(text: &str) -> bool {
    ["1.5", "-0.0", "100.0", "0.1", "65504.0", "0.15915494"]
        .iter()
        .any(|n| text.contains(n))
}

/// Whether the modifiers stand in the order of LLVM.
fn in_order(text: &str) -> bool {
    let place = |word: &str| {
        let exact = ORDER.iter().position(|o| *o == word);
        exact.or_else(|| {
            ORDER.iter().position(|o| {
                o.ends_with(':') && word.starts_with(o) || *o == "offset" && word.starts_with(o)
            })
        })
    };
    let places: Vec<usize> = text.split([' ', ',']).filter_map(place).collect();
    places.is_sorted()
}
