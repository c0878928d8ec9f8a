//! The jobs that have ended, with their memory accesses, until they happen before all later jobs.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;

use wavetank::Kernel;
use wavetank::check::{Footprint, Meeting};

use super::vector_clock::{Id, VectorClock};
use crate::observe::backtrace::Backtrace;

/// A request of the program: a packet or a copy that has not ended.
#[derive(Clone)]
pub(crate) struct Request {
    /// The number of the request, in the order of requests.
    pub(super) number: u64,
    /// The jobs that happen before the request.
    pub(super) clock: VectorClock,
    /// The backtrace of the call that made the request.
    pub(super) backtrace: Option<Backtrace>,
}

/// A kernel or a copy that has ended.
pub(super) struct Job {
    pub id: Id,
    /// The request of the job, with the clock at its begin.
    pub request: Request,
    pub what: What,
}

pub(super) enum What {
    Kernel(Kernel, Box<Footprint>),
    Copy {
        /// The function of the library that made the copy.
        call: &'static str,
        written: Vec<Range<u64>>,
        read: Vec<Range<u64>>,
    },
}

/// A race: two unordered jobs.
#[derive(Clone)]
pub(super) struct Found {
    /// The kernel of the finding.
    pub kernel: Kernel,
    pub backtrace: Option<Backtrace>,
    pub meeting: Meeting,
    pub other: Other,
}

/// The other job of a race.
#[derive(Clone)]
pub(super) enum Other {
    /// A kernel of the program.
    Kernel(Kernel, Option<Backtrace>, Meeting),
    /// A copy or a fill of the host: by a function of the library, or by a kernel of the runtime.
    Copy {
        call: String,
        backtrace: Option<Backtrace>,
        /// Whether it writes the bytes.
        writes: bool,
    },
}

/// The jobs that later ones are compared with.
#[derive(Default)]
pub(super) struct Jobs {
    ended: VecDeque<Job>,
    /// The numbers of running kernels.
    running: BTreeSet<u64>,
    /// The last number given to a request or a kernel.
    numbers: u64,
    /// The number of requests that have not ended.
    open: u64,
    /// The clock of all jobs that have ended.
    done: VectorClock,
    /// Jobs that kernels may have announced to others through memory: these happen before everything later.
    announced: VectorClock,
    suspects: Vec<Suspect>,
    found: Vec<Found>,
}

/// A suspected race: not a race if a running kernel synchronises through memory, which may order the two jobs unseen.
struct Suspect {
    found: Found,
    unless: BTreeSet<u64>,
}

/// The number of jobs that are kept, the latest ones.
const MAX_JOBS: usize = 256;
/// The largest total size of the kept footprints in bytes, without the last one.
const MAX_BYTES: u64 = 256 << 20;
/// The size up to which a copy may read a counter or a flag of a running kernel.
const WORD: u64 = 8;

/// Whether a kernel is one of the runtime's for copies and fills.
pub(crate) fn is_copy(kernel: &str) -> bool {
    ["__amd_rocclr_copy", "__amd_rocclr_fill"]
        .iter()
        .any(|start| kernel.starts_with(start))
}

impl Jobs {
    /// Records the begin of a request. Returns its number.
    pub(super) fn begins(&mut self) -> u64 {
        self.open += 1;
        self.numbers += 1;
        self.numbers
    }

    /// Records that a request ends without a job.
    pub(super) fn given_up(&mut self) {
        self.open = self.open.saturating_sub(1);
    }

    /// Records that a kernel begins to run. Returns its number.
    pub(super) fn runs(&mut self) -> u64 {
        self.numbers += 1;
        self.running.insert(self.numbers);
        self.numbers
    }

    /// The clock of all jobs that have ended.
    pub(super) fn done(&self) -> &VectorClock {
        &self.done
    }

    /// Takes the races that were found since the last call.
    pub(super) fn take_found(&mut self) -> Vec<Found> {
        std::mem::take(&mut self.found)
    }

    /// Records the end of a copy.
    pub(super) fn ends(&mut self, job: Job) {
        self.given_up();
        self.done.add(job.id);
        if !self.compare(&job) {
            self.keep(job);
        }
    }

