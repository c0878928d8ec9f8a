//! Fixups: bytes in sections that wait for values known at the end of the source.

use std::rc::Rc;

use wavetank_gcn::ParseError;

use super::Location;
use crate::errors::LineError;
use crate::expression::Expr;
use crate::source::{Origin, syntax_error};

/// A location in a section, the expression whose value it waits for, and its place in the source.
#[derive(Debug)]
pub(crate) struct Fixup {
    pub location: Location,
    pub kind: FixupKind,
    pub expr: Expr,
    pub place: Place,
}

/// A place in the source: a line of a text, and a range in it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub origin: Rc<Origin>,
    /// The number of the line.
    pub line: u32,
    /// The first byte of the range in the line, and its length.
    pub column: u32,
    pub length: u32,
}

/// The form in which the value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FixupKind {
    /// This many bytes of data.
    Data(u8),
    /// The literal dword after an instruction. It is relative to itself, unless it is a difference or its variant says otherwise.
    Literal,
    /// The lower half of an instruction: a distance in dwords from the next instruction.
    Branch,
    /// The lower half of an instruction, as a number.
    Half,
    /// No bytes, because the layout writes the number. This fixup only reports values that are not numbers.
    Leb,
    /// No bytes either: the count of copies at this location.
    Count,
    /// No bytes: the value of a variable, which must have one at the end.
    Value,
}

impl Place {
    /// Makes an error that shows this place.
    pub(crate) fn line_error(&self, message: impl std::fmt::Display) -> LineError {
        let text = self
            .origin
            .text
            .lines()
            .nth(self.line as usize - 1)
            .unwrap_or_default();
        let start = (self.column as usize).min(text.len());
        let end = (start + self.length as usize).min(text.len());
        let error: ParseError = *syntax_error(start..end, message);
        LineError::new(&self.origin, self.line as usize, text, error)
    }
}
