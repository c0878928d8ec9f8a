//! The text of an instruction: as nvdisasm prints it, and as the reference text writes it.

mod cursor;
mod marks;
mod modifiers;
mod parse;
mod print;

pub(crate) use cursor::Cursor;
pub(crate) use marks::marks;
pub(crate) use parse::statement_end;
pub use parse::{Parsed, assemble, parse};
pub use print::print;
