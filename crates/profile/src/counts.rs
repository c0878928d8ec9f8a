//! The counts of a worker and of a launch, by instruction.

use std::collections::{BTreeMap, HashMap};

use wavetank_ir::LANES;
use wavetank_memory::{AccessRun, TALLY_PARTS, TALLY_ROW};

use crate::access::Cutter;
use crate::counter;
use crate::model::{Kind, Memory, Space};
use crate::sites::{Site, Sites};

/// What waves have done, as one worker or one launch has seen it.
#[derive(Default)]
pub struct Counts {
    /// The counters of each site.
    tallies: Vec<u64>,
    /// Executions that were counted with their site, but did not happen, because the wave left before them: by address and lanes.
    undone: HashMap<(u64, u32), u64>,
    accesses: Accesses,
    cutter: Cutter,
}

/// The accesses of instructions.
#[derive(Default)]
struct Accesses {
    numbers: HashMap<(u64, Space, Kind), usize>,
    all: Vec<(u64, Memory)>,
    /// The one that was added to last.
    last: usize,
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
}

impl Default for InstructionCounts {
    fn default() -> Self {
        InstructionCounts {
            by_lanes: [0; LANES + 1],
            parts: 0,
            memory: Vec::new(),
        }
    }
}

impl InstructionCounts {
    /// Executions, with any number of lanes.
    pub fn executions(&self) -> u64 {
        self.by_lanes.iter().sum()
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
    }
}

impl Counts {
    /// Adds the accesses of a time slice.
    pub fn accesses(&mut self, runs: &[AccessRun]) {
        let accesses = &mut self.accesses;
        self.cutter.cut(runs, |pc, access| {
            if let Some(access) = access {
                counter::count(access, accesses.of(pc, access.space, access.kind));
            }
        });
    }

    /// Corrects the counts of a site that a wave left: the instructions of the site after an address were not executed; with
    /// `failed`, nor was that at the address. `lanes` lanes are active.
    pub fn left(&mut self, site: &Site, at: u64, failed: bool, lanes: u32) {
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
        for (pc, memory) in &other.accesses.all {
            self.accesses.of(*pc, memory.space, memory.kind).add(memory);
        }
    }

    /// Returns the counts of each instruction that was executed, by address. `sites` are those of the module.
    pub fn by_instruction(&self, sites: &Sites) -> BTreeMap<u64, InstructionCounts> {
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
        for (pc, memory) in &self.accesses.all {
            all.entry(*pc).or_default().memory.push(memory.clone());
        }
        all
    }
}

impl Accesses {
    /// The counts of an instruction's accesses to a memory.
    fn of(&mut self, pc: u64, space: Space, kind: Kind) -> &mut Memory {
        let is_last = self
            .all
            .get(self.last)
            .is_some_and(|(last, m)| *last == pc && m.space == space && m.kind == kind);
        if !is_last {
            let all = &mut self.all;
            self.last = *self.numbers.entry((pc, space, kind)).or_insert_with(|| {
                all.push((pc, Memory::new(space, kind)));
                all.len() - 1
            });
        }
        &mut self.all[self.last].1
    }
}
