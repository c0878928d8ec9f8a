//! `wavetank isa` of atomics on surfaces: the list of instructions.

use super::shown::{Asked, Entry, Shown};
use crate::columns::Columns;
use crate::exit::{Failure, Result, print, print_json};

/// Lists the instructions with a part in their name; with coverage whether they are executed.
pub fn isa<I: Shown>(isa: I, asked: &Asked<'_>) -> Result {
    let mut entries = isa.entries(asked)?;
    let part = asked.part.to_ascii_lowercase();
    let named = |name: &str| name.to_ascii_lowercase().contains(&part);
    entries.retain(|entry| entry.names().into_iter().any(named));
    if entries.is_empty() {
        return Err(Failure::usage("there is no such instruction"));
    }
    if asked.json {
        return print_json(&isa.list(&entries));
    }
    let (header, lesser) = I::Entry::HEADERS[usize::from(asked.coverage)];
    let mut table = Columns::new(header, &[1], lesser);
    for entry in &entries {
        table.add(entry.cells());
    }
    let mut text = table.text();
    if asked.coverage {
        text += &format!("\n{}\n", isa.summary(&entries));
    }
    print(&text)
}
