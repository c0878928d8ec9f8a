//! The text form of cases: see `docs/exec-format.md`.

use std::collections::HashSet;

use wavetank_isa::{Chip, Inst, encode, parse};

use crate::chips::{ChipFacts, DEFAULT_CHIP};
use crate::instruction_set;

use super::value::{Assignment, Target, no_buffer, values};
use super::{Case, ExecError, Line};

/// Reads the cases of a file.
///
/// # Errors
/// The first line that is wrong.
pub fn parse_file(text: &str) -> Result<Vec<Case>, ExecError> {
    let mut chip = DEFAULT_CHIP;
    let mut cases: Vec<Case> = Vec::new();
    let mut case = Case::new(chip, 1);
    for (n, raw) in text.lines().enumerate() {
        let number = n + 1;
        let line = raw.split('#').next().unwrap_or_default().trim();
        let wrong = |message: String| ExecError {
            line: Some(number),
            message,
        };
        if line.is_empty() {
            continue;
        }
        if let Some(name) = line.strip_prefix("case ") {
            finish(&mut cases, case)?;
            case = Case {
                name: name.trim().to_owned(),
                ..Case::new(chip, number)
            };
        } else if line == "---" {
            finish(&mut cases, case)?;
            case = Case::new(chip, number);
        } else if let Some(name) = line.strip_prefix("isa ") {
            chip = chip_named(name.trim()).map_err(wrong)?;
            case.chip = chip;
        } else if let Some(text) = line.strip_prefix('>') {
            if !case.expectations.is_empty() {
                return Err(wrong(
                    "an instruction stands after expectations: begin a new `case`".into(),
                ));
            }
            let inst = instruction(text.trim(), case.chip).map_err(wrong)?;
            case.code.push(Line { inst, number });
        } else {
            let assignment = assignment(line, number).map_err(wrong)?;
            match case.code.is_empty() {
                true => case.setup.push(assignment),
                false => case.expectations.push(assignment),
            }
        }
    }
    finish(&mut cases, case)?;
    match cases.is_empty() {
        true => Err(ExecError {
            line: None,
            message: "the file has no instruction: a line that begins with `>`".into(),
        }),
        false => Ok(cases),
    }
}

fn finish(cases: &mut Vec<Case>, case: Case) -> Result<(), ExecError> {
    if case.code.is_empty() {
        if case.setup.is_empty() && case.name.is_empty() {
            return Ok(());
        }
        let message = "the case has no instruction: a line that begins with `>`".into();
        return Err(ExecError {
            line: Some(case.line),
            message,
        });
    }
    check_buffers(&case)?;
    cases.push(case);
    Ok(())
}

/// Whether each `&NAME` is the address of a buffer of the case. Buffers are made in their order, before all else.
fn check_buffers(case: &Case) -> Result<(), ExecError> {
    let mut made = HashSet::new();
    let buffer = |a: &&Assignment| matches!(a.target, Target::Memory { .. });
    let (buffers, others): (Vec<_>, Vec<_>) = case.setup.iter().partition(buffer);
    for assignment in buffers.into_iter().chain(others).chain(&case.expectations) {
        let unknown = assignment.addresses().find(|name| !made.contains(name));
        if let Some(name) = unknown {
            return Err(ExecError {
                line: Some(assignment.line),
                message: no_buffer(name),
            });
        }
        if let Target::Memory { name } = &assignment.target {
            made.insert(name.as_str());
        }
    }
    Ok(())
}

/// Makes a case of the words of a command: instructions, parted by `;`, and `REG=VALUES`.
///
/// # Errors
/// The first word that is wrong.
pub fn parse_words(chip: &str, instructions: &str, state: &[String]) -> Result<Case, ExecError> {
    let wrong = |message| ExecError {
        line: None,
        message,
    };
    let mut case = Case::new(chip_named(chip).map_err(wrong)?, 1);
    for text in instructions
        .split(';')
        .map(str::trim)
        .filter(|t| !t.is_empty())
    {
        let inst = instruction(text, case.chip).map_err(wrong)?;
        case.code.push(Line { inst, number: 1 });
    }
    if case.code.is_empty() {
        return Err(wrong("there is no instruction".into()));
    }
    for word in state {
        case.setup.push(assignment(word, 1).map_err(wrong)?);
    }
    check_buffers(&case).map_err(|error| wrong(error.message))?;
    Ok(case)
}

fn chip_named(name: &str) -> Result<Chip, String> {
    let chip = instruction_set(name).map_err(|error| error.to_string())?;
    let facts = ChipFacts::of(chip).map_err(|error| error.to_string())?;
    Ok(facts.chip)
}

fn instruction(text: &str, chip: Chip) -> Result<Inst, String> {
    let inst =
        parse(text, chip).map_err(|error| format!("{}\n{}", error.message, error.snippet(text)))?;
    encode(&inst).map_err(|error| error.to_string())?;
    Ok(inst)
}

fn assignment(text: &str, line: usize) -> Result<Assignment, String> {
    let (target, list) = text.split_once('=').ok_or_else(|| {
        format!("expected `REGISTER = VALUES` or `> INSTRUCTION`, found `{text}`")
    })?;
    let target = Target::parse(target.trim())?;
    let read = values(list.trim(), target.is_wide());
    let (values, exactness) = read.map_err(|problem| format!("`{target}=`: {problem}"))?;
    if matches!(target, Target::Vector { .. }) && values.len() > wavetank_ir::LANES {
        return Err(format!("{} values for 64 lanes", values.len()));
    }
    let single = matches!(target, Target::Scalar { .. } | Target::Scc | Target::Mode);
    if single && values.len() != 1 {
        return Err(format!("one value was expected, found {}", values.len()));
    }
    Ok(Assignment {
        target,
        values,
        exactness,
        line,
    })
}
