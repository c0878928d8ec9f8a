//! The facts about a SUATOM of NVIDIA: word, fields, and effects on registers.

use serde::Serialize;
use wavetank_surface_isa::TextError;
use wavetank_surface_isa::maxwell::{
    Clamp, Control, Dim, EncodeError, FORMS, Form, Generation, Guard, Handle, Inst, Mode, Op,
    Placed, Pred, Reg, encode, form_for, operand_constraints, parse, print as text_of,
};

/// Everything that is known of an instruction.
#[derive(Serialize)]
pub struct SuatomFacts {
    pub text: String,
    pub isa: String,
    pub form: &'static str,
    pub word: String,
    /// From bit 63 downward.
    pub fields: Vec<SuatomField>,
    pub meaning: String,
    /// The rule of the reference text that it breaks, if any.
    pub broken_rule: Option<String>,
}

/// A field, with its value in a word if there is one.
#[derive(Serialize)]
pub struct SuatomField {
    name: &'static str,
    high: u32,
    pub low: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<u64>,
}

impl SuatomField {
    pub fn new(placed: &Placed, word: Option<u64>) -> SuatomField {
        SuatomField {
            name: placed.field.name(),
            high: placed.low + placed.width - 1,
            low: placed.low,
            value: word.map(|word| placed.of(word)),
        }
    }
}

impl SuatomFacts {
    /// Returns the facts about an instruction with its word.
    ///
    /// # Errors
    /// There is no form for it.
    pub fn of(inst: &Inst, word: u64, control: Control) -> Result<SuatomFacts, EncodeError> {
        let form = form_for(inst)?;
        let fields = form.fields.iter();
        let mut fields: Vec<_> = fields.map(|f| SuatomField::new(f, Some(word))).collect();
        fields.sort_by_key(|field| std::cmp::Reverse(field.low));
        Ok(SuatomFacts {
            text: text_of(inst, control),
            isa: inst.generation.to_string(),
            form: form.name,
            word: format!("{word:#018x}"),
            fields,
            meaning: meaning(inst),
            broken_rule: operand_constraints::check(inst)
                .err()
                .map(|broken| broken.to_string()),
        })
    }

    /// Returns the facts about an instruction in text.
    ///
    /// # Errors
    /// The first thing that is wrong with the text.
    pub fn of_text(text: &str, generation: Generation) -> Result<SuatomFacts, TextError> {
        let parsed = parse(text, generation)?;
        let facts = encode(&parsed.inst)
            .and_then(|word| SuatomFacts::of(&parsed.inst, word, parsed.control));
        // The parser refuses instructions without a word.
        facts.map_err(|error| TextError {
            span: 0..text.len(),
            message: error.to_string(),
            help: None,
        })
    }
}

/// An operation on a size of raw data, or on formatted data.
pub struct SuatomRow {
    /// The operation as an instruction begins.
    pub name: String,
    pub is_formatted: bool,
    /// The field `op`; absent for CAS, which has forms of its own.
    pub opcode: Option<u64>,
    /// The forms that can say it.
    pub forms: Vec<&'static str>,
}

/// Returns the operations of a generation: each on the sizes of raw data, then on formatted data, as far as one of the forms says it.
pub fn suatom_rows(generation: Generation, forms: &[&'static Form]) -> Vec<SuatomRow> {
    let rows = Op::ALL
        .iter()
        .flat_map(|op| rows_of(*op, generation, forms));
    rows.collect()
}

/// Returns the forms of a generation.
pub fn suatom_forms(generation: Generation) -> impl Iterator<Item = &'static Form> {
    FORMS.iter().filter(move |form| form.since <= generation)
}

fn rows_of(
    op: Op,
    generation: Generation,
    forms: &[&'static Form],
) -> impl Iterator<Item = SuatomRow> {
    let row = move |name: String, is_formatted: bool| {
        let says = |form: &&&'static Form| {
            form.is_formatted() == is_formatted && form.is_cas() == (op == Op::Cas)
        };
        SuatomRow {
            name,
            is_formatted,
            opcode: (op != Op::Cas).then(|| op.code()),
            forms: forms.iter().filter(says).map(|form| form.name).collect(),
        }
    };
    let sizes = operand_constraints::sizes(op)
        .iter()
        .filter(move |size| size.is_on(generation));
    let raw = sizes.map(move |size| {
        let name = format!("SUATOM.D.{}.{}", op.name(), size.printed(generation));
        row(name, false)
    });
    let formatted = std::iter::once_with(move || row(format!("SUATOM.P.{}", op.name()), true));
    raw.chain(formatted).filter(|row| !row.forms.is_empty())
}

