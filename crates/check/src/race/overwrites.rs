//! Stores of one instruction of a wave that leave different values at one place: the lane that wins is undefined.
//!
//! Programs select a lane in this way on purpose: all lanes store their numbers, and then read the winner. A store is therefore
//! reported only at the end of the launch, and only if the wave has not used the place again.

use std::collections::BTreeMap;
use std::ops::Range;

use wavetank_memory::{AccessRun, MemoryKind};

use super::dedup::{Dedup, Pair};

/// Stores that no lane has read yet, by dwords of global memory.
#[derive(Default)]
pub(super) struct Overwritten(BTreeMap<u64, Pair>);

/// Limit of the recorded stores. Further ones are not reported.
const MAX: usize = 4096;

impl Overwritten {
    /// Adds lanes that have stored different values to one dword.
    pub(super) fn add(&mut self, pair: Pair) {
        if self.0.len() < MAX || self.0.contains_key(&pair.dword) {
            self.0.insert(pair.dword, pair);
        }
    }

    /// Removes the stores to places that a wave accesses.
    #[inline]
    pub(super) fn used(&mut self, wave: u32, runs: &[AccessRun]) {
        if self.0.is_empty() {
            return;
        }
        let is_global = |run: &&AccessRun| run.first.memory == MemoryKind::Global;
        for run in runs.iter().filter(is_global) {
            self.forget(wave, run.first.address / 4..run.end().div_ceil(4));
        }
    }

    fn forget(&mut self, wave: u32, dwords: Range<u64>) {
        let of_wave = |pair: &Pair| pair.later.0.wave == wave;
        let own = self.0.range(dwords).filter(|(_, pair)| of_wave(pair));
        let own: Vec<u64> = own.map(|(dword, _)| *dword).collect();
        for dword in own {
            self.0.remove(&dword);
        }
    }

    /// Reports the remaining stores at the end of the launch.
    pub(super) fn end(&mut self, found: &mut Dedup) {
        std::mem::take(&mut self.0)
            .into_values()
            .for_each(|pair| found.add(pair));
    }
}
