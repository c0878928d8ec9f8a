//! `sync`: barriers that not every wave of a work-group reaches.
//!
//! On the chip a barrier waits for the waves that have not ended (Vega ISA, 12.5 S_BARRIER). Languages require more: all waves
//! must reach a barrier, and the same one (OpenCL C 6.15.8; HIP, "Synchronization functions").

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use wavetank_machine::Group;
use wavetank_memory::{AccessRecord, AccessRun, MemoryKind};

use crate::finding::{Finding, Findings, Mark};
use crate::tool::Tool;
use crate::watch::{SliceEnd, TimeSlice, Watcher, WaveOf};
use crate::work_items::WorkItems;

/// The tool that observes barriers.
pub struct Synchronization {
    kernel: String,
    /// Whether its barriers come from its source, so that they are checked.
    looks: bool,
    /// The running groups, by their index in the order of starting.
    groups: HashMap<u64, Barriers>,
    /// The lanes of waves that were inactive at a barrier, by group and wave, with the address of the barrier.
    missing: HashMap<(u64, u32), (u64, u64)>,
    /// The global memory that work-groups use as scratch. Code that saves registers there turns all lanes on.
    scratch: BTreeMap<u64, u64>,
    /// The mistakes, by kind and places, each with the waves of the first occurrence and the count.
    found: BTreeMap<(Wrong, u64, u64), (WaveOf, WaveOf, u64)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wrong {
    /// A wave has ended while others wait.
    Ended,
    /// Waves wait at different barriers.
    Other,
    /// Lanes that were inactive at a barrier access memory after it.
    Lanes,
}

/// The barriers of a group.
#[derive(Default)]
struct Barriers {
    /// The waves that wait at a barrier, with its address.
    waiting: Vec<(WaveOf, u64)>,
    /// The waves that have ended, with the number of barriers passed before.
    ended: Vec<(WaveOf, u64)>,
    /// The number of barriers that the group has passed.
    passed: u64,
}

impl Synchronization {
    /// Returns the tool for a launch of a kernel.
    pub fn new(kernel: impl Into<String>) -> Synchronization {
        let kernel = kernel.into();
        Synchronization {
            looks: !is_of_openmp(&kernel),
            kernel,
            groups: HashMap::new(),
            missing: HashMap::new(),
            scratch: BTreeMap::new(),
            found: BTreeMap::new(),
        }
    }

    fn note(&mut self, wrong: Wrong, places: (u64, u64), waves: (WaveOf, WaveOf)) {
        let key = (wrong, places.0, places.1);
        let known = self.found.entry(key).or_insert((waves.0, waves.1, 0));
        known.2 += 1;
    }

    /// Checks that no lane accesses memory after a barrier at which it was inactive. A lane that has returned never does.
    fn look_for_missing_lanes(&mut self, slice: &TimeSlice<'_>) {
        let wave = slice.wave;
        let key = (wave.group.index, wave.wave);
        if let Some(&(barrier, missing)) = self.missing.get(&key) {
            let mut runs = slice.runs.iter();
            if let Some(late) = runs.find(|run| self.has_lane_of(run, missing)) {
                self.missing.remove(&key);
                self.note(Wrong::Lanes, (barrier, late.first.pc), (wave, wave));
            }
        }
        match slice.end {
            SliceEnd::Barrier(pc) if slice.exec != u64::MAX => {
                let (_, missing) = self.missing.entry(key).or_insert((pc, 0));
                *missing |= !slice.exec;
            }
            SliceEnd::Ended => {
                self.missing.remove(&key);
            }
            _ => {}
        }
    }

    /// Whether one of some lanes has done an access to memory that it shares with others.
    fn has_lane_of(&self, run: &AccessRun, lanes: u64) -> bool {
        let Some(first) = run.first.lane.filter(|_| !run.is_wait()) else {
            return false;
        };
        let address = run.first.address;
        let is_scratch = match run.first.memory {
            MemoryKind::Global => {
                let before = self.scratch.range(..=address).next_back();
                before.is_some_and(|(_, end)| address < *end)
            }
            MemoryKind::Scratch => true,
            MemoryKind::Lds | MemoryKind::Gds => false,
        };
        let accessing = u64::MAX >> (64 - run.lanes) << first;
        !is_scratch && accessing & lanes != 0
    }

    /// Checks that all waves which have not ended are at the same barrier.
    fn meet(&mut self, group: u64) {
        let Some(barriers) = self.groups.get_mut(&group) else {
            return;
        };
        let waiting = std::mem::take(&mut barriers.waiting);
        let passed = barriers.passed;
        barriers.passed += 1;
        // A wave that ended before an earlier barrier was reported there.
        let ended = barriers.ended.iter().find(|(_, before)| *before == passed);
        let ended = ended.copied();
        let Some(&(first, pc)) = waiting.first() else {
            return;
        };
        if let Some((gone, _)) = ended {
            self.note(Wrong::Ended, (pc, pc), (first, gone));
        }
        if let Some((other, other_pc)) = waiting.iter().find(|(_, other)| *other != pc) {
            // The places are in the order of the code, with the wave that waits at each.
            let waves = if pc < *other_pc {
                (first, *other)
            } else {
                (*other, first)
            };
            let places = (pc.min(*other_pc), pc.max(*other_pc));
            self.note(Wrong::Other, places, waves);
        }
    }
}

impl Watcher for Synchronization {
    fn slice(&mut self, slice: &TimeSlice<'_>) {
        if self.looks {
            self.look_for_missing_lanes(slice);
        }
        self.time_slice(slice.wave, &[], slice.end);
    }

