//! Open conditions of a source: `.if`, and the conditions of loops.

use std::rc::Rc;

use crate::errors::LineError;
use crate::expression::Expr;
use crate::source::{Origin, syntax_error};
use crate::state::Place;

/// A condition that is open.
#[derive(Debug)]
pub(crate) struct Condition {
    /// Whether what stands here is read.
    pub reads: bool,
    /// Whether one of its parts has been read, or none shall be.
    pub done: bool,
    /// Whether `.else` stands before.
    pub last: bool,
    pub origin: Option<Rc<Origin>>,
    pub line: usize,
}

impl Condition {
    /// The error of one that has no end.
    pub fn never_ended(&self) -> LineError {
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
            },
        }
    }
}

/// What decides whether a body is read once more.
#[derive(Debug)]
pub(crate) struct Loop {
    pub condition: Expr,
    /// The symbol that is set before, and to what.
    pub next: Option<(String, Expr)>,
    pub place: Place,
}
