//! The text of one instruction: LLVM's canonical form, and the CLRX dialect.

mod apply_modifiers;
mod clrx;
mod dialect;
mod failure;
mod help;
mod legal;
mod lex;
mod line;
mod mnemonic;
pub(crate) mod names;
mod operand;
mod parse;
mod parse_modifier;
mod parse_operand;
mod parse_symbolic;
pub mod places;
mod print;
mod print_modifier;
mod printed;
mod shared_modifiers;
mod snippet;
mod symbolic;

pub use dialect::{Dialect, UnknownDialect, parse_at, parse_in, parse_quietly, print_at, print_in};
pub use failure::ParseError;
pub use operand::{hwreg_name, scalar_register_name};
pub use parse::parse;
pub use parse_operand::half;
pub use print::print;
