//! The operations of the wave IR on 64 lanes. Each has a step, a function over all lanes, instantiated for three levels of
//! processor features.
//!
//! Engines choose steps by calls that are not generic: [`step`] for functions of one element, [`special_step`] for steps with a
//! body of their own, [`memory_step`] for accesses, [`flow`] for ends of blocks. So this crate, which takes long to compile, is
//! compiled once. The crate does not depend on lifting.
//!
//! ```
//! use wavetank_ir::{Bin, Elem, Fp, Op, Value};
//! use wavetank_lane_ops::{Shape, Simd, caps, step};
//!
//! let sum = Op::Bin(Bin::Add, Elem::I32, Fp::default(), Value(0), Value(1));
//! assert!(caps(&sum).is_some_and(|caps| caps.uniform && !caps.mods));
//! // Source 1 is uniform.
//! let shape = Shape::Lanes { uniform: 0b10, mods: false };
//! assert!(step(Simd::detect(), &sum, shape).is_some());
//! ```

#![warn(missing_docs)]
// Lanes index several arrays at once.
#![allow(clippy::needless_range_loop)]

mod arith;
mod bytes;
mod compare;
mod convert;
mod custom;
mod directed;
mod drive;
mod element_function;
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
mod memory;
mod mode;
mod odd;
mod packed;
pub mod polynomials;
mod reference;
mod roots;
mod select;
mod simd;
mod special;
mod step;
mod store;
mod through;
mod transcendental;
mod unary;
mod visit;

pub use custom::cross::{set_shuffled_full_mask, set_table};
pub use custom::lane_call::LaneCall;
pub use custom::matrix::{multiply_in, set_product};
pub use custom::moves::{INDEXED_SGPRS, IndexedRegisters};
pub use custom::{flow, probe, tally};
pub use file::is_in_file;
pub use reference::{Val, evaluate, mask_of};
pub use select::{Shape, caps, environment, fuses, memory_step, step};
pub use simd::{Simd, UnknownSimd};
pub use special::{Special, special_step};
pub use step::{CONST, Ctx, Next, Step, StepFn};
pub use visit::Caps;
