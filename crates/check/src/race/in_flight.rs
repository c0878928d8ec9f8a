//! Writes of a wave to vector memory that are in flight: until the wave has waited for them (`s_waitcnt vmcnt`), others may not
//! see them, whatever flag it has set meanwhile.
//!
//! Vector memory is done in the order in which it was issued (Vega ISA, 4.4), for who shares the L1 of a compute unit. Work-groups
//! may not, and their ways to memory differ by address (LLVM, "Memory Model GFX6-GFX9"). So this is about waves of different ones.

use std::collections::VecDeque;

use super::vector_clock::Time;

/// The writes of a wave.
#[derive(Clone, Default)]
pub struct InFlight {
    /// How many accesses were issued.
    issued: u32,
    /// Writes that may be in flight: number and time, the oldest first.
    writes: VecDeque<(u32, Time)>,
    /// Others, which were waited for.
    done: Vec<Done>,
    /// Flags that others have come behind.
    early: Vec<Release>,
}

/// Writes that were waited for together.
#[derive(Clone, Copy)]
struct Done {
    first: Time,
    /// The moment of the wait.
    at: Time,
}

/// A flag that was set, or an atomic, while writes before it were in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Release {
    /// The time of the release.
    time: Time,
    /// The first of these writes.
    first: Time,
    /// The number of the instruction.
    pub pc: u16,
    /// The dword in memory.
    dword: u64,
}

/// No counter goes further, so that no more are in flight.
const MAX_IN_FLIGHT: u32 = 64;

/// So many waits, and so many releases, are remembered: of older ones nothing is said.
const REMEMBERED: usize = 8;

impl InFlight {
    /// An access to vector memory is issued.
    pub fn issue(&mut self) {
        self.issued = self.issued.wrapping_add(1);
    }

    /// The access that was issued last writes.
    pub fn write(&mut self, now: Time) {
        let is_done = |(number, _): &(u32, Time)| self.issued - number >= MAX_IN_FLIGHT;
        if self.writes.front().is_some_and(is_done) {
            self.writes.pop_front();
        }
        self.writes.push_back((self.issued, now));
    }

    /// The wave has waited until no more than so many accesses were in flight.
    pub fn wait(&mut self, most: u32, now: Time) {
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

    /// The wave has ended, and all is done.
    pub fn end(&mut self, now: Time) {
        self.wait(0, now);
        self.writes = VecDeque::new();
    }

    /// Another wave comes behind an access to a dword by which this one lets others go on.
    pub fn seen(&mut self, time: Time, pc: u16, dword: u64) {
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

    /// The first write that was in flight at a moment.
    fn first_at(&self, then: Time) -> Option<Time> {
        let spans = self.done.iter().map(|done| (done.first, done.at));
        let left = self.writes.front().map(|(_, first)| (*first, Time::MAX));
        let mut spans = spans.chain(left);
        let span = spans.find(|(first, at)| *first < then && then < *at);
        span.map(|(first, _)| first)
    }

    /// Whether a release was ever seen that was early.
    #[inline]
    pub fn is_ever_early(&self) -> bool {
        !self.early.is_empty()
    }

    /// The release during a write in flight to a dword, if it is the only one by which a wave is ordered after this wave up
    /// to a time. Accesses to one dword are in order anyhow.
    pub fn early(&self, write: Time, dword: u64, known: Time) -> Option<Release> {
        let mut early = self.early.iter().copied();
        let release = early.find(|release| release.time == known)?;
        let is_in_flight = release.first <= write && write < release.time;
        (is_in_flight && release.dword != dword).then_some(release)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wave that writes at these moments, and waits at the last one.
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
        // What is released at 5 is behind none of 2 to 4, and at 9 behind all.
        assert!([2, 3, 4].iter().all(|write| !is_done(&wave, *write, 5)));
        assert!([2, 3, 4, 6].iter().all(|write| is_done(&wave, *write, 9)));
        // A write that is itself what others see, and one that came later, are not meant.
        assert!(is_done(&wave, 4, 4) && is_done(&wave, 6, 5));
    }

    #[test]
    fn a_wait_for_some_leaves_the_last_ones() {
        let mut wave = wave(&[2, 3, 4, 6], 2, 8);
        assert!(is_done(&wave, 2, 9) && is_done(&wave, 3, 9));
        assert!(!is_done(&wave, 4, 9) && !is_done(&wave, 6, 9));
        // Loads count as well.
        wave.issue();
        wave.wait(2, 10);
        assert!(is_done(&wave, 4, 11) && !is_done(&wave, 6, 11));
    }

    #[test]
    fn what_cannot_be_in_flight_is_not() {
        let times: Vec<Time> = (10..10 + MAX_IN_FLIGHT + 1).collect();
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
        for round in 0..REMEMBERED as Time + 1 {
            wave.issue();
            wave.write(10 * round + 2);
            wave.wait(0, 10 * round + 4);
        }
        assert!(is_done(&wave, 2, 3));
        assert!(!is_done(&wave, 12, 13));
    }
}
