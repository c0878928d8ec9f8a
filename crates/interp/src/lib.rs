//! An engine that interprets the wave IR: lowers blocks to steps, of which each is one function over all 64 lanes, and runs
//! them.

#![warn(missing_docs)]
// Lanes index several arrays at once.
#![allow(clippy::needless_range_loop)]

mod arith;
mod bytes;
mod choose;
mod compare;
mod convert;
mod custom;
mod directed;
mod drive;
mod exact;
mod extremes;
mod file;
mod float;
mod format;
mod half;
mod int;
#[doc(hidden)]
pub mod internals;
mod lanes;
mod lower;
mod memory;
mod mode;
mod odd;
mod pairs;
mod plain;
pub mod polynomials;
mod roots;
mod run;
mod simd;
mod step;
mod store;
mod through;
mod transcendental;
mod unary;
mod visit;

/// For engines that leave to this one what they have no code for.
pub mod single {
    pub use crate::file::is_in_file;
    pub use crate::lower::{Place, ROOM, Single, Singles, Steps, TooMany, register};
    pub use crate::step::{Ctx, Next, Step};
}

pub use plain::{Plain, PlainProgram};
pub use run::{Interpreter, Program, Translation};
pub use simd::{Simd, UnknownSimd};
