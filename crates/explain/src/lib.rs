//! GCN instructions for people: a sentence each, and pseudo-code that is made of the meaning that is run.

#![warn(missing_docs)]

mod pseudo;
mod sentence;

pub use pseudo::{PseudoCode, operand_names};
pub use sentence::sentence;
