//! `float`: sources of NaNs and infinities, flushed denormals, and conversions of floats that the integer cannot represent.
//!
//! [`watch`] adds operations to each block of a program that examine its float operations, and probes for lanes with an event
//! (`nan_sources.rs` has the events, `block.rs` the probes). Code computes NaNs on purpose and discards them: if a number only
//! reaches selects, its event is reported only if the number is selected (`selects.rs`). Events within divisions are never
//! reported (`division.rs`).

mod block;
mod describe;
mod division;
mod event;
mod nan_sources;
mod selects;

use wavetank_ir::Block;

pub use describe::{Seen, describe};
pub use division::inside_divisions;
pub use event::Event;

/// Returns the block with probes for the events of its floats.
///
/// ```
/// use wavetank_ir::{Builder, Elem, Family, Fp, Reg, Terminator, Un};
/// let b = Builder::new(0);
/// b.inst(0, Family::Valu);
/// let root = b.un(Un::FSqrt, Elem::F32, Fp::default(), b.read(Reg::V(1)));
/// b.write(Reg::V(0), root, Some(b.read(Reg::EXEC)));
/// b.end(Terminator::EndProgram);
/// let watched = wavetank_check::float::watch(&b.finish());
/// // A root can be a NaN, and be denormal by no means.
/// assert_eq!(watched.to_string().matches("probe").count(), 1, "{watched}");
/// ```
pub fn watch(block: &Block) -> Block {
    block::watch(block)
}
