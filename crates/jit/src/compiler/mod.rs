//! The compiler: wave IR to x86-64 code, for hosts with AVX2 and executable memory.

mod asm;
mod avx2;
mod block;
mod code_memory;
mod counters;
mod cross_lane;
mod daz;
mod engine;
mod exits;
mod gpr_alloc;
mod lanes;
mod listing;
mod perf;
mod plan;
mod product;
mod reach;
mod recorded;
mod renaming;
mod scalar_load;
mod schedule;
mod segments;
mod tally;
mod templates;
mod tile;
mod uniform;

pub use engine::{HOT, Jit, Jitted, Unavailable};
