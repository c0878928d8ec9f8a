//! The observer of one launch: everything that is recorded or reported about a kernel before, while and after it runs.

use std::mem;
use std::time::{Duration, Instant};

use wavetank::{Dispatch, Error, Finding, Kernel, Report, Tool};

use super::happens_before::{self, QueueOrder};
use super::slow_dispatch::SlowDispatch;
use super::turn::Turn;
use super::{
    allocation_sites, capture, checks, deadline, fidelity, profile, statistics, undefined,
};
use crate::c_types::DispatchPacket;
use crate::log;
use crate::signal::poll;

/// A running kernel, from [`begin`](Self::begin) to [`end`](Self::end).
pub(crate) struct Launch<'a> {
    /// The number of the queue.
    queue: u64,
    kernel: &'a Kernel,
    /// Whether its findings are reported.
    is_selected: bool,
    begun: Instant,
    slow: SlowDispatch<'a>,
    deadline: Option<deadline::Kernel>,
    /// The time until the deadline, if there is one.
    left: Option<Duration>,
    order: &'a QueueOrder,
    /// The launch among those of other queues, if `race` runs.
    ordered: Option<happens_before::Launch>,
    captured: Option<capture::Captured>,
    /// Its turn among other launches, while some are captured.
    _turn: Option<Turn>,
    /// Keeps the poll for stores to signals running.
    _running: poll::Running,
}

/// The outcome of a launch.
pub(crate) enum Outcome {
    Done,
    Failed(Error),
    /// The deadline stopped the kernel, which has been recorded.
    Deadline,
}

impl<'a> Launch<'a> {
    /// Observes the kernel of the packet with this index, of a queue with a number and an order.
    pub(crate) fn begin(
        (queue, order): (u64, &'a QueueOrder),
        index: u64,
        kernel: &'a Kernel,
    ) -> Launch<'a> {
        let (captured, turn) = capture::begins(kernel);
        let is_selected = checks::begins(kernel);
        let running = poll::Running::new();
        let slow = SlowDispatch::new(kernel.name());
        statistics::begin(kernel.name());
        let begun = Instant::now();
        let (deadline, left) = deadline::Kernel::begins();
        let ordered = order.begins(index, kernel);
        Launch {
            queue,
            kernel,
            is_selected,
            begun,
            slow,
            deadline,
            left,
            order,
            ordered,
            captured,
            _turn: turn,
            _running: running,
        }
    }

    /// Reports that `done` of `all` work-groups have ended.
    pub(crate) fn progress(&self, done: u64, all: u64) {
        self.slow.progress(done, all);
    }

    /// Sets the options of the dispatch that record accesses and progress.
    pub(crate) fn configure<'d>(&self, dispatch: Dispatch<'d>) -> Dispatch<'d> {
        let mut dispatch = dispatch
            .count(statistics::enabled())
            .check(checks::tools_of(self.is_selected))
            .keep_going(checks::keep_going())
            .host_reads(false)
            .origins(&allocation_sites::of);
        if let Some(left) = self.left {
            dispatch = dispatch.timeout(left);
        }
        if let Some(captured) = &self.captured {
            dispatch = dispatch.capture_launch(&captured.path, captured.number);
        }
        if let Some(profiler) = profile::profiler() {
            dispatch = dispatch.profile(profiler);
        }
        if let Some(ordered) = &self.ordered {
            dispatch = dispatch.footprint(ordered.footprint.clone());
        }
        dispatch
    }

    /// Records and reports the result. `stopped` says whether the queue has been stopped: then the kernel fails silently.
    pub(crate) fn end(
        self,
        packet: &DispatchPacket,
        result: Result<Report, Error>,
        stopped: bool,
    ) -> Outcome {
        statistics::end(
            self.kernel.name(),
            self.begun.elapsed(),
            result.as_ref().ok(),
        );
        profile::launched(self.queue, self.kernel, self.begun);
        if result.is_err() {
            // The program is likely to end.
            profile::report();
        }
        fidelity::record(self.kernel.module());
        if let (Some(captured), Ok(_)) = (&self.captured, &result) {
            captured.is_written(self.kernel);
        }
        match result {
            Ok(report) => {
                self.done(packet, report);
                Outcome::Done
            }
            Err(error) if stopped => Outcome::Failed(error),
            Err(error) => self.failed(error),
        }
    }

    fn report(&self, findings: &[Finding]) {
        if self.is_selected {
            checks::report(self.kernel, findings);
        }
    }

    fn done(self, packet: &DispatchPacket, mut report: Report) {
        let (kernel, is_selected) = (self.kernel, self.is_selected);
        self.report(&report.findings);
        if !happens_before::is_copy(kernel.name()) {
            checks::uncompared(report.uncompared.take());
        }
        self.order.ends(self.ordered);
        let mut stores = mem::take(&mut report.undefined_stores);
        if !is_selected {
            stores.iter_mut().for_each(|store| store.finding = None);
        }
        undefined::stored(kernel, stores);
        if let Some(overrun) = &report.lds_overruns {
            let about = format!("the LDS of {}", kernel.name());
            log::once(&about, &overrun.to_string());
        }
        if let Some(read_on) = &report.read_on {
            let about = format!("the loads of {}", kernel.name());
            log::once(&about, &read_on.to_string());
        }
        if log::informs() {
            log::line(&statistics::line(kernel.name(), packet, &report));
        }
    }

    fn failed(self, error: Error) -> Outcome {
        self.report(error.findings());
        match (&self.deadline, &error) {
            (Some(deadline), Error::Timeout(_)) => {
                let mut findings = error.findings().iter();
                let is_finding = findings.any(|finding| finding.tool == Tool::Sync);
                deadline.is_stopped(&error.to_string(), is_finding);
                Outcome::Deadline
            }
            _ => Outcome::Failed(error),
        }
    }
}
