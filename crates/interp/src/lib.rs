//! An engine that interprets the wave IR: lowers blocks to steps, of which each is one function over all 64 lanes, and runs
//! them. The steps are those of `wavetank_lane_ops`.

#![warn(missing_docs)]

mod plain;
mod run;

pub use plain::{Plain, PlainProgram};
pub use run::{Interpreter, Program, Translation};
pub use wavetank_lane_ops::{Simd, UnknownSimd};
