//! The facts about an instruction, as JSON has them.

use std::sync::Arc;

use serde::Serialize;
use wavetank::Chip;
use wavetank_cases::{Fidelity, case_files_in, fidelity, fidelity_in};
use wavetank_explain::{
    PseudoCode, field_name, layout_notes, matrix_layout, operand_names, sentence_on,
};
use wavetank_gcn::tables::{
    Access, Class, EXEC, Features, Implicit, M0, MODE, OperandSpec, PC, SCC, VCC,
};
use wavetank_gcn::{
    BitField, Dialect, Flags, Form, Generation, Inst, MAX_OPERANDS, Mods, Op, ParseError, Spelling,
    bit_fields, encode, parse, print_in,
};
use wavetank_translate::{Modes, Translator};

use crate::forms::{Subject, exists, form_name, forms, has_operand, name, named, own_type};
use crate::hazards::{Hazard, hazards};
use crate::related::related;

/// The facts about an instruction with operands, or about a row of the table in a form.
#[derive(Serialize)]
pub struct Facts {
    pub text: String,
    /// The action of the instruction, in a sentence.
    pub sentence: String,
    pub chip: &'static str,
    pub format: String,
    pub bytes: Vec<u8>,
    /// The fields of its words, the lowest first.
    pub fields: Vec<Bits>,
    /// The reason why it is not executed.
    pub not_executed: Option<String>,
    /// The pseudo-code, if it is executed; for a name it uses the names of operands.
    pub pseudo_code: Option<Pseudo>,
    /// The places of the elements of matrices, a line for each register.
    pub layout: Vec<String>,
    /// How these lines are read.
    pub layout_notes: Vec<&'static str>,
    pub operands: Vec<Operand>,
    pub modifiers: Vec<Modifier>,
    /// The state that is read in addition to the operands.
    pub reads: Vec<&'static str>,
    pub writes: Vec<&'static str>,
    pub unit: &'static str,
    /// The wait counters that are raised until it is done.
    pub counters: Vec<&'static str>,
    /// The name of the instruction on each generation.
    pub generations: Vec<Name>,
    pub forms: Vec<String>,
    /// The hazards in which it can take part.
    pub hazards: Vec<Hazard>,
    pub fidelity: String,
    /// The files of the project's cases that execute it.
    pub cases: Vec<Cases>,
    /// The names of related instructions of the chip.
    pub related: Vec<String>,
    /// The wave IR, if it is executed.
    pub meaning: Option<String>,
}

/// A file of cases.
#[derive(Serialize)]
pub struct Cases {
    pub file: &'static str,
    pub count: usize,
}

/// A field of the words: bit 32 is the lowest bit of the second word.
#[derive(Serialize)]
pub struct Bits {
    pub name: String,
    pub low: u32,
    pub width: u32,
}

