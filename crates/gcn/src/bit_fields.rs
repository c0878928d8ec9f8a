//! The bit fields of an instruction word by name, for display.

use crate::decode::SCALED;
use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::inst::Flags;
use crate::layout::{ACC, ACC_CD, Bits, Coding, NOWHERE, SVE, VOP3B_SDST, layout};
use crate::modifiers::{is_vop3b, placed_modifiers};
use crate::tables::{Field, MaiScaled, Op, Vop3p};

/// A run of bits of an instruction word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitField {
    /// The manual's name in lower case, `op=0x1ff` for the opcode, or the bits that identify the encoding.
    pub name: String,
    /// The lowest bit: 0 is the lowest of the first dword, 32 the lowest of the second.
    pub low: u32,
    /// The width in bits.
    pub width: u32,
}

/// Returns the fields of an instruction in a form on a chip, lowest first, and the length in bits, 32 or 64; `None` if the chip
/// has no such instruction. Fields that the instruction ignores are left out.
///
/// ```
/// use wavetank_gcn::{Chip, Form, bit_fields, tables::Vop2};
/// let (fields, bits) = bit_fields(Vop2::V_ADD_F32.into(), Form::Vop2, Chip::Gfx900).expect("Vega has it");
/// let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
/// assert_eq!((names, bits), (vec!["src0", "src1", "vdst", "op=0x1", "0"], 32));
/// ```
pub fn bit_fields(op: Op, form: Form, chip: Chip) -> Option<(Vec<BitField>, u32)> {
    if let Op::MaiScaled(joined) = op {
        return scaled_fields(joined, chip);
    }
    let generation = chip.generation();
    // The first dword of SDWA and DPP is that of the home form, with an escape code in SRC0 (Vega ISA, 13.3.8 and 13.3.9).
    let escape = match form {
        Form::Sdwa => Some("0xf9"),
        Form::Dpp => Some("0xfa"),
        _ => None,
    };
    let own = layout(form, chip);
    let first = if escape.is_some() {
        layout(op.home(), chip)
    } else {
        own
    };
    let opcode = match form {
        Form::Vop3 => op.vop3(chip)?,
        Form::Vop2 => op.vop2(chip)?,
        _ => op.opcode(chip)?,
    };
    let mut fields = Vec::new();
    let mut add = |name: String, Bits(low, width): Bits| {
        if width > 0 {
            let (low, width) = (low.into(), width.into());
            fields.push(BitField { name, low, width });
        }
    };
    add(format!("op={opcode:#x}"), first.opcode);
    if let Some(code) = escape {
        add(
            code.to_owned(),
            layout(op.home(), chip).place(Field::Src0).bits,
        );
    }
    for spec in op.row().operands {
        let place = match spec.field {
            Field::Sdst if form == Form::Vop3 && is_vop3b(op.row()) => VOP3B_SDST,
            Field::Soffset if op.home() == Form::Smem => continue,
            Field::Sdst if form == Form::Sdwa && is_vop3b(op.row()) => continue,
            field => own.place(field),
        };
        add(format!("{:?}", spec.field).to_lowercase(), place.bits);
        if let Coding::Vector(bit) = place.coding {
            add("acc".to_owned(), Bits(bit, 1));
        }
    }
    if op.row().shape.is_some() {
        add("acc".to_owned(), ACC);
        if chip >= Chip::Gfx90a {
            add("acc_cd".to_owned(), ACC_CD);
        }
    }
    if form == Form::Scratch && chip >= Chip::Gfx942 {
        add("sve".to_owned(), SVE);
    }
    for (flag, bit) in own.flags {
        add(flag_name(*flag), Bits(*bit, 1));
    }
    let modifiers = placed_modifiers(op, form, chip);
    if !modifiers.iter().any(|(name, _)| *name == "offset0") {
        add("offset".to_owned(), own.offset);
    }
    if form == Form::Smem && generation == Generation::Gfx9 {
        add("soffset".to_owned(), Bits(57, 7));
    }
    if matches!(form, Form::Flat | Form::Global | Form::Scratch) && generation == Generation::Gfx9 {
        add(format!("seg={}", own.base >> 14 & 3), Bits(14, 2));
    }
    for (name, bits) in modifiers {
        add(name.to_owned(), bits);
    }
    // The offset of FLAT has one bit less than its field, whose last bit is that of the LDS flag in the other segments.
    fields.sort_by_key(|field: &BitField| field.low);
    fields.dedup_by_key(|field| field.low);
    let top = fields
        .iter()
        .filter(|f| f.low < 32)
        .map(|f| f.low + f.width)
        .max()?;
    let Bits(low, width) = if top < 32 {
        Bits(top as u8, 32 - top as u8)
    } else {
        NOWHERE
    };
    if width > 0 {
        let (low, width) = (u32::from(low), u32::from(width));
        let name = format!(
            "{:0width$b}",
            first.base as u32 >> low,
            width = width as usize
        );
        let at = fields.partition_point(|field| field.low < low);
        fields.insert(at, BitField { name, low, width });
    }
    Some((fields, 8 * u32::from(own.len)))
}

