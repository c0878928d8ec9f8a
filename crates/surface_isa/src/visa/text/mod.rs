//! The text of a TYPED_ATOMIC: Intel's is printed, and the description's is read as well.

mod lex;
mod parse;
mod print;

pub use parse::{Places, parse, parse_with_parts};
