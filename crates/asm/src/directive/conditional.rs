//! Conditions: parts of a source that are read or skipped.

use std::rc::Rc;

use super::{Handler, row};
use crate::assembler::Assembler;
use crate::errors::LineError;
use crate::source::{Cursor, Origin, Wrong, wrong};

/// How deep conditions stand within each other at most.
const DEEPEST: usize = 10_000;

const fn deciding(name: &'static str, act: super::Act) -> Handler {
    Handler {
        decides: true,
        ..row(name, act)
    }
}

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    deciding(".if", |a, c| compare(a, c, |n| n != 0)),
    deciding(".ifne", |a, c| compare(a, c, |n| n != 0)),
    deciding(".ifeq", |a, c| compare(a, c, |n| n == 0)),
    deciding(".ifge", |a, c| compare(a, c, |n| n >= 0)),
    deciding(".ifgt", |a, c| compare(a, c, |n| n > 0)),
    deciding(".ifle", |a, c| compare(a, c, |n| n <= 0)),
    deciding(".iflt", |a, c| compare(a, c, |n| n < 0)),
    deciding(".ifdef", |a, c| defined(a, c, true)),
    deciding(".ifndef", |a, c| defined(a, c, false)),
    deciding(".ifnotdef", |a, c| defined(a, c, false)),
    deciding(".ifb", |a, c| open(a, c, |_, c| Ok(c.is_at_end()))),
    deciding(".ifnb", |a, c| open(a, c, |_, c| Ok(!c.is_at_end()))),
    deciding(".ifc", |a, c| open(a, c, |_, c| same(c))),
    deciding(".ifnc", |a, c| open(a, c, |_, c| Ok(!same(c)?))),
    deciding(".ifeqs", |a, c| open(a, c, |_, c| same_quoted(c))),
    deciding(".ifnes", |a, c| open(a, c, |_, c| Ok(!same_quoted(c)?))),
    deciding(".elseif", otherwise_if),
    deciding(".else", otherwise),
    deciding(".endif", end),
];

/// A condition that is open.
#[derive(Debug)]
pub(crate) struct Condition {
    /// Whether what stands here is read.
    reads: bool,
    /// Whether one of its parts has been read, or none shall be.
    done: bool,
    /// Whether `.else` stands before.
    last: bool,
    origin: Option<Rc<Origin>>,
    line: usize,
}

impl Condition {
    pub fn reads(&self) -> bool {
        self.reads
    }

    /// The error of one that has no end.
    pub fn never_ended(&self) -> LineError {
        let error = wrong(0..0, "this condition has no `.endif`");
        match &self.origin {
            Some(origin) => {
                let text = origin.text.lines().nth(self.line - 1).unwrap_or_default();
                let indent = text.len() - text.trim_start().len();
                let error = wrong(indent..text.len(), error.message);
                LineError::new(origin, self.line, text, *error)
            }
            None => LineError {
                file: None,
                number: self.line,
                text: String::new(),
                error: *error,
                around: Vec::new(),
            },
        }
    }
}

/// Opens a condition. Where all is skipped, it is not looked at.
fn open<'t>(
    a: &mut Assembler<'_>,
    mut cursor: Cursor<'t>,
    holds: impl FnOnce(&mut Assembler<'_>, &mut Cursor<'t>) -> Result<bool, Wrong>,
) -> Result<(), Wrong> {
    if a.conditions.len() >= DEEPEST {
        return Err(wrong(
            0..cursor.text().len(),
            "conditions stand too deep within each other",
        ));
    }
    let outer = a.conditions.last().is_none_or(Condition::reads);
    let result = match outer {
        true => holds(a, &mut cursor),
        false => Ok(false),
    };
    // Of one that is wrong, nothing is read.
    let reads = matches!(result, Ok(true));
    a.conditions.push(Condition {
        reads,
        done: reads || !outer || result.is_err(),
        last: false,
        origin: a.inputs.current().map(|input| input.origin.clone()),
        line: a.line(),
    });
    result.map(|_| ())
}

fn compare(a: &mut Assembler<'_>, cursor: Cursor<'_>, test: fn(i64) -> bool) -> Result<(), Wrong> {
    open(a, cursor, |a, cursor| {
        let number = a.number(cursor)?;
        cursor.end()?;
        Ok(test(number))
    })
}

fn defined(a: &mut Assembler<'_>, cursor: Cursor<'_>, wanted: bool) -> Result<(), Wrong> {
    open(a, cursor, |a, cursor| {
        let name = cursor.name()?;
        cursor.end()?;
        let symbol = a.symbols.find(&name).map(|id| &a.symbols[id]);
        Ok(symbol.is_some_and(crate::state::Symbol::is_defined) == wanted)
    })
}

/// `.ifc A, B`: whether two texts are the same.
fn same(cursor: &mut Cursor<'_>) -> Result<bool, Wrong> {
    let rest = cursor.rest();
    match rest.split_once(',') {
        Some((a, b)) => Ok(a.trim() == b.trim()),
        None => Err(cursor.wrong("there should be two texts with a comma between them")),
    }
}

fn same_quoted(cursor: &mut Cursor<'_>) -> Result<bool, Wrong> {
    let a = cursor.quoted()?;
    cursor.expect_comma()?;
    let b = cursor.quoted()?;
    cursor.end()?;
    Ok(a == b)
}

/// The innermost condition, if it was opened in the text that is read.
fn innermost<'s>(
    a: &'s mut Assembler<'_>,
    cursor: &Cursor<'_>,
) -> Result<&'s mut Condition, Wrong> {
    let outside = a.inputs.current().map_or(0, |input| input.conditions);
    let count = a.conditions.len();
    match a.conditions.last_mut() {
        Some(condition) if count > outside => Ok(condition),
        _ => Err(wrong(0..cursor.text().len(), "no `.if` stands before")),
    }
}

fn otherwise_if(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let condition = innermost(a, &cursor)?;
    if condition.last {
        return Err(wrong(0..cursor.text().len(), "`.else` stands before"));
    }
    condition.reads = false;
    if condition.done {
        return Ok(());
    }
    let number = a.number(&mut cursor)?;
    cursor.end()?;
    let condition = innermost(a, &cursor)?;
    condition.reads = number != 0;
    condition.done |= condition.reads;
    Ok(())
}

fn otherwise(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), Wrong> {
    let condition = innermost(a, &cursor)?;
    if condition.last {
        return Err(wrong(
            0..cursor.text().len(),
            "another `.else` stands before",
        ));
    }
    condition.reads = !condition.done;
    condition.last = true;
    cursor.end()
}

fn end(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), Wrong> {
    innermost(a, &cursor)?;
    a.conditions.pop();
    cursor.end()
}
