//! Co-residency: whether all work-groups of a grid fit on the chip at once.

use wavetank_machine::schedule::HungWave;

/// The number of work-groups, and of those that the chip holds at once.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    pub groups: u64,
    pub resident: u64,
}

impl Room {
    /// Returns the number of work-groups that have not started, if the started ones fill the chip.
    pub(super) fn outside(self, waves: &[HungWave], done: u64) -> Option<u64> {
        let inside = waves
            .chunk_by(|a, b| a.group.index == b.group.index)
            .count() as u64;
        let outside = self.groups.checked_sub(done + inside)?;
        (outside > 0 && inside >= self.resident).then_some(outside)
    }
}