/// Describes an instruction in a few sentences, with its registers.
fn meaning(inst: &Inst) -> String {
    let guard = match inst.guard {
        Guard::ALL => "Each thread".to_owned(),
        Guard { pred: Pred::PT, .. } => {
            return "No thread takes part: its guard is never true.".to_owned();
        }
        Guard {
            pred,
            negated: false,
        } => format!("Each thread where {pred} is true"),
        Guard {
            pred,
            negated: true,
        } => format!("Each thread where {pred} is false"),
    };
    let kind = match inst.mode {
        Mode::Raw { .. } => format!(
            "{} ({} bits)",
            inst.size.printed(inst.generation),
            8 * inst.size.bytes()
        ),
        Mode::Formatted => "the surface's format".to_owned(),
    };
    let handle = match inst.handle {
        Handle::Register(rc) => format!("in {rc}"),
        Handle::Immediate(index) => {
            format!("in the constant bank at byte {:#x}", 4 * u32::from(index))
        }
    };
    let dim = inst.dim.name();
    let (place, new) = (coordinates(inst), new_value(inst));
    let rd = match inst.rd {
        Reg::RZ => "the value before is dropped".to_owned(),
        rd => format!("{} gets the value before", group(rd, inst.size.registers())),
    };
    let outside = match inst.clamp {
        Clamp::Ign => "Outside of the surface nothing is written, and 0 is returned.",
        Clamp::Near => "Coordinates outside of the surface are those of the nearest element.",
        Clamp::Trap => "A coordinate outside of the surface stops the program.",
    };
    let sparse = match inst.sparse {
        None | Some(Pred::PT) => String::new(),
        Some(pred) => format!(" {pred} is set where the page is sparse (not there)."),
    };
    format!(
        "{guard} takes M, {kind}, at {place} of the {dim} surface whose handle is {handle}. M becomes {new}; {rd}. {outside}{sparse}"
    )
}

/// Registers one after another: `R4`, or `R4:R5`.
fn group(first: Reg, count: u8) -> String {
    match (first, count) {
        (_, 1) | (Reg::RZ, _) => first.to_string(),
        (Reg(n), count) => format!("R{n}:R{}", u16::from(n) + u16::from(count) - 1),
    }
}

fn coordinates(inst: &Inst) -> String {
    let register = |n: u8| match inst.ra {
        Reg::RZ => Reg::RZ.to_string(),
        Reg(first) => format!("R{}", u16::from(first) + u16::from(n)),
    };
    let x = match inst.mode {
        Mode::Raw { bytes: true } => format!("x = {} bytes", register(0)),
        _ => format!("x = {}", register(0)),
    };
    match inst.dim {
        Dim::D1 => x,
        Dim::Buffer if inst.clamp == Clamp::Near => x,
        Dim::Buffer => format!("{x} (unsigned)"),
        Dim::D1Array => format!("{x}, index = {}[15:0]", register(1)),
        Dim::D2 => format!("{x}, y = {}", register(1)),
        Dim::D2Array => format!("{x}, y = {}, index = {}[15:0]", register(1), register(2)),
        Dim::D3 => format!("{x}, y = {}, z = {}", register(1), register(2)),
    }
}

fn new_value(inst: &Inst) -> String {
    let count = inst.size.registers();
    let b = group(inst.rb, count);
    match inst.op {
        Op::Add => format!("M + {b}"),
        Op::Min => format!("the smaller of M and {b}"),
        Op::Max => format!("the larger of M and {b}"),
        Op::Inc => format!("0 if M >= {b}, M + 1 otherwise"),
        Op::Dec => format!("{b} if M is 0 or more than {b}, M - 1 otherwise"),
        Op::And => format!("M & {b}"),
        Op::Or => format!("M | {b}"),
        Op::Xor => format!("M ^ {b}"),
        Op::Exch => b,
        Op::Cas => {
            let swap = match inst.rb {
                Reg::RZ => Reg::RZ.to_string(),
                Reg(n) => group(Reg(n.saturating_add(count)), count),
            };
            format!("{swap} if it equals {b}, and stays otherwise")
        }
    }
}
