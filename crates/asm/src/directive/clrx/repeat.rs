//! Repetitions with a condition: `.for`, `.while`.

use super::super::repeat::{begin, body_of};
use crate::expression::Expr;
use crate::session::{Handler, Loop, Session, alone, row};
use crate::source::{Cursor, Repeat, SyntaxError};
use crate::state::Definition;

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".for", counted),
    row(".while", conditional),
    row(".endrept", |_, c| alone(c, ".rept")),
];

/// Handles `.for SYMBOL = FIRST, CONDITION, NEXT`.
fn counted(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let head = cursor;
    let line = a.asm.at.line;
    let read = a.counter(&mut cursor);
    repeat(a, &head, line, read, ".for")
}

/// Handles `.while CONDITION`, which is tested before each iteration.
fn conditional(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let head = cursor;
    let line = a.asm.at.line;
    let condition = a.asm.open_expr(&mut cursor);
    let condition = condition.and_then(|expr| cursor.end().map(|()| expr));
    let read = condition.map(|condition| (condition, None));
    repeat(a, &head, line, read, ".while")
}

/// Reads the body, and starts the repetition if the condition holds.
fn repeat(
    a: &mut Session<'_>,
    head: &Cursor<'_>,
    line: usize,
    read: Result<(Expr, Option<(String, Expr)>), SyntaxError>,
    name: &'static str,
) -> Result<(), SyntaxError> {
    let place = a.asm.place(head.at()..head.text().len());
    let text = body_of(a, head)?;
    let (condition, next) = read?;
    let holds = a.asm.number_of(&condition, head.at()..head.text().len())? != 0;
    match (holds, place) {
        (true, Some(place)) => {
            let again = Loop {
                condition,
                next,
                place,
            };
            begin(a, head, line, name, text.into(), Repeat::While)?;
            a.loops.push(again);
            Ok(())
        }
        _ => Ok(()),
    }
}

impl Session<'_> {
    /// Reads the head of a `.for`, and sets its symbol.
    fn counter(
        &mut self,
        cursor: &mut Cursor<'_>,
    ) -> Result<(Expr, Option<(String, Expr)>), SyntaxError> {
        let place = cursor.span();
        let name = cursor.name()?.into_owned();
        if !cursor.eat(b'=') {
            return Err(cursor.syntax_error("there should be `=` and the first value"));
        }
        let first = self.asm.number(cursor)?;
        self.asm.define(
            &name,
            place,
            Definition::Variable(Expr::Number(first)),
            true,
        )?;
        cursor.expect_comma()?;
        let condition = self.asm.open_expr(cursor)?;
        cursor.expect_comma()?;
        let next = self.asm.open_expr(cursor)?;
        cursor.end()?;
        Ok((condition, Some((name, next))))
    }
}
