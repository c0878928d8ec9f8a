//! The list of TYPED_ATOMIC: an operation a row.

use serde::Serialize;
use wavetank_surface_isa::visa::operation::{Data, ROWS, Row as Operation, Sources};

use crate::exit::{Failure, Result};
use crate::surface_isa::cli_isa::{Asked, Coverage, Row};

/// An operation.
#[derive(Serialize)]
pub(crate) struct Facts {
    /// The name in the description of vISA, where that is another one.
    other: Option<String>,
    /// The operation, in bits 4–0 of the byte after the opcode.
    code: u8,
    sources: &'static str,
    stores: &'static str,
    returns: &'static str,
}

/// The rows, with the one form that there is.
pub(super) fn rows(asked: &Asked<'_>) -> Result<Vec<Row<Facts>>> {
    if let Some(format) = asked.format {
        let sentence =
            format!("--format {format} is of GCN: TYPED_ATOMIC has one form, leave --format out");
        return Err(Failure::usage(sentence));
    }
    Ok(ROWS.iter().map(|row| self::row(row, asked)).collect())
}

fn row(operation: &Operation, asked: &Asked<'_>) -> Row<Facts> {
    let other = operation.other;
    let facts = Facts {
        other: other.map(|name| format!("TYPED_ATOMIC.{}", name.to_uppercase())),
        code: operation.operation.code(),
        sources: match operation.sources {
            Sources::None | Sources::Ignored => "",
            Sources::One => "src0",
            Sources::Two => "src0 src1",
        },
        stores: operation.stored,
        returns: operation.returned,
    };
    let other = facts.other.clone().unwrap_or_default();
    let cells = [facts.sources, facts.stores, facts.returns, &other];
    Row {
        name: format!("typed_atomic.{}", operation.name),
        code: facts.code.to_string(),
        cells: cells.map(str::to_owned).to_vec(),
        other,
        facts,
        coverage: asked.coverage.then(|| Coverage {
            executes: true,
            fidelity: fidelity(operation.data),
            reason: None,
        }),
    }
}

/// Returns the fidelity of operations on data, with the evidence.
fn fidelity(data: Data) -> &'static str {
    match data {
        Data::Unsigned | Data::Signed => {
            "exact: shown by instructions_do_what_the_description_says"
        }
        Data::Float => {
            "approximate: NaNs, denormals and zeros as in IEEE 754; the description does not say"
        }
    }
}

/// The number of operations that are executed.
pub(super) fn summary(rows: &[Row<Facts>]) -> String {
    let executes = |row: &&Row<Facts>| row.coverage.as_ref().is_some_and(|c| c.executes);
    format!(
        "{} of {} operations are executed; each with 32 and with 16 bits (.16)",
        rows.iter().filter(executes).count(),
        rows.len()
    )
}
