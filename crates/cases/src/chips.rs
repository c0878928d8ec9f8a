//! Files of cases, some of which run on several chips: see `docs/reference/exec-format.md`.
//!
//! After `isa gfx803 gfx900` each case runs on every chip of the line that has all of its instructions.

use wavetank::DEFAULT_CHIP;

use crate::set::Set;
use crate::{Case, ExecError, file};

/// Lines of a file, and the instruction sets that run them.
struct Part<'a> {
    sets: Vec<Set>,
    lines: Vec<&'a str>,
    /// The number of the first line, from 1.
    first: usize,
}

/// Reads the cases of a file.
///
/// # Errors
/// The error of the first wrong line.
pub fn parse_file(text: &str) -> Result<Vec<Case>, ExecError> {
    let mut cases = Vec::new();
    for part in parts(text)? {
        cases.extend(part.read()?);
    }
    if cases.is_empty() {
        Err(ExecError {
            line: None,
            message: "the file has no instruction: a line that begins with `>`".into(),
        })
    } else {
        Ok(cases)
    }
}

/// Returns a line without its comment.
fn said(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

/// Divides the file into parts. Where an `isa` line names several chips, each case is a part of its own.
fn parts(text: &str) -> Result<Vec<Part<'_>>, ExecError> {
    let mut parts = vec![Part::new(vec![Set::Gcn(DEFAULT_CHIP)], 1)];
    for (number, line) in (1..).zip(text.lines()) {
        let part = parts.last_mut().expect("there is a first part");
        let several = part.sets.len() > 1;
        match said(line) {
            header if header.starts_with("isa ") && (several || names(header).count() > 1) => {
                let sets = sets(header).map_err(|message| ExecError {
                    line: Some(number),
                    message,
                })?;
                parts.push(Part::new(sets, number + 1));
            }
            begin if several && (begin.starts_with("case ") || begin == "---") => {
                let next = Part::new(part.sets.clone(), number);
                parts.push(Part {
                    lines: vec![line],
                    ..next
                });
            }
            _ => part.lines.push(line),
        }
    }
    Ok(parts)
}

/// Returns the instruction sets of an `isa` line, each of them once.
fn sets(header: &str) -> Result<Vec<Set>, String> {
    let mut sets = Vec::new();
    for name in names(header) {
        let set = Set::named(name)?;
        if sets.contains(&set) {
            return Err(format!("{} stands twice after `isa`", set.name()));
        }
        sets.push(set);
    }
    Ok(sets)
}

/// Returns the names of an `isa` line.
fn names(header: &str) -> impl Iterator<Item = &str> {
    header.split_whitespace().skip(1)
}

impl<'a> Part<'a> {
    fn new(sets: Vec<Set>, first: usize) -> Part<'a> {
        let lines = Vec::new();
        Part { sets, lines, first }
    }

    fn read(&self) -> Result<Vec<Case>, ExecError> {
        let [first, others @ ..] = self.sets.as_slice() else {
            return Ok(Vec::new());
        };
        if others.is_empty() {
            return file::read(&self.lines, self.first, *first);
        }
        let mut cases = Vec::new();
        let having: Vec<&Set> = self.sets.iter().filter(|set| self.runs_on(**set)).collect();
        // If no chip has all of them, the error names the instructions that the first chip lacks.
        let sets = if having.is_empty() {
            vec![first]
        } else {
            having
        };
        for set in sets {
            for mut case in file::read(&self.lines, self.first, *set)? {
                case.name = format!("{} ({})", case.name, set.name()).trim().to_owned();
                cases.push(case);
            }
        }
        Ok(cases)
    }

    /// Returns whether an instruction set has all instructions of the lines.
    fn runs_on(&self, set: Set) -> bool {
        let lines = self.lines.iter();
        let mut instructions = lines.filter_map(|line| file::instruction(said(line)));
        instructions.all(|(_, text)| set.instructions(text, text).is_ok())
    }
}
