//! The source text: lines without comments, statements, and the stack of files and expansions.

mod bytes;
mod cursor;
mod inputs;
mod lines;
mod statement;

pub use bytes::text_of;

pub(crate) use cursor::{Cursor, SyntaxError, escape, syntax_error};
pub(crate) use inputs::{Input, Inputs, Origin, OriginKind, Repeat};
pub(crate) use lines::{Lines, Row};
pub(crate) use statement::{Statement, first_word, is_name, may_have_names, statements};
