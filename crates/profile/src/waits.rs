//! Waits for vector memory, and the accesses that they wait for.
//!
//! VMCNT counts the accesses in flight, and decreases in their order (Vega ISA, 4.4 "Manually Inserted Wait States"; before gfx10
//! stores count there, too). `s_waitcnt vmcnt(N)` waits for all but the last N.

use rustc_hash::FxHashMap;

/// The most accesses that the counter can tell.
const MOST: usize = 64;

/// The waits of waves that have been seen.
#[derive(Default)]
pub(crate) struct Waits {
    /// The accesses of each wave that no wait was for yet, by work-group and wave: the addresses of their instructions.
    in_flight: FxHashMap<(u64, u32), Vec<u64>>,
    /// Waits by their addresses and those of the last access that they were for.
    pairs: FxHashMap<(u64, u64), u64>,
}

impl Waits {
    /// Returns those of a wave.
    pub(crate) fn of(&mut self, wave: (u64, u32)) -> OfWave<'_> {
        OfWave {
            in_flight: self.in_flight.entry(wave).or_default(),
            pairs: &mut self.pairs,
        }
    }

    /// Forgets a wave that has ended.
    pub(crate) fn ended(&mut self, wave: (u64, u32)) {
        self.in_flight.remove(&wave);
    }

    /// Adds those of another worker.
    pub(crate) fn add(&mut self, other: Waits) {
        for (pair, times) in other.pairs {
            *self.pairs.entry(pair).or_default() += times;
        }
    }

    /// The waits that were for an access, in the order of addresses: those of both, and how often.
    pub(crate) fn pairs(&self) -> Vec<(u64, u64, u64)> {
        let pairs = self.pairs.iter();
        let mut pairs: Vec<_> = pairs
            .map(|((wait, access), n)| (*wait, *access, *n))
            .collect();
        pairs.sort_unstable();
        pairs
    }
}

/// The waits of a wave.
pub(crate) struct OfWave<'a> {
    in_flight: &'a mut Vec<u64>,
    pairs: &'a mut FxHashMap<(u64, u64), u64>,
}

impl OfWave<'_> {
    /// Adds an access.
    pub(crate) fn issued(&mut self, access: u64) {
        let in_flight = &mut *self.in_flight;
        if in_flight.len() == MOST {
            in_flight.remove(0);
        }
        in_flight.push(access);
    }

    /// Adds a wait for all but the last accesses.
    pub(crate) fn waited(&mut self, wait: u64, but: usize) {
        let done = self.in_flight.len().saturating_sub(but);
        if let Some(last) = self.in_flight.drain(..done).next_back() {
            *self.pairs.entry((wait, last)).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_for_the_last_access_that_it_needs() {
        let mut waits = Waits::default();
        let (a, b) = ((0, 0), (0, 1));
        for access in [0x10, 0x20, 0x30] {
            waits.of(a).issued(access);
        }
        waits.of(b).issued(0x10);
        waits.of(a).waited(0x100, 1);
        // There is nothing left but the one that may stay in flight.
        waits.of(a).waited(0x104, 1);
        waits.of(a).waited(0x108, 0);
        waits.ended(b);
        waits.of(b).waited(0x108, 0);
        assert_eq!(waits.pairs(), [(0x100, 0x20, 1), (0x108, 0x30, 1)]);
    }

    #[test]
    fn more_accesses_than_the_counter_tells_are_not_kept() {
        let mut waits = Waits::default();
        for access in 0..100 {
            waits.of((0, 0)).issued(access);
        }
        waits.of((0, 0)).waited(200, 63);
        assert_eq!(waits.pairs(), [(200, 36, 1)]);
    }
}
