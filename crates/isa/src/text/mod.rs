//! The text of one instruction, in LLVM's canonical form.

mod legal;
mod lex;
pub(crate) mod names;
mod operand;
mod parse;
mod parse_modifier;
mod parse_operand;
mod parse_symbolic;
mod print;
mod symbolic;

pub use operand::{hwreg_name, scalar_register_name};
pub use parse::{ParseError, parse};
pub use print::print;
