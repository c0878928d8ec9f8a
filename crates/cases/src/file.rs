//! The text form of cases: see `docs/reference/exec-format.md`.

use std::collections::HashSet;

use wavetank::surfaces::coordinates;

use crate::expected_fault::ExpectedFault;
use crate::place::{FIRST_ACCUMULATOR, Target};
use crate::set::{Line, Set};
use crate::surface::Declared;
use crate::value::{Assignment, Value, no_buffer, values};
use crate::{Case, ExecError};

/// Reads cases of an instruction set, or of others that `isa` lines select. `first` is the number of the first line.
///
/// # Errors
/// The error of the first wrong line.
pub(crate) fn read(lines: &[&str], first: usize, mut set: Set) -> Result<Vec<Case>, ExecError> {
    let mut cases: Vec<Case> = Vec::new();
    let mut case = Case::new(set, first);
    for (number, raw) in (first..).zip(lines) {
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
                ..Case::new(set, number)
            };
        } else if line == "---" {
            finish(&mut cases, case)?;
            case = Case::new(set, number);
        } else if let Some(name) = line.strip_prefix("isa ") {
            set = Set::named(name.trim()).map_err(wrong)?;
            // The instructions before the `isa` line are those of the previous instruction set.
            if !case.code.is_empty() {
                finish(&mut cases, case)?;
                case = Case::new(set, number);
            }
            if case.sizes == case.set.sizes() {
                case.sizes = set.sizes();
            }
            case.set = set;
        } else if let Some((place, text)) = instruction(line) {
            if case.expects() {
                return Err(wrong(
                    "an instruction stands after expectations: begin a new `case`".into(),
                ));
            }
            let lines = Line::read(text.trim(), raw, number, case.set).map_err(wrong)?;
            match (place, case.set) {
                (Place::Code, _) => case.code.extend(lines),
                (Place::Handler, Set::Gcn(_)) => case.handler.extend(lines),
                (Place::Handler, Set::Maxwell(_) | Set::Visa(_)) => {
                    return Err(wrong(format!(
                        "{} has no trap handler here: write the instruction after `>` alone",
                        case.set.name()
                    )));
                }
            }
        } else {
            read_state(&mut case, line, number).map_err(wrong)?;
        }
    }
    finish(&mut cases, case)?;
    Ok(cases)
}

/// The part of a case that contains an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Code,
    Handler,
}

/// Returns the instruction of a line `> …` or `handler > …`.
pub(crate) fn instruction(line: &str) -> Option<(Place, &str)> {
    let (place, rest) = match line.strip_prefix("handler") {
        Some(rest) => (Place::Handler, rest.trim_start()),
        None => (Place::Code, line),
    };
    Some((place, rest.strip_prefix('>')?.trim()))
}

fn finish(cases: &mut Vec<Case>, mut case: Case) -> Result<(), ExecError> {
    if case.code.is_empty() {
        let nothing = case.setup.is_empty() && case.handler.is_empty();
        if nothing && case.surfaces.is_empty() && case.name.is_empty() {
            return Ok(());
        }
        let message = "the case has no instruction: a line that begins with `>`".into();
        return Err(ExecError {
            line: Some(case.line),
            message,
        });
    }
    complete(&mut case)?;
    cases.push(case);
    Ok(())
}

/// Checks the properties of a case that depend on all of its lines.
fn complete(case: &mut Case) -> Result<(), ExecError> {
    check_registers(case)?;
    let assignments = case.setup.iter_mut().chain(&mut case.expectations);
    let placed = case.set.place(&case.code, assignments);
    let checked = placed.and_then(|()| case.set.check(&case.code, &case.surfaces));
    checked.map_err(|(line, message)| ExecError {
        line: Some(line),
        message,
    })?;
    check_buffers(case)
}

/// Checks that a wave has the registers that are set. An expectation may name registers that it lacks: they are 0.
fn check_registers(case: &Case) -> Result<(), ExecError> {
    if !matches!(case.set, Set::Gcn(_)) {
        return Ok(());
    }
    for assignment in &case.setup {
        if let Some(lack) = lacking(case, &assignment.target) {
            return Err(assignment.wrong(format!("`{}`: {lack}", assignment.target)));
        }
    }
    Ok(())
}

