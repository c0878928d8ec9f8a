//! Operations on uniform values: code for the wave as a whole, in general registers of the host.
//!
//! `select.rs` chooses the way to compute an operation, and `emit.rs` emits its code. `code.rs` keeps the values in general
//! registers, and in memory if tiles, accesses or helpers need them.

mod code;
mod emit;
mod select;

pub(super) use code::Uniform;
pub(super) use emit::Emit;
pub(super) use select::select;
