//! Kernels and copies that have ended, and what each of them has touched, until all that may come lies behind them.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use wavetank::Kernel;
use wavetank::check::{Footprint, Kept, Meeting};

use super::known::{Id, Known};
use super::{Asked, with};
use crate::callers::Callers;
use crate::memory::{self, Kind, Origin};
use crate::state::{lock, runtime};

/// A kernel or a copy that has ended.
pub struct Job {
    pub id: Id,
    /// With all that lay behind it when it began.
    pub asked: Asked,
    pub what: What,
}

pub enum What {
    Kernel(Kernel, Box<Footprint>),
    Copy {
        /// The function of the library.
        call: &'static str,
        written: Vec<Range<u64>>,
        read: Vec<Range<u64>>,
    },
}

/// Two jobs without an order.
#[derive(Clone)]
pub struct Found {
    /// The kernel that is told of.
    pub kernel: Kernel,
    pub callers: Option<Callers>,
    pub meeting: Meeting,
    pub other: Other,
}

/// The other half.
#[derive(Clone)]
pub enum Other {
    /// A kernel of the program.
    Kernel(Kernel, Option<Callers>, Meeting),
    /// A copy or a fill of the host: by a function of the library, or by a kernel of the runtime.
    Copy {
        call: String,
        callers: Option<Callers>,
        /// Whether it writes the bytes.
        writes: bool,
    },
}

/// All that has ended and is still looked at.
#[derive(Default)]
pub struct Jobs {
    ended: VecDeque<Job>,
    /// Kernels that run, by a number of each.
    running: BTreeSet<u64>,
    /// Numbers that have been given.
    numbers: u64,
    /// What has been asked for and not ended.
    asked: u64,
    done: Known,
    /// What others may know of that were told by kernels.
    told: Known,
    suspects: Vec<Suspect>,
    found: Vec<Found>,
}

/// A race, unless one of the kernels that run has told somebody something: they may have brought about an order that nobody
/// sees.
struct Suspect {
    found: Found,
    unless: BTreeSet<u64>,
}

/// So many jobs are looked at: the last ones.
const MOST: usize = 256;
/// So many bytes of footprints, but for the last one.
const MOST_BYTES: u64 = 256 << 20;
/// What a copy reads so much of at most may be a counter or a flag of a kernel that runs.
const WORD: u64 = 8;

/// A kernel that runs.
pub struct Launch {
    number: u64,
    line: usize,
    asked: Asked,
    kernel: Kernel,
    pub footprint: Kept,
}

impl Launch {
    pub fn new(line: usize, asked: Asked, kernel: &Kernel) -> Launch {
        let number = with(|state| state.jobs.runs());
        Launch {
            number,
            line,
            asked,
            kernel: kernel.clone(),
            footprint: Kept::default(),
        }
    }

    /// It has ended.
    pub fn ends(self) -> Id {
        let footprint = lock(&self.footprint).take();
        let is_copy = is_copy(self.kernel.name());
        let silent = footprint.filter(|footprint| is_copy || !footprint.tells(is_shared));
        let (asked, kernel) = (self.asked.clone(), self.kernel.clone());
        with(|state| {
            let id = state.lines.next(self.line);
            match silent {
                Some(footprint) => state.jobs.kernel_ends(
                    self.number,
                    Job {
                        id,
                        asked,
                        what: What::Kernel(kernel, Box::new(footprint)),
                    },
                ),
                None => state.jobs.has_told(self.number, id, &asked.known),
            }
            id
        })
    }
}

impl Drop for Launch {
    fn drop(&mut self) {
        // Of one that has failed nothing is known.
        with(|state| state.jobs.stops(self.number));
    }
}

/// Whether a kernel is one by which the runtime copies or fills.
fn is_copy(kernel: &str) -> bool {
    ["__amd_rocclr_copy", "__amd_rocclr_fill"]
        .iter()
        .any(|start| kernel.starts_with(start))
}

