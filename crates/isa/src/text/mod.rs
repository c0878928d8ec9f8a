//! The text of one instruction, in LLVM's canonical form.

pub(crate) mod names;
mod operand;
mod print;
mod symbolic;

pub use print::print;
