//! Open conditions of a source: `.if`, and the conditions of loops.

use std::rc::Rc;

use crate::errors::{FilePlace, LineError};
use crate::expression::Expr;
use crate::source::{Origin, syntax_error};
use crate::state::Place;

/// A condition whose end has not been read.
#[derive(Debug)]
pub(crate) struct Condition {
    /// Whether the lines of the current part are read.
    pub reads: bool,
    /// Whether one of the parts has been read, or none is to be read.
    pub done: bool,
    /// Whether `.else` has been read.
    pub last: bool,
    pub origin: Option<Rc<Origin>>,
    pub line: usize,
}

impl Condition {
    /// Returns the error of a condition without an end.
    pub(crate) fn never_ended(&self) -> LineError {
        let error = syntax_error(0..0, "this condition has no `.endif`");
        match &self.origin {
            Some(origin) => {
                let text = origin.line(self.line);
                let indent = text.len() - text.trim_start().len();
                let error = syntax_error(indent..text.len(), error.message);
                LineError::new(origin, self.line, text, *error)
            }
            None => LineError {
                file: None,
                number: self.line,
                text: String::new(),
                error: *error,
                around: Vec::new(),
                place: FilePlace::first(),
                users: Vec::new(),
            },
        }
    }
}

/// The condition of a loop, evaluated before each iteration.
#[derive(Debug)]
pub(crate) struct Loop {
    pub condition: Expr,
    /// The symbol that is set before the condition is evaluated, and its expression.
    pub next: Option<(String, Expr)>,
    pub place: Place,
}
