//! The facts about a GCN instruction that `wavetank explain` shows.

use std::sync::Arc;

use serde::Serialize;
use wavetank::Chip;
use wavetank_cases::{Fidelity, case_files, fidelity};
use wavetank_explain::{PseudoCode, operand_names, sentence};
use wavetank_gcn::tables::{Access, Class, EXEC, Implicit, M0, MODE, OperandSpec, PC, SCC, VCC};
use wavetank_gcn::{BitField, Dialect, Form, Generation, Inst, Op, bit_fields, encode, print_in};
use wavetank_translate::{Modes, Translator};

/// The facts about an instruction.
#[derive(Serialize)]
pub(super) struct Explanation {
    pub(super) text: String,
    /// The action of the instruction, in a sentence.
    pub(super) sentence: String,
    pub(super) chip: &'static str,
    pub(super) format: String,
    pub(super) bytes: Vec<u8>,
    /// The fields of its words, the lowest first.
    pub(super) fields: Vec<Bits>,
    /// The reason why it is not executed.
    pub(super) not_executed: Option<String>,
    /// The pseudo-code, if it is executed; for a name it uses the names of operands.
    pub(super) pseudo_code: Option<Pseudo>,
    pub(super) operands: Vec<Operand>,
    /// The state that is read in addition to the operands.
    pub(super) reads: Vec<&'static str>,
    pub(super) writes: Vec<&'static str>,
    pub(super) unit: &'static str,
    /// The name of the instruction on each generation.
    pub(super) generations: Vec<Name>,
    pub(super) forms: Vec<&'static str>,
    pub(super) fidelity: String,
    /// The files of the project's cases that execute it.
    pub(super) cases: Vec<Cases>,
    /// The wave IR, if it is executed.
    pub(super) meaning: Option<String>,
}

/// A file of cases.
#[derive(Serialize)]
pub(super) struct Cases {
    pub(super) file: &'static str,
    pub(super) count: usize,
}

/// A field of the words: bit 32 is the lowest bit of the second word.
#[derive(Serialize)]
pub(super) struct Bits {
    pub(super) name: String,
    pub(super) low: u32,
    pub(super) width: u32,
}

#[derive(Serialize)]
pub(super) struct Pseudo {
    pub(super) lines: Vec<String>,
    /// The functions in the lines that need an explanation, with their meaning.
    pub(super) terms: Vec<(&'static str, &'static str)>,
}

#[derive(Serialize)]
pub(super) struct Operand {
    /// The operand's name in pseudo-code.
    pub(super) name: &'static str,
    pub(super) field: String,
    pub(super) text: String,
    #[serde(rename = "type")]
    pub(super) ty: String,
    pub(super) access: &'static str,
}

#[derive(Serialize)]
pub(super) struct Name {
    pub(super) generation: String,
    pub(super) name: &'static str,
    pub(super) opcode: u16,
}

impl Explanation {
    /// Returns the explanation of an instruction with operands.
    pub(super) fn of(inst: &Inst, dialect: Dialect) -> Explanation {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = print_in(inst, dialect, &mut text);
        let mut all = Explanation::row(inst.op, inst.chip);
        all.format = format!("{:?}", inst.form).to_uppercase();
        all.bytes = encode(inst).map_or(Vec::new(), |e| e.as_bytes().to_vec());
        let shown = text.split_once(' ').map_or("", |(_, operands)| operands);
        let mut shown = shown.split(", ");
        for (slot, operand) in all.operands.iter_mut().zip(inst.operands) {
            if operand != wavetank_gcn::Operand::None {
                let text = shown.next().unwrap_or_default();
                // The text of the last operand is followed by modifiers.
                slot.text = text.split(' ').next().unwrap_or(text).to_owned();
            }
        }
        all.text = text;
        all.fields = fields(inst.op, inst.form, inst.chip);
        all.pseudo_code = PseudoCode::of_instruction(inst).map(Pseudo::from);
        all.meaning = Some(meaning(inst));
        all
    }

    /// Returns the explanation of a row of the table.
    pub(super) fn row(op: Op, chip: Chip) -> Explanation {
        let row = op.row();
        let name = |g: Generation| {
            Some(Name {
                generation: format!("{g:?}").to_lowercase(),
                name: row.mnemonic(g)?,
                opcode: row.opcodes[g as usize]?,
            })
        };
        use Generation::*;
        Explanation {
            text: row
                .mnemonic(chip.generation())
                .unwrap_or_default()
                .to_owned(),
            chip: chip.name(),
            format: format!("{:?}", op.home()).to_uppercase(),
            sentence: sentence(op),
            bytes: Vec::new(),
            not_executed: not_executed(op, chip),
            fields: fields(op, op.home(), chip),
            pseudo_code: PseudoCode::of_row(op, chip).map(Pseudo::from),
            operands: std::iter::zip(row.operands, operand_names(op))
                .map(|(spec, name)| Operand::new(spec, name))
                .collect(),
            reads: implicit(row.reads, row.reads_exec()),
            writes: implicit(row.writes, false),
            unit: unit(row.class),
            generations: [Gfx6, Gfx7, Gfx8, Gfx9]
                .into_iter()
                .filter_map(name)
                .collect(),
            forms: forms(op, chip),
            fidelity: told_fidelity(op, chip),
            cases: case_files(op, chip.generation())
                .iter()
                .map(|file| Cases {
                    file: &file.path,
                    count: file.cases,
                })
                .collect(),
            meaning: None,
        }
    }
}

