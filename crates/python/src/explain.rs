//! Explanations of instructions, and the table of instructions.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use serde::Serialize;
use serde_json::Value;
use wavetank::maxwell::Generation;
use wavetank::surface_isa::TextError;
use wavetank::visa::Version;
use wavetank::visa::operation::ROWS;
use wavetank_explain::sentence_on;
use wavetank_facts::{Facts, SuatomFacts, TypedAtomicFacts, suatom_forms, suatom_rows};
use wavetank_gcn::{Dialect, Op};

use crate::chip::chip_or_default;
use crate::error::argument_error;
use crate::instruction::Instruction;

/// Explains an instruction: a text, the name alone, or an `Instruction`. The result has what `wavetank explain --json` prints.
///
/// `sentence` and `pseudo_code` say what it does, `operands`, `reads` and `writes` on what; `hazards` are those in which it can take
/// part, each with `rule`, `wait_states` and `when`, and `fidelity` says how exactly it is executed.
///
/// >>> import wavetank as wt
/// >>> facts = wt.explain("v_readlane_b32 s0, v1, s2")
/// >>> facts["operands"]
/// ['D', 'S0', 'S1']
/// >>> {hazard["wait_states"] for hazard in facts["hazards"] if hazard["rule"] == "valu-sgpr-lane"}
/// {4}
/// >>> facts["fidelity"]
/// 'exact: ...'
#[pyfunction]
#[pyo3(signature = (what, chip = None))]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    what: &Bound<'py, PyAny>,
    chip: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    if let Ok(instruction) = what.cast::<Instruction>() {
        return match instruction.get().inst() {
            Some(inst) => as_dict(py, &Facts::of(inst, Dialect::Llvm)),
            None => Err(argument_error(py, "a word of data is not an instruction")),
        };
    }
    let text: String = what.extract()?;
    let isa = chip.unwrap_or_default();
    let wrong = |e: TextError| argument_error(py, e);
    if let Some(generation) = Generation::from_name(isa) {
        return json_dict(py, &SuatomFacts::of_text(&text, generation).map_err(wrong)?);
    }
    if let Some(version) = Version::from_name(isa) {
        return json_dict(
            py,
            &TypedAtomicFacts::of_text(&text, version).map_err(wrong)?,
        );
    }
    let chip = chip_or_default(py, chip)?;
    let facts = Facts::of_text(&text, chip).map_err(|wrong| argument_error(py, wrong))?;
    as_dict(py, &facts)
}

/// Returns facts as Python has them: as in JSON, but for what is shorter as a text or a tuple.
fn as_dict<'py>(py: Python<'py>, facts: &Facts) -> PyResult<Bound<'py, PyDict>> {
    let row = json_dict(py, facts)?;
    let code = facts.pseudo_code.as_ref();
    row.set_item("pseudo_code", code.map(|code| code.lines.join("\n")))?;
    row.set_item("bytes", PyBytes::new(py, &facts.bytes))?;
    let names = facts.operands.iter().map(|operand| operand.name);
    row.set_item("operands", names.collect::<Vec<_>>())?;
    let modifiers = facts.modifiers.iter();
    let modifiers = modifiers.map(|modifier| (modifier.text, modifier.meaning));
    row.set_item("modifiers", modifiers.collect::<Vec<_>>())?;
    let fields = facts.fields.iter();
    let fields = fields.map(|field| (&field.name, field.low, field.width));
    row.set_item("fields", fields.collect::<Vec<_>>())?;
    Ok(row)
}

/// Returns facts as JSON has them.
fn json_dict<'py>(py: Python<'py>, facts: &impl Serialize) -> PyResult<Bound<'py, PyDict>> {
    let json = serde_json::to_value(facts).unwrap_or_default();
    Ok(object(py, &json)?.cast_into()?)
}

/// Returns a value of JSON as an object of Python.
fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into_pyobject(py)?.into_any(),
            None => number.as_f64().into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(all) => {
            let all: PyResult<Vec<_>> = all.iter().map(|value| object(py, value)).collect();
            PyList::new(py, all?)?.into_any()
        }
        Value::Object(all) => {
            let dict = PyDict::new(py);
            for (name, value) in all {
                dict.set_item(name, object(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// A row of the table of instructions: name, format, opcode and sentence.
type IsaRow = (String, String, Option<u64>, String);

/// Returns the instructions of a chip, each with name, format, opcode and sentence; with `maxwell:52` or `visa` the operations of
/// SUATOM or of TYPED_ATOMIC. Where several formats say an operation, all are named. A CAS of SUATOM has no opcode, but formats of its own.
///
/// >>> import wavetank as wt
/// >>> wt.isa("visa")[2]
/// ('typed_atomic.inc', 'TYPED_ATOMIC', 2, 'stores ...')
#[pyfunction]
#[pyo3(signature = (chip = None))]
pub(crate) fn isa(py: Python<'_>, chip: Option<&str>) -> PyResult<Vec<IsaRow>> {
    let name = chip.unwrap_or_default();
    if let Some(generation) = Generation::from_name(name) {
        return Ok(suatom(generation));
    }
    if Version::from_name(name).is_some() {
        return Ok(typed_atomic());
    }
    let chip = chip_or_default(py, chip)?;
    let row = |op: Op| {
        let row = op.row();
        let (name, opcode) = (row.name(chip)?, row.opcode(chip)?);
        let format = format!("{:?}", op.home()).to_uppercase();
        let sentence = sentence_on(op, op.home(), chip);
        Some((name.to_owned(), format, Some(opcode.into()), sentence))
    };
    Ok(Op::all().filter_map(row).collect())
}

fn suatom(generation: Generation) -> Vec<IsaRow> {
    let forms: Vec<_> = suatom_forms(generation).collect();
    let rows = suatom_rows(generation, &forms).into_iter();
    rows.map(|row| {
        let data = if row.is_formatted {
            "in the format of the surface"
        } else {
            "of raw data"
        };
        let sentence = format!("an atomic on an element {data} of a surface");
        (row.name, row.forms.join(" "), row.opcode, sentence)
    })
    .collect()
}

fn typed_atomic() -> Vec<IsaRow> {
    let row = |row: &wavetank::visa::operation::Row| {
        let name = format!("typed_atomic.{}", row.name);
        let sentence = format!("stores {}, and returns {}", row.stored, row.returned);
        let code = Some(row.operation.code().into());
        (name, "TYPED_ATOMIC".to_owned(), code, sentence)
    };
    ROWS.iter().map(row).collect()
}
