//! Explanations of GCN instructions: a sentence for each, and pseudo-code derived from the executed IR.

#![warn(missing_docs)]

mod pseudo;
mod sentence;

pub use pseudo::{PseudoCode, operand_names};
pub use sentence::sentence;
