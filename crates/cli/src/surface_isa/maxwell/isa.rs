//! `wavetank isa --isa maxwell:52`: the operations of SUATOM with their sizes, and the forms.

use serde::Serialize;
use wavetank_surface_isa::maxwell::{FORMS, Form, Generation, Op, rules};

use crate::columns::Columns;
use crate::exit::{Failure, Result, print, print_json};

/// What is asked for.
pub struct Asked<'a> {
    /// Only what this form can say.
    pub format: Option<&'a str>,
    /// Only what has this part in its name.
    pub part: &'a str,
    /// Whether it is executed, and how exactly.
    pub coverage: bool,
    /// Whether JSON is printed.
    pub json: bool,
}

/// An operation on a size, with the forms that can say it.
#[derive(Serialize)]
struct Entry {
    name: String,
    /// The field `op`; absent for CAS, which has forms of its own.
    opcode: Option<u64>,
    forms: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    executes: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fidelity: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

/// What holds the execution of raw data to the reference text.
const EXACT: &str = "shown by crates/surface_isa/tests/maxwell/execution/table.rs, on rows; places in blocks are approximate";
/// The reference text does not describe formatted data.
const FORMATTED: &str =
    "32 bits, of the kind that the surface's elements say; the reference text is silent on .P";

/// Lists what a generation has.
pub fn isa(generation: Generation, asked: &Asked<'_>) -> Result {
    let known = FORMS.iter().filter(|form| form.since <= generation);
    let forms: Vec<&Form> = match asked.format {
        None => known.collect(),
        Some(name) => known
            .filter(|form| form.name.eq_ignore_ascii_case(name))
            .collect(),
    };
    if forms.is_empty() {
        let names: Vec<&str> = FORMS.iter().map(|form| form.name).collect();
        let sentence = format!(
            "`{}` is no form of SUATOM on {generation}: write one of {}",
            asked.format.unwrap_or_default(),
            names.join(", ")
        );
        return Err(Failure::usage(sentence));
    }
    let part = asked.part.to_ascii_uppercase();
    let all = Op::ALL
        .iter()
        .flat_map(|op| entries(*op, generation, &forms, asked.coverage));
    let entries: Vec<Entry> = all
        .filter(|entry| entry.name.to_ascii_uppercase().contains(&part))
        .collect();
    if entries.is_empty() {
        return Err(Failure::usage("there is no such instruction"));
    }
    match asked.json {
        true => print_json(
            &serde_json::json!({ "isa": generation.to_string(), "instructions": entries }),
        ),
        false => print(&text(&entries, asked.coverage, generation)),
    }
}

/// An operation: on each size of raw data, then on formatted data.
fn entries<'f>(
    op: Op,
    generation: Generation,
    forms: &'f [&'static Form],
    coverage: bool,
) -> impl Iterator<Item = Entry> + 'f {
    let entry = move |name: String, formatted: bool| {
        let says = |form: &&&'static Form| {
            form.is_formatted() == formatted && form.is_cas() == (op == Op::Cas)
        };
        let (fidelity, reason) = match formatted {
            false => ("exact", EXACT),
            true => ("approximate", FORMATTED),
        };
        Entry {
            name,
            opcode: (op != Op::Cas).then(|| op.code()),
            forms: forms.iter().filter(says).map(|form| form.name).collect(),
            executes: coverage.then_some(true),
            fidelity: coverage.then_some(fidelity),
            reason: coverage.then_some(reason),
        }
    };
    let sizes = rules::sizes(op)
        .iter()
        .filter(move |size| size.is_on(generation));
    let raw = sizes.map(move |size| {
        let name = format!("SUATOM.D.{}.{}", op.name(), size.printed(generation));
        entry(name, false)
    });
    let formatted = std::iter::once_with(move || entry(format!("SUATOM.P.{}", op.name()), true));
    raw.chain(formatted).filter(|entry| !entry.forms.is_empty())
}

fn text(entries: &[Entry], coverage: bool, generation: Generation) -> String {
    let header: &[&str] = match coverage {
        true => &["name", "op", "executes", "fidelity", "reason"],
        false => &["name", "op", "forms"],
    };
    let mut table = Columns::new(
        header,
        &[1],
        &header.len().checked_sub(1).into_iter().collect::<Vec<_>>(),
    );
    for entry in entries {
        let opcode = entry.opcode.map_or("–".to_owned(), |n| n.to_string());
        let mut cells = vec![entry.name.clone(), opcode];
        match (entry.executes, entry.fidelity, entry.reason) {
            (Some(executes), Some(fidelity), Some(reason)) => {
                let executes = if executes { "yes" } else { "no" };
                cells.extend([executes, fidelity, reason].map(str::to_owned));
            }
            _ => cells.push(entry.forms.join(" ")),
        }
        table.add(cells);
    }
    let mut out = table.text();
    if coverage {
        let count = |class| entries.iter().filter(|e| e.fidelity == Some(class)).count();
        let executed = entries.iter().filter(|e| e.executes == Some(true)).count();
        out += &format!(
            "\n{executed} of {} instructions are executed on {generation}: {} approximate, {} exact.\n",
            entries.len(),
            count("approximate"),
            count("exact")
        );
    }
    out
}
