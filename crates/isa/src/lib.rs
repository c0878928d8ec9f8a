//! The GCN instruction set as data: tables, decode, encode, print and parse.

#![warn(missing_docs)]

mod decode;
pub mod generation;
pub mod inst;
mod layout;
mod modifiers;
pub mod tables;
pub mod text;

pub use decode::{DecodeError, decode};
pub use generation::{Chip, Generation};
pub use inst::{DstUnused, Form, Inst, MAX_OPERANDS, Mods, Operand, SdwaSel, flag};
pub use tables::{Field, Op, Row, Ty};
pub use text::print;
