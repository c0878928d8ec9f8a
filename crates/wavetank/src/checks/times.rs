//! The time that tools take in addition to the kernels that they check.

use std::time::{Duration, Instant};

use wavetank_check::Tool;

/// The time on the host that tools took for themselves. The time of `memory`, `init` and `float` is not included: it is spent in the
/// code of kernels, and shows only in comparison with a run without them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CheckTimes {
    /// The watcher of `race`.
    pub race: Duration,
    /// The watcher of `sync`.
    pub sync: Duration,
    /// Reading the code of kernels for `wait`, `hazard` and `limits`.
    pub code: Duration,
}

impl CheckTimes {
    /// Adds the times of other launches.
    pub fn add(&mut self, other: &CheckTimes) {
        self.race += other.race;
        self.sync += other.sync;
        self.code += other.code;
    }

    /// The time of all tools.
    pub fn sum(&self) -> Duration {
        self.race + self.sync + self.code
    }

    /// Adds the time since an instant to the tool of a watcher. Watchers of callers have none.
    pub(super) fn watched(&mut self, tool: Option<Tool>, since: Instant) {
        match tool {
            Some(Tool::Race) => self.race += since.elapsed(),
            Some(Tool::Sync) => self.sync += since.elapsed(),
            _ => {}
        }
    }
}
