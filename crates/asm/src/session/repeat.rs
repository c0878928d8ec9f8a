//! Repetitions with a condition: the decision on the next iteration.

use super::{Loop, Session};
use crate::expression::Expr;
use crate::source::SyntaxError;
use crate::state::Definition;

impl Session<'_> {
    /// Whether the innermost body with a condition is read once more.
    pub(crate) fn goes_on(&mut self) -> bool {
        let Some(again) = self.loops.pop() else {
            return false;
        };
        let done = self.once_more(&again);
        let goes_on = done.unwrap_or_else(|why| {
            self.asm.report(again.place.line_error(why.message));
            false
        });
        self.loops.push(again);
        goes_on
    }

    fn once_more(&mut self, again: &Loop) -> Result<bool, SyntaxError> {
        if let Some((name, next)) = &again.next {
            let value = self.asm.number_of(next, 0..0)?;
            self.asm
                .define(name, 0..0, Definition::Variable(Expr::Number(value)), true)?;
        }
        let value = self.asm.number_of(&again.condition, 0..0)?;
        Ok(value != 0)
    }
}
