//! The pattern of an access: all that its counts depend on. They are the same for an access that is displaced by whole lines, and in
//! LDS, whose banks are all alike, by whole dwords.

use wavetank_memory::AccessRun;

use crate::access::Access;
use crate::model::Space;

/// The largest line, in bytes.
const LINE: u64 = 128;
/// A dword.
const DWORD: u64 = 4;

/// The pattern of an access; at first of none.
#[derive(Default)]
pub(crate) struct Pattern {
    /// The place of the first byte in its line, or in its dword of LDS.
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
    /// Returns the place of an access in a line or a dword, and a number for it: fewer than there are dwords in a line.
    #[inline]
    pub(crate) fn place(access: &Access<'_>) -> (usize, u64) {
        let unit = match access.space {
            Space::Lds | Space::Gds => DWORD,
            Space::Global | Space::Scratch | Space::Scalar => LINE,
        };
        let place = access.runs[0].first.address % unit;
        ((place / DWORD) as usize, place)
    }

    /// Sets the pattern to that of an access.
    pub(crate) fn set(&mut self, runs: &[AccessRun], place: u64) {
        let first = runs.first().map_or(0, |run| run.first.address);
        self.place = place;
        self.runs.clear();
        self.runs.extend(runs.iter().map(|run| Run::of(run, first)));
    }

    /// Whether an access has the pattern.
    #[inline]
    pub(crate) fn is_of(&self, runs: &[AccessRun], place: u64) -> bool {
        let Some(first) = runs.first().map(|run| run.first.address) else {
            return false;
        };
        let mut pairs = self.runs.iter().zip(runs);
        self.runs.len() == runs.len()
            && self.place == place
            && pairs.all(|(known, run)| *known == Run::of(run, first))
    }
}
