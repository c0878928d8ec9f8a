//! The table of proofs refers only to existing tests and instructions.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use wavetank_gcn::Chip;

use super::*;
use crate::{Fidelity, fidelity};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Every file under a folder whose name has an ending.
fn files(folder: &Path, end: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the repository") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, end, found);
        } else if path.to_str().is_some_and(|name| name.ends_with(end)) {
            found.push(path);
        }
    }
}

/// The text of each test of this name, in files of this name.
fn bodies(place: &str) -> Vec<String> {
    let (file, test) = place.split_once("::").expect("file::test");
    let (mut sources, end) = (Vec::new(), format!("/{file}.rs"));
    files(&Path::new(ROOT).join("crates"), &end, &mut sources);
    let texts = sources
        .into_iter()
        .map(|path| fs::read_to_string(path).expect("a source"));
    texts.filter_map(|text| body(&text, test)).collect()
}

/// The text of a test: up to the brace with the indentation of its `fn`.
fn body(text: &str, test: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let head = format!("fn {test}(");
    let start = lines
        .windows(2)
        .position(|pair| pair[0].trim() == "#[test]" && pair[1].trim_start().starts_with(&head))?
        + 1;
    let depth = lines[start].len() - lines[start].trim_start().len();
    let close = format!("{}}}", " ".repeat(depth));
    let length = lines[start..].iter().position(|line| *line == close)?;
    Some(lines[start..start + length].join("\n"))
}

/// Whether a source contains the name of an instruction, not as the start of a longer name.
fn mentions(text: &str, instruction: &str) -> bool {
    let upper = instruction.to_uppercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|word| word == upper)
}

#[test]
fn named_tests_are_there() {
    for (place, instructions) in MEANINGS {
        let bodies = bodies(place);
        for instruction in instructions.split_whitespace() {
            let named = bodies.iter().any(|text| mentions(text, instruction));
            assert!(named, "no test {place} names {instruction}");
        }
    }
    for (place, _) in OPERATIONS {
        assert!(!bodies(place).is_empty(), "there is no test {place}");
    }
}

/// The instructions are listed in order, and once. Approximate ones are not listed, and every name is one of the table's.
#[test]
fn what_is_listed_is_exact() {
    let exact = |op: Op| {
        let on = |chip: &Chip| matches!(fidelity(op, *chip), Fidelity::Exact(_));
        Chip::GCN.iter().any(on)
    };
    let known: BTreeSet<&str> = Op::all().filter(|op| exact(*op)).map(name).collect();
    let mut seen = BTreeSet::new();
    for (place, instructions) in MEANINGS.iter().chain(OPERATIONS) {
        let listed: Vec<&str> = instructions.split_whitespace().collect();
        assert!(listed.is_sorted(), "{place}");
        for instruction in listed {
            assert!(known.contains(instruction), "{place}: {instruction}");
            assert!(seen.insert(instruction), "{instruction} is listed twice");
        }
    }
}

#[test]
fn names_are_unique() {
    let mut seen = BTreeSet::new();
    // A name of CDNA may be that of an older encoding, with the same meaning.
    let of_gcn = |op: &Op| Chip::GCN.iter().any(|chip| op.row().exists_on(*chip));
    for op in Op::all().filter(of_gcn) {
        assert!(seen.insert(name(op)), "{op:?}");
    }
}
