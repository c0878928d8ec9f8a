//! `wavetank isa`: the list of instructions, the coverage of their execution, and the reference in HTML.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;
use wavetank::{Chip, DEFAULT_CHIP};
use wavetank_cases::{EXACT, Fidelity, case_files_in, cases_of, fidelity, fidelity_in};
use wavetank_gcn::tables::{Access, Field, OperandSpec};
use wavetank_gcn::{Form, Generation, Op};

use crate::columns::Columns;
use crate::exit::{Failure, Result, print, print_json};
use crate::fidelity::reason;
use crate::reference;
use crate::surface_isa::{self, Asked};
use crate::target::Target;
use wavetank_facts::{self as facts, Subject, exists, form_name, has_form, has_operand, own_type};

const EXAMPLES: &str = "\
Formats: SOP1 SOP2 SOPK SOPC SOPP SMEM (SMRD) VOP1 VOP2 VOPC VOP3 VOP3P MAI SDWA
DPP VINTRP DS MUBUF MTBUF MIMG FLAT GLOBAL SCRATCH EXP.

Examples:
  wavetank isa --format SOP1         names, opcodes on each generation, operands
  wavetank isa --gpu gfx803 ds_wrap  those of a chip with `ds_wrap` in the name
  wavetank isa --coverage            what is executed, how exactly, how tested
  wavetank isa --html reference      a page for each, with search: index.html
  wavetank isa --isa maxwell:52 cas   NVIDIA's atomics of surfaces
  wavetank isa --isa visa            Intel's atomics of typed surfaces
  wavetank isa --coverage --json |
      jq '.instructions[] | select(.executes | not) | .name'";

const GENERATIONS: [Generation; 4] = [
    Generation::Gfx6,
    Generation::Gfx7,
    Generation::Gfx8,
    Generation::Gfx9,
];

/// Lists instructions: names, opcodes, operands; with --coverage what is executed and how exactly
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Isa {
    #[command(flatten)]
    target: Target,
    /// Only instructions that have this encoding
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Show whether each is executed, its fidelity with the reason, and the number of test cases
    #[arg(long)]
    coverage: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Write a reference of every instruction of every instruction set to a folder, as pages of HTML
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["gpu", "isa", "format", "coverage", "json", "name"])]
    html: Option<PathBuf>,
    /// Only instructions whose name has this part
    name: Option<String>,
}

impl Isa {
    pub(crate) fn run(self) -> Result {
        if let Some(folder) = &self.html {
            return reference::write(folder);
        }
        let asked = Asked {
            format: self.format.as_deref(),
            part: self.name.as_deref().unwrap_or_default(),
            coverage: self.coverage,
            json: self.json,
        };
        if let Some(generation) = self.target.maxwell()? {
            return surface_isa::isa(generation, &asked);
        }
        if let Some(version) = self.target.visa()? {
            return surface_isa::isa(version, &asked);
        }
        let chip = self.target.chip()?;
        let format = self.format.as_deref().map(form).transpose()?;
        let found = self.subjects(chip, format);
        if found.is_empty() {
            return Err(Failure::usage("there is no such instruction"));
        }
        if self.coverage {
            Coverage::new(&found, chip.unwrap_or(DEFAULT_CHIP)).show(self.json)
        } else if self.json {
            print_json(&found.iter().map(|one| Entry::new(*one)).collect::<Vec<_>>())
        } else {
            print(&list(&found))
        }
    }

    /// Returns the instructions with a part of the name, on a chip, in a format. GLOBAL and SCRATCH are listed if the format or
    /// the name asks for them: their names are others than those of FLAT.
    fn subjects(&self, chip: Option<Chip>, format: Option<Form>) -> Vec<Subject> {
        let part = self.name.as_deref().unwrap_or_default();
        let chips = chip.map_or(Chip::EXECUTED.to_vec(), |chip| vec![chip]);
        let all = |segment: Option<Form>| -> Vec<Subject> {
            let of = |op: Op| (op, segment.unwrap_or(op.home()));
            let wanted = |one: &Subject| {
                let named = GENERATIONS.into_iter().filter_map(|g| facts::name(*one, g));
                let has = |chip: &Chip| {
                    exists(*one, *chip) && format.is_none_or(|f| has_form(one.0, f, *chip))
                };
                named.into_iter().any(|name| name.contains(part)) && chips.iter().any(has)
            };
            Op::all().map(of).filter(wanted).collect()
        };
        let segments = [Form::Global, Form::Scratch];
        let found = all(format.filter(|format| segments.contains(format)));
        if found.is_empty() && format.is_none() {
            segments
                .into_iter()
                .flat_map(|form| all(Some(form)))
                .collect()
        } else {
            found
        }
    }
}

