//! The interpreter: lowers blocks of the IR to steps and runs them.

mod choose;
mod drive;
mod int;
mod lanes;
pub mod step;
mod visit;
