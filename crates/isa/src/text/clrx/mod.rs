//! The syntax of CLRadeonExtender's assembler, where it is not LLVM's.

mod expr;
mod modifier;
mod names;
mod operand;
mod parse;
mod print;
mod symbolic;

pub(super) use parse::parse;
pub(super) use print::print;