    fn scratch_begins(&mut self, bytes: Range<u64>) {
        self.scratch.insert(bytes.start, bytes.end);
    }

    fn time_slice(&mut self, wave: WaveOf, _: &[AccessRecord], end: SliceEnd) {
        if !self.looks {
            return;
        }
        let group = wave.group.index;
        let barriers = self.groups.entry(group).or_default();
        match end {
            SliceEnd::GoesOn | SliceEnd::Resource(_) => return,
            SliceEnd::Barrier(pc) => barriers.waiting.push((wave, pc)),
            SliceEnd::Ended => barriers.ended.push((wave, barriers.passed)),
        }
        let (waiting, ended) = (barriers.waiting.len(), barriers.ended.len());
        if ended == wave.waves as usize {
            self.groups.remove(&group);
        } else if waiting + ended == wave.waves as usize {
            self.meet(group);
        }
    }

    fn end(&mut self, findings: &mut Findings) {
        for ((wrong, pc, other), (first, second, times)) in std::mem::take(&mut self.found) {
            let finding = finding(&self.kernel, wrong, (pc, other), (first, second));
            findings.add(Finding { times, ..finding });
        }
    }
}

/// Whether a kernel is a target region of OpenMP, by the names that LLVM and GCC give. The barriers there belong to the runtime:
/// it counts waves, and lets those with work and those without wait at different barriers, which the chip permits (libgomp,
/// `gomp_simple_barrier_wait` and `gomp_simple_barrier_wait_last`).
fn is_of_openmp(kernel: &str) -> bool {
    kernel.starts_with("__omp_offloading_") || kernel.contains("._omp_fn.")
}

fn finding(
    kernel: &str,
    wrong: Wrong,
    (pc, other): (u64, u64),
    waves: (WaveOf, WaveOf),
) -> Finding {
    let (first, second) = waves;
    let group = in_words(&first.group);
    let (rule, message, related, help) = match wrong {
        Wrong::Ended => (
            "barrier-after-end",
            "a wave waits at a barrier that another of its work-group will not reach, since it has ended".to_owned(),
            vec![],
            "let all work-items of a work-group reach each barrier, also those without work",
        ),
        Wrong::Other => (
            "different-barriers",
            "waves of a work-group wait at different barriers".to_owned(),
            vec![Mark::at(other, "another wave waits here").by(items(second))],
            "move the barrier to a place that all work-items of a work-group reach",
        ),
        Wrong::Lanes => (
            "barrier-in-some-lanes",
            "a wave waits at a barrier without some of its work-items, and these continue after it".to_owned(),
            vec![Mark::at(other, "work-items that were inactive at the barrier continue here").by(items(second))],
            "let all work-items of a work-group reach each barrier: move it out of the branch",
        ),
    };
    let note = match wrong {
        Wrong::Ended => format!(
            "{group}: wave {} waits, wave {} has ended",
            first.wave, second.wave
        ),
        Wrong::Other => format!("{group}: waves {} and {}", first.wave, second.wave),
        Wrong::Lanes => format!("{group}, wave {}", first.wave),
    };
    Finding {
        tool: Tool::Sync,
        rule,
        kernel: kernel.to_owned(),
        message,
        at: Mark::at(pc, "a wave waits here").by(items(first)),
        related,
        host: Vec::new(),
        notes: vec![note],
        help: Some(help.to_owned()),
        address: None,
        also: Vec::new(),
        times: 1,
    }
}

fn items(of: WaveOf) -> WorkItems {
    WorkItems::of(&of.group, of.wave, 0)
}

fn in_words(group: &Group) -> String {
    let [x, y, z] = group.id;
    format!("work-group ({x}, {y}, {z})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_ir::MemKind;
    use wavetank_machine::Grid;
    use wavetank_memory::Lds;

    /// Returns the findings for waves of one group with these time slices in this order: the wave, and the end of its slice.
    fn found(waves: u32, slices: &[(u32, SliceEnd)]) -> Vec<(&'static str, u64, u64)> {
        found_in("k", waves, slices)
    }

    fn found_in(
        kernel: &str,
        waves: u32,
        slices: &[(u32, SliceEnd)],
    ) -> Vec<(&'static str, u64, u64)> {
        let grid = Grid::new([64 * waves, 1, 1], [64 * waves, 1, 1]).expect("a grid");
        let group = grid.group(0);
        let mut sync = Synchronization::new(kernel);
        for (wave, end) in slices {
            let wave = WaveOf {
                group,
                wave: *wave,
                waves,
            };
            sync.time_slice(wave, &[], *end);
        }
        let mut findings = Findings::default();
        sync.end(&mut findings);
        assert!(
            sync.groups.is_empty(),
            "a group that has ended is forgotten"
        );
        let found = findings.iter().map(|f| (f.rule, f.at.place.pc, f.times));
        found.collect()
    }

    use SliceEnd::{Barrier, Ended, GoesOn};

    #[test]
    fn a_barrier_that_all_reach_is_none_of_our_business() {
        let slices = [
            (0, Barrier(8)),
            (1, GoesOn),
            (1, Barrier(8)),
            (1, Barrier(16)),
            (0, Barrier(16)),
            (0, Ended),
            (1, Ended),
        ];
        assert_eq!(found(2, &slices), []);
        assert_eq!(
            found(1, &[(0, Barrier(8)), (0, Barrier(16)), (0, Ended)]),
            []
        );
    }

    #[test]
    fn a_wave_that_has_ended_is_missed_once() {
        let slices = [(0, Ended), (1, Barrier(8)), (1, Barrier(16)), (1, Ended)];
        assert_eq!(found(2, &slices), [("barrier-after-end", 8, 1)]);
        let slices = [
            (1, Barrier(8)),
            (0, Barrier(8)),
            (1, Barrier(16)),
            (0, Ended),
            (1, Ended),
        ];
        assert_eq!(found(2, &slices), [("barrier-after-end", 16, 1)]);
    }

    #[test]
    fn different_barriers_are_reported() {
        let slices = [(0, Barrier(8)), (1, Barrier(16)), (0, Ended), (1, Ended)];
        assert_eq!(found(2, &slices), [("different-barriers", 8, 1)]);
    }

    const FIRST_HALF: u64 = (1 << 32) - 1;

    /// Returns the findings if a wave waits at a barrier with these lanes, and some lanes access memory after it.
    fn with_lanes(exec: u64, runs: &[AccessRun]) -> Vec<(&'static str, u64)> {
        let grid = Grid::new([64, 1, 1], [64, 1, 1]).expect("a grid");
        let mut sync = Synchronization::new("k");
        sync.scratch_begins(0x8000..0x9000);
        let lds = Lds::new(0);
        let slice = |runs, end, exec| TimeSlice {
            wave: WaveOf {
                group: grid.group(0),
                wave: 0,
                waves: 1,
            },
            runs,
            end,
            exec,
            lds: &lds,
        };
        sync.slice(&slice(&[], Barrier(8), exec));
        sync.slice(&slice(runs, GoesOn, u64::MAX));
        sync.slice(&slice(runs, Ended, u64::MAX));
        let mut findings = Findings::default();
        sync.end(&mut findings);
        let found = findings.iter().map(|f| (f.rule, f.related[0].place.pc));
        found.collect()
    }

    fn store(lane: u8, lanes: u8, memory: MemoryKind, address: u64) -> AccessRun {
        let first = AccessRecord {
            pc: 32,
            kind: MemKind::Store,
            lane: Some(lane),
            memory,
            address,
            bytes: 4,
        };
        AccessRun {
            lanes,
            step: 4,
            ..AccessRun::of(first)
        }
    }

    #[test]
    fn lanes_that_were_off_at_a_barrier_do_not_work_after_it() {
        let of = |exec, run| with_lanes(exec, &[run]);
        let found = [("barrier-in-some-lanes", 32)];
        for memory in [MemoryKind::Global, MemoryKind::Lds] {
            assert_eq!(of(FIRST_HALF, store(0, 64, memory, 64)), found);
            assert_eq!(of(FIRST_HALF, store(20, 13, memory, 64)), found);
            assert_eq!(of(FIRST_HALF, store(20, 12, memory, 64)), []);
            assert_eq!(of(u64::MAX, store(0, 64, memory, 64)), []);
        }
        // Code that saves registers turns all lanes on.
        for (memory, address) in [(MemoryKind::Scratch, 64), (MemoryKind::Global, 0x8ffc)] {
            assert_eq!(of(FIRST_HALF, store(0, 64, memory, address)), []);
        }
        assert_eq!(
            of(FIRST_HALF, store(0, 64, MemoryKind::Global, 0x9000)),
            found
        );
        assert_eq!(of(FIRST_HALF, AccessRun::wait(32)), []);
    }

    #[test]
    fn runtimes_may_wait_where_they_want() {
        let slices = [(0, Barrier(8)), (1, Barrier(16)), (0, Ended), (1, Ended)];
        for kernel in ["__omp_offloading_803_1234_main_l7", "main._omp_fn.0"] {
            assert_eq!(found_in(kernel, 2, &slices), [], "{kernel}");
        }
        for kernel in ["omp_fn", "_Z15__omp_offloadedv"] {
            assert_eq!(found_in(kernel, 2, &slices).len(), 1, "{kernel}");
        }
    }
}
