//! The modifiers of instructions: the bit fields that are not operands, with their text and their meaning.

mod rows;

use wavetank_gcn::tables::Op;
use wavetank_gcn::{BitField, Chip, Form, bit_fields};

use crate::cache_bits::field_name;
use crate::layout::matrix_of;
use rows::{Family, ROWS, Row};

/// A modifier of an instruction in a form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Modifier {
    /// The bit field, or the first of two.
    pub field: &'static str,
    /// The modifier in assembly text; a word without a value is a flag.
    pub text: &'static str,
    /// The meaning, in a sentence without a full stop.
    pub meaning: &'static str,
}

/// Returns the modifiers of an instruction in a form, in the order of their bit fields; none if the chip does not have it.
///
/// ```
/// use wavetank_gcn::{Chip, Form, tables::Vop2};
/// let all = wavetank_explain::modifiers(Vop2::V_ADD_F32.into(), Form::Vop3, Chip::Gfx900);
/// let texts: Vec<&str> = all.iter().map(|modifier| modifier.text).collect();
/// assert_eq!(texts, ["|src|", "clamp", "mul:2, mul:4, div:2", "-src"]);
/// ```
pub fn modifiers(op: Op, form: Form, chip: Chip) -> Vec<Modifier> {
    let (fields, _) = bit_fields(op, form, chip).unwrap_or_default();
    let family = Family::of(op, form);
    let known = |field: &BitField| modifier(family, field_name(&field.name, chip));
    let mut all: Vec<Modifier> = fields.iter().filter_map(known).collect();
    all.dedup();
    for modifier in &mut all {
        if is_without_effect(op, chip, modifier.field) {
            modifier.meaning = WITHOUT_EFFECT;
        }
    }
    all
}

/// What a field of a matrix instruction means whose shape does not take it (docs/reference/errata.md, "CDNA").
const WITHOUT_EFFECT: &str = "the shape of the matrices does not take it: it has no effect";

/// Whether a matrix instruction does not take a field that its encoding has.
fn is_without_effect(op: Op, chip: Chip, field: &str) -> bool {
    matrix_of(op, chip).is_some_and(|matrix| {
        let shape = matrix.shape();
        match field {
            "blgp" => !shape.has_permutation(matrix.model()),
            "cbsz" | "abid" => !shape.sparse && !shape.has_broadcast(),
            _ => false,
        }
    })
}

