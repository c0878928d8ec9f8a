//! `wavetank isa`: the list of instructions, the coverage of their execution, and the reference in HTML.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;
use wavetank::{Chip, DEFAULT_CHIP};
use wavetank_cases::{EXACT, Fidelity, cases_of, fidelity};
use wavetank_gcn::tables::{Access, Field, OperandSpec};
use wavetank_gcn::{Form, Generation, Op};

use crate::columns::Columns;
use crate::exit::{Failure, Result, print, print_json};
use crate::explain::has_form;
use crate::fidelity::reason;
use crate::reference;
use crate::surface_isa::{self, Asked};
use crate::target::Target;

const EXAMPLES: &str = "\
Formats: SOP1 SOP2 SOPK SOPC SOPP SMEM (SMRD) VOP1 VOP2 VOPC VOP3 VOP3P SDWA DPP
VINTRP DS MUBUF MTBUF MIMG FLAT GLOBAL SCRATCH EXP.

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
        let wanted = |op: &Op| {
            let row = op.row();
            let part = self.name.as_deref().unwrap_or("");
            let named = row.mnemonics.iter().flatten().any(|n| n.contains(part));
            let exists = chip.is_none_or(|chip| row.exists_on(chip));
            let chips = chip.map_or(Chip::ALL.to_vec(), |chip| vec![chip]);
            named && exists && format.is_none_or(|f| chips.iter().any(|c| has_form(*op, f, *c)))
        };
        let ops: Vec<Op> = Op::all().filter(wanted).collect();
        if ops.is_empty() {
            return Err(Failure::usage("there is no such instruction"));
        }
        match self.coverage {
            true => Coverage::new(&ops, chip.unwrap_or(DEFAULT_CHIP)).show(self.json),
            false if self.json => {
                print_json(&ops.iter().map(|op| Entry::new(*op)).collect::<Vec<_>>())
            }
            false => print(&list(&ops)),
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
                format!("`{name}` is no format: write SOP1, VOP3, DS or another of --help");
            return Err(Failure::usage(sentence));
        }
    };
    Ok(form)
}

/// Returns the name on the last generation that has the instruction.
fn name(op: Op) -> &'static str {
    let names = op.row().mnemonics;
    names.iter().rev().flatten().next().unwrap_or(&"")
}

fn format_name(op: Op) -> String {
    format!("{:?}", op.home()).to_uppercase()
}

fn list(ops: &[Op]) -> String {
    let header = ["format", "gfx6", "gfx7", "gfx8", "gfx9", "name", "operands"];
    let mut table = Columns::new(&header, &[1, 2, 3, 4], &[6, 1, 2, 3]);
    for op in ops {
        let row = op.row();
        let opcode = |g| row.opcodes[g as usize].map_or("–".to_owned(), |n| format!("{n:#04x}"));
        let operands: Vec<String> = row.operands.iter().map(operand).collect();
        let mut cells = vec![format_name(*op)];
        cells.extend(GENERATIONS.map(opcode));
        cells.extend([name(*op).to_owned(), operands.join(", ")]);
        table.add(cells);
    }
    table.text()
}

/// Returns an operand as `field:type`.
fn operand(spec: &OperandSpec) -> String {
    format!("{}:{}", field(spec.field), kind(spec))
}

fn field(field: Field) -> String {
    format!("{field:?}").to_lowercase()
}

fn kind(spec: &OperandSpec) -> String {
    match spec.ty {
        wavetank_gcn::Ty::Imm => format!("{:?}", spec.kind).to_lowercase(),
        ty => format!("{ty:?}").to_lowercase(),
    }
}

/// An instruction of the table.
#[derive(Serialize)]
struct Entry {
    name: &'static str,
    format: String,
    /// The opcodes by generation; generations without the instruction are absent.
    opcodes: HashMap<String, u16>,
    names: HashMap<String, &'static str>,
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
    fn new(op: Op) -> Entry {
        let row = op.row();
        let label = |g: Generation| format!("{g:?}").to_lowercase();
        let opcode = |g: Generation| Some((label(g), row.opcodes[g as usize]?));
        let name_on = |g: Generation| Some((label(g), row.mnemonic(g)?));
        let on = |chip: &&Chip| row.exists_on(**chip);
        Entry {
            name: name(op),
            format: format_name(op),
            opcodes: GENERATIONS.into_iter().filter_map(opcode).collect(),
            names: GENERATIONS.into_iter().filter_map(name_on).collect(),
            chips: Chip::ALL.iter().filter(on).map(|c| c.name()).collect(),
            operands: row.operands.iter().map(Operand::new).collect(),
        }
    }
}

impl Operand {
    fn new(spec: &OperandSpec) -> Operand {
        Operand {
            field: field(spec.field),
            ty: kind(spec),
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
    name: &'static str,
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
    fn new(ops: &[Op], chip: Chip) -> Coverage {
        let exist = ops.iter().filter(|op| op.row().exists_on(chip));
        let covered = exist.map(|op| Covered::new(*op, chip));
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
                entry.name.to_owned(),
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
    fn new(op: Op, chip: Chip) -> Covered {
        let class = fidelity(op, chip);
        Covered {
            name: op.row().mnemonic(chip.generation()).unwrap_or(name(op)),
            format: format_name(op),
            opcode: op.opcode(chip),
            executes: !matches!(class, Fidelity::Unsupported(_)),
            fidelity: class.class(),
            shown_by: match class {
                Fidelity::Exact(place) => Some(place),
                _ => None,
            },
            reason: reason(&class),
            tests: cases_of(op, chip.generation()),
        }
    }
}
