//! What "exact" means: each case of an instruction runs with its neighbours in its place, and some case has to fail.

mod neighbours;
mod reasons;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{available_parallelism, scope};

use wavetank_cases::{Case, Engine, Fidelity, fidelity, parse_file};
use wavetank_gcn::{Chip, Generation, Op};

use crate::coverage::page::CHIPS;
use crate::format::case_files;
use neighbours::{name, neighbours};
use reasons::Reasons;

/// The maximum number of neighbours that an instruction is compared with.
const NEIGHBOURS: usize = 12;

/// An instruction on a generation that coverage calls exact, and its cases, those first that are likely to distinguish most.
struct Row {
    op: Op,
    generation: Generation,
    cases: Vec<Case>,
}

/// What came of a row.
struct Outcome {
    name: &'static str,
    generation: Generation,
    /// How many neighbours could take its place in any case.
    neighbours: usize,
    /// The neighbours with which every case passes.
    undistinguished: Vec<&'static str>,
}

/// A row is exact when every neighbouring meaning fails its cases.
#[test]
#[ignore = "takes a minute or two; .ci/run includes it, once"]
fn every_neighbour_of_an_exact_instruction_fails_its_cases() {
    let mut reasons = Reasons::read(include_str!("../data/equivalent.txt"));
    let mut wrong = BTreeSet::new();
    for outcome in outcomes(&rows()) {
        let (name, generation) = (outcome.name, outcome.generation);
        if outcome.neighbours == 0 && !reasons.is_alone(name) {
            wrong.insert(format!("{name} on {generation:?} has no neighbour"));
        }
        for other in outcome.undistinguished {
            if !reasons.are_equivalent(name, other) {
                wrong.insert(format!("{name} on {generation:?} passes as {other}"));
            }
        }
    }
    let unneeded = reasons
        .unneeded()
        .into_iter()
        .map(|name| format!("equivalent.txt names {name}, which the cases tell"));
    wrong.extend(unneeded);
    let lines: Vec<String> = wrong.into_iter().collect();
    assert!(
        lines.is_empty(),
        "a value is missing in tests/isa, or a line in crates/cases/tests/data/equivalent.txt:\n{}",
        lines.join("\n")
    );
}

/// Every row that coverage calls exact.
fn rows() -> Vec<Row> {
    let mut shown: BTreeMap<(Op, Generation), Vec<Case>> = BTreeMap::new();
    for chip in CHIPS {
        let exact = |op: &Op| matches!(fidelity(*op, chip), Fidelity::Exact(_));
        for op in Op::all().filter(exact) {
            shown.insert((op, chip.generation()), Vec::new());
        }
    }
    for case in cases() {
        let Some(chip) = case.chip() else { continue };
        let ops: BTreeSet<Op> = case.instructions().map(|inst| inst.op).collect();
        for op in ops {
            if let Some(cases) = shown.get_mut(&(op, chip.generation())) {
                cases.push(case.clone());
            }
        }
    }
    let row = |((op, generation), mut cases): ((Op, Generation), Vec<Case>)| {
        let mnemonic = op.row().mnemonic(generation).unwrap_or_default();
        cases.sort_by_key(|case| {
            let named = case.name.split(' ').any(|word| word == mnemonic);
            (!named, case.instructions().count())
        });
        Row {
            op,
            generation,
            cases,
        }
    };
    shown.into_iter().map(row).collect()
}

/// All cases of the project.
fn cases() -> Vec<Case> {
    let read = |path| {
        let text = std::fs::read_to_string(path).expect("a text");
        parse_file(&text).expect("cases")
    };
    case_files().into_iter().flat_map(read).collect()
}

/// The outcome of each row, found by all processors.
fn outcomes(rows: &[Row]) -> Vec<Outcome> {
    let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = row.outcome();
            outcomes.lock().expect("no thread has failed").push(outcome);
        }
    };
    scope(|scope| {
        for _ in 0..available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(work);
        }
    });
    outcomes.into_inner().expect("no thread has failed")
}

impl Row {
    fn outcome(&self) -> Outcome {
        let chips: BTreeSet<Chip> = self.cases.iter().filter_map(Case::chip).collect();
        let mut others: Vec<Op> = Vec::new();
        for other in chips.iter().flat_map(|chip| neighbours(self.op, *chip)) {
            if !others.contains(&other) {
                others.push(other);
            }
        }
        let name = |op: Op| chips.first().map_or("", |chip| name(op, *chip));
        let mut outcome = Outcome {
            name: self.op.row().mnemonic(self.generation).unwrap_or_default(),
            generation: self.generation,
            neighbours: 0,
            undistinguished: Vec::new(),
        };
        for other in others {
            if outcome.neighbours == NEIGHBOURS {
                break;
            }
            match self.is_distinguished_from(other) {
                None => {}
                Some(distinguished) => {
                    outcome.neighbours += 1;
                    outcome
                        .undistinguished
                        .extend((!distinguished).then(|| name(other)));
                }
            }
        }
        outcome
    }

    /// Whether a case fails with another instruction in the place of this one; `None` where that has no encoding in any case.
    fn is_distinguished_from(&self, other: Op) -> Option<bool> {
        let swapped = |case: &Case| {
            let exists = other.row().exists_on(case.chip()?);
            exists.then(|| case.swapped(self.op, other)).flatten()
        };
        let passes = |case: &Case| {
            let run = case.run(Engine::Interpreter);
            run.is_ok_and(|run| run.failures().is_empty())
        };
        let mut swapped = self.cases.iter().filter_map(swapped).peekable();
        swapped.peek()?;
        Some(swapped.any(|case| !passes(&case)))
    }
}
