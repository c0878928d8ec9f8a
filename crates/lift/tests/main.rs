//! Tests of the meaning of instructions. One program, since each costs a link and a copy of everything.

mod common;
mod conformance;
mod effects;
mod kernels;
mod memory;
mod rules;
mod scalar;
mod shared;
mod supported;
mod uniform;