    /// Records the end of a kernel that has announced nothing through memory.
    pub(super) fn kernel_ends(&mut self, number: u64, job: Job) {
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

    /// Records the end of a kernel that may have announced something through memory: all jobs that happened before it are
    /// announced.
    pub(super) fn announces(&mut self, number: u64, id: Id, clock: &VectorClock) {
        self.given_up();
        self.done.add(id);
        self.announced.join(clock);
        self.announced.add(id);
        self.stops(number);
    }

    /// Records the end of a kernel whose announcements are unknown.
    pub(super) fn stops(&mut self, number: u64) {
        if self.running.remove(&number) {
            self.suspects
                .retain(|suspect| !suspect.unless.contains(&number));
        }
    }

    /// Reports the suspected races that waited only for the end of this kernel.
    fn clear(&mut self, number: u64) {
        for suspect in &mut self.suspects {
            suspect.unless.remove(&number);
        }
        let cleared = self
            .suspects
            .extract_if(.., |suspect| suspect.unless.is_empty());
        self.found.extend(cleared.map(|suspect| suspect.found));
    }

    /// Finds races of a new job with earlier ones. Returns whether it synchronises with one of them through memory.
    fn compare(&mut self, job: &Job) -> bool {
        let is_ordered = |old: &&Job| job.request.clock.has(old.id) || self.announced.has(old.id);
        let unordered: Vec<&Job> = self.ended.iter().filter(|old| !is_ordered(old)).collect();
        let orders = unordered.iter().filter(|old| job.orders_with(old));
        let mut synchronised = VectorClock::default();
        for old in orders {
            synchronised.join(&old.request.clock);
            synchronised.add(old.id);
        }
        if synchronised != VectorClock::default() || job.is_polled_by(&unordered) {
            self.announced.join(&synchronised);
            self.announced.join(&job.request.clock);
            self.announced.add(job.id);
            return true;
        }
        let found: Vec<Found> = unordered.iter().filter_map(|old| old.meets(job)).collect();
        for found in found {
            if self.running.is_empty() {
                self.found.push(found);
            } else {
                self.suspects.push(Suspect {
                    found,
                    unless: self.running.clone(),
                });
            }
        }
        false
    }

    fn keep(&mut self, job: Job) {
        self.ended.push_back(job);
        let sizes = self.ended.iter().map(Job::size);
        let mut bytes: u64 = sizes.sum();
        while self.ended.len() > MAX_JOBS || bytes > MAX_BYTES && self.ended.len() > 1 {
            if let Some(oldest) = self.ended.pop_front() {
                bytes -= oldest.size();
            }
        }
    }

    /// Drops the jobs that happen before all later ones.
    pub(super) fn forget(&mut self, host: &VectorClock) {
        if self.open == 0 {
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

    /// Whether two jobs synchronise through the same bytes: a kernel waits for a flag that is copied, or the host reads a counter
    /// of a kernel.
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

    /// Whether the host repeatedly copies one word that a kernel writes: it polls the progress of that kernel.
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

    /// The race of two unordered jobs, if they access the same bytes and one is a kernel of the program.
    fn meets(&self, other: &Job) -> Option<Found> {
        match (&self.what, &other.what) {
            (What::Kernel(kernel, of), What::Copy { .. }) => self.meets_copy(kernel, of, other),
            (What::Copy { .. }, What::Kernel(kernel, of)) => other.meets_copy(kernel, of, self),
            (What::Kernel(a, of_a), What::Kernel(b, of_b)) => {
                match (is_copy(a.name()), is_copy(b.name())) {
                    (true, true) => None,
                    (true, false) => self.meets_launch(a, of_a, other, (b, of_b)),
                    (false, false) if self.request.number < other.request.number => {
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
        let (call, backtrace) = ((*call).to_owned(), copy.request.backtrace.clone());
        Some(Found {
            kernel: kernel.clone(),
            backtrace: self.request.backtrace.clone(),
            meeting,
            other: Other::Copy {
                call,
                backtrace,
                writes,
            },
        })
    }

    /// The race of two launches. The second is of the program, and the later one if both are.
    fn meets_launch(
        &self,
        kernel: &Kernel,
        of: &Footprint,
        other: &Job,
        (second, of_second): (&Kernel, &Footprint),
    ) -> Option<Found> {
        let (first, meeting) = of.meets_launch(of_second)?;
        let backtrace = self.request.backtrace.clone();
        let other_half = if is_copy(kernel.name()) {
            Other::Copy {
                call: kernel.name().to_owned(),
                backtrace,
                writes: first.noun != "load",
            }
        } else {
            Other::Kernel(kernel.clone(), backtrace, first)
        };
        Some(Found {
            kernel: second.clone(),
            backtrace: other.request.backtrace.clone(),
            meeting,
            other: other_half,
        })
    }
}

fn is_word(bytes: &Range<u64>) -> bool {
    bytes.end - bytes.start <= WORD
}