/// Returns the modifier that a bit field holds; `None` for opcodes, operands and fixed bits.
fn modifier(family: Family, field: &str) -> Option<Modifier> {
    let of = |row: &&Row| row.0 == field && row.1.is_none_or(|own| own == family);
    let Row(field, _, text, meaning) = ROWS.iter().find(of)?;
    Some(Modifier {
        field,
        text,
        meaning,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rows::{MIXED_HI, OP_SEL_HI};

    /// The forms that an operation has on a chip.
    fn forms(op: Op, chip: Chip) -> Vec<Form> {
        let gfx9 = chip.generation() == wavetank_gcn::Generation::Gfx9;
        let all = [
            (op.home(), op.row().exists_on(chip)),
            (Form::Vop3, op.vop3(chip).is_some()),
            (Form::Sdwa, op.sdwa(chip)),
            (Form::Dpp, op.dpp(chip)),
            (Form::Global, op.home() == Form::Flat && gfx9),
            (Form::Scratch, gfx9 && op.scratch(chip).is_some()),
        ];
        let has = all.into_iter().filter(|(_, has)| *has);
        has.map(|(form, _)| form).collect()
    }

    /// Every bit field is an opcode, an operand, fixed bits, or a modifier with a meaning; and every row is used.
    #[test]
    fn every_field_has_a_meaning() {
        let mut used = vec![false; ROWS.len()];
        for chip in Chip::all() {
            for op in Op::all().filter(|op| op.row().exists_on(chip)) {
                for form in forms(op, chip) {
                    let (fields, _) = bit_fields(op, form, chip).expect("it has the form");
                    let operands = op.row().operands.iter();
                    let operands: Vec<String> = operands
                        .map(|spec| format!("{:?}", spec.field).to_lowercase())
                        .collect();
                    for BitField { name, .. } in fields {
                        let fixed = name.starts_with(|c: char| c.is_ascii_digit());
                        let code = name.starts_with("op=") || name.starts_with("seg=");
                        let family = Family::of(op, form);
                        let own = field_name(&name, chip);
                        let of = |row: &Row| row.0 == own && row.1.is_none_or(|f| f == family);
                        if let Some(at) = ROWS.iter().position(of) {
                            used[at] = true;
                        } else {
                            let known = fixed || code || operands.contains(&name);
                            assert!(known, "{op:?} as {form:?}: {name}");
                        }
                    }
                }
            }
        }
        for (row, used) in ROWS.iter().zip(used) {
            assert!(used, "no instruction has {} of {:?}", row.0, row.1);
        }
    }

    /// Vega ISA, 12.11 V_MAD_MIX_F32: OP_SEL_HI chooses the precision. 12.15: GLC returns the value before.
    #[test]
    fn a_field_means_what_its_instruction_makes_of_it() {
        use wavetank_gcn::tables::{Flat, Vop3p};
        let meaning = |op: Op, form, field: &str| {
            let all = modifiers(op, form, Chip::Gfx900);
            let found = all.iter().find(|modifier| modifier.field == field);
            found.map(|modifier| modifier.meaning)
        };
        let (mix, add) = (Vop3p::V_MAD_MIX_F32.into(), Vop3p::V_PK_ADD_F16.into());
        assert_eq!(meaning(mix, Form::Vop3p, "op_sel_hi"), Some(MIXED_HI));
        assert_eq!(meaning(add, Form::Vop3p, "op_sel_hi"), Some(OP_SEL_HI));
        let glc = |op: Flat| meaning(op.into(), Form::Global, "glc");
        assert_eq!(
            glc(Flat::FLAT_ATOMIC_ADD),
            Some("the value before is returned")
        );
        assert!(glc(Flat::FLAT_LOAD_DWORD).is_some_and(|text| text.contains("coherent")));
    }

    /// AMD's matrix instruction calculator says which shapes take CBSZ, ABID and BLGP.
    #[test]
    fn shapes_say_which_fields_have_no_effect() {
        use wavetank_gcn::tables::Mai;
        let without = |op: Mai, chip| -> Vec<&str> {
            let all = modifiers(op.into(), Form::Mai, chip);
            let without = all.iter().filter(|m| m.meaning == WITHOUT_EFFECT);
            without.map(|modifier| modifier.field).collect()
        };
        let blocks = Mai::V_MFMA_F32_32X32X4F16;
        let one = Mai::V_MFMA_F32_32X32X8F16;
        for chip in [Chip::Gfx908, Chip::Gfx90a, Chip::Gfx942] {
            assert!(without(blocks, chip).is_empty(), "{chip}");
        }
        assert_eq!(without(one, Chip::Gfx90a), ["cbsz", "abid"]);
        assert_eq!(without(one, Chip::Gfx942), ["cbsz", "abid", "blgp"]);
        let doubles = Mai::V_MFMA_F64_16X16X4F64;
        assert_eq!(without(doubles, Chip::Gfx90a), ["cbsz", "abid", "blgp"]);
        let sparse = Mai::V_SMFMAC_F32_16X16X32_F16;
        assert_eq!(without(sparse, Chip::Gfx942), ["blgp"]);
    }

    /// LLVM's "User Guide for AMDGPU Backend", "Memory Model gfx942": an atomic returns with SC0, and SC1 is its scope.
    #[test]
    fn cache_modifiers_have_the_names_of_the_chip() {
        use wavetank_gcn::tables::Flat;
        let texts = |op: Flat, chip| -> Vec<&str> {
            let all = modifiers(op.into(), Form::Global, chip);
            all.iter().map(|modifier| modifier.text).collect()
        };
        let load = Flat::FLAT_LOAD_DWORD;
        assert!(texts(load, Chip::Gfx906).ends_with(&["glc", "slc", "nv"]));
        let all = texts(load, Chip::Gfx90a);
        let has = |text: &str| all.contains(&text);
        assert!(has("glc") && has("slc") && has("scc") && !has("nv"));
        let all = texts(load, Chip::Gfx942);
        let has = |text: &str| all.contains(&text);
        assert!(has("sc0") && has("nt") && has("sc1") && !has("glc"));
        let atomic = modifiers(Flat::FLAT_ATOMIC_ADD.into(), Form::Global, Chip::Gfx942);
        let sc0 = atomic.iter().find(|modifier| modifier.text == "sc0");
        assert_eq!(
            sc0.map(|sc0| sc0.meaning),
            Some("the value before is returned")
        );
    }
}
