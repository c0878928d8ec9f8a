//! The syntax of CLRadeonExtender's assembler, where it differs from LLVM's.

mod expr;
mod modifier;
pub(super) mod names;
mod operand;
mod parse;
mod print;
mod symbolic;

pub(super) use parse::{parse, parse_quietly};
pub(super) use print::print;
