//! `init`: uninitialized values, tracked bit by bit through registers and memory to the sinks where they matter.
//!
//! Every bit has a shadow that says whether it is undefined. What becomes of shadows stands in the program itself: [`follow`]
//! adds to each block of it the operations that do to shadows what its own do to values (`numbers.rs` of functions, with
//! `carry.rs` and `choose.rs`; `block.rs` of the rest, `access.rs` of memory), so that engines run both. Where an undefined
//! bit decides, a probe is added.
//! The rules are those of MemorySanitizer and Memcheck: bits of sums are undefined from the lowest undefined one up, a product
//! with a bit that is 0 is defined, floats are undefined as a whole.

mod access;
mod block;
mod carry;
mod choose;
mod computed;
mod numbers;
mod origin;
mod sink;
mod tell;
#[cfg(test)]
mod tests;

pub use block::follow;
pub use computed::is_computed;
pub use sink::Sink;
pub use tell::{Carried, Story, Use};
