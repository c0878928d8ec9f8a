//! `wavetank explain` of a SUATOM: word, fields, and effects on registers.

use serde::Serialize;
use wavetank_surface_isa::maxwell::{
    Clamp, Control, Dim, EncodeError, Guard, Handle, Inst, Mode, Op, Pred, Reg, form_for,
    operand_constraints, print as text_of,
};

use super::drawing::{FieldFacts, drawing};
use crate::fold::{folded, indented, paragraphs};

/// Whether a text is about SUATOM, whatever the instruction set: the name alone, or an instruction.
pub(crate) fn is_suatom(text: &str) -> bool {
    let text = text.trim_start();
    let text = match text.strip_prefix('@') {
        Some(guarded) => guarded.split_once(' ').map_or("", |(_, inst)| inst),
        None => text,
    };
    let name = text.trim_start().get(..6).unwrap_or_default();
    name.eq_ignore_ascii_case("suatom")
}

/// Everything that is known of an instruction.
#[derive(Serialize)]
pub(crate) struct Explanation {
    text: String,
    isa: String,
    form: &'static str,
    word: String,
    /// From bit 63 downward.
    fields: Vec<FieldFacts>,
    meaning: String,
    /// The rule of the reference text that it breaks, if any.
    broken_rule: Option<String>,
    #[serde(skip)]
    drawing: String,
}

impl Explanation {
    pub(crate) fn of(inst: &Inst, word: u64, control: Control) -> Result<Explanation, EncodeError> {
        let form = form_for(inst)?;
        let fields = form.fields.iter();
        let mut fields: Vec<FieldFacts> = fields.map(|f| FieldFacts::new(f, Some(word))).collect();
        fields.sort_by_key(|field| std::cmp::Reverse(field.low));
        Ok(Explanation {
            text: text_of(inst, control),
            isa: inst.generation.to_string(),
            form: form.name,
            word: format!("{word:#018x}"),
            fields,
            meaning: meaning(inst),
            broken_rule: operand_constraints::check(inst)
                .err()
                .map(|broken| broken.to_string()),
            drawing: drawing(form, Some(word)),
        })
    }

    pub(crate) fn text(&self) -> String {
        let mut out = format!(
            "{}\n  {} on {}, {}\n\n",
            self.text, self.form, self.isa, self.word
        );
        out += &indented(&self.drawing);
        // A sentence a line.
        out += &format!("\n{}", paragraphs(&self.meaning.replace(". ", ".\n"), 2));
        if let Some(rule) = &self.broken_rule {
            let sentence = format!("This breaks a rule, and `asm` refuses it: {rule}.");
            out += &format!("\n{}", folded(&sentence, "  ", 2));
        }
        out + "\n  `explain suatom` has the operands, rules and forms.\n"
    }
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
