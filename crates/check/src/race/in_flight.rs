//! Writes to vector memory that are in flight: until the wave has waited for them (`s_waitcnt vmcnt`), other waves may not see
//! them, even if they see a flag that the wave has set since.
//!
//! Vector memory accesses are performed in the order of issue (Vega ISA, 4.4) for waves that share the L1 of a compute unit.
//! Work-groups may be on different compute units, whose paths to memory differ by address (LLVM, "Memory Model GFX6-GFX9"). This
//! file is therefore about waves of different work-groups.

use std::collections::VecDeque;

use super::vector_clock::Time;

/// The writes of one wave.
#[derive(Clone, Default)]
pub(super) struct InFlight {
    /// The number of issued accesses.
    issued: u32,
    /// The writes that may be in flight: number and time, the oldest first.
    writes: VecDeque<(u32, Time)>,
    /// The writes that the wave has waited for.
    done: Vec<Done>,
    /// Releases with earlier writes in flight, after which other waves are ordered.
    early: Vec<Release>,
}

/// A group of writes that were waited for together.
#[derive(Clone, Copy)]
struct Done {
    first: Time,
    /// The time of the wait.
    at: Time,
}

/// A store of a flag, or an atomic, while earlier writes were in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Release {
    /// The time of the release.
    time: Time,
    /// The time of the first write in flight.
    first: Time,
    /// The number of the instruction that releases.
    pub pc: u16,
    /// The dword that is written by the release.
    dword: u64,
}

/// Limit of accesses in flight, which is the range of the counter.
const MAX_IN_FLIGHT: u32 = 64;

/// Number of waits, and of releases, that are kept. Races with older ones are not found.
const REMEMBERED: usize = 8;

impl InFlight {
    /// Counts an access to vector memory that is issued.
    pub(super) fn issue(&mut self) {
        self.issued = self.issued.wrapping_add(1);
    }

    /// Records that the access issued last writes.
    pub(super) fn write(&mut self, now: Time) {
        let is_done = |(number, _): &(u32, Time)| self.issued - number >= MAX_IN_FLIGHT;
        if self.writes.front().is_some_and(is_done) {
            self.writes.pop_front();
        }
        self.writes.push_back((self.issued, now));
    }

    /// Records a wait until at most `most` accesses were in flight.
    pub(super) fn wait(&mut self, most: u32, now: Time) {
        let Some(&(_, first)) = self.writes.front() else {
            return;
        };
        let issued = self.issued;
        let before = self.writes.len();
        while (self.writes.front()).is_some_and(|(number, _)| issued - number >= most) {
            self.writes.pop_front();
        }
        if self.writes.len() == before {
            return;
        }
        if self.done.len() == REMEMBERED {
            self.done.remove(0);
        }
        self.done.push(Done { first, at: now });
    }

    /// Records the end of the wave, which completes all writes.
    pub(super) fn end(&mut self, now: Time) {
        self.wait(0, now);
        self.writes = VecDeque::new();
    }

    /// Records that another wave is ordered after an access to a dword by which this one releases.
    pub(super) fn seen(&mut self, time: Time, pc: u16, dword: u64) {
        let known = self.early.iter().any(|release| release.time == time);
        let Some(first) = self.first_at(time).filter(|_| !known) else {
            return;
        };
        if self.early.len() == REMEMBERED {
            self.early.remove(0);
        }
        self.early.push(Release {
            time,
            first,
            pc,
            dword,
        });
    }

    /// Returns the first write that was in flight at a time.
    fn first_at(&self, then: Time) -> Option<Time> {
        let spans = self.done.iter().map(|done| (done.first, done.at));
        let left = self.writes.front().map(|(_, first)| (*first, Time::MAX));
        let mut spans = spans.chain(left);
        let span = spans.find(|(first, at)| *first < then && then < *at);
        span.map(|(first, _)| first)
    }

    /// Whether another wave has seen a release with writes in flight.
    #[inline]
    pub(super) fn is_ever_early(&self) -> bool {
        !self.early.is_empty()
    }

    /// Returns the release during a write in flight to a dword, if it is the only one by which a wave is ordered after this wave
    /// up to time `known`. Accesses to one dword are always in order.
    pub(super) fn early(&self, write: Time, dword: u64, known: Time) -> Option<Release> {
        let mut early = self.early.iter().copied();
        let release = early.find(|release| release.time == known)?;
        let is_in_flight = release.first <= write && write < release.time;
        (is_in_flight && release.dword != dword).then_some(release)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a wave that writes at these times, and waits at the last one.
    fn wave(writes: &[Time], most: u32, at: Time) -> InFlight {
        let mut wave = InFlight::default();
        for time in writes {
            wave.issue();
            wave.write(*time);
        }
        wave.wait(most, at);
        wave
    }

    /// Whether a write is complete for a wave that is ordered after this one up to a time.
    fn is_done(wave: &InFlight, write: Time, known: Time) -> bool {
        let mut wave = wave.clone();
        wave.seen(known, 7, 100);
        wave.early(write, write.into(), known).is_none()
    }

    #[test]
    fn a_wait_parts_what_is_done_from_what_is_not() {
        let wave = wave(&[2, 3, 4, 6], 0, 8);
        // A release at 5 is not ordered after the writes 2 to 4, a release at 9 is ordered after all.
        assert!([2, 3, 4].iter().all(|write| !is_done(&wave, *write, 5)));
        assert!([2, 3, 4, 6].iter().all(|write| is_done(&wave, *write, 9)));
        // A write that is itself the release, and a later one, do not count.
        assert!(is_done(&wave, 4, 4) && is_done(&wave, 6, 5));
    }

    #[test]
    fn a_wait_for_some_leaves_the_last_ones() {
        let mut wave = wave(&[2, 3, 4, 6], 2, 8);
        assert!(is_done(&wave, 2, 9) && is_done(&wave, 3, 9));
        assert!(!is_done(&wave, 4, 9) && !is_done(&wave, 6, 9));
        // Loads count as accesses, too.
        wave.issue();
        wave.wait(2, 10);
        assert!(is_done(&wave, 4, 11) && !is_done(&wave, 6, 11));
    }

    #[test]
    fn what_cannot_be_in_flight_is_not() {
        let times: Vec<Time> = (10..=(10 + MAX_IN_FLIGHT)).collect();
        let wave = wave(&times, MAX_IN_FLIGHT, 200);
        assert!(is_done(&wave, 10, 201) && !is_done(&wave, 11, 201));
    }

    #[test]
    fn one_dword_is_in_order() {
        let mut wave = wave(&[2, 3], 0, 8);
        wave.seen(5, 7, 100);
        assert!(wave.early(2, 100, 5).is_none() && wave.early(2, 101, 5).is_some());
    }

    #[test]
    fn of_old_waits_nothing_is_said() {
        let mut wave = InFlight::default();
        for round in 0..=(REMEMBERED as Time) {
            wave.issue();
            wave.write(10 * round + 2);
            wave.wait(0, 10 * round + 4);
        }
        assert!(is_done(&wave, 2, 3));
        assert!(!is_done(&wave, 12, 13));
    }
}
