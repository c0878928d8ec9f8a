//! Tallies: counters of executions that a program with `Op::Tally` adds to, for profiles.
//!
//! A *site* is a sequence of instructions that a wave executes together, with the same EXEC. Each has a row of counters. Compiled code
//! adds to them inline.

use std::mem::offset_of;

/// Counters of a site: one for each number of active lanes, 0 to 64, and one for the executions that part the wave.
pub const TALLY_ROW: usize = 66;

/// The index of the counter of executions after which only some of the lanes that were active before are active.
pub const TALLY_PARTS: usize = 65;

/// No site.
const NONE: u32 = u32::MAX;

/// The counters of a worker, a row for each site.
pub(crate) struct Tallies {
    /// The rows, as many as `sites` says.
    rows: Vec<u64>,
    /// The address of the first row, for compiled code.
    first: *mut u64,
    /// The number of rows.
    sites: u32,
    /// The site that was counted last.
    last: u32,
}

impl Default for Tallies {
    fn default() -> Self {
        let mut rows = Vec::new();
        Tallies {
            first: rows.as_mut_ptr(),
            rows,
            sites: 0,
            last: NONE,
        }
    }
}

impl Tallies {
    /// Byte offset of the address of the first row.
    pub(crate) const FIRST: usize = offset_of!(Tallies, first);
    /// Byte offset of the number of rows (32 bits).
    pub(crate) const SITES: usize = offset_of!(Tallies, sites);
    /// Byte offset of the site that was counted last (32 bits).
    pub(crate) const LAST: usize = offset_of!(Tallies, last);

    /// Counts an execution of a site with these active lanes, after those that were active before.
    pub(crate) fn count(&mut self, site: u32, lanes: u64, before: u64) {
        if site >= self.sites {
            self.grow(site);
        }
        let row = site as usize * TALLY_ROW;
        self.rows[row + lanes.count_ones() as usize] += 1;
        self.rows[row + TALLY_PARTS] += u64::from(parts(lanes, before));
        self.last = site;
    }

    #[cold]
    fn grow(&mut self, site: u32) {
        let sites = (site + 1).max(self.sites.saturating_mul(2)).max(64);
        self.rows.resize(sites as usize * TALLY_ROW, 0);
        self.first = self.rows.as_mut_ptr();
        self.sites = sites;
    }

    /// Returns the site that was counted last since this was asked before, if there is one.
    pub(crate) fn take_last(&mut self) -> Option<u32> {
        let last = std::mem::replace(&mut self.last, NONE);
        (last != NONE).then_some(last)
    }

    /// Takes all counters, and leaves zeros.
    pub(crate) fn take(&mut self) -> Vec<u64> {
        std::mem::take(self).rows
    }
}

/// Whether the wave parts: some of the lanes that were active before are active now, and some are not.
fn parts(lanes: u64, before: u64) -> bool {
    lanes & before != 0 && before & !lanes != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executions_are_counted_by_lanes() {
        let mut tallies = Tallies::default();
        tallies.count(3, 0b111, 0b1111);
        tallies.count(3, 0b111, 0b111);
        tallies.count(70, 0, 0b111);
        tallies.count(70, !0, 0);
        assert_eq!(tallies.take_last(), Some(70));
        assert_eq!(tallies.take_last(), None);
        let rows = tallies.take();
        let at = |site: usize, n: usize| rows[site * TALLY_ROW + n];
        assert_eq!((at(3, 3), at(3, TALLY_PARTS)), (2, 1));
        assert_eq!((at(70, 0), at(70, 64), at(70, TALLY_PARTS)), (1, 1, 0));
        assert_eq!(rows.iter().sum::<u64>(), 5);
        assert!(tallies.take().is_empty());
    }

    #[test]
    fn a_wave_parts_where_some_lanes_go_on_without_the_others() {
        for (before, now, expected) in [
            (0b1111, 0b0011, true),
            // Nothing changes; lanes come back; the other side of a branch; no lane is left.
            (0b1111, 0b1111, false),
            (0b0011, 0b1111, false),
            (0b0011, 0b1100, false),
            (0b0011, 0, false),
            // One lane goes, and another comes back.
            (0b0011, 0b0101, true),
        ] {
            assert_eq!(parts(now, before), expected, "{before:b} to {now:b}");
        }
    }
}
