//! Options of the compiler and its statistics, on every host.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use wavetank_interp::Simd;

/// Gives the name of a guest address, for reports of `perf`.
pub type Names = Arc<dyn Fn(u64) -> String + Send + Sync>;

/// How blocks are compiled.
#[derive(Clone, Copy, Debug)]
pub struct CompileOptions {
    /// Instructions are counted.
    pub count: bool,
    /// The processor features that code and helpers use.
    pub simd: Simd,
    /// Vector registers are looked at from outside, as by `wavetank exec` and traces: all that is written to them is stored.
    /// Otherwise dead values are not.
    pub registers_observable: bool,
}

/// Statistics of compilation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Compiled {
    /// The number of blocks that were compiled.
    pub blocks: u64,
    /// Of these, loops that run several iterations at once.
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
