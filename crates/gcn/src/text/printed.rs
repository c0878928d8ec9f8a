//! The prepared output for an instruction in a form, resolved once for each chip: its mnemonic, and the table that names each of
//! its operands.

use std::fmt::{self, Write};
use std::sync::OnceLock;

use super::line::Piece;
use super::operand::{agpr, inline, sgpr, vgpr};
use crate::form::Form;
use crate::generation::{Chip, Generation};
use crate::inst::{Inst, MAX_OPERANDS, Operand};
use crate::modifiers::{is_mix, source_bit};
use crate::plan::Plans;
use crate::tables::{Features, Field, Op, OperandSpec, Row, Ty, Vop2};

/// The mnemonic and the operand tables of an instruction in a form.
pub(super) struct Printed {
    /// The mnemonic and a space.
    pub head: Piece<39>,
    /// The number of operands.
    pub count: u8,
    /// The number of sources.
    pub sources: u8,
    /// For each operand, the bit of its source, which can have neg, abs and sext.
    pub source_bits: [u8; MAX_OPERANDS],
    /// The index of each operand's table.
    pub names: [u8; MAX_OPERANDS],
}

/// The mark of an operand whose table depends on modifiers: [`Inst::dwords`] returns its index.
pub(super) const BY_WIDTH: u8 = u8::MAX;

/// The prepared output of all instructions of a chip.
pub(super) struct Printing {
    plans: &'static Plans,
    all: Vec<Printed>,
    names: &'static [Names],
}

impl Printing {
    /// Returns the output tables of a chip, made at first use.
    #[inline]
    pub(super) fn of(chip: Chip) -> &'static Printing {
        static ALL: [OnceLock<Printing>; Chip::COUNT] = [const { OnceLock::new() }; Chip::COUNT];
        ALL[chip as usize].get_or_init(|| {
            let plans = Plans::of(chip);
            Printing {
                plans,
                all: plans
                    .all()
                    .iter()
                    .map(|plan| Printed::new(&plan.blank(chip)))
                    .collect(),
                names: names(chip.generation()),
            }
        })
    }

    /// Returns the prepared output of an instruction; `None` if the chip does not have it.
    #[inline]
    pub(super) fn get(&self, inst: &Inst) -> Option<&Printed> {
        self.plans
            .number(inst.op, inst.form)
            .map(|number| &self.all[number])
    }

    /// Returns the name of an operand from a table, with a comma and a space. `None` for numbers, and for names that are too
    /// long.
    #[inline]
    pub(super) fn name(&self, table: u8, operand: Operand) -> Option<&Piece<15>> {
        let code = match operand {
            Operand::Sgpr(code) | Operand::Inline(code) => usize::from(code),
            Operand::Vgpr(number) => 256 + usize::from(number),
            Operand::Off => OFF,
            Operand::Agpr(number) => AGPR + usize::from(number),
            Operand::None | Operand::Literal(_) | Operand::Imm(_) => return None,
        };
        self.names.get(usize::from(table))?[code].as_ref()
    }
}

impl Printed {
    /// Makes the output of an instruction in the form of `inst`, for any operands.
    pub(super) fn new(inst: &Inst) -> Printed {
        let mut head = String::new();
        // Writing to a string does not fail.
        let _ = mnemonic(inst, &mut head);
        head.push(' ');
        let row = inst.row();
        let mut printed = Printed {
            head: Piece::new(&head).unwrap_or(Piece::EMPTY),
            count: row.operands.len() as u8,
            sources: 0,
            source_bits: [0; MAX_OPERANDS],
            names: [0; MAX_OPERANDS],
        };
        let packed = inst.form == Form::Vop3p && !is_mix(inst.op);
        let has_signs = !packed && !matches!(inst.form, Form::Mai | Form::MaiScaled);
        for (i, spec) in row.operands.iter().enumerate() {
            let bit = source_bit(spec.field);
            printed.sources += u8::from(bit != 0);
            printed.source_bits[i] = if has_signs { bit } else { 0 };
            printed.names[i] = table(inst, spec);
        }
        printed
    }
}

/// The names of operands for one span width, by source code.
type Names = [Option<Piece<15>>; AGPR + 256];

/// The index of `off`, after the 512 source codes.
const OFF: usize = 512;
/// The index of a0.
const AGPR: usize = OFF + 1;
/// The index of the table for 16-bit integers, which has single registers, and floats as bits. The index of any other table is
/// the number of registers in a span.
const INT16: u8 = 0;
/// The index of no table, for operands that are written by their types: pairs of registers with constants of one.
const UNPREPARED: u8 = u8::MAX - 1;
/// The widest span with a table.
const WIDEST: u8 = 16;