/// Returns the fields of a matrix instruction with scales: those of the scales, then those of the matrices.
fn scaled_fields(joined: MaiScaled, chip: Chip) -> Option<(Vec<BitField>, u32)> {
    let scales = Op::Vop3p(Vop3p::V_MFMA_LD_SCALE_B32);
    let (mut fields, _) = bit_fields(scales, Form::Vop3p, chip)?;
    let (matrices, _) = SCALED.iter().find(|(_, op)| *op == joined)?;
    let (second, _) = bit_fields(Op::Mai(*matrices), Form::Mai, chip)?;
    fields.extend(second.into_iter().map(|field| BitField {
        low: field.low + 64,
        ..field
    }));
    Some((fields, 128))
}

fn flag_name(flag: Flags) -> String {
    let name = flag.iter_names().next().map_or("", |(name, _)| name);
    match flag {
        Flags::SMEM_IMM => "imm".to_owned(),
        Flags::SMEM_SOFFSET => "soffset_en".to_owned(),
        _ => name.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The fields of every instruction are disjoint in every form.
    #[test]
    #[cfg_attr(miri, ignore = "every instruction of every chip, and nothing unsafe")]
    fn fields_do_not_overlap() {
        for chip in Chip::all() {
            for op in Op::all().filter(|op| op.row().exists_on(chip)) {
                let forms = [
                    (op.home(), true),
                    (Form::Vop3, op.vop3(chip).is_some()),
                    (Form::Sdwa, op.sdwa(chip)),
                    (Form::Dpp, op.dpp(chip)),
                ];
                for (form, _) in forms.into_iter().filter(|(_, has)| *has) {
                    let (fields, bits) = bit_fields(op, form, chip).expect("it has this form");
                    let mut end = 0;
                    for field in &fields {
                        assert!(
                            field.low >= end,
                            "{op:?} as {form:?} on {}: {fields:?}",
                            chip.name()
                        );
                        end = field.low + field.width;
                    }
                    assert!(end <= bits, "{op:?} as {form:?} on {}", chip.name());
                }
            }
        }
    }

    /// The layouts of Vega ISA, 13.3.5 "VOP3B" and 13.5.1 "DS".
    #[test]
    fn fields_are_where_the_manual_has_them() {
        use crate::tables::{Ds, Vop2};
        let place = |op: Op, form, name: &str| {
            let (fields, _) = bit_fields(op, form, Chip::Gfx900).expect("Vega has it");
            let field = fields.iter().find(|field| field.name == name);
            field.map(|field| (field.low, field.width))
        };
        let add = Op::from(Vop2::V_ADD_CO_U32);
        assert_eq!(place(add, Form::Vop3, "sdst"), Some((8, 7)));
        assert_eq!(place(add, Form::Vop3, "op=0x119"), Some((16, 10)));
        let read2 = Op::from(Ds::DS_READ2_B32);
        assert_eq!(place(read2, Form::Ds, "offset1"), Some((8, 8)));
        assert_eq!(place(read2, Form::Ds, "vdst"), Some((56, 8)));
    }
}
