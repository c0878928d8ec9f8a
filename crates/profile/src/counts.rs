//! The counts of a worker and of a launch, by instruction.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use wavetank_gcn::Chip;
use wavetank_ir::LANES;
use wavetank_memory::{AccessRun, TALLY_PARTS, TALLY_ROW};

use crate::access::{Access, Ranges, cut};
use crate::counter;
use crate::model::{Kind, Memory, Space, Wait};
use crate::pattern::Pattern;
use crate::sites::{Site, Sites};
use crate::waits::Waits;

/// What waves have done, as one worker or one launch has seen it.
pub struct Counts {
    /// The banks of LDS.
    banks: usize,
    /// The counters of each site.
    tallies: Vec<u64>,
    /// Executions that were counted with their site, but did not happen, because the wave left before them: by address and lanes.
    undone: FxHashMap<(u64, u32), u64>,
    accesses: Accesses,
    ranges: Ranges,
    waits: Waits,
    /// The accesses that a wait leaves in flight, by its address.
    left_in_flight: FxHashMap<u64, usize>,
}

/// The accesses of instructions.
#[derive(Default)]
struct Accesses {
    numbers: FxHashMap<(u64, Space, Kind), usize>,
    all: Vec<OfInstruction>,
}

/// The accesses of an instruction to a memory.
struct OfInstruction {
    pc: u64,
    memory: Memory,
    /// The patterns of the last accesses, by their places in a line, with what is counted of each.
    known: Vec<(Pattern, Memory)>,
}

/// The counts of an instruction.
#[derive(Clone, Debug)]
pub struct InstructionCounts {
    /// Executions by the number of active lanes.
    pub by_lanes: [u64; LANES + 1],
    /// Executions that part the wave.
    pub parts: u64,
    /// Accesses, by memory and kind.
    pub memory: Vec<Memory>,
    /// What it waited for, if it is a wait.
    pub wait: Option<Wait>,
}

impl Default for InstructionCounts {
    fn default() -> Self {
        InstructionCounts {
            by_lanes: [0; LANES + 1],
            parts: 0,
            memory: Vec::new(),
            wait: None,
        }
    }
}

impl InstructionCounts {
    /// Executions, with any number of lanes.
    pub fn executions(&self) -> u64 {
        self.by_lanes.iter().sum()
    }

    fn add_wait(&mut self, other: &Wait) {
        let Some(wait) = &mut self.wait else {
            self.wait = Some(other.clone());
            return;
        };
        wait.needed += other.needed;
        wait.ahead += other.ahead;
        wait.least_ahead = wait.least_ahead.min(other.least_ahead);
    }

    /// Adds the counts of the same instruction in another launch.
    pub fn add(&mut self, other: &InstructionCounts) {
        for (sum, n) in self.by_lanes.iter_mut().zip(other.by_lanes) {
            *sum += n;
        }
        self.parts += other.parts;
        for memory in &other.memory {
            let same = |m: &&mut Memory| (m.space, m.kind) == (memory.space, memory.kind);
            match self.memory.iter_mut().find(same) {
                Some(sum) => sum.add(memory),
                None => self.memory.push(memory.clone()),
            }
        }
        if let Some(wait) = &other.wait {
            self.add_wait(wait);
        }
    }
}

impl Counts {
    /// Returns no counts, of a chip.
    pub fn new(chip: Chip) -> Counts {
        Counts {
            banks: counter::banks_of(chip),
            tallies: Vec::new(),
            undone: FxHashMap::default(),
            accesses: Accesses::default(),
            ranges: Ranges::default(),
            waits: Waits::default(),
            left_in_flight: FxHashMap::default(),
        }
    }

    /// Adds the accesses of a time slice of a wave, which is named by the number of its work-group and its own. `left_in_flight`
    /// returns the accesses to vector memory that the wait at an address leaves in flight.
    pub fn accesses(
        &mut self,
        wave: (u64, u32),
        runs: &[AccessRun],
        left_in_flight: impl Fn(u64) -> usize,
    ) {
        let (accesses, mut waits) = (&mut self.accesses, self.waits.of(wave));
        let known = &mut self.left_in_flight;
        let ranges = &mut self.ranges;
        cut(runs, self.banks, |pc, access| match access {
            Some(access) => {
                let of_it = accesses.of(pc, access.space, access.kind);
                of_it.count(access, ranges);
                if matches!(access.space, Space::Global | Space::Scratch) {
                    waits.issued(pc);
                }
            }
            None => {
                let but = *known.entry(pc).or_insert_with(|| left_in_flight(pc));
                waits.waited(pc, but);
            }
        });
    }

