//! Whole products, fast: loops over the lanes of D that the compiler makes SIMD code of, instantiated for each level of processor
//! features.

mod chain;
mod double;
mod driver;
mod exact;
mod fused;
mod pairwise;
mod planes;
mod select;

pub(crate) use select::accumulate;
