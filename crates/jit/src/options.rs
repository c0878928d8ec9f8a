//! Options of the compiler and its statistics, common to all hosts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use wavetank_lane_ops::Simd;

/// Returns the name of a guest address, for reports of `perf`.
pub type Names = Arc<dyn Fn(u64) -> String + Send + Sync>;

/// The options for compiling blocks.
#[derive(Clone, Copy, Debug)]
pub struct CompileOptions {
    /// Whether instructions are counted.
    pub count: bool,
    /// The processor features that code and helpers use.
    pub simd: Simd,
    /// Whether vector registers can be observed, as by `wavetank exec` and traces, so that all writes to them are stored.
    /// Otherwise dead values are not stored.
    pub registers_observable: bool,
}

/// Statistics about compilation and its results.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compiled {
    /// The number of blocks that were compiled.
    pub blocks: u64,
    /// The number of loops among these that run several iterations at once.
    pub loops: u64,
    /// The number of blocks that could not be compiled.
    pub refused: u64,
    /// The time that compiling took.
    pub time: Duration,
    /// Bytes of host code.
    pub bytes: u64,
    /// Operations that take the slow path, by name, with the number of places in the code.
    pub by_helpers: BTreeMap<String, u64>,
}
