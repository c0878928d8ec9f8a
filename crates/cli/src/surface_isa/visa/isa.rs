//! `wavetank isa --isa visa`: the operations of TYPED_ATOMIC.

use serde::Serialize;
use wavetank_surface_isa::visa::operation::{Data, ROWS, Row, Sources};

use crate::columns::Columns;
use crate::exit::{Failure, Result, print, print_json};

#[derive(Serialize)]
struct Entry {
    name: String,
    /// The name in the description of vISA, where that is another one.
    other: Option<String>,
    /// The operation, in bits 4–0 of the byte behind the opcode.
    code: u8,
    sources: &'static str,
    stores: &'static str,
    returns: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    executes: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fidelity: Option<&'static str>,
}

impl Entry {
    fn new(row: &Row, coverage: bool) -> Entry {
        Entry {
            name: format!("typed_atomic.{}", row.name),
            other: row
                .other
                .map(|name| format!("TYPED_ATOMIC.{}", name.to_uppercase())),
            code: row.operation.code(),
            sources: match row.sources {
                Sources::None | Sources::Ignored => "",
                Sources::One => "src0",
                Sources::Two => "src0 src1",
            },
            stores: row.stored,
            returns: row.returned,
            executes: coverage.then_some(true),
            fidelity: coverage.then(|| fidelity(row)),
        }
    }
}

/// How exactly an operation is executed, with what shows it.
fn fidelity(row: &Row) -> &'static str {
    match row.data {
        Data::Unsigned | Data::Signed => {
            "exact: shown by instructions_do_what_the_description_says"
        }
        Data::Float => {
            "approximate: NaNs, denormals and zeros as in IEEE 754; the description does not say"
        }
    }
}

/// Lists the operations with this part in their name; with `coverage` whether they are executed.
pub fn isa(part: Option<&str>, coverage: bool, json: bool) -> Result {
    let part = part.unwrap_or_default().to_ascii_lowercase();
    let entries: Vec<Entry> = ROWS.iter().map(|row| Entry::new(row, coverage)).collect();
    let named = |entry: &Entry| {
        let other = entry.other.as_deref().unwrap_or_default();
        entry.name.contains(&part) || other.to_ascii_lowercase().contains(&part)
    };
    let entries: Vec<Entry> = entries.into_iter().filter(named).collect();
    if entries.is_empty() {
        return Err(Failure::usage("there is no such instruction"));
    }
    if json {
        return print_json(&serde_json::json!({ "instructions": entries }));
    }
    let mut text = table(&entries, coverage);
    if coverage {
        let done = entries
            .iter()
            .filter(|entry| entry.executes == Some(true))
            .count();
        text += &format!(
            "\n{done} of {} operations are executed; each with 32 and with 16 bits (.16)\n",
            entries.len()
        );
    }
    print(&text)
}

fn table(entries: &[Entry], coverage: bool) -> String {
    let header: &[&str] = match coverage {
        true => &["name", "code", "executed", "fidelity"],
        false => &["name", "code", "sources", "stores", "returns", "also"],
    };
    let mut table = Columns::new(header, &[1], if coverage { &[] } else { &[5] });
    for entry in entries {
        let code = entry.code.to_string();
        let rest = match (entry.executes, entry.fidelity) {
            (Some(executes), Some(fidelity)) => {
                let executes = if executes { "yes" } else { "no" };
                vec![executes.to_owned(), fidelity.to_owned()]
            }
            _ => {
                let other = entry.other.clone().unwrap_or_default();
                let told = [entry.sources, entry.stores, entry.returns].map(str::to_owned);
                told.into_iter().chain([other]).collect()
            }
        };
        table.add([vec![entry.name.clone(), code], rest].concat());
    }
    table.text()
}
