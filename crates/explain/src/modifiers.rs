//! The modifiers of instructions: the bit fields that are not operands, with their text and their meaning.

use wavetank_gcn::tables::{Access, Op};
use wavetank_gcn::{BitField, Chip, Form, bit_fields};

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
    let known = |field: &BitField| modifier(family, &field.name);
    let mut all: Vec<Modifier> = fields.iter().filter_map(known).collect();
    all.dedup();
    all
}

/// The groups of forms in which a field has one meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    /// VOP3, SDWA and DPP.
    Vector,
    /// VOP3P, except for mixed precision.
    Packed,
    /// Mixed precision in VOP3P.
    Mixed,
    /// SMEM and SMRD.
    Scalar,
    /// DS.
    Lds,
    /// MUBUF, MTBUF, MIMG, FLAT, GLOBAL and SCRATCH.
    Memory,
    /// The same, for atomics.
    Atomic,
    /// EXP.
    Export,
}

impl Family {
    fn of(op: Op, form: Form) -> Family {
        let returns = |access| matches!(access, Access::WriteIfGlc | Access::ReadWriteIfGlc);
        let mut names = op.row().mnemonics.iter().flatten();
        match form {
            Form::Vop3p if names.any(|name| name.contains("_mix")) => Family::Mixed,
            Form::Vop3p => Family::Packed,
            Form::Exp => Family::Export,
            Form::Ds => Family::Lds,
            _ if op.row().operands.iter().any(|spec| returns(spec.access)) => Family::Atomic,
            Form::Smem => Family::Scalar,
            Form::Mubuf | Form::Mtbuf | Form::Mimg | Form::Flat | Form::Global | Form::Scratch => {
                Family::Memory
            }
            _ => Family::Vector,
        }
    }
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

/// A bit field, the family in which it has this meaning (or any), its text, and its meaning.
struct Row(&'static str, Option<Family>, &'static str, &'static str);

/// A part of a register that SDWA selects, for the text of three fields.
const PART: &str =
    "BYTE_0 to BYTE_3, WORD_0, WORD_1 or DWORD: the part of the source that is taken";
const SIGN_EXTENDED: &str = "the part of the source is sign-extended";
const NEGATED: &str = "the sign of the source is changed, after its magnitude";
const MAGNITUDE: &str = "the source without its sign";
const OP_SEL_HI: &str = "a bit for each source: the high result takes its high half";
const MIXED_HI: &str = "a bit for each source: it is a half-precision float";

/// The modifiers (Vega ISA, 6.2 "OMOD", 6.7 "Packed math", 8.1, 8.2, 9, 10, 11.1, 13.3 to 13.6).
const ROWS: &[Row] = {
    use Family::*;
    &[
        // Vector ALU.
        Row(
            "abs",
            None,
            "|src|",
            "a bit for each source: it is taken without its sign",
        ),
        Row(
            "neg",
            Some(Packed),
            "neg_lo:[…]",
            "a bit for each source: the sign of what the low result takes is changed",
        ),
        Row(
            "neg",
            Some(Mixed),
            "-src",
            "a bit for each source: its sign is changed, after its magnitude",
        ),
        Row(
            "neg",
            None,
            "-src",
            "a bit for each source: its sign is changed, after its magnitude",
        ),
        Row(
            "neg_hi",
            Some(Mixed),
            "|src|",
            "a bit for each source: it is taken without its sign",
        ),
        Row(
            "neg_hi",
            None,
            "neg_hi:[…]",
            "a bit for each source: the sign of what the high result takes is changed",
        ),
        Row(
            "op_sel",
            Some(Packed),
            "op_sel:[…]",
            "a bit for each source: the low result takes its high half",
        ),
        Row(
            "op_sel",
            Some(Mixed),
            "op_sel:[…]",
            "a bit for each source: its high half, if op_sel_hi is set",
        ),
        Row(
            "op_sel",
            None,
            "op_sel:[…]",
            "a bit for each source, then one for the result: its high half",
        ),
        Row("op_sel_hi", Some(Mixed), "op_sel_hi:[…]", MIXED_HI),
        Row(
            "op_sel_hi2",
            Some(Mixed),
            "op_sel_hi:[…]",
            "the bit of op_sel_hi for the third source",
        ),
        Row("op_sel_hi", None, "op_sel_hi:[…]", OP_SEL_HI),
        Row(
            "op_sel_hi2",
            None,
            "op_sel_hi:[…]",
            "the bit of op_sel_hi for the third source",
        ),
        Row(
            "clamp",
            None,
            "clamp",
            "the result is held to 0.0 … 1.0, or an integer to the range of its type",
        ),
        Row(
            "omod",
            None,
            "mul:2, mul:4, div:2",
            "the result is scaled, if MODE flushes denormals of results and IEEE is off",
        ),
        Row(
            "high",
            None,
            "high",
            "the attribute is in the high half of its word",
        ),
        // SDWA.
        Row(
            "dst_sel",
            None,
            "dst_sel:…",
            "BYTE_0 to BYTE_3, WORD_0, WORD_1 or DWORD: the part of the register that gets the result",
        ),
        Row(
            "dst_unused",
            None,
            "dst_unused:…",
            "UNUSED_PAD, UNUSED_SEXT or UNUSED_PRESERVE: the other bits become 0, signs, or stay",
        ),
        Row("src0_sel", None, "src0_sel:…", PART),
        Row("src1_sel", None, "src1_sel:…", PART),
        Row("sext0", None, "sext(src0)", SIGN_EXTENDED),
        Row("sext1", None, "sext(src1)", SIGN_EXTENDED),
        Row("neg0", None, "-src0", NEGATED),
        Row("neg1", None, "-src1", NEGATED),
        Row("abs0", None, "|src0|", MAGNITUDE),
        Row("abs1", None, "|src1|", MAGNITUDE),
        // DPP.
        Row(
            "dpp_ctrl",
            None,
            "quad_perm:[…], row_shl:n, …",
            "the lane from which each takes its first source; also row_shr, row_ror, wave_shl, wave_rol, wave_shr, wave_ror, row_mirror, row_half_mirror, row_bcast",
        ),
        Row(
            "bound_ctrl",
            None,
            "bound_ctrl:0",
            "a lane that takes from no lane takes 0; otherwise it is not written",
        ),
        Row(
            "bank_mask",
            None,
            "bank_mask:n",
            "a bit for each group of 4 lanes in its 16: it is written",
        ),
        Row(
            "row_mask",
            None,
            "row_mask:n",
            "a bit for each row of 16 lanes: it is written",
        ),
        // Memory: addresses.
        Row(
            "offset",
            Some(Scalar),
            "a number",
            "an offset in bytes; on gfx6 and gfx7 in dwords",
        ),
        Row(
            "offset",
            None,
            "offset:n",
            "a number of bytes that is added to the address",
        ),
        Row(
            "offset0",
            None,
            "offset0:n",
            "the offset of the first element, in elements (ST64: in 64 elements)",
        ),
        Row(
            "offset1",
            None,
            "offset1:n",
            "the offset of the second element, in elements (ST64: in 64 elements)",
        ),
        Row(
            "imm",
            None,
            "a number",
            "the offset is a number, not a register",
        ),
        Row(
            "soffset_en",
            None,
            "a register, then offset:n",
            "the offset is a register and a number",
        ),
        Row("soffset", None, "a register", "the register of the offset"),
        Row(
            "offen",
            None,
            "offen",
            "the address register holds an offset in bytes, after an index if there is one",
        ),
        Row(
            "idxen",
            None,
            "idxen",
            "the address register holds the index of a record",
        ),
        Row(
            "addr64",
            None,
            "addr64",
            "two address registers hold a 64-bit address",
        ),
        Row(
            "gds",
            None,
            "gds",
            "the access is to GDS instead of LDS, and also raises EXP_CNT",
        ),
        // Memory: caches and results.
        Row("glc", Some(Atomic), "glc", "the value before is returned"),
        Row(
            "glc",
            None,
            "glc",
            "globally coherent: the access bypasses the first-level cache",
        ),
        Row(
            "slc",
            None,
            "slc",
            "system-level coherent: the L2 cache does not keep the data (streaming)",
        ),
        Row("nv", None, "nv", "the memory is not volatile"),
        Row(
            "lds",
            None,
            "lds",
            "the data goes to LDS at M0 instead of registers",
        ),
        Row(
            "tfe",
            None,
            "tfe",
            "a register after the data gets the status of a partly resident texture",
        ),
        Row(
            "lwe",
            None,
            "lwe",
            "a register after the data reports whether the level of detail was clamped",
        ),
        // Buffers with a format, and images.
        Row(
            "dfmt",
            None,
            "dfmt:n",
            "the sizes of the components in memory",
        ),
        Row(
            "nfmt",
            None,
            "nfmt:n",
            "how the components are converted: unorm, snorm, uint, sint, float, …",
        ),
        Row(
            "dmask",
            None,
            "dmask:n",
            "a bit for each of the four components: it is accessed, in the next data register",
        ),
        Row(
            "unorm",
            None,
            "unorm",
            "coordinates count texels; otherwise 0.0 to 1.0 is the whole image",
        ),
        Row(
            "da",
            None,
            "da",
            "the image is an array: a coordinate is the layer",
        ),
        Row(
            "r128",
            None,
            "r128",
            "the descriptor of the image has 128 bits instead of 256",
        ),
        Row("a16", None, "a16", "addresses have 16 bits"),
        Row("d16", None, "d16", "data in registers has 16 bits"),
        // Exports.
        Row(
            "en",
            None,
            "off for an operand",
            "a bit for each of the four sources: it is exported",
        ),
        Row(
            "compr",
            None,
            "compr",
            "each source holds two components of 16 bits",
        ),
        Row("done", None, "done", "the last export of its kind"),
        Row(
            "vm",
            Some(Export),
            "vm",
            "EXEC becomes the mask of valid pixels",
        ),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

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
        for &chip in Chip::GCN {
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
                        let of = |row: &Row| row.0 == name && row.1.is_none_or(|f| f == family);
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
}
