//! `wavetank explain`: one instruction, taken apart.

use std::sync::Arc;

use std::fmt::Write;

use serde::Serialize;
use wavetank::{Chip, fidelity};
use wavetank_isa::tables::{Access, Class, EXEC, Implicit, M0, MODE, OperandSpec, PC, SCC, VCC};
use wavetank_isa::{Dialect, Form, Generation, Inst, Op, decode, encode, print_in, text::parse_at};
use wavetank_maxwell::Generation::Sm52;
use wavetank_translate::{Modes, Translator};

use crate::exit::{Failure, Result, print, print_json};
use crate::maxwell;
use crate::target::{Syntax, Target};
use crate::visa;

const EXAMPLES: &str = "\
The meaning is the program in wave IR that runs when the instruction is
executed: `%n` are values, lane vectors, masks or uniform ones; `v`, `s` and `m`
are vector registers, scalar registers and masks in scalar registers.

Examples:
  wavetank explain 'v_add_co_u32 v0, vcc, s1, v2'
  wavetank explain --gpu tahiti s_and_saveexec_b64   a name alone
  wavetank explain 0xD1FF0000 0x04080501             words, as in a listing
  wavetank explain suatom                            NVIDIA's, as a page
  wavetank explain 'SUATOM.D.2D.ADD R10, [R2], R4, R1'
  wavetank explain typed_atomic                      Intel's, as a page
  wavetank explain --json 'ds_wrap_rtn_b32 v0, v1, v2, v3'";

/// Explains one instruction: encoding, operands, what else it reads and writes, meaning
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Explain {
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    syntax: Syntax,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// An instruction, a name, or hexadecimal words
    #[arg(required = true, value_name = "INSTRUCTION")]
    what: Vec<String>,
}

impl Explain {
    pub fn run(self) -> Result {
        let text = self.what.join(" ");
        let meant = self.target.is_open() && maxwell::is_suatom(&text);
        if let Some(generation) = self.target.maxwell()?.or(meant.then_some(Sm52)) {
            self.syntax.refuse_for(generation)?;
            return maxwell::explain(&text, generation, self.json);
        }
        let visa = self.target.visa()?;
        if visa.is_some() || self.target.is_open() && visa::is_meant(&text) {
            return visa::explain(&text, visa.unwrap_or_default(), self.json);
        }
        let chip = self.target.chip_or_default()?;
        let dialect = self.syntax.dialect;
        let explanations = match self.subject(&text, chip)? {
            Subject::Inst(inst) => vec![Explanation::of(&inst, dialect)],
            Subject::Ops(ops) => ops.iter().map(|op| Explanation::row(*op, chip)).collect(),
        };
        if self.json {
            return print_json(&explanations);
        }
        let texts: Vec<String> = explanations.iter().map(Explanation::text).collect();
        print(&texts.join("\n"))
    }

    fn subject(&self, text: &str, chip: Chip) -> Result<Subject> {
        if let Some(bytes) = words(text) {
            let inst = decode(&bytes, chip);
            let inst = inst.map_err(|e| Failure::usage(format!("{text}: {e}")))?;
            return Ok(Subject::Inst(inst));
        }
        let named = |op: &Op| op.row().exists_on(chip) && has_name(*op, text, chip);
        let ops: Vec<Op> = Op::all().filter(named).collect();
        match parse_at(text, chip, self.syntax.dialect, 0) {
            Ok(inst) => Ok(Subject::Inst(inst)),
            Err(_) if !ops.is_empty() => Ok(Subject::Ops(ops)),
            Err(e) => Err(Failure::usage(format!("{e}\n{}", e.snippet(text)))),
        }
    }
}

/// What is to be explained.
enum Subject {
    Inst(Inst),
    /// The instructions of a name.
    Ops(Vec<Op>),
}

fn has_name(op: Op, text: &str, chip: Chip) -> bool {
    let name = op.row().mnemonic(chip.generation());
    let segment = ["global_", "scratch_"]
        .iter()
        .find_map(|p| text.strip_prefix(p));
    let flat = |name: &str| op.home() == Form::Flat && name.strip_prefix("flat_") == segment;
    name.is_some_and(|n| n == text || segment.is_some() && flat(n))
}

/// The bytes of hexadecimal words.
fn words(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for word in text.split_whitespace() {
        let digits = word.strip_prefix("0x").unwrap_or(word);
        let exact = digits.len() == 8 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let word = u32::from_str_radix(digits, 16).ok().filter(|_| exact)?;
        bytes.extend(word.to_le_bytes());
    }
    Some(bytes).filter(|bytes| !bytes.is_empty())
}

/// Everything that is known of an instruction.
#[derive(Serialize)]
struct Explanation {
    text: String,
    chip: &'static str,
    format: String,
    bytes: Vec<u8>,
    operands: Vec<Operand>,
    /// State outside the operands.
    reads: Vec<&'static str>,
    writes: Vec<&'static str>,
    unit: &'static str,
    /// The instruction on each generation.
    generations: Vec<Name>,
    forms: Vec<&'static str>,
    fidelity: String,
    /// The wave IR of an instruction that is executed.
    meaning: Option<String>,
}