    /// Notes that a wave has ended.
    pub fn wave_ends(&mut self, wave: (u64, u32)) {
        self.waits.ended(wave);
    }

    /// Corrects the counts of a site that a wave left: the instructions of the site after an address were not executed; with
    /// `failed`, nor was that at the address. `lanes` lanes are active.
    pub fn left(&mut self, site: &Site, at: u64, failed: bool, lanes: u32) {
        if !failed && site.instructions.last() == Some(&at) {
            return;
        }
        let Some(n) = site.instructions.iter().position(|pc| *pc == at) else {
            return;
        };
        for pc in &site.instructions[n + usize::from(!failed)..] {
            *self.undone.entry((*pc, lanes)).or_default() += 1;
        }
    }

    /// Adds the counters that the memory unit of a worker has kept.
    pub fn tallied(&mut self, tallies: Vec<u64>) {
        if self.tallies.len() < tallies.len() {
            let less = std::mem::replace(&mut self.tallies, tallies);
            return self.tallied(less);
        }
        for (sum, n) in self.tallies.iter_mut().zip(tallies) {
            *sum += n;
        }
    }

    /// Adds the counts of another worker.
    pub fn add(&mut self, other: Counts) {
        self.tallied(other.tallies);
        for (key, n) in other.undone {
            *self.undone.entry(key).or_default() += n;
        }
        self.waits.add(other.waits);
        for OfInstruction { pc, memory, .. } in &other.accesses.all {
            let of_it = self.accesses.of(*pc, memory.space, memory.kind);
            of_it.memory.add(memory);
        }
    }

    /// Returns the counts of each instruction that was executed, by address. `sites` are those of the module; `between` returns the
    /// instructions on the shortest way from an access to a wait.
    pub fn by_instruction(
        &self,
        sites: &Sites,
        mut between: impl FnMut(u64, u64) -> Option<u64>,
    ) -> BTreeMap<u64, InstructionCounts> {
        let mut all: BTreeMap<u64, InstructionCounts> = BTreeMap::new();
        for (row, site) in self.tallies.chunks_exact(TALLY_ROW).zip(sites.all()) {
            let (by_lanes, parts) = (&row[..TALLY_PARTS], row[TALLY_PARTS]);
            if by_lanes.iter().all(|n| *n == 0) {
                continue;
            }
            for pc in &site.instructions {
                let of = all.entry(*pc).or_default();
                for (sum, n) in of.by_lanes.iter_mut().zip(by_lanes) {
                    *sum += n;
                }
            }
            if let Some(writer) = site.writer {
                all.entry(writer).or_default().parts += parts;
            }
        }
        for ((pc, lanes), n) in &self.undone {
            if let Some(count) = all
                .get_mut(pc)
                .and_then(|c| c.by_lanes.get_mut(*lanes as usize))
            {
                *count = count.saturating_sub(*n);
            }
        }
        for OfInstruction { pc, memory, .. } in &self.accesses.all {
            all.entry(*pc).or_default().memory.push(memory.clone());
        }
        for (wait, access, times) in self.waits.pairs() {
            if let Some(least_ahead) = between(access, wait) {
                let of = all.entry(wait).or_default();
                of.add_wait(&Wait {
                    needed: times,
                    ahead: times * least_ahead,
                    least_ahead,
                });
            }
        }
        all
    }
}

impl Accesses {
    /// The counts of an instruction's accesses to a memory.
    fn of(&mut self, pc: u64, space: Space, kind: Kind) -> &mut OfInstruction {
        let all = &mut self.all;
        let number = *self.numbers.entry((pc, space, kind)).or_insert_with(|| {
            all.push(OfInstruction {
                pc,
                memory: Memory::new(space, kind),
                known: Vec::new(),
            });
            all.len() - 1
        });
        &mut self.all[number]
    }
}

impl OfInstruction {
    /// Counts an access. Most accesses of an instruction have the pattern of an earlier one.
    fn count(&mut self, access: &Access<'_>, ranges: &mut Ranges) {
        let Memory { space, kind, .. } = self.memory;
        let (slot, place) = Pattern::place(access);
        if self.known.len() <= slot {
            let none = || (Pattern::default(), Memory::new(space, kind));
            self.known.resize_with(slot + 1, none);
        }
        let (pattern, counted) = &mut self.known[slot];
        if !pattern.is_of(access.runs, place) {
            *counted = Memory::new(space, kind);
            counter::count(access, ranges.of(access.runs), counted);
            pattern.set(access.runs, place);
        }
        self.memory.add(counted);
    }
}
