//! `init`: uninitialized values, tracked bit by bit through registers and memory to the sinks where they matter.
//!
//! Every bit has a shadow that is set if the bit is undefined. The program itself computes shadows: [`follow`] adds operations on
//! shadows to each block, which correspond to the block's own operations on values, so that the engines run both. `numbers.rs`
//! has those for functions, with `carry.rs` and `choose.rs`; `block.rs` has the others, and `access.rs` those for memory. At each
//! sink, a probe is added. The rules are those of MemorySanitizer and Memcheck: sums are undefined from the lowest undefined bit
//! up, a product with a bit that is 0 is defined, floats are undefined as a whole.

mod access;
mod block;
mod carry;
mod choose;
mod computed;
mod describe;
mod echo;
mod matrix;
mod numbers;
mod origin;
mod sink;
#[cfg(test)]
mod tests;

pub use block::follow;
pub use computed::is_computed;
pub use describe::{Carried, Story, Use, left_in_memory};
pub use echo::{EarlyLoad, fold_echoes, note_race};
pub use sink::Sink;
