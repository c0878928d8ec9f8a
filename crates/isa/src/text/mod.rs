//! The text of one instruction, in LLVM's canonical form.

pub(crate) mod names;
mod operand;
mod print;
mod symbolic;

pub use operand::{hwreg_name, scalar_register_name};
pub use print::print;
