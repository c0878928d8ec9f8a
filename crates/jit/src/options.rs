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
    /// Whether accesses, and waits for them, are recorded in the memory unit
    /// ([`drain_access_runs`](wavetank_memory::MemoryUnit::drain_access_runs)).
    pub instrumented: bool,
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

impl Compiled {
    /// Adds the compilation of others.
    pub fn add(&mut self, other: &Compiled) {
        self.blocks += other.blocks;
        self.loops += other.loops;
        self.refused += other.refused;
        self.time += other.time;
        self.bytes += other.bytes;
        for (name, places) in &other.by_helpers {
            *self.by_helpers.entry(name.clone()).or_default() += places;
        }
    }

    /// What came after an earlier state of the same program.
    pub fn since(&self, earlier: &Compiled) -> Compiled {
        let places = self.by_helpers.iter().map(|(name, places)| {
            let before = earlier.by_helpers.get(name).copied().unwrap_or_default();
            (name.clone(), places - before)
        });
        Compiled {
            blocks: self.blocks - earlier.blocks,
            loops: self.loops - earlier.loops,
            refused: self.refused - earlier.refused,
            time: self.time - earlier.time,
            bytes: self.bytes - earlier.bytes,
            by_helpers: places.filter(|(_, places)| *places > 0).collect(),
        }
    }

    /// The operations that take the slow path, those in most places first.
    pub fn slow_paths(&self) -> Vec<(&str, u64)> {
        let names = self.by_helpers.iter();
        let mut names: Vec<_> = names.map(|(name, places)| (&**name, *places)).collect();
        names.sort_by_key(|(_, places)| std::cmp::Reverse(*places));
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_since_completes_what_was() {
        let compiled = |n: u64, helpers: &[(&str, u64)]| Compiled {
            blocks: 3 * n,
            loops: n,
            refused: 2 * n,
            time: Duration::from_nanos(7 * n),
            bytes: 5 * n,
            by_helpers: helpers.iter().map(|(h, n)| (h.to_string(), *n)).collect(),
        };
        let (before, after) = (
            compiled(1, &[("a", 1), ("b", 2)]),
            compiled(4, &[("a", 1), ("b", 5), ("c", 4)]),
        );
        let since = after.since(&before);
        assert_eq!(since, compiled(3, &[("b", 3), ("c", 4)]));
        assert_eq!(after.slow_paths(), [("b", 5), ("c", 4), ("a", 1)]);
        let mut sum = before;
        sum.add(&since);
        assert_eq!(sum, after);
    }
}
