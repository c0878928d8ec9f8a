//! Sentences for instructions: written by hand if each differs, and composed from the parts of the name in regular families.

mod arithmetic;
mod cdna;
mod compare;
mod gfx950;
mod image;
mod memory;
mod scalar;
mod types;
mod vector;

use wavetank_gcn::{Chip, Form, Op};

use crate::cache_bits::returning_bit;
pub(crate) use gfx950::Scaled;
use types::{Noun, filled};

/// Returns the action of an instruction in one sentence of at most 160 characters.
///
/// ```
/// use wavetank_gcn::tables::Vop3;
/// assert_eq!(wavetank_explain::sentence(Vop3::V_LSHL_ADD_U32.into()), "Shifts left, then adds.");
/// ```
pub fn sentence(op: Op) -> String {
    named(op, name(op))
}

/// Returns the sentence of an operation in a form, which is another one in GLOBAL and SCRATCH.
///
/// ```
/// use wavetank_gcn::{Form, tables::Flat};
/// let op = Flat::FLAT_LOAD_DWORD.into();
/// assert_eq!(wavetank_explain::sentence_in(op, Form::Flat), "Loads 4 bytes from memory by a flat address.");
/// assert_eq!(wavetank_explain::sentence_in(op, Form::Global), "Loads 4 bytes from global memory.");
/// ```
pub fn sentence_in(op: Op, form: Form) -> String {
    named(op, &name_in(op, form))
}

/// Returns the sentence of an operation in a form with the names that the bits of caches have on a chip.
///
/// ```
/// use wavetank_gcn::{Chip, Form, tables::Flat};
/// let of = |chip| wavetank_explain::sentence_on(Flat::FLAT_ATOMIC_ADD.into(), Form::Global, chip);
/// assert!(of(Chip::Gfx90a).ends_with("with GLC returns it as it was."));
/// assert!(of(Chip::Gfx942).ends_with("with SC0 returns it as it was."));
/// ```
pub fn sentence_on(op: Op, form: Form, chip: Chip) -> String {
    sentence_in(op, form).replace("with GLC", &format!("with {}", returning_bit(chip)))
}

/// Returns the name of an operation in a form, on the last generation that has it: GLOBAL and SCRATCH have a prefix of their own.
///
/// ```
/// use wavetank_gcn::{Form, tables::Flat};
/// let name = wavetank_explain::name_in(Flat::FLAT_STORE_BYTE.into(), Form::Scratch);
/// assert_eq!(name, "scratch_store_byte");
/// ```
pub fn name_in(op: Op, form: Form) -> String {
    let name = name(op);
    let prefix = match form {
        Form::Global => "global_",
        Form::Scratch => "scratch_",
        _ => return name.to_owned(),
    };
    name.replacen("flat_", prefix, 1)
}

fn named(op: Op, name: &str) -> String {
    let made = match op.home() {
        Form::Vopc => compare::sentence(name),
        Form::Mimg => image::sentence(name),
        Form::Smem | Form::Ds | Form::Mubuf | Form::Mtbuf | Form::Flat => {
            listed(memory::SENTENCES, name).or_else(|| memory::sentence(name))
        }
        Form::Sop1 | Form::Sop2 | Form::Sopk | Form::Sopc | Form::Sopp => {
            listed(scalar::SENTENCES, name)
        }
        _ => listed(vector::SENTENCES, name)
            .or_else(|| listed(arithmetic::SENTENCES, name))
            .or_else(|| conversion(name)),
    };
    let own = || {
        listed(cdna::SENTENCES, name)
            .or_else(|| listed(gfx950::SENTENCES, name))
            .or_else(|| gfx950::conversion(name))
    };
    // The test `every_instruction_has_its_sentence` checks that the default is used for products only.
    made.or_else(own).unwrap_or_else(|| cdna::of_shape(op))
}

/// Returns the name on the last generation that has the instruction.
pub(crate) fn name(op: Op) -> &'static str {
    let names = op.row().mnemonics;
    names.iter().rev().flatten().next().unwrap_or(&"")
}

