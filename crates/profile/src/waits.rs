//! Waits for vector memory, and the accesses that they wait for.
//!
//! VMCNT counts the accesses in flight, and decreases in their order (Vega ISA, 4.4 "Manually Inserted Wait States"; before gfx10
//! stores count there, too). `s_waitcnt vmcnt(N)` waits for all but the last N.

use std::collections::{BTreeMap, HashMap};

/// The most accesses that the counter can tell.
const MOST: usize = 64;

/// The waits of waves that have been seen.
#[derive(Default)]
pub(crate) struct Waits {
    /// The accesses of each wave that no wait was for yet, by work-group and wave: the addresses of their instructions.
    in_flight: HashMap<(u64, u32), Vec<u64>>,
    /// Waits by their addresses and those of the last access that they were for.
    pairs: BTreeMap<(u64, u64), u64>,
}

impl Waits {
    /// Adds an access of a wave.
    pub(crate) fn issued(&mut self, wave: (u64, u32), access: u64) {
        let in_flight = self.in_flight.entry(wave).or_default();
        if in_flight.len() == MOST {
            in_flight.remove(0);
        }
        in_flight.push(access);
    }

    /// Adds a wait of a wave for all but the last accesses.
    pub(crate) fn waited(&mut self, wave: (u64, u32), wait: u64, but: usize) {
        let Some(in_flight) = self.in_flight.get_mut(&wave) else {
            return;
        };
        let done = in_flight.len().saturating_sub(but);
        if let Some(last) = in_flight.drain(..done).next_back() {
            *self.pairs.entry((wait, last)).or_default() += 1;
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

    /// The waits that were for an access: by the addresses of both, and how often.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let pairs = self.pairs.iter();
        pairs.map(|((wait, access), times)| (*wait, *access, *times))
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
            waits.issued(a, access);
        }
        waits.issued(b, 0x10);
        waits.waited(a, 0x100, 1);
        // There is nothing left but the one that may stay in flight.
        waits.waited(a, 0x104, 1);
        waits.waited(a, 0x108, 0);
        waits.ended(b);
        waits.waited(b, 0x108, 0);
        let pairs: Vec<_> = waits.pairs().collect();
        assert_eq!(pairs, [(0x100, 0x20, 1), (0x108, 0x30, 1)]);
    }

    #[test]
    fn more_accesses_than_the_counter_tells_are_not_kept() {
        let mut waits = Waits::default();
        for access in 0..100 {
            waits.issued((0, 0), access);
        }
        waits.waited((0, 0), 200, 63);
        assert_eq!(waits.pairs().collect::<Vec<_>>(), [(200, 36, 1)]);
    }
}