impl From<PseudoCode> for Pseudo {
    fn from(code: PseudoCode) -> Pseudo {
        Pseudo {
            lines: code.lines,
            terms: code.terms,
        }
    }
}

/// Returns the fields of an instruction in a form.
fn fields(op: Op, form: Form, chip: Chip) -> Vec<Bits> {
    let (fields, _) = bit_fields(op, form, chip).unwrap_or_default();
    let field = |BitField { name, low, width }| Bits { name, low, width };
    fields.into_iter().map(field).collect()
}

impl Operand {
    fn new(spec: &OperandSpec, name: &'static str) -> Operand {
        Operand {
            name,
            field: format!("{:?}", spec.field).to_lowercase(),
            text: String::new(),
            ty: match spec.ty {
                wavetank_gcn::Ty::Imm => format!("{:?}", spec.kind).to_lowercase(),
                ty => format!("{ty:?}").to_lowercase(),
            },
            access: match spec.access {
                Access::Read => "reads",
                Access::Write => "writes",
                Access::ReadWrite => "reads+writes",
                Access::WriteIfGlc => "writes (glc)",
                Access::ReadWriteIfGlc => "reads, +glc writes",
            },
        }
    }
}

/// Returns the registers of a set, and EXEC if it selects the lanes that take part.
fn implicit(set: Implicit, exec: bool) -> Vec<&'static str> {
    let named = [
        (SCC, "SCC"),
        (VCC, "VCC"),
        (EXEC, "EXEC"),
        (M0, "M0"),
        (MODE, "MODE and hardware registers"),
        (PC, "PC"),
    ];
    let chosen = named
        .iter()
        .filter(|(state, name)| set.contains(*state) || exec && *name == "EXEC");
    chosen.map(|(_, name)| *name).collect()
}

fn unit(class: Class) -> &'static str {
    match class {
        Class::Salu => "scalar ALU",
        Class::Branch => "branch",
        Class::Message => "message",
        Class::Smem => "scalar memory (counts LGKM)",
        Class::Valu => "vector ALU",
        Class::Vmem => "vector memory (counts VM)",
        Class::Flat => "flat memory (counts VM, and LGKM where it may be LDS)",
        Class::Lds => "LDS and GDS (counts LGKM)",
        Class::Interp => "interpolation",
        Class::Export => "export (counts EXP)",
    }
}

fn forms(op: Op, chip: Chip) -> Vec<&'static str> {
    let home = match op.home() {
        Form::Sop1 => "SOP1",
        Form::Sop2 => "SOP2",
        Form::Sopk => "SOPK",
        Form::Sopc => "SOPC",
        Form::Sopp => "SOPP",
        Form::Smem => "SMEM",
        Form::Vop1 => "VOP1",
        Form::Vop2 => "VOP2",
        Form::Vopc => "VOPC",
        Form::Vop3p => "VOP3P",
        Form::Vintrp => "VINTRP",
        Form::Ds => "DS",
        Form::Mubuf => "MUBUF",
        Form::Mtbuf => "MTBUF",
        Form::Mimg => "MIMG",
        Form::Flat => "FLAT",
        Form::Exp => "EXP",
        Form::Vop3 | Form::Sdwa | Form::Dpp | Form::Global | Form::Scratch => "VOP3",
    };
    let gfx9 = chip.generation() == Generation::Gfx9;
    let others = [
        (home != "VOP3" && op.vop3(chip).is_some(), "VOP3"),
        (home == "VOP3" && op.vop2(chip).is_some(), "VOP2"),
        (op.sdwa(chip), "SDWA"),
        (op.dpp(chip), "DPP"),
        (op.home() == Form::Flat && gfx9, "GLOBAL"),
        (gfx9 && op.scratch(chip).is_some(), "SCRATCH"),
    ];
    let others = others
        .into_iter()
        .filter_map(|(has, form)| has.then_some(form));
    std::iter::once(home).chain(others).collect()
}

/// Returns the reason why an instruction is not executed, if it is not.
fn not_executed(op: Op, chip: Chip) -> Option<String> {
    let Fidelity::Unsupported(why) = fidelity(op, chip) else {
        return None;
    };
    // The reason begins with an instruction of the kind.
    let reason = why.split_once(": ").map(|(_, reason)| reason.to_owned());
    Some(reason.unwrap_or(why))
}

fn told_fidelity(op: Op, chip: Chip) -> String {
    use Fidelity::*;
    match fidelity(op, chip) {
        Exact(place) => format!("exact: shown by {place}"),
        Unshown => "unshown: executed, and no case and no test shows it bit for bit".to_owned(),
        WithinUlp(ulp) => format!("within {ulp} ULP"),
        Approximate(how) => format!("approximate: {how}"),
        NoEffect(why) => format!("no effect: {why}"),
        Unsupported(_) => "unsupported: it stops the kernel".to_owned(),
    }
}

/// Returns the wave IR of an instruction at address 0, in the modes that HSA kernels start with.
fn meaning(inst: &Inst) -> String {
    let inst = *inst;
    let code = move |pc: u64| match pc {
        0 => Ok(inst),
        _ => Err(String::new()),
    };
    // Denormals kept in all widths, DX10_CLAMP, IEEE: the defaults of compilers (Vega ISA, 3.5).
    const MODE: u32 = 0xf0 | 1 << 8 | 1 << 9;
    let block = Translator::new(Arc::new(code), true).lift(0, Modes::new(MODE, 0));
    let text = block.to_string();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    lines
        .into_iter()
        .filter(|l| !l.starts_with("block") && !l.starts_with("inst "))
        .collect::<Vec<_>>()
        .join("\n")
}
