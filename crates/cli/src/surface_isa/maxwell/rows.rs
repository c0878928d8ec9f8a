//! The list of SUATOM: an operation with a size a row, and the forms that can say it.

use serde::Serialize;
use wavetank_facts::{SuatomRow, suatom_forms, suatom_rows};
use wavetank_surface_isa::maxwell::{FORMS, Form, Generation};

use crate::exit::{Failure, Result};
use crate::surface_isa::cli_isa::{Asked, Coverage, Row};

/// The code of an operation on a size, and the forms that can say it.
#[derive(Serialize)]
pub(crate) struct Facts {
    /// The field `op`; absent for CAS, which has forms of its own.
    opcode: Option<u64>,
    forms: Vec<&'static str>,
}

/// The coverage of operations on raw data, which a test compares with the reference text.
const EXACT: Coverage = Coverage {
    executes: true,
    fidelity: "exact",
    reason: Some(
        "shown by crates/surface_isa/tests/maxwell/execution/table.rs, on rows; places in blocks are approximate",
    ),
};
/// The reference text does not describe formatted data.
const FORMATTED: Coverage = Coverage {
    executes: true,
    fidelity: "approximate",
    reason: Some(
        "32 bits, of the kind that the surface's elements say; the reference text is silent on .P",
    ),
};

/// The rows of a generation.
pub(super) fn rows(generation: Generation, asked: &Asked<'_>) -> Result<Vec<Row<Facts>>> {
    let is_asked = |form: &&Form| {
        let same = |name: &str| form.name.eq_ignore_ascii_case(name);
        asked.format.is_none_or(same)
    };
    let forms: Vec<&'static Form> = suatom_forms(generation).filter(is_asked).collect();
    if forms.is_empty() {
        let names: Vec<&str> = FORMS.iter().map(|form| form.name).collect();
        let sentence = format!(
            "`{}` is not a form of SUATOM on {generation}: write one of {}",
            asked.format.unwrap_or_default(),
            names.join(", ")
        );
        return Err(Failure::usage(sentence));
    }
    let rows = suatom_rows(generation, &forms).into_iter();
    Ok(rows.map(|row| shown(row, asked.coverage)).collect())
}

fn shown(row: SuatomRow, coverage: bool) -> Row<Facts> {
    let fidelity = if row.is_formatted { FORMATTED } else { EXACT };
    Row {
        name: row.name,
        other: String::new(),
        code: row.opcode.map_or("–".to_owned(), |n| n.to_string()),
        cells: vec![row.forms.join(" ")],
        facts: Facts {
            opcode: row.opcode,
            forms: row.forms,
        },
        coverage: coverage.then_some(fidelity),
    }
}

/// The number of rows that are executed, and how exactly.
pub(super) fn summary(rows: &[Row<Facts>], generation: Generation) -> String {
    let count = |is: fn(&Coverage) -> bool| {
        let covered = rows.iter().filter_map(|row| row.coverage.as_ref());
        covered.filter(|coverage| is(coverage)).count()
    };
    format!(
        "{} of {} instructions are executed on {generation}: {} approximate, {} exact.",
        count(|c| c.executes),
        rows.len(),
        count(|c| c.fidelity == FORMATTED.fidelity),
        count(|c| c.fidelity == EXACT.fidelity)
    )
}
