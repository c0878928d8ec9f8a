//! The report of a run: statistics, printed text, findings.

use std::time::Duration;

use crate::checks::{CheckTimes, UndefinedStore};
use wavetank_check::{Finding, Uncompared};
use wavetank_ir::Family;
use wavetank_jit::Compiled;
use wavetank_machine::schedule::Counts;

use crate::overrun::LdsOverrun;
use crate::read_on::ReadOn;

/// The result of a dispatch.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Work-groups that ran.
    pub groups: u64,
    /// Waves that ran.
    pub waves: u64,
    /// Threads that could run them.
    pub threads: usize,
    /// Messages (`s_sendmsg`) sent.
    pub messages: u64,
    /// Instructions, where [`Dispatch::count`](crate::Dispatch::count) requested them.
    pub instructions: Option<InstructionCounts>,
    /// The counts of the code that was compiled for this launch, if [`Dispatch::count`](crate::Dispatch::count) requested them.
    /// Launches of a module that run at the same time share their code: what one reports, the others do not.
    pub compiled: Option<Compiled>,
    /// Accesses beyond the LDS of the kernel. They are hardly ever intended, so they should be printed.
    pub lds_overruns: Option<LdsOverrun>,
    /// Loads past the end of an allocation that allows them
    /// ([`Registry::allocate_block`](crate::Registry::allocate_block)). Programs hardly ever mean them; print it.
    pub read_on: Option<ReadOn>,
    /// The findings of the tools of [`Dispatch::check`](crate::Dispatch::check) in the order of work-groups and waves, then those
    /// of the watchers of [`Dispatch::watch`](crate::Dispatch::watch).
    pub findings: Vec<Finding>,
    /// Stores of undefined bits that the host may read, if they are requested
    /// ([`Dispatch::host_reads`](crate::Dispatch::host_reads)).
    pub undefined_stores: Vec<UndefinedStore>,
    /// The time that the tools of [`Dispatch::check`](crate::Dispatch::check) took for themselves.
    pub check_times: CheckTimes,
    /// What the tool `race` has not compared, if it watched the launch.
    pub uncompared: Option<Uncompared>,
    /// Time from the first wave's start to the last one's end.
    pub wall: Duration,
}

/// Instructions that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct InstructionCounts {
    families: [u64; 8],
    /// Instructions times the lanes that were active in them.
    pub lanes: u64,
    /// Instructions of waves that compiled code executed; the interpreter executed the others.
    pub compiled: u64,
}

impl InstructionCounts {
    pub(crate) fn new(counts: &Counts) -> Self {
        InstructionCounts {
            families: counts.families,
            lanes: counts.lane_instructions,
            compiled: counts.compiled,
        }
    }

    /// The counts with these numbers: by family, of lanes, of compiled code.
    pub(crate) fn of_words(families: [u64; 8], lanes: u64, compiled: u64) -> Self {
        InstructionCounts {
            families,
            lanes,
            compiled,
        }
    }

    /// Adds the instructions of others.
    pub fn add(&mut self, other: &InstructionCounts) {
        for (sum, n) in self.families.iter_mut().zip(other.families) {
            *sum += n;
        }
        self.lanes += other.lanes;
        self.compiled += other.compiled;
    }

    /// Instructions of all waves.
    pub fn waves(&self) -> u64 {
        self.families.iter().sum()
    }

    /// Instructions of all waves by family.
    pub fn by_family(&self) -> impl Iterator<Item = (Family, u64)> {
        Family::ALL.into_iter().zip(self.families)
    }
}

impl Report {
    /// Wave instructions a second, where they were counted.
    pub fn wave_instructions_per_second(&self) -> Option<f64> {
        let counts = self.instructions.as_ref()?;
        Some(counts.waves() as f64 / self.wall.as_secs_f64().max(1e-9))
    }
}
