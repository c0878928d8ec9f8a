//! Conditional assembly: parts of a source that are read or skipped.

use crate::session::{Condition, Handler, Session};
use crate::source::{Cursor, SyntaxError, syntax_error};

/// Limit of nested conditions.
const DEEPEST: usize = 10_000;

/// Defines the rows of conditions: `.if…` as `ROWS`, and `.elseif…`, which only CLRX has, as `ELSE_ROWS`.
macro_rules! conditions {
    ($($name:literal => $test:expr,)*) => {
        pub(in super::super) const ROWS: &[Handler] = &[
            $(Handler::deciding(concat!(".if", $name), |a, c| open(a, c, $test)),)*
        ];
        pub(in super::super) const ELSE_ROWS: &[Handler] = &[
            $(Handler::deciding(concat!(".elseif", $name), |a, c| otherwise_if(a, c, $test)),)*
        ];
    };
}
pub(super) use conditions;

conditions! {
    "" => |a, c| compare(a, c, |n| n != 0),
    "ne" => |a, c| compare(a, c, |n| n != 0),
    "eq" => |a, c| compare(a, c, |n| n == 0),
    "ge" => |a, c| compare(a, c, |n| n >= 0),
    "gt" => |a, c| compare(a, c, |n| n > 0),
    "le" => |a, c| compare(a, c, |n| n <= 0),
    "lt" => |a, c| compare(a, c, |n| n < 0),
    "def" => |a, c| is_defined(a, c),
    "ndef" => |a, c| Ok(!is_defined(a, c)?),
    "notdef" => |a, c| Ok(!is_defined(a, c)?),
    "b" => |_, c| Ok(c.is_at_end()),
    "nb" => |_, c| Ok(!c.is_at_end()),
    "c" => |_, c| same(c),
    "nc" => |_, c| Ok(!same(c)?),
    "eqs" => |_, c| same_quoted(c),
    "nes" => |_, c| Ok(!same_quoted(c)?),
}

pub(super) const PARTS: &[Handler] = &[
    Handler::deciding(".elseif", |a, c| {
        otherwise_if(a, c, |a, c| compare(a, c, |n| n != 0))
    }),
    Handler::deciding(".else", otherwise),
    Handler::deciding(".endif", end),
];

/// Opens a condition. It is not evaluated where everything is skipped.
pub(super) fn open<'t>(
    a: &mut Session<'_>,
    mut cursor: Cursor<'t>,
    holds: impl FnOnce(&mut Session<'_>, &mut Cursor<'t>) -> Result<bool, SyntaxError>,
) -> Result<(), SyntaxError> {
    if a.conditions.len() >= DEEPEST {
        return Err(syntax_error(
            0..cursor.text().len(),
            "conditions stand too deep within each other",
        ));
    }
    let outer = a.conditions.last().is_none_or(|c| c.reads);
    let result = if outer {
        holds(a, &mut cursor)
    } else {
        Ok(false)
    };
    // After a wrong condition, none of its parts is read.
    let reads = matches!(result, Ok(true));
    a.conditions.push(Condition {
        reads,
        done: reads || !outer || result.is_err(),
        last: false,
        origin: a.inputs.current().map(|input| input.origin.clone()),
        line: a.asm.at.line,
    });
    result.map(|_| ())
}

fn compare(
    a: &mut Session<'_>,
    cursor: &mut Cursor<'_>,
    test: fn(i64) -> bool,
) -> Result<bool, SyntaxError> {
    let number = a.asm.number(cursor)?;
    cursor.end()?;
    Ok(test(number))
}

fn is_defined(a: &mut Session<'_>, cursor: &mut Cursor<'_>) -> Result<bool, SyntaxError> {
    let name = cursor.name()?;
    cursor.end()?;
    let symbol = a.asm.symbols.find(&name).map(|id| &a.asm.symbols[id]);
    Ok(symbol.is_some_and(crate::state::Symbol::is_defined))
}

/// Handles `.ifc A, B`: whether two texts are equal.
fn same(cursor: &mut Cursor<'_>) -> Result<bool, SyntaxError> {
    let rest = cursor.rest();
    match rest.split_once(',') {
        Some((a, b)) => Ok(a.trim() == b.trim()),
        None => Err(cursor.syntax_error("there should be two texts with a comma between them")),
    }
}

fn same_quoted(cursor: &mut Cursor<'_>) -> Result<bool, SyntaxError> {
    let a = cursor.quoted()?;
    cursor.expect_comma()?;
    let b = cursor.quoted()?;
    cursor.end()?;
    Ok(a == b)
}

/// Returns the innermost condition, if it was opened in the text that is being read.
fn innermost<'s>(
    a: &'s mut Session<'_>,
    cursor: &Cursor<'_>,
) -> Result<&'s mut Condition, SyntaxError> {
    let outside = a.inputs.current().map_or(0, |input| input.conditions);
    let count = a.conditions.len();
    match a.conditions.last_mut() {
        Some(condition) if count > outside => Ok(condition),
        _ => Err(syntax_error(
            0..cursor.text().len(),
            "no `.if` stands before",
        )),
    }
}

/// Begins another part of a condition, which is read if its test holds and none before did.
pub(super) fn otherwise_if<'t>(
    a: &mut Session<'_>,
    mut cursor: Cursor<'t>,
    holds: impl FnOnce(&mut Session<'_>, &mut Cursor<'t>) -> Result<bool, SyntaxError>,
) -> Result<(), SyntaxError> {
    let condition = innermost(a, &cursor)?;
    if condition.last {
        return Err(syntax_error(
            0..cursor.text().len(),
            "`.else` stands before",
        ));
    }
    condition.reads = false;
    if condition.done {
        return Ok(());
    }
    let reads = holds(a, &mut cursor)?;
    let condition = innermost(a, &cursor)?;
    condition.reads = reads;
    condition.done |= reads;
    Ok(())
}

fn otherwise(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let condition = innermost(a, &cursor)?;
    if condition.last {
        return Err(syntax_error(
            0..cursor.text().len(),
            "another `.else` stands before",
        ));
    }
    condition.reads = !condition.done;
    condition.last = true;
    cursor.end()
}

fn end(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    innermost(a, &cursor)?;
    a.conditions.pop();
    cursor.end()
}