#[derive(Serialize)]
struct Operand {
    field: String,
    text: String,
    #[serde(rename = "type")]
    ty: String,
    access: &'static str,
}

#[derive(Serialize)]
struct Name {
    generation: String,
    name: &'static str,
    opcode: u16,
}

impl Explanation {
    /// Of an instruction with operands.
    fn of(inst: &Inst, dialect: Dialect) -> Explanation {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = print_in(inst, dialect, &mut text);
        let mut all = Explanation::row(inst.op, inst.chip);
        all.format = format!("{:?}", inst.form).to_uppercase();
        all.bytes = encode(inst).map_or(Vec::new(), |e| e.as_bytes().to_vec());
        let shown = text.split_once(' ').map_or("", |(_, operands)| operands);
        let mut shown = shown.split(", ");
        for (slot, operand) in all.operands.iter_mut().zip(inst.operands) {
            if operand != wavetank_isa::Operand::None {
                let text = shown.next().unwrap_or_default();
                // Modifiers follow the last one.
                slot.text = text.split(' ').next().unwrap_or(text).to_owned();
            }
        }
        all.text = text;
        all.meaning = Some(meaning(inst));
        all
    }

    /// Of a row of the table.
    fn row(op: Op, chip: Chip) -> Explanation {
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
            bytes: Vec::new(),
            operands: row.operands.iter().map(Operand::new).collect(),
            reads: implicit(row.reads, row.reads_exec()),
            writes: implicit(row.writes, false),
            unit: unit(row.class),
            generations: [Gfx6, Gfx7, Gfx8, Gfx9]
                .into_iter()
                .filter_map(name)
                .collect(),
            forms: forms(op, chip),
            fidelity: told_fidelity(op, chip),
            meaning: None,
        }
    }

    fn text(&self) -> String {
        let mut out = format!("{}\n  {} on {}", self.text, self.format, self.chip);
        let words: Vec<String> = self
            .bytes
            .chunks_exact(4)
            .map(|w| format!("{:08X}", u32::from_le_bytes([w[0], w[1], w[2], w[3]])))
            .collect();
        if !words.is_empty() {
            let _ = write!(out, ", {} bytes: {}", self.bytes.len(), words.join(" "));
        }
        out += "\n\n";
        for Operand {
            field,
            text,
            ty,
            access,
        } in &self.operands
        {
            let _ = writeln!(out, "  {access:<12} {field:<8} {text:<12} {ty}");
        }
        for (verb, state) in [("reads", &self.reads), ("writes", &self.writes)] {
            if !state.is_empty() {
                let _ = writeln!(out, "  {verb:<12} {}", state.join(", "));
            }
        }
        let names: Vec<String> = self
            .generations
            .iter()
            .map(|n| format!("{} {} {:#04x}", n.generation, n.name, n.opcode))
            .collect();
        let _ = writeln!(out, "\n  unit         {}", self.unit);
        let _ = writeln!(out, "  opcodes      {}", names.join(", "));
        let _ = writeln!(out, "  forms        {}", self.forms.join(", "));
        let _ = writeln!(out, "  fidelity     {}", self.fidelity);
        if let Some(meaning) = &self.meaning {
            out += "\n  meaning\n";
            for line in meaning.lines() {
                let _ = writeln!(out, "    {line}");
            }
        }
        out
    }
}

impl Operand {
    fn new(spec: &OperandSpec) -> Operand {
        Operand {
            field: format!("{:?}", spec.field).to_lowercase(),
            text: String::new(),
            ty: match spec.ty {
                wavetank_isa::Ty::Imm => format!("{:?}", spec.kind).to_lowercase(),
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

/// The registers of a set, and EXEC where that decides which lanes take part.
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

fn told_fidelity(op: Op, chip: Chip) -> String {
    use wavetank::Fidelity::*;
    match fidelity(op, chip) {
        Exact(place) => format!("exact: shown by {place}"),
        Unshown => "unshown: executed, and no case and no test shows it bit for bit".to_owned(),
        WithinUlp(ulp) => format!("within {ulp} ULP"),
        Approximate(how) => format!("approximate: {how}"),
        NoEffect(why) => format!("no effect: {why}"),
        Unsupported(why) => format!("unsupported: {why}"),
    }
}

/// The wave IR of an instruction at address 0, in the modes that HSA kernels start with.
fn meaning(inst: &Inst) -> String {
    let inst = *inst;
    let code = move |pc: u64| match pc {
        0 => Ok(inst),
        _ => Err(String::new()),
    };
    // Denormals kept in all widths, DX10_CLAMP, IEEE: Vega ISA, 3.5 and the defaults of compilers.
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