/// Returns the encoding of a name.
fn form(name: &str) -> Result<Form> {
    let form = match name.to_ascii_uppercase().as_str() {
        "SOP1" => Form::Sop1,
        "SOP2" => Form::Sop2,
        "SOPK" => Form::Sopk,
        "SOPC" => Form::Sopc,
        "SOPP" => Form::Sopp,
        "SMEM" | "SMRD" => Form::Smem,
        "VOP1" => Form::Vop1,
        "VOP2" => Form::Vop2,
        "VOPC" => Form::Vopc,
        "VOP3" | "VOP3A" | "VOP3B" => Form::Vop3,
        "VOP3P" => Form::Vop3p,
        "MAI" => Form::Mai,
        "SDWA" => Form::Sdwa,
        "DPP" => Form::Dpp,
        "VINTRP" => Form::Vintrp,
        "DS" => Form::Ds,
        "MUBUF" => Form::Mubuf,
        "MTBUF" => Form::Mtbuf,
        "MIMG" => Form::Mimg,
        "FLAT" => Form::Flat,
        "GLOBAL" => Form::Global,
        "SCRATCH" => Form::Scratch,
        "EXP" => Form::Exp,
        _ => {
            let sentence =
                format!("`{name}` is not a format: write SOP1, VOP3, DS or another of --help");
            return Err(Failure::usage(sentence));
        }
    };
    Ok(form)
}

/// Returns the name on the last generation that has the instruction.
fn name(subject: Subject) -> String {
    let mut names = GENERATIONS.into_iter().rev();
    let name = names.find_map(|generation| facts::name(subject, generation));
    name.unwrap_or_default()
}

/// Returns the opcode on a generation. Segments of FLAT have that of FLAT.
fn opcode((op, form): Subject, generation: Generation) -> Option<u16> {
    let named = facts::name((op, form), generation);
    named.and_then(|_| op.row().opcodes[generation as usize])
}

fn list(subjects: &[Subject]) -> String {
    let header = [
        "format", "gfx6", "gfx7", "gfx8", "gfx9", "name", "operands", "chips",
    ];
    let mut table = Columns::new(&header, &[1, 2, 3, 4], &[6, 7, 1, 2, 3]);
    for subject in subjects {
        let (op, form) = *subject;
        let opcode = |g| opcode(*subject, g).map_or("–".to_owned(), |n| format!("{n:#04x}"));
        let operands = op.row().operands.iter();
        let operands = operands.filter(|spec| has_operand(spec, form));
        let operands: Vec<String> = operands.map(|spec| operand(spec, form)).collect();
        let mut cells = vec![form_name(form)];
        cells.extend(GENERATIONS.map(opcode));
        cells.extend([name(*subject), operands.join(", "), some_of_gfx9(*subject)]);
        table.add(cells);
    }
    table.text()
}