/// Returns the sentence of a table for the whole name, or else for the name without its type.
fn listed(sentences: &[(&str, &str)], name: &str) -> Option<String> {
    let find = |name: &str| sentences.iter().find(|(listed, _)| *listed == name);
    let split = name
        .rsplit_once('_')
        .and_then(|(stem, ty)| Some((stem, Noun::of(ty)?)));
    match (find(name), split) {
        (Some((_, sentence)), Some((_, noun))) => Some(filled(sentence, noun)),
        (Some((_, sentence)), None) => Some((*sentence).to_owned()),
        (None, Some((stem, noun))) => find(stem).map(|(_, sentence)| filled(sentence, noun)),
        (None, None) => None,
    }
}

/// Returns the sentence of a conversion such as `v_cvt_f32_i32`: to the first type, from the second.
fn conversion(name: &str) -> Option<String> {
    let (to, from) = name.strip_prefix("v_cvt_")?.split_once('_')?;
    let (into, of) = (Noun::of(to)?, Noun::of(from)?);
    let rounded = match (from.starts_with('f'), to.starts_with('f')) {
        (true, false) => ", rounded toward 0 and held to its range",
        _ => "",
    };
    Some(format!("Converts {} to {}{rounded}.", of.one(), into.one()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Every operation in its own form, and those of FLAT in the other two segments.
    fn all() -> impl Iterator<Item = (String, String)> {
        let segments = [Form::Global, Form::Scratch];
        Op::all().flat_map(move |op| {
            let others = segments
                .into_iter()
                .filter(move |_| op.home() == Form::Flat);
            let forms = std::iter::once(op.home()).chain(others);
            forms.map(move |form| (name_in(op, form), sentence_in(op, form)))
        })
    }

    #[test]
    fn every_instruction_has_its_sentence() {
        for (name, sentence) in all() {
            assert!(sentence.ends_with('.'), "{name}: `{sentence}`");
            assert!(sentence.chars().count() <= 160, "{name}: `{sentence}`");
            let first = sentence.chars().next();
            assert!(
                first.is_some_and(|c| c.is_uppercase() || c == '2'),
                "{name}: `{sentence}`"
            );
            let filled = !sentence.contains(['{', '}']) && !sentence.contains("  ");
            assert!(filled, "{name}: `{sentence}`");
        }
    }

    /// No sentence is shared by several instructions, which it could not distinguish.
    #[test]
    fn sentences_tell_instructions_apart() {
        let mut of: HashMap<String, Vec<String>> = HashMap::new();
        for (name, sentence) in all() {
            of.entry(sentence).or_default().push(name);
        }
        for (sentence, names) in of {
            assert!(names.len() <= 2, "`{sentence}` is said of {names:?}");
        }
    }

    /// Every row of a table is used by an instruction.
    #[test]
    fn every_row_is_said_of_an_instruction() {
        let all: Vec<String> = Op::all().map(sentence).collect();
        let tables = [
            scalar::SENTENCES,
            vector::SENTENCES,
            arithmetic::SENTENCES,
            memory::SENTENCES,
            cdna::SENTENCES,
            gfx950::SENTENCES,
        ];
        for (row, text) in tables.into_iter().flatten() {
            let parts: Vec<&str> = text.split("{a}").flat_map(|t| t.split("{s}")).collect();
            let parts: Vec<&str> = parts.iter().flat_map(|t| t.split("{A}")).collect();
            let has = |said: &String| parts.iter().all(|part| said.contains(part));
            assert!(all.iter().any(has), "{row} is said of nothing");
        }
    }

    #[test]
    fn regular_names_are_told_by_their_parts() {
        let said = |wanted: &str| {
            let op = Op::all().find(|op| name(*op) == wanted).expect("it exists");
            sentence(op)
        };
        assert_eq!(
            said("v_cmpx_nlt_f64"),
            "Compares double-precision floats: sets the bits of lanes where the first is the second or more, or either \
             is a NaN; EXEC becomes the mask too."
        );
        assert_eq!(
            said("ds_read2st64_b32"),
            "Loads two 32-bit words from LDS, with offsets in 64 elements."
        );
        assert_eq!(
            said("flat_atomic_umax_x2"),
            "Keeps the larger of a 64-bit word in memory by a flat address and the operand, without signs; with GLC \
             returns it as it was."
        );
        assert_eq!(
            said("image_sample_c_lz_o"),
            "Samples an image, compared with a reference, of level 0, with offsets in texels."
        );
        assert_eq!(
            said("v_cvt_u32_f64"),
            "Converts a double-precision float to an unsigned 32-bit integer, rounded toward 0 and held to its range."
        );
    }
}