#[derive(Serialize, PartialEq, Eq)]
pub struct Pseudo {
    pub lines: Vec<String>,
    /// The functions in the lines that need an explanation, with their meaning.
    pub terms: Vec<(&'static str, &'static str)>,
    /// The functions that are defined, with the lines of the definition.
    pub definitions: Vec<(&'static str, &'static [&'static str])>,
}

/// A modifier: its text, and its meaning.
#[derive(Serialize, PartialEq, Eq)]
pub struct Modifier {
    pub text: &'static str,
    pub meaning: &'static str,
}

#[derive(Serialize)]
pub struct Operand {
    /// The operand's name in pseudo-code.
    pub name: &'static str,
    pub field: String,
    pub text: String,
    #[serde(rename = "type")]
    pub ty: String,
    pub access: &'static str,
}

#[derive(Serialize)]
pub struct Name {
    pub generation: String,
    pub name: String,
    pub opcode: u16,
}

impl Facts {
    /// Returns the facts about a text: an instruction with its operands, or a name alone.
    ///
    /// # Errors
    /// The mistake in the text.
    ///
    /// ```
    /// use wavetank::Chip;
    /// use wavetank_facts::Facts;
    ///
    /// let alone = Facts::of_text("v_lshl_add_u32", Chip::Gfx900)?;
    /// assert_eq!(alone.sentence, "Shifts left, then adds.");
    /// assert!(Facts::of_text("v_lshl_add_u32", Chip::Gfx803).is_err());
    /// # Ok::<(), wavetank_gcn::ParseError>(())
    /// ```
    pub fn of_text(text: &str, chip: Chip) -> Result<Facts, ParseError> {
        match (parse(text, chip), named(text.trim(), chip).first()) {
            (Ok(inst), _) => Ok(Facts::of(&inst, Dialect::Llvm)),
            (Err(_), Some(subject)) => Ok(Facts::row(*subject, chip)),
            (Err(wrong), None) => Err(wrong),
        }
    }

    /// Returns the facts about an instruction with operands.
    pub fn of(inst: &Inst, dialect: Dialect) -> Facts {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = print_in(inst, dialect, &mut text);
        let mut all = Facts::row((inst.op, inst.form), inst.chip);
        all.format = form_name(inst.form);
        all.bytes = encode(inst).map_or(Vec::new(), |e| e.as_bytes().to_vec());
        let shown = text.split_once(' ').map_or("", |(_, operands)| operands);
        let mut shown = shown.split(", ");
        for (i, (slot, operand)) in all.operands.iter_mut().zip(inst.operands).enumerate() {
            if operand != wavetank_gcn::Operand::None {
                let text = shown.next().unwrap_or_default();
                // The text of the last operand is followed by modifiers.
                slot.text = text.split(' ').next().unwrap_or(text).to_owned();
            }
            if matches!(inst.form, Form::Global | Form::Scratch) && slot.is_address() {
                slot.ty = format!("b{}", 32 * inst.dwords(i));
            }
        }
        all.text = text;
        all.fields = fields(inst.op, inst.form, inst.chip);
        all.modifiers = modifiers(inst.op, inst.form, inst.chip);
        all.counters = counters(inst);
        all.pseudo_code = PseudoCode::of_instruction(inst).map(Pseudo::from);
        all.meaning = Some(meaning(inst));
        all
    }

    /// Returns the facts about a row of the table in a form. Forms other than GLOBAL and SCRATCH have the facts of the row.
    pub fn row((op, form): Subject, chip: Chip) -> Facts {
        let form = match form {
            Form::Global | Form::Scratch => form,
            _ => op.home(),
        };
        let (row, subject) = (op.row(), (op, form));
        let name_on = |g: Generation| {
            Some(Name {
                generation: format!("{g:?}").to_lowercase(),
                name: name(subject, g)?,
                opcode: row.opcodes[g as usize]?,
            })
        };
        let all_forms = forms(subject, chip);
        let related = related(subject).into_iter();
        let related = related.filter(|other| exists(*other, chip));
        use Generation::*;
        Facts {
            text: name(subject, chip.generation()).unwrap_or_default(),
            chip: chip.name(),
            format: form_name(form),
            sentence: sentence_on(op, form, chip),
            bytes: Vec::new(),
            not_executed: not_executed(op, chip),
            fields: fields(op, form, chip),
            pseudo_code: PseudoCode::of_form(op, form, chip).map(Pseudo::from),
            layout: matrix_layout(op, chip).unwrap_or_default(),
            layout_notes: layout_notes(op, chip),
            operands: operands(subject, chip),
            modifiers: modifiers(op, form, chip),
            reads: implicit(row.reads, row.reads_exec()),
            writes: implicit(row.writes, false),
            unit: unit(row.class, form),
            counters: row_counters(subject, chip),
            generations: [Gfx6, Gfx7, Gfx8, Gfx9]
                .into_iter()
                .filter_map(name_on)
                .collect(),
            hazards: hazards(op, &all_forms, chip),
            forms: all_forms.into_iter().map(form_name).collect(),
            fidelity: told_fidelity(subject, chip),
            cases: case_files_in(op, form, chip.generation())
                .iter()
                .map(|file| Cases {
                    file: &file.path,
                    count: file.cases,
                })
                .collect(),
            related: related
                .filter_map(|other| name(other, chip.generation()))
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
            definitions: code.definitions,
        }
    }
}

/// Returns the fields of an instruction in a form.
pub fn fields(op: Op, form: Form, chip: Chip) -> Vec<Bits> {
    let (fields, _) = bit_fields(op, form, chip).unwrap_or_default();
    let field = |BitField { name, low, width }| Bits {
        name: field_name(&name, chip).to_owned(),
        low,
        width,
    };
    fields.into_iter().map(field).collect()
}

/// Returns the modifiers of an instruction in a form.
pub fn modifiers(op: Op, form: Form, chip: Chip) -> Vec<Modifier> {
    let all = wavetank_explain::modifiers(op, form, chip);
    let listed = all.into_iter().map(|modifier| Modifier {
        text: modifier.text,
        meaning: modifier.meaning,
    });
    listed.collect()
}

/// Returns the operands of an instruction.
fn operands((op, form): Subject, chip: Chip) -> Vec<Operand> {
    let all = std::iter::zip(op.row().operands, operand_names(op));
    let there = all.filter(|(spec, _)| has_operand(spec, form));
    there
        .map(|(spec, name)| Operand::new(spec, name, own_type(spec, form), chip))
        .collect()
}

impl Operand {
    fn new(spec: &OperandSpec, name: &'static str, ty: Option<&str>, chip: Chip) -> Operand {
        let own = || match spec.ty {
            wavetank_gcn::Ty::Imm => format!("{:?}", spec.kind).to_lowercase(),
            ty => format!("{ty:?}").to_lowercase(),
        };
        Operand {
            name,
            field: format!("{:?}", spec.field).to_lowercase(),
            text: String::new(),
            ty: ty.map_or_else(own, str::to_owned),
            access: match spec.access {
                Access::Read => "reads",
                Access::Write => "writes",
                Access::ReadWrite => "reads+writes",
                // The bit has another name from gfx942 on.
                Access::WriteIfGlc if chip >= Chip::Gfx942 => "writes (sc0)",
                Access::ReadWriteIfGlc if chip >= Chip::Gfx942 => "reads, +sc0 writes",
                Access::WriteIfGlc => "writes (glc)",
                Access::ReadWriteIfGlc => "reads, +glc writes",
            },
        }
    }

    /// Whether it is the address of a memory instruction, or a part of it.
    fn is_address(&self) -> bool {
        matches!(self.name, "ADDR" | "SADDR")
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

fn unit(class: Class, form: Form) -> &'static str {
    match class {
        Class::Salu => "scalar ALU",
        Class::Branch => "branch",
        Class::Message => "message",
        Class::Smem => "scalar memory",
        Class::Valu => "vector ALU",
        Class::Vmem => "vector memory",
        Class::Flat if form == Form::Global => "global memory",
        Class::Flat if form == Form::Scratch => "scratch memory",
        Class::Flat => "flat memory: global, scratch or LDS by the address",
        Class::Lds => "LDS and GDS",
        Class::Interp => "interpolation",
        Class::Export => "export",
    }
}

/// Returns the wait counters of an instruction with operands.
fn counters(inst: &Inst) -> Vec<&'static str> {
    let counters = inst.effects().counters;
    let named = [
        (counters.vm, "VM_CNT"),
        (counters.lgkm, "LGKM_CNT"),
        (counters.exp, "EXP_CNT"),
    ];
    let raised = named.into_iter().filter(|(raised, _)| *raised);
    raised.map(|(_, name)| name).collect()
}

/// Returns the wait counters of a row, with the flags that it always has.
fn row_counters((op, form): Subject, chip: Chip) -> Vec<&'static str> {
    let with = |flags: Flags| {
        let inst = Inst {
            op,
            chip,
            form,
            len: 8,
            operands: [wavetank_gcn::Operand::None; MAX_OPERANDS],
            mods: Mods {
                flags,
                ..Mods::default()
            },
            spelling: Spelling::default(),
        };
        counters(&inst)
    };
    let row = op.row();
    if form != Form::Ds || row.has(Features::GDS_ONLY) {
        let mut flags = Flags::empty();
        flags.set(Flags::GDS, row.has(Features::GDS_ONLY));
        flags.set(Flags::LDS, row.has(Features::LDS_ONLY));
        return with(flags);
    }
    let mut counters = with(Flags::empty());
    let of_gds = with(Flags::GDS).contains(&"EXP_CNT");
    counters.extend(of_gds.then_some("EXP_CNT with gds"));
    counters
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

fn told_fidelity((op, form): Subject, chip: Chip) -> String {
    use Fidelity::*;
    match fidelity_in(op, form, chip) {
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