/// Whether others than kernels and copies look at memory: the host may be told something there while a kernel runs.
fn is_shared(address: u64) -> bool {
    const OF_CODE: [&str; 3] = ["the code", "the constants", "the global variables"];
    if let Some(known) = memory::find(address) {
        return known.origin != Origin::Allocated || known.flags != Kind::Device.flags();
    }
    let found = runtime()
        .ok()
        .and_then(|runtime| runtime.registry().find(address));
    found.is_some_and(|found| !OF_CODE.contains(&&*found.name))
}

impl Jobs {
    /// Something is asked for: its number.
    pub fn begins(&mut self) -> u64 {
        self.asked += 1;
        self.numbers += 1;
        self.numbers
    }

    /// What was asked for is nothing to be looked at.
    pub fn given_up(&mut self) {
        self.asked = self.asked.saturating_sub(1);
    }

    /// A kernel begins to run: its number.
    fn runs(&mut self) -> u64 {
        self.numbers += 1;
        self.running.insert(self.numbers);
        self.numbers
    }

    /// All that has been done.
    pub fn done(&self) -> &Known {
        &self.done
    }

    /// What has been found since somebody asked.
    pub fn take_found(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.found)
    }

    /// A copy has ended.
    pub fn ends(&mut self, job: Job) {
        self.given_up();
        self.done.add(job.id);
        let told = self.compare(&job);
        if !told {
            self.keep(job);
        }
    }

    fn kernel_ends(&mut self, number: u64, job: Job) {
        self.given_up();
        self.done.add(job.id);
        self.running.remove(&number);
        if self.compare(&job) {
            self.suspects
                .retain(|suspect| !suspect.unless.contains(&number));
        } else {
            self.clear(number);
            self.keep(job);
        }
    }

    /// A kernel has ended that has told others something: whoever they are, they may know all that it knew.
    fn has_told(&mut self, number: u64, id: Id, known: &Known) {
        self.given_up();
        self.done.add(id);
        self.told.join(known);
        self.told.add(id);
        self.stops(number);
    }

    /// A kernel has ended, and it is not known what it has told others.
    fn stops(&mut self, number: u64) {
        if self.running.remove(&number) {
            self.suspects
                .retain(|suspect| !suspect.unless.contains(&number));
        }
    }

    /// A kernel has ended that has told nobody anything.
    fn clear(&mut self, number: u64) {
        for suspect in &mut self.suspects {
            suspect.unless.remove(&number);
        }
        let cleared = self
            .suspects
            .extract_if(.., |suspect| suspect.unless.is_empty());
        self.found.extend(cleared.map(|suspect| suspect.found));
    }

    /// Finds the jobs that a new one has no order with. Gives whether it orders itself with one of them in its own way.
    fn compare(&mut self, job: &Job) -> bool {
        let is_ordered = |old: &&Job| job.asked.known.has(old.id) || self.told.has(old.id);
        let beside: Vec<&Job> = self.ended.iter().filter(|old| !is_ordered(old)).collect();
        let orders = beside.iter().filter(|old| job.orders_with(old));
        let mut told = Known::default();
        for old in orders {
            told.join(&old.asked.known);
            told.add(old.id);
        }
        if told != Known::default() || job.is_polled_by(&beside) {
            self.told.join(&told);
            self.told.join(&job.asked.known);
            self.told.add(job.id);
            return true;
        }
        let found: Vec<Found> = beside.iter().filter_map(|old| old.meets(job)).collect();
        for found in found {
            match self.running.is_empty() {
                true => self.found.push(found),
                false => self.suspects.push(Suspect {
                    found,
                    unless: self.running.clone(),
                }),
            }
        }
        false
    }

    fn keep(&mut self, job: Job) {
        self.ended.push_back(job);
        let sizes = self.ended.iter().map(Job::size);
        let mut bytes: u64 = sizes.sum();
        while self.ended.len() > MOST || bytes > MOST_BYTES && self.ended.len() > 1 {
            if let Some(oldest) = self.ended.pop_front() {
                bytes -= oldest.size();
            }
        }
    }

    /// Forgets what lies behind all that may come.
    pub fn forget(&mut self, host: &Known) {
        if self.asked == 0 {
            self.ended.retain(|job| !host.has(job.id));
        }
    }
}

impl Job {
    fn size(&self) -> u64 {
        match &self.what {
            What::Kernel(_, footprint) => footprint.size(),
            What::Copy { .. } => 0,
        }
    }

