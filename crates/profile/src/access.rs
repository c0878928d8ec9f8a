//! Accesses of waves, as counters see them: of the runs that an observer gets, those of one instruction in one memory.

use wavetank_ir::MemKind;
use wavetank_memory::{AccessRun, MemoryKind};

use crate::model::{Kind, Space};

/// Bytes from a dword of a lane's scratch to the next: dwords of 64 lanes are side by side.
const SCRATCH_STEP: u64 = 256;

/// An access of a wave to one memory.
pub(crate) struct Access<'a> {
    pub space: Space,
    pub kind: Kind,
    /// The runs, in the order of lanes.
    pub runs: &'a [AccessRun],
    /// The banks of LDS.
    pub banks: usize,
}

impl Access<'_> {
    /// Lanes that access memory, and the bytes that they ask for.
    pub(crate) fn asked(&self) -> (u64, u64) {
        let of_run = |run: &AccessRun| {
            let lanes = u64::from(run.lanes);
            (lanes, lanes * u64::from(run.first.bytes))
        };
        let runs = self.runs.iter().map(of_run);
        let (mut lanes, bytes) = runs.fold((0, 0), |sum, run| (sum.0 + run.0, sum.1 + run.1));
        // A lane may have several records, one after another.
        let same = |pair: &[AccessRun]| {
            let last = pair[0].first.lane.map(|lane| lane + pair[0].lanes - 1);
            last.is_some() && last == pair[1].first.lane
        };
        lanes -= self.runs.windows(2).filter(|pair| same(pair)).count() as u64;
        (lanes, bytes)
    }

    /// The only run, if the access has one, and its lanes are side by side or at the same place.
    pub(crate) fn only_run(&self) -> Option<&AccessRun> {
        match self.runs {
            [run] => Some(run),
            _ => None,
        }
    }
}

/// Cuts the accesses of a time slice from its runs: passes each to a function, with the address of its instruction; and each wait for
/// vector memory, without an access.
pub(crate) fn cut(
    runs: &[AccessRun],
    banks: usize,
    mut take: impl FnMut(u64, Option<&Access<'_>>),
) {
    let mut rest = runs;
    while let Some(first) = rest.first() {
        let pc = first.first.pc;
        if first.is_wait() {
            take(pc, None);
            rest = &rest[1..];
            continue;
        }
        let goes_on = |run: &AccessRun| {
            let (a, b) = (&first.first, &run.first);
            !run.opens && !run.is_wait() && (a.pc, a.memory, a.kind) == (b.pc, b.memory, b.kind)
        };
        let length = 1 + rest[1..].iter().take_while(|run| goes_on(run)).count();
        let (these, after) = rest.split_at(length);
        let access = Access {
            space: space(first),
            kind: kind(first.first.kind),
            runs: these,
            banks,
        };
        take(pc, Some(&access));
        rest = after;
    }
}

/// The bytes of an access, as disjoint ranges in ascending order. For scratch those of its memory, where the lanes' dwords lie side
/// by side.
pub(crate) type ByteRanges = [(u64, u64)];

/// Finds the bytes of accesses.
#[derive(Default)]
pub(crate) struct Ranges {
    ranges: Vec<(u64, u64)>,
}

impl Ranges {
    /// Returns the ranges of an access.
    pub(crate) fn of(&mut self, runs: &[AccessRun]) -> &ByteRanges {
        self.ranges.clear();
        let mut sorted = true;
        for run in runs {
            if run.first.memory == MemoryKind::Scratch {
                sorted &= self.add_scratch(run);
            } else {
                sorted &= self.add(run.first.address, run.end());
            }
        }
        if !sorted {
            self.ranges.sort_unstable();
            self.ranges.dedup_by(|next, last| {
                let meets = next.0 <= last.1;
                if meets {
                    last.1 = last.1.max(next.1);
                }
                meets
            });
        }
        &self.ranges
    }

    /// Adds a range. Returns whether the ranges are still in order.
    fn add(&mut self, start: u64, end: u64) -> bool {
        match self.ranges.last_mut() {
            Some(last) if last.0 <= start && start <= last.1 => last.1 = last.1.max(end),
            Some(last) if start < last.0 => {
                self.ranges.push((start, end));
                return false;
            }
            _ => self.ranges.push((start, end)),
        }
        true
    }

    /// Adds the dwords of lanes' scratch.
    fn add_scratch(&mut self, run: &AccessRun) -> bool {
        let mut sorted = true;
        if run.step == 0 {
            let lane = u64::from(run.first.lane.unwrap_or(0));
            let lanes = u64::from(run.lanes);
            let (from, to) = (
                run.first.address,
                run.first.address + u64::from(run.first.bytes),
            );
            for dword in from / 4..to.div_ceil(4) {
                let row = dword * SCRATCH_STEP + 4 * lane;
                // Bytes of a dword, which are not side by side for several lanes.
                let (skip, end) = (from.saturating_sub(4 * dword), (to - 4 * dword).min(4));
                if (skip, end) == (0, 4) {
                    sorted &= self.add(row, row + 4 * lanes);
                    continue;
                }
                for row in (0..lanes).map(|n| row + 4 * n) {
                    sorted &= self.add(row + skip, row + end);
                }
            }
            return sorted;
        }
        for record in run.records() {
            sorted &= self.add_scratch(&AccessRun::of(record));
        }
        sorted
    }
}

fn space(run: &AccessRun) -> Space {
    match (run.first.memory, run.first.lane) {
        (MemoryKind::Global, None) => Space::Scalar,
        (MemoryKind::Global, Some(_)) => Space::Global,
        (MemoryKind::Lds, _) => Space::Lds,
        (MemoryKind::Gds, _) => Space::Gds,
        (MemoryKind::Scratch, _) => Space::Scratch,
    }
}

fn kind(kind: MemKind) -> Kind {
    match kind {
        MemKind::Load => Kind::Load,
        MemKind::Store => Kind::Store,
        MemKind::Atomic(_) => Kind::Atomic,
    }
}
