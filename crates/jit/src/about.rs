//! What can be asked of the compiler, and what it tells, on every host.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use wavetank_lane_ops::Simd;

/// The name of what stands at a guest address.
pub type Names = Arc<dyn Fn(u64) -> String + Send + Sync>;

/// What is made of a block.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// Instructions are counted.
    pub count: bool,
    /// The level of the interpreter's steps.
    pub simd: Simd,
    /// Nobody but its own code looks at the vector registers of a wave: what that does not read any more need not be there.
    pub private: bool,
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
    /// The operations that steps of the interpreter do, since there is no template for them, by name: in how many places.
    pub by_steps: BTreeMap<String, u64>,
}
