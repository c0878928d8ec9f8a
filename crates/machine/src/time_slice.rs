//! Time slices: their lengths, and the order of the waves of a work-group.
//!
//! On a chip, the waves of a group advance together, and one that waits for memory lets the others run. Programs depend on that,
//! often by accident: a missing barrier has no effect where every wave has read before the first one writes. So no wave may run
//! far ahead of its siblings where they meet: time slices are short after the start and after each barrier. Then they grow, since
//! switching waves costs time, and waves that have not met for long rarely communicate.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::random::{SplitMix64, mix};

/// The length of the first time slice, and of the first after a barrier, in guest instructions.
pub(crate) const FIRST: i64 = 32;

/// The number of times that a time slice doubles. The longest one is small enough that a spinning wave costs its partner well
/// under a millisecond, and large enough that the cost of switching waves vanishes.
const DOUBLINGS: u8 = 11;

/// The schedule: the order and the time slices of the waves of a work-group.
///
/// ```
/// use wavetank_machine::Schedule;
/// assert_eq!("random:7".parse(), Ok(Schedule::Random(7)));
/// assert_eq!(Schedule::Random(7).to_string(), "random:7");
/// let sentence = "fast".parse::<Schedule>().unwrap_err().to_string();
/// assert_eq!(sentence, "`fast` is not a schedule; there are fair, greedy, random and random:SEED");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Schedule {
    /// No wave runs far ahead of its siblings, as on a chip: after the start and after each barrier, time slices are short and
    /// end where a chip would wait for memory; then they grow.
    #[default]
    Fair,
    /// Every time slice is long: between barriers, short waves run one after another.
    Greedy,
    /// Time slices of random lengths in a random order, which finds races. The same seed gives a work-group the same time slices,
    /// for any number of threads. Accesses of several groups to the same memory repeat with one thread only.
    Random(u64),
}

impl Schedule {
    /// A random schedule with a random seed.
    pub fn random() -> Schedule {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |time| time.as_nanos() as u64);
        // Seeds are typed in again, so they have at most nine digits.
        Schedule::Random(mix(now ^ u64::from(std::process::id()) << 32) % 1_000_000_000)
    }

    /// The schedule of dispatch `n`, with other random time slices for each.
    pub fn of_dispatch(self, n: u64) -> Schedule {
        match self {
            Schedule::Random(seed) => Schedule::Random(mix(seed) ^ n),
            same => same,
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Fair => f.write_str("fair"),
            Schedule::Greedy => f.write_str("greedy"),
            Schedule::Random(seed) => write!(f, "random:{seed}"),
        }
    }
}

/// The error for a name that is not one of a schedule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a schedule; there are fair, greedy, random and random:SEED")]
pub struct UnknownSchedule(String);

impl FromStr for Schedule {
    type Err = UnknownSchedule;

    /// Parses the text that `Display` writes. `random` alone takes a new seed each time.
    fn from_str(text: &str) -> Result<Schedule, UnknownSchedule> {
        match text {
            "fair" => Ok(Schedule::Fair),
            "greedy" => Ok(Schedule::Greedy),
            "random" => Ok(Schedule::random()),
            _ => {
                let seed = text.strip_prefix("random:").and_then(|s| s.parse().ok());
                seed.map(Schedule::Random)
                    .ok_or_else(|| UnknownSchedule(text.to_owned()))
            }
        }
    }
}

/// The time slices of a work-group's waves.
#[derive(Default)]
pub(crate) struct TimeSlices {
    schedule: Schedule,
    /// The number of times that each wave's time slice has doubled since its start or its last barrier.
    doubled: Vec<u8>,
    random: SplitMix64,
}

impl TimeSlices {
    /// Makes room for a number of waves.
    pub(crate) fn resize(&mut self, waves: usize) {
        self.doubled.resize(waves, 0);
    }

    /// Resets the time slices for a work-group, by its number in the grid.
    #[inline]
    pub(crate) fn begin(&mut self, schedule: Schedule, group: u64) {
        let doubled = match schedule {
            Schedule::Fair => 0,
            Schedule::Greedy | Schedule::Random(_) => DOUBLINGS,
        };
        self.schedule = schedule;
        for times in &mut self.doubled {
            *times = doubled;
        }
        if let Schedule::Random(seed) = schedule {
            self.random = SplitMix64::new(mix(seed) ^ group);
        }
    }

    /// The cost that the next time slice of a wave may have.
    #[inline]
    pub(crate) fn budget(&mut self, wave: usize) -> i64 {
        match self.schedule {
            Schedule::Random(_) => random_budget(&mut self.random),
            _ => FIRST << self.doubled[wave],
        }
    }

    /// The largest cost that the next time slice of a wave may have.
    pub(crate) fn most(&self, wave: usize) -> i64 {
        match self.schedule {
            Schedule::Random(_) => FIRST << DOUBLINGS,
            _ => FIRST << self.doubled[wave],
        }
    }

    /// Lengthens the next time slice of a wave that has used up one. Returns `false` once it has the maximum length.
    pub(crate) fn used_up(&mut self, wave: usize) -> bool {
        let grows = self.doubled[wave] < DOUBLINGS;
        self.doubled[wave] += u8::from(grows);
        grows
    }

    /// Resets the time slices of a wave that has met others at a barrier.
    pub(crate) fn met(&mut self, wave: usize) {
        if self.schedule == Schedule::Fair {
            self.doubled[wave] = 0;
        }
    }

    /// Shuffles the waves of the next round if the schedule is random.
    pub(crate) fn shuffle(&mut self, order: &mut [u32]) {
        if let Schedule::Random(_) = self.schedule {
            // The algorithm of Fisher and Yates.
            for last in (1..order.len()).rev() {
                order.swap(last, self.random.below(last as u64 + 1) as usize);
            }
        }
    }
}

/// The length of a random time slice. All orders of magnitude are equally likely: races occur in short slices as in long ones.
fn random_budget(random: &mut SplitMix64) -> i64 {
    let most = FIRST << random.below(u64::from(DOUBLINGS) + 1);
    1 + random.below(most as u64) as i64
}