/// Returns the chips of gfx9 that have an instruction, unless all have it, or none.
fn some_of_gfx9(subject: Subject) -> String {
    let of_gfx9 = Chip::all().filter(|chip| chip.generation() == Generation::Gfx9);
    let (with, without): (Vec<Chip>, Vec<Chip>) = of_gfx9.partition(|chip| exists(subject, *chip));
    if without.is_empty() {
        return String::new();
    }
    with.into_iter()
        .map(Chip::name)
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns an operand as `field:type`.
fn operand(spec: &OperandSpec, form: Form) -> String {
    let ty = kind(spec, form).replace(", or ", "|");
    format!("{}:{}", field(spec.field), ty.replace(' ', "-"))
}

fn field(field: Field) -> String {
    format!("{field:?}").to_lowercase()
}

fn kind(spec: &OperandSpec, form: Form) -> String {
    if let Some(ty) = own_type(spec, form) {
        return ty.to_owned();
    }
    match spec.ty {
        wavetank_gcn::Ty::Imm => format!("{:?}", spec.kind).to_lowercase(),
        ty => format!("{ty:?}").to_lowercase(),
    }
}

/// An instruction of the table.
#[derive(Serialize)]
struct Entry {
    name: String,
    format: String,
    /// The opcodes by generation; generations without the instruction are absent.
    opcodes: HashMap<String, u16>,
    names: HashMap<String, String>,
    chips: Vec<&'static str>,
    operands: Vec<Operand>,
}

#[derive(Serialize)]
struct Operand {
    field: String,
    #[serde(rename = "type")]
    ty: String,
    read: bool,
    written: bool,
}

impl Entry {
    fn new(subject: Subject) -> Entry {
        let (op, form) = subject;
        let label = |g: Generation| format!("{g:?}").to_lowercase();
        let opcode = |g: Generation| Some((label(g), opcode(subject, g)?));
        let name_on = |g: Generation| Some((label(g), facts::name(subject, g)?));
        let on = |chip: &Chip| exists(subject, *chip);
        let operands = op.row().operands.iter();
        let operands = operands.filter(|spec| has_operand(spec, form));
        Entry {
            name: name(subject),
            format: form_name(form),
            opcodes: GENERATIONS.into_iter().filter_map(opcode).collect(),
            names: GENERATIONS.into_iter().filter_map(name_on).collect(),
            chips: Chip::all().filter(on).map(Chip::name).collect(),
            operands: operands.map(|spec| Operand::new(spec, form)).collect(),
        }
    }
}

impl Operand {
    fn new(spec: &OperandSpec, form: Form) -> Operand {
        Operand {
            field: field(spec.field),
            ty: kind(spec, form),
            read: spec.access.reads() || spec.access == Access::WriteIfGlc,
            written: spec.access.writes(),
        }
    }
}

/// The coverage of a chip's instructions.
#[derive(Serialize)]
struct Coverage {
    chip: &'static str,
    executed: usize,
    /// The number of instructions in each class.
    classes: BTreeMap<&'static str, usize>,
    instructions: Vec<Covered>,
}

#[derive(Serialize)]
struct Covered {
    name: String,
    format: String,
    opcode: Option<u16>,
    executes: bool,
    fidelity: &'static str,
    /// The case or test that shows that an exact instruction is exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    shown_by: Option<&'static str>,
    reason: String,
    /// The number of the project's test cases that execute it.
    tests: usize,
}

impl Coverage {
    fn new(subjects: &[Subject], chip: Chip) -> Coverage {
        let exist = subjects.iter().filter(|subject| exists(**subject, chip));
        let covered = exist.map(|subject| Covered::new(*subject, chip));
        let instructions: Vec<Covered> = covered.collect();
        let mut classes = BTreeMap::new();
        for entry in &instructions {
            *classes.entry(entry.fidelity).or_insert(0) += 1;
        }
        Coverage {
            chip: chip.name(),
            executed: instructions.iter().filter(|i| i.executes).count(),
            classes,
            instructions,
        }
    }

    fn show(&self, json: bool) -> Result {
        if json {
            return print_json(self);
        }
        let header = [
            "format", "opcode", "name", "executes", "fidelity", "tests", "reason",
        ];
        let mut table = Columns::new(&header, &[1, 5], &[6, 1, 0]);
        for entry in &self.instructions {
            table.add(vec![
                entry.format.clone(),
                entry.opcode.map_or(String::new(), |n| format!("{n:#04x}")),
                entry.name.clone(),
                if entry.executes { "yes" } else { "no" }.to_owned(),
                entry.fidelity.to_owned(),
                entry.tests.to_string(),
                entry.reason.clone(),
            ]);
        }
        let mut out = table.text();
        let (chip, all) = (self.chip, self.instructions.len());
        let executed = self.executed;
        let counts = self.classes.iter().map(|(name, n)| format!("{n} {name}"));
        let counts: Vec<String> = counts.collect();
        let _ = writeln!(
            out,
            "\n{executed} of {all} instructions are executed on {chip}: {}.\nexact: {EXACT}.",
            counts.join(", ")
        );
        print(&out)
    }
}

impl Covered {
    fn new((op, form): Subject, chip: Chip) -> Covered {
        // The cases of FLAT show nothing of its other segments, and are shown for them as for FLAT as a whole.
        let in_segment = matches!(form, Form::Global | Form::Scratch);
        let (class, tests) = if in_segment {
            let files = case_files_in(op, form, chip.generation());
            let tests = files.iter().map(|file| file.cases).sum();
            (fidelity_in(op, form, chip), tests)
        } else {
            (fidelity(op, chip), cases_of(op, chip.generation()))
        };
        Covered {
            name: facts::name((op, form), chip.generation()).unwrap_or_else(|| name((op, form))),
            format: form_name(form),
            opcode: op.opcode(chip),
            executes: !matches!(class, Fidelity::Unsupported(_)),
            fidelity: class.class(),
            shown_by: match class {
                Fidelity::Exact(place) => Some(place),
                _ => None,
            },
            reason: reason(&class),
            tests,
        }
    }
}
