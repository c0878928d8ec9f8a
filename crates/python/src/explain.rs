//! Explanations of instructions, and the table of instructions.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use wavetank_explain::{PseudoCode, matrix_layout, modifiers, operand_names, sentence_in};
use wavetank_gcn::{Form, Inst, Op, bit_fields, parse};

use crate::chip::chip_or_default;
use crate::error::argument_error;
use crate::instruction::Instruction;

/// Explains an instruction: a text, the name alone, or an `Instruction`. The result has `text`, `sentence`, `format`, `pseudo_code`,
/// `operands`, `modifiers`, `fields` (name, lowest bit, width) and, for matrix instructions, `layout`.
#[pyfunction]
#[pyo3(signature = (what, chip = None))]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    what: &Bound<'py, PyAny>,
    chip: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    if let Ok(instruction) = what.cast::<Instruction>() {
        return match instruction.get().inst() {
            Some(inst) => of_instruction(py, inst),
            None => Err(argument_error(py, "a word of data is not an instruction")),
        };
    }
    let text: String = what.extract()?;
    let chip = chip_or_default(py, chip)?;
    let wrong = match parse(&text, chip) {
        Ok(inst) => return of_instruction(py, &inst),
        Err(wrong) => wrong,
    };
    let named = |op: &Op| op.row().name(chip) == Some(text.trim());
    let Some(op) = Op::all().find(named) else {
        return Err(argument_error(py, wrong));
    };
    let form = op.home();
    let row = row(py, op, form, chip, text.trim())?;
    let code = PseudoCode::of_form(op, form, chip);
    row.set_item("pseudo_code", code.map(|code| code.lines.join("\n")))?;
    Ok(row)
}

fn of_instruction<'py>(py: Python<'py>, inst: &Inst) -> PyResult<Bound<'py, PyDict>> {
    let row = row(py, inst.op, inst.form, inst.chip, &inst.to_string())?;
    let code = PseudoCode::of_instruction(inst);
    row.set_item("pseudo_code", code.map(|code| code.lines.join("\n")))?;
    Ok(row)
}

/// Returns the facts of an instruction in a form.
fn row<'py>(
    py: Python<'py>,
    op: Op,
    form: Form,
    chip: wavetank::Chip,
    text: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let row = PyDict::new(py);
    row.set_item("text", text)?;
    row.set_item("sentence", sentence_in(op, form))?;
    row.set_item("chip", chip.name())?;
    row.set_item("format", format!("{form:?}").to_uppercase())?;
    row.set_item(
        "operands",
        operand_names(op).into_iter().collect::<Vec<_>>(),
    )?;
    let modifiers = modifiers(op, form, chip);
    let modifiers = modifiers
        .iter()
        .map(|modifier| (modifier.text, modifier.meaning));
    row.set_item("modifiers", modifiers.collect::<Vec<_>>())?;
    let (fields, _) = bit_fields(op, form, chip).unwrap_or_default();
    let fields = fields
        .into_iter()
        .map(|field| (field.name, field.low, field.width));
    row.set_item("fields", fields.collect::<Vec<_>>())?;
    row.set_item("layout", matrix_layout(op, chip).unwrap_or_default())?;
    Ok(row)
}

/// Returns the instructions of a chip, each with name, format, opcode and sentence.
#[pyfunction]
#[pyo3(signature = (chip = None))]
pub(crate) fn isa(
    py: Python<'_>,
    chip: Option<&str>,
) -> PyResult<Vec<(String, String, u16, String)>> {
    let chip = chip_or_default(py, chip)?;
    let row = |op: Op| {
        let row = op.row();
        let (name, opcode) = (row.name(chip)?, row.opcode(chip)?);
        let format = format!("{:?}", op.home()).to_uppercase();
        Some((name.to_owned(), format, opcode, sentence_in(op, op.home())))
    };
    Ok(Op::all().filter_map(row).collect())
}