/// Returns the reason for which a wave does not have a register; `None` if it has it.
fn lacking(case: &Case, target: &Target) -> Option<String> {
    let sizes = &case.sizes;
    let place = match target {
        Target::OfWave { is, .. } => is,
        other => other,
    };
    // Every wave has the registers with a name.
    let (file, name, register, wide, has) = match *place {
        Target::Vector { register, wide } => match register.checked_sub(FIRST_ACCUMULATOR) {
            Some(_) if !case.set.has_accumulators() => {
                return Some("only chips of CDNA have accumulation registers".to_owned());
            }
            Some(n) => ('a', "agprs", n, wide, sizes.agprs),
            None => ('v', "vgprs", register, wide, sizes.vgprs),
        },
        Target::Scalar { register, wide } => ('s', "sgprs", register, wide, sizes.sgprs),
        _ => return None,
    };
    let needed = register + 1 + usize::from(wide);
    (needed > has as usize).then(|| {
        let there = match has.checked_sub(1) {
            Some(last) => format!("{file}0 to {file}{last}"),
            None => format!("no {name}"),
        };
        format!("the wave has {there}: write `{name} = {needed}`")
    })
}

/// Reads a line of the start state, or of the expectations.
fn read_state(case: &mut Case, line: &str, number: usize) -> Result<(), String> {
    let before = case.code.is_empty() && case.handler.is_empty();
    if let Some(text) = surface_line(line) {
        return declare(case, text, number);
    }
    if let Some(text) = fault_line(line) {
        if before {
            return Err("a fault is expected before instructions: it belongs after them".into());
        }
        case.fault = Some((ExpectedFault::parse(text)?, number));
        return Ok(());
    }
    if matches!(case.set, Set::Gcn(_)) && case.sizes.set(line, case.set.sgprs())?.is_some() {
        return if before {
            Ok(())
        } else {
            Err(format!(
                "`{line}` is part of the state before: it belongs before instructions"
            ))
        };
    }
    if let Some(name) = border_line(line) {
        if !before {
            return Err("the table of border colors belongs before instructions".into());
        }
        case.border_colors = Some((name?.to_owned(), number));
        return Ok(());
    }
    let assignment = assignment(line, case, number)?;
    if before && matches!(assignment.target.place(), Target::Export { .. }) {
        return Err("an export is expected before instructions: it belongs after them".into());
    }
    if before {
        case.setup.push(assignment);
    } else {
        case.expectations.push(assignment);
    }
    Ok(())
}

/// Returns the text after `fault =`.
fn fault_line(line: &str) -> Option<&str> {
    let (name, text) = line.split_once('=')?;
    (name.trim() == "fault").then_some(text.trim())
}

/// Returns the buffer that `border colors =` names.
fn border_line(line: &str) -> Option<Result<&str, String>> {
    let (name, text) = line.split_once('=')?;
    let is_it = name.split_whitespace().eq(["border", "colors"]);
    let wrong =
        || "`border colors =`: write the address of a buffer, as in `border colors = &NAME`";
    is_it.then(|| {
        text.trim()
            .strip_prefix('&')
            .ok_or_else(|| wrong().to_owned())
    })
}

/// Returns the text after `surface`, unless the line sets or expects the value of an element.
fn surface_line(line: &str) -> Option<&str> {
    line.strip_prefix("surface ")
        .filter(|text| !text.contains('='))
}

/// Adds a surface to a case, or sets the maximum valid number of a surface.
fn declare(case: &mut Case, text: &str, line: usize) -> Result<(), String> {
    if !case.code.is_empty() {
        return Err("a surface stands after instructions: it belongs before them".into());
    }
    if let Some(number) = text.trim().strip_prefix("maximum ") {
        let maximum = number.trim().parse().map_err(|_| {
            format!(
                "`{}` is not a number: write `surface maximum 10`",
                number.trim()
            )
        })?;
        case.maximum = Some(maximum);
        return Ok(());
    }
    let declared = Declared::parse(text, line)?;
    let number = declared.number;
    if case.surfaces.iter().any(|surface| surface.number == number) {
        return Err(format!("there is a surface {number} already"));
    }
    case.surfaces.push(declared);
    Ok(())
}

/// Checks that each `&NAME` is the address of a buffer of the case. Buffers are made first, in the order of their lines.
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
        if let Target::Memory { name, .. } = &assignment.target {
            made.insert(name.as_str());
        }
    }
    match &case.border_colors {
        Some((name, line)) if !made.contains(name.as_str()) => Err(ExecError {
            line: Some(*line),
            message: no_buffer(name),
        }),
        _ => Ok(()),
    }
}

