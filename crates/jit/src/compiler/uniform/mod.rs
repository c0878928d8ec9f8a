//! The wave as a whole: operations on its uniform values, in general registers of the host.
//!
//! `select.rs` chooses how an operation is done, `emit.rs` writes it, and `code.rs` has the values: in general registers, and in
//! memory where tiles, accesses and helpers need them.

mod code;
mod emit;
mod select;

pub use code::Uniform;
pub use emit::Emit;
pub use select::select;
