//! `float`: where NaNs and infinities are born, denormals flushed, and floats converted that the integer cannot hold.
//!
//! [`watch`] adds to each block of a program operations that look at its float operations, and probes for lanes in which something
//! is born (`nan_sources.rs` says what, `block.rs` where the probe is). Code computes NaNs on purpose and leaves them: what only reaches
//! an operation that chooses is told if it is chosen (`selects.rs`), and what happens inside of divisions not at all (`division.rs`).

mod block;
mod division;
mod event;
mod nan_sources;
mod selects;
mod tell;

use wavetank_ir::Block;

pub use division::inside_divisions;
pub use event::Event;
pub use tell::{Seen, tell};

/// The block with what watches its floats.
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
