//! The interpreter: lowers blocks of the IR to steps and runs them.

mod arith;
mod choose;
mod compare;
mod convert;
mod custom;
mod directed;
mod drive;
mod exact;
mod extremes;
mod float;
mod format;
mod half;
mod int;
mod lanes;
mod lower;
mod mem;
mod mode;
pub mod reference;
pub mod run;
pub mod step;
mod store;
mod transcendental;
mod unary;
mod visit;

#[cfg(test)]
mod tests;