/// Returns the index of the table for an operand.
fn table(inst: &Inst, spec: &OperandSpec) -> u8 {
    let is_exponent = inst.op == Op::Vop2(Vop2::V_LDEXP_F16);
    match (inst.form, spec.field) {
        _ if matches!(spec.ty, Ty::V2F32 | Ty::V4F64 | Ty::Bf16 | Ty::V2Bf16) => UNPREPARED,
        (Form::Mubuf | Form::Mtbuf | Form::Mimg, Field::Vaddr | Field::Vdata) => BY_WIDTH,
        (Form::Global | Form::Scratch, Field::Vaddr | Field::Saddr) => BY_WIDTH,
        (Form::Mai | Form::MaiScaled, _) => BY_WIDTH,
        _ => match spec.ty {
            // LLVM writes the exponent of v_ldexp_f16 as 32 bits.
            Ty::I16 if is_exponent => 1,
            Ty::B16 | Ty::I16 | Ty::U16 => INT16,
            ty => ty.dwords(),
        },
    }
}

/// Returns the tables of a generation.
fn names(generation: Generation) -> &'static [Names] {
    static ALL: [OnceLock<Vec<Names>>; 4] = [const { OnceLock::new() }; 4];
    ALL[generation as usize].get_or_init(|| {
        let table = |number| std::array::from_fn(|code| name(code, number, generation));
        (0..=WIDEST).map(table).collect()
    })
}

fn name(code: usize, table: u8, generation: Generation) -> Option<Piece<15>> {
    let (registers, ty) = match table {
        INT16 => (1, Ty::I16),
        2 => (2, Ty::B64),
        registers => (registers, Ty::B32),
    };
    let mut name = String::new();
    let byte = code as u8;
    match code {
        0..128 => sgpr(&mut name, byte, registers, generation),
        128..256 => inline(&mut name, byte, ty),
        256..OFF => vgpr(&mut name, byte, registers),
        OFF => {
            name.push_str("off");
            Ok(())
        }
        _ => agpr(&mut name, (code - AGPR) as u8, registers),
    }
    .ok()?;
    name.push_str(", ");
    Piece::new(&name)
}

/// Writes the mnemonic with the segment and suffix of the form.
fn mnemonic(inst: &Inst, out: &mut impl Write) -> fmt::Result {
    let row = inst.row();
    let name = row.name(inst.chip).unwrap_or("unknown");
    match inst.form {
        Form::Global | Form::Scratch => {
            let segment = if inst.form == Form::Global {
                "global"
            } else {
                "scratch"
            };
            out.write_str(segment)?;
            out.write_str(name.strip_prefix("flat").unwrap_or(name))
        }
        _ => {
            out.write_str(name)?;
            out.write_str(suffix(inst, row))
        }
    }
}

/// Returns the suffix that distinguishes the forms of an instruction.
fn suffix(inst: &Inst, row: &Row) -> &'static str {
    let vector = matches!(
        inst.form,
        Form::Vop1 | Form::Vop2 | Form::Vopc | Form::Vop3 | Form::Sdwa | Form::Dpp | Form::Vintrp
    );
    let (op, chip) = (inst.op, inst.chip);
    let long = op.lists_vop3(chip);
    let listed = match inst.form {
        Form::Vop3 => long,
        Form::Sdwa => op.sdwa(chip),
        Form::Dpp => op.dpp(chip),
        _ => true,
    };
    // Forms that LLVM does not list need the suffix, except for v_nop and v_clrexcp, which do the same in every form.
    let same = listed || row.operands.is_empty();
    if !vector || row.has(Features::NO_SUFFIX) && same {
        return "";
    }
    let short = match inst.op {
        Op::Vop1(_) | Op::Vop2(_) | Op::Vopc(_) | Op::Vintrp(_) => true,
        op => op.vop2(inst.chip).is_some(),
    };
    match inst.form {
        Form::Sdwa if matches!(inst.op, Op::Vopc(_)) && inst.chip < Chip::Gfx900 => "",
        Form::Sdwa => "_sdwa",
        Form::Dpp => "_dpp",
        Form::Vop3 if short => "_e64",
        Form::Vop2 if !row.all_forms.contain(chip) => "_e32",
        Form::Vop1 | Form::Vop2 | Form::Vopc | Form::Vintrp if long => "_e32",
        _ => "",
    }
}
