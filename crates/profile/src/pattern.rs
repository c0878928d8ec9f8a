//! The pattern of an access: all that its counts depend on. They are the same for an access that is displaced by whole lines.

use wavetank_memory::AccessRun;

/// The largest line, in bytes. A displacement by whole lines also moves every dword to the same bank.
const LINE: u64 = 128;

/// The pattern of an access; at first of none.
#[derive(Default)]
pub(crate) struct Pattern {
    /// The place of the first byte in its line.
    place: u64,
    runs: Vec<Run>,
}

/// A run, with its distance from the first byte of the access.
#[derive(PartialEq, Eq)]
struct Run {
    distance: u64,
    lane: Option<u8>,
    lanes: u8,
    step: u32,
    bytes: u32,
}

impl Run {
    #[inline]
    fn of(run: &AccessRun, first: u64) -> Run {
        Run {
            distance: run.first.address.wrapping_sub(first),
            lane: run.first.lane,
            lanes: run.lanes,
            step: run.step,
            bytes: run.first.bytes,
        }
    }
}

impl Pattern {
    /// Sets the pattern to that of an access.
    pub(crate) fn set(&mut self, runs: &[AccessRun]) {
        let first = runs.first().map_or(0, |run| run.first.address);
        self.place = first % LINE;
        self.runs.clear();
        self.runs.extend(runs.iter().map(|run| Run::of(run, first)));
    }

    /// Whether an access has the pattern.
    #[inline]
    pub(crate) fn is_of(&self, runs: &[AccessRun]) -> bool {
        let Some(first) = runs.first().map(|run| run.first.address) else {
            return false;
        };
        let mut pairs = self.runs.iter().zip(runs);
        self.runs.len() == runs.len()
            && self.place == first % LINE
            && pairs.all(|(known, run)| *known == Run::of(run, first))
    }
}