/// Makes a case of the words of a command: the name of an instruction set, instructions separated by `;`, then `REG=VALUES` and
/// `surface …`, whose words may be one argument or several.
///
/// # Errors
/// The error of the first wrong word.
pub fn parse_words(isa: &str, instructions: &str, state: &[String]) -> Result<Case, ExecError> {
    let wrong = |message| ExecError {
        line: None,
        message,
    };
    let mut case = Case::new(Set::named(isa).map_err(wrong)?, 1);
    for text in without_comment(instructions, case.set)
        .split(';')
        .map(str::trim)
        .filter(|t| !t.is_empty())
    {
        let lines = Line::read(text, instructions, 1, case.set).map_err(wrong)?;
        case.code.extend(lines);
    }
    if case.code.is_empty() {
        return Err(wrong("there is no instruction".into()));
    }
    let code = std::mem::take(&mut case.code);
    for word in phrases(state) {
        read_state(&mut case, &word, 1).map_err(wrong)?;
    }
    case.code = code;
    complete(&mut case).map_err(|error| wrong(error.message))?;
    Ok(case)
}

/// Removes the comment after an instruction of NVIDIA's or Intel's syntax.
fn without_comment(text: &str, set: Set) -> &str {
    match (set, text.split_once("//")) {
        (Set::Maxwell(_) | Set::Visa(_), Some((code, _))) => code,
        _ => text,
    }
}

/// Joins the words of a state: a surface takes the words after it, up to the next that begins a surface or sets a value.
fn phrases(state: &[String]) -> Vec<String> {
    let mut phrases: Vec<String> = Vec::new();
    let mut of_surface = false;
    for word in state {
        let begins = word == "surface";
        match phrases
            .last_mut()
            .filter(|_| of_surface && !begins && !word.contains('='))
        {
            Some(surface) => {
                surface.push(' ');
                surface.push_str(word);
            }
            None => {
                phrases.push(word.clone());
                of_surface = begins;
            }
        }
    }
    phrases
}

fn assignment(text: &str, case: &Case, line: usize) -> Result<Assignment, String> {
    let (target, list) = text.split_once('=').ok_or_else(|| {
        format!("expected `REGISTER = VALUES` or `> INSTRUCTION`, found `{text}`")
    })?;
    let target = case.set.target(target.trim())?;
    if let Some(wave) = target.wave().filter(|wave| *wave >= case.sizes.waves) {
        let last = case.sizes.waves - 1;
        return Err(format!(
            "there is no wave {wave}: the last is wave {last}; write `waves = {}` first",
            wave.saturating_add(1)
        ));
    }
    let (bits, room) = match *target.place() {
        Target::Element { number, level, at } => elements(case, number, level, at)?,
        _ => (target.bits(), usize::MAX),
    };
    let read = values(list.trim(), bits == 64);
    let (mut values, exactness) = read.map_err(|problem| format!("`{target}=`: {problem}"))?;
    for value in &mut values {
        if let Value::Bits(all) = value {
            *all &= u64::MAX >> (64 - bits);
        }
    }
    let lanes = match target.place() {
        _ if target.is_by_lane() => case.set.threads(),
        // A variable is one register, whatever the number of channels that read it.
        Target::Variable(_) => wavetank_ir::LANES,
        _ => usize::MAX,
    };
    if values.len() > lanes {
        return Err(format!("{} values for {lanes} lanes", values.len()));
    }
    if values.len() > room && !target.is_single() {
        return Err(format!("{} values for {room} elements", values.len()));
    }
    if target.is_single() && values.len() != 1 {
        return Err(format!("one value was expected, found {}", values.len()));
    }
    Ok(Assignment {
        target,
        values,
        exactness,
        line,
    })
}

/// Returns the width of a surface's elements, and their number at the place, if the surface has it.
fn elements(
    case: &Case,
    number: u32,
    level: u32,
    at: Option<[u32; 3]>,
) -> Result<(u32, usize), String> {
    let mut all = case.surfaces.iter();
    let declared = all.find(|declared| declared.number == number);
    let declared = declared.ok_or_else(|| {
        format!("there is no surface {number}: write `surface T{number} 2d 8x4 u32 iota` first")
    })?;
    let surface = &declared.surface;
    let shape = surface.shape();
    if level >= surface.levels {
        let levels = surface.levels;
        let plural = if levels == 1 { "" } else { "s" };
        return Err(format!(
            "surface {number} is {shape} with {levels} level{plural}: there is no level {level}"
        ));
    }
    let sides = surface.coordinates_of(level);
    match at {
        Some(at) if (0..3).any(|n| at[n] >= sides[n]) => {
            let [x, y, z] = sides;
            let of = match level {
                0 => String::new(),
                _ => format!(" in level {level}, which is {x} by {y} by {z}"),
            };
            Err(format!(
                "surface {number} is {shape}: there is no element {at:?}{of}"
            ))
        }
        at => {
            let count = at.map_or_else(|| coordinates(surface, level).count(), |_| 1);
            Ok((8 * surface.element.bytes(), count))
        }
    }
}
