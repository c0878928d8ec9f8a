//! The interpreter: lowers blocks of the IR to steps and runs them.

mod drive;
mod int;
mod lanes;
pub mod step;
mod visit;
