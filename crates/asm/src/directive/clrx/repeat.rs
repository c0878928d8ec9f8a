//! Repetitions with a condition: `.for`, `.while`.

use super::super::repeat::{begin, body_of};
use super::super::{Handler, row};
use crate::assembler::Assembler;
use crate::expression::Expr;
use crate::source::{Cursor, Repeat, Wrong};
use crate::state::{Definition, Place};

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".for", counted),
    row(".while", conditional),
    row(".endrept", |_, c| super::super::macros::alone(c, ".rept")),
];

/// What decides whether a body is read once more.
#[derive(Debug)]
pub(crate) struct Loop {
    condition: Expr,
    /// The symbol that is set before, and to what.
    next: Option<(String, Expr)>,
    place: Place,
}

/// `.for SYMBOL = FIRST, CONDITION, NEXT`
fn counted(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let head = cursor;
    let line = a.line();
    let read = a.counter(&mut cursor);
    repeat(a, &head, line, read, ".for")
}

/// `.while CONDITION`
fn conditional(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let head = cursor;
    let line = a.line();
    let condition = a.open_expr(&mut cursor);
    let condition = condition.and_then(|expr| cursor.end().map(|()| expr));
    let read = condition.map(|condition| (condition, None));
    repeat(a, &head, line, read, ".while")
}

/// Reads the body, and begins it if the condition holds.
fn repeat(
    a: &mut Assembler<'_>,
    head: &Cursor<'_>,
    line: usize,
    read: Result<(Expr, Option<(String, Expr)>), Wrong>,
    name: &'static str,
) -> Result<(), Wrong> {
    let place = a.place(head.at()..head.text().len());
    let text = body_of(a, head)?;
    let (condition, next) = read?;
    let holds = a.number_of(&condition, head.at()..head.text().len())? != 0;
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

impl Assembler<'_> {
    /// Reads an expression whose symbols are looked at whenever it is evaluated.
    pub(super) fn open_expr(&mut self, cursor: &mut Cursor<'_>) -> Result<Expr, Wrong> {
        let here = self.sections.spot();
        let mut reader = crate::expression::Reader::new(&mut self.symbols, here, self.dialect);
        reader.open().read(cursor)
    }

    /// Reads the head of a `.for`, and sets its symbol.
    fn counter(
        &mut self,
        cursor: &mut Cursor<'_>,
    ) -> Result<(Expr, Option<(String, Expr)>), Wrong> {
        let place = cursor.span();
        let name = cursor.name()?.into_owned();
        if !cursor.eat(b'=') {
            return Err(cursor.wrong("there should be `=` and the first value"));
        }
        let first = self.number(cursor)?;
        self.define(
            &name,
            place,
            Definition::Variable(Expr::Number(first)),
            true,
        )?;
        cursor.expect_comma()?;
        let condition = self.open_expr(cursor)?;
        cursor.expect_comma()?;
        let next = self.open_expr(cursor)?;
        cursor.end()?;
        Ok((condition, Some((name, next))))
    }

    /// Whether the innermost body with a condition shall be read once more.
    pub(crate) fn goes_on(&mut self) -> bool {
        let Some(again) = self.loops.pop() else {
            return false;
        };
        let done = self.once_more(&again);
        let goes_on = done.unwrap_or_else(|why| {
            self.report(again.place.wrong(why.message));
            false
        });
        self.loops.push(again);
        goes_on
    }

    fn once_more(&mut self, again: &Loop) -> Result<bool, Wrong> {
        if let Some((name, next)) = &again.next {
            let value = self.number_of(next, 0..0)?;
            self.define(name, 0..0, Definition::Variable(Expr::Number(value)), true)?;
        }
        let value = self.number_of(&again.condition, 0..0)?;
        Ok(value != 0)
    }
}
