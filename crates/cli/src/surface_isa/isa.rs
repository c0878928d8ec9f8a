//! `wavetank isa` of atomics on surfaces: the list of instructions.

use super::cli_isa::{Asked, CliIsa};
use crate::columns::Columns;
use crate::exit::{Failure, Result, print, print_json};

/// Lists the instructions with a part in their name; with coverage whether they are executed.
pub(crate) fn isa<I: CliIsa>(isa: I, asked: &Asked<'_>) -> Result {
    let mut rows = isa.rows(asked)?;
    let part = asked.part.to_ascii_lowercase();
    let named = |name: &str| name.to_ascii_lowercase().contains(&part);
    rows.retain(|row| named(&row.name) || named(&row.other));
    if rows.is_empty() {
        return Err(Failure::usage("there is no such instruction"));
    }
    if asked.json {
        return print_json(&isa.list(&rows));
    }
    let (header, lesser) = I::HEADERS[usize::from(asked.coverage)];
    let mut table = Columns::new(header, &[1], lesser);
    for row in &rows {
        table.add(row.cells());
    }
    let mut text = table.text();
    if asked.coverage {
        text += &format!("\n{}\n", isa.summary(&rows));
    }
    print(&text)
}
