//! The forms of an instruction, and its name in each: GLOBAL and SCRATCH are instructions of their own to a reader.

use wavetank::Chip;
use wavetank_gcn::tables::{Field, OperandSpec};
use wavetank_gcn::{Form, Generation, Op};

/// An instruction of a reference: an operation in its own form, or a FLAT one in another segment.
pub type Subject = (Op, Form);

/// Every subject that some chip executes, in the order of the table.
pub fn subjects() -> impl Iterator<Item = Subject> {
    subjects_of(|subject| Chip::EXECUTED.iter().any(|chip| exists(subject, *chip)))
}

/// Every subject, in the order of the table.
pub fn every_subject() -> impl Iterator<Item = Subject> {
    subjects_of(|subject| Chip::all().any(|chip| exists(subject, chip)))
}

fn subjects_of(wanted: fn(Subject) -> bool) -> impl Iterator<Item = Subject> {
    Op::all().flat_map(move |op| {
        let forms = [op.home(), Form::Global, Form::Scratch].map(|form| (op, form));
        forms.into_iter().filter(move |subject| wanted(*subject))
    })
}

/// Returns the subjects of a chip with a name: several, if their names differ on other generations.
pub fn named(text: &str, chip: Chip) -> Vec<Subject> {
    let named = |subject: &Subject| is_named(*subject, text, chip);
    every_subject().filter(named).collect()
}

/// Returns a chip of the youngest generation that has the instruction named at the beginning of a text, if the given chip lacks
/// it.
pub fn chip_with(text: &str, chip: Chip) -> Option<Chip> {
    let name = text.split_whitespace().next()?;
    let has = |chip: Chip| every_subject().any(|subject| is_named(subject, name, chip));
    if has(chip) {
        return None;
    }
    let others = Chip::all().filter(|other| has(*other));
    // Of several such chips, the first is returned.
    others.min_by_key(|other| std::cmp::Reverse(other.generation()))
}

/// Whether a chip has an instruction, with this name.
fn is_named(subject: Subject, text: &str, chip: Chip) -> bool {
    let named = name(subject, chip.generation()).is_some_and(|name| name == text);
    let (op, form) = subject;
    let by_chip = form == op.home() && op.row().name(chip) == Some(text);
    exists(subject, chip) && (named || by_chip)
}

/// Whether a chip has an instruction.
pub fn exists((op, form): Subject, chip: Chip) -> bool {
    op.row().exists_on(chip) && (form == op.home() || has_form(op, form, chip))
}

/// Returns the name of an instruction on a generation.
pub fn name((op, form): Subject, generation: Generation) -> Option<String> {
    let name = op.row().mnemonic(generation)?;
    match form {
        Form::Global | Form::Scratch if generation < Generation::Gfx9 => None,
        Form::Global | Form::Scratch => Some(wavetank_explain::name_in(op, form)),
        _ => Some(name.to_owned()),
    }
}

/// Whether an instruction has an encoding on a chip, its own or another one.
pub fn has_form(op: Op, form: Form, chip: Chip) -> bool {
    let global = op.home() == Form::Flat && chip.generation() == Generation::Gfx9;
    op.row().exists_on(chip)
        && match form {
            Form::Vop3 => op.vop3(chip).is_some(),
            Form::Vop2 => op.vop2(chip).is_some(),
            Form::Sdwa => op.sdwa(chip),
            Form::Dpp => op.dpp(chip),
            Form::Global => global,
            Form::Scratch => global && op.scratch(chip).is_some(),
            form => op.home() == form,
        }
}

/// Whether an operand exists in a form: FLAT has no scalar base.
pub fn has_operand(spec: &OperandSpec, form: Form) -> bool {
    spec.field != Field::Saddr || form != Form::Flat
}

/// Returns the type of an operand in a segment whose addresses have another width than those of FLAT.
pub fn own_type(spec: &OperandSpec, form: Form) -> Option<&'static str> {
    match (form, spec.field) {
        (Form::Global, Field::Vaddr) => Some("b64, or b32 with saddr"),
        (Form::Scratch, Field::Vaddr | Field::Saddr) => Some("b32, or off"),
        (Form::Global, Field::Saddr) => Some("b64, or off"),
        _ => None,
    }
}

/// Returns the forms in which an instruction can be encoded on a chip, its own first. The segments of FLAT have one each.
pub fn forms((op, form): Subject, chip: Chip) -> Vec<Form> {
    let others = match op.home() {
        Form::Flat => &[][..],
        _ => &[Form::Vop3, Form::Vop2, Form::Sdwa, Form::Dpp],
    };
    let has = |other: &Form| *other != op.home() && has_form(op, *other, chip);
    let others = others.iter().copied().filter(has);
    let own = if op.home() == Form::Flat {
        form
    } else {
        op.home()
    };
    std::iter::once(own).chain(others).collect()
}

/// Returns the name of a form in the manuals.
pub fn form_name(form: Form) -> String {
    format!("{form:?}").to_uppercase()
}
