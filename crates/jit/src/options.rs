//! What can be asked of the compiler, and what it tells, on every host.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use wavetank_interp::Simd;

/// The name of what stands at a guest address.
pub type Names = Arc<dyn Fn(u64) -> String + Send + Sync>;

/// What is made of a block.
#[derive(Clone, Copy, Debug)]
pub struct CompileOptions {
    /// Instructions are counted.
    pub count: bool,
    /// The level of helpers.
    pub simd: Simd,
    /// Vector registers are looked at from outside, as by `wavetank exec` and traces: all that is written to them is stored. Otherwise
    /// dead values are not.
    pub registers_observable: bool,
}

/// What was compiled, and what it took.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compiled {
    /// Blocks.
    pub blocks: u64,
    /// Of these, loops of which several turns are one piece.
    pub loops: u64,
    /// Blocks that could not be.
    pub refused: u64,
    /// The time it took.
    pub time: Duration,
    /// Bytes of host code.
    pub bytes: u64,
    /// The operations that helpers do, since there is no template for them, by name: in how many places.
    pub by_helpers: BTreeMap<String, u64>,
}