    /// Whether two jobs use the same bytes in a way that orders whoever does so: a kernel waits for a flag that is copied, and
    /// a host looks at what a kernel counts.
    fn orders_with(&self, other: &Job) -> bool {
        match (&self.what, &other.what) {
            (What::Kernel(_, a), What::Kernel(_, b)) => a.orders_with(b),
            (What::Kernel(_, kernel), What::Copy { written, read, .. })
            | (What::Copy { written, read, .. }, What::Kernel(_, kernel)) => {
                let words = read.iter().filter(|bytes| is_word(bytes));
                written
                    .iter()
                    .chain(words)
                    .any(|bytes| kernel.orders(bytes.clone()))
            }
            (What::Copy { .. }, What::Copy { .. }) => false,
        }
    }

    /// Whether the host copies the same word of what a kernel writes again and again: it wants to know how far that is.
    fn is_polled_by(&self, others: &[&Job]) -> bool {
        let What::Kernel(_, footprint) = &self.what else {
            return false;
        };
        let words = others.iter().filter_map(|other| match &other.what {
            What::Copy { read, .. } => read.first().filter(|bytes| is_word(bytes)),
            What::Kernel(..) => None,
        });
        let mut seen = BTreeSet::new();
        let mut again = words.filter(|word| !seen.insert((word.start, word.end)));
        again.any(|word| footprint.meets(word.clone(), false).is_some())
    }

    /// What two jobs do to the same bytes, if one is a kernel of the program.
    fn meets(&self, other: &Job) -> Option<Found> {
        match (&self.what, &other.what) {
            (What::Kernel(kernel, of), What::Copy { .. }) => self.meets_copy(kernel, of, other),
            (What::Copy { .. }, What::Kernel(kernel, of)) => other.meets_copy(kernel, of, self),
            (What::Kernel(a, of_a), What::Kernel(b, of_b)) => {
                match (is_copy(a.name()), is_copy(b.name())) {
                    (true, true) => None,
                    (true, false) => self.meets_launch(a, of_a, other, (b, of_b)),
                    (false, false) if self.asked.number < other.asked.number => {
                        self.meets_launch(a, of_a, other, (b, of_b))
                    }
                    (false, _) => other.meets_launch(b, of_b, self, (a, of_a)),
                }
            }
            (What::Copy { .. }, What::Copy { .. }) => None,
        }
    }

    fn meets_copy(&self, kernel: &Kernel, of: &Footprint, copy: &Job) -> Option<Found> {
        let What::Copy {
            call,
            written,
            read,
        } = &copy.what
        else {
            return None;
        };
        let written = written.iter().map(|bytes| (bytes, true));
        let mut all = written.chain(read.iter().map(|bytes| (bytes, false)));
        let met =
            |(bytes, writes): (&Range<u64>, bool)| Some((of.meets(bytes.clone(), writes)?, writes));
        let (meeting, writes) = all.find_map(met)?;
        let (call, callers) = ((*call).to_owned(), copy.asked.callers.clone());
        Some(Found {
            kernel: kernel.clone(),
            callers: self.asked.callers.clone(),
            meeting,
            other: Other::Copy {
                call,
                callers,
                writes,
            },
        })
    }

    /// What two launches do, of which the second is one of the program's, and the later one if both are.
    fn meets_launch(
        &self,
        kernel: &Kernel,
        of: &Footprint,
        other: &Job,
        (second, of_second): (&Kernel, &Footprint),
    ) -> Option<Found> {
        let (first, meeting) = of.meets_launch(of_second)?;
        let callers = self.asked.callers.clone();
        let other_half = match is_copy(kernel.name()) {
            true => Other::Copy {
                call: kernel.name().to_owned(),
                callers,
                writes: first.noun != "load",
            },
            false => Other::Kernel(kernel.clone(), callers, first),
        };
        Some(Found {
            kernel: second.clone(),
            callers: other.asked.callers.clone(),
            meeting,
            other: other_half,
        })
    }
}

fn is_word(bytes: &Range<u64>) -> bool {
    bytes.end - bytes.start <= WORD
}
