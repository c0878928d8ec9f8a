//! CLRX directives for scopes (`.scope`, `.ends`, `.using`, `.unusing`), and for symbols that stand for an expression or a
//! register (`.eqv`, `.undef`; `.regvar` is refused).

use crate::assembler::Assembler;
use crate::session::{Handler, alone, assembler_row as row};
use crate::source::{Cursor, SyntaxError, syntax_error};
use crate::state::Definition;

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".scope", scope),
    row(".ends", close),
    row(".endscope", close),
    row(".using", using),
    row(".unusing", unusing),
    row(".eqv", eqv),
    row(".undef", undef),
    row(".regvar", regvar),
];

fn scope(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = cursor.span();
    let path = if cursor.is_at_end() {
        None
    } else {
        Some(cursor.name()?)
    };
    cursor.end()?;
    if a.symbols.scopes().enter(path.as_deref()) {
        Ok(())
    } else {
        Err(syntax_error(
            place,
            "scopes stand too deep within each other, or their names are too long",
        ))
    }
}

fn close(a: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    if a.symbols.scopes().leave() {
        cursor.end()
    } else {
        alone(cursor, ".scope")
    }
}

fn using(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let path = cursor.name()?;
    a.symbols.scopes().start_using(&path);
    cursor.end()
}

/// Handles `.unusing SCOPE`; without an operand, for all scopes.
fn unusing(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let path = if cursor.is_at_end() {
        None
    } else {
        Some(cursor.name()?)
    };
    a.symbols.scopes().stop_using(path.as_deref());
    cursor.end()
}

/// Handles `.eqv NAME, EXPRESSION`, which is evaluated wherever the name stands.
fn eqv(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = cursor.span();
    let name = cursor.name()?;
    cursor.expect_comma()?;
    let expr = a.open_expr(&mut cursor)?;
    cursor.end()?;
    a.define(&name, place, Definition::Variable(expr), false)
}

/// Handles `.undef NAME`, which removes the definition of a symbol.
fn undef(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = cursor.span();
    let name = cursor.name()?;
    cursor.end()?;
    let id = a.symbols.id(&name);
    let symbol = &mut a.symbols[id];
    if let Definition::Label(_) = symbol.definition {
        return Err(syntax_error(
            place,
            format_args!("`{name}` is a label: it stays"),
        ));
    }
    symbol.definition = Definition::Undefined;
    Ok(())
}

/// Refuses `.regvar`, which CLRX's documentation calls unimplemented.
fn regvar(_: &mut Assembler<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    Err(syntax_error(
        0..cursor.text().len(),
        "`.regvar` leaves the choice of registers to the assembler; choose them: `name = %v[0:3]`",
    ))
}
