//! The happens-before relation of the host, the signals and the jobs.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use wavetank::Tool;

use super::jobs::{Job, Jobs, Request, What};
use super::report;
use super::vector_clock::{Timelines, VectorClock};
use crate::c_types::Signal;
use crate::observe::backtrace::Backtrace;
use crate::observe::checks;
use crate::signal;
use crate::state::lock;

/// Whether the checker `race` is enabled.
pub(crate) fn enabled() -> bool {
    checks::tools().has(Tool::Race)
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

#[derive(Default)]
pub(super) struct State {
    /// The jobs that happen before all later actions of the host.
    pub host: VectorClock,
    /// For each signal, by its handle: the jobs that happen before an observation of its change.
    signals: HashMap<u64, VectorClock>,
    pub timelines: Timelines,
    /// The timelines of copies.
    copies: Vec<usize>,
    pub jobs: Jobs,
}

/// Changes the state, and reports the races that are found after the state is unlocked.
pub(super) fn with<T>(change: impl FnOnce(&mut State) -> T) -> T {
    let mut state = lock(&STATE);
    let all = state.get_or_insert_default();
    let result = change(all);
    let found = all.jobs.take_found();
    drop(state);
    found.iter().for_each(report::report);
    result
}

impl Request {
    /// A request of the calling thread, if `race` runs.
    pub(crate) fn here() -> Option<Request> {
        enabled().then(|| {
            let backtrace = Some(Backtrace::capture());
            with(|state| Request {
                number: state.jobs.begins(),
                clock: state.host.clone(),
                backtrace,
            })
        })
    }

    /// Records that the request has waited for a signal.
    pub(crate) fn waited(&mut self, signal: Signal) {
        with(|state| self.clock.join(&state.of_signal(signal)));
    }
}

/// Records a copy or a fill, with the bytes that it has written and read. The copy happens before an observation of its signal;
/// without a signal, before all later actions of the host.
pub(crate) fn copied(
    request: Option<Request>,
    call: &'static str,
    written: Vec<Range<u64>>,
    read: Vec<Range<u64>>,
    completion: Option<Signal>,
) {
    let Some(request) = request else { return };
    with(|state| {
        let mut clock = request.clock.clone();
        let id = state.timelines.after(&mut state.copies, &clock);
        let what = What::Copy {
            call,
            written,
            read,
        };
        state.jobs.ends(Job { id, request, what });
        clock.add(id);
        match completion {
            Some(signal) => state.shows(signal, &clock),
            None => state.host.join(&clock),
        }
        state.jobs.forget(&state.host);
    });
}

/// Records that a requested copy will not be made.
pub(crate) fn given_up(request: Option<Request>, completion: Signal) {
    if let Some(request) = request {
        with(|state| {
            state.jobs.given_up();
            state.shows(completion, &request.clock);
        });
    }
}

/// Records that the host has observed a signal.
pub(crate) fn host_sees(signal: Signal) {
    if enabled() && signal.0 != 0 {
        with(|state| {
            let clock = state.of_signal(signal);
            state.host.join(&clock);
            state.jobs.forget(&state.host);
        });
    }
}

/// Records that the host changes a signal.
pub(crate) fn host_changes(signal: Signal) {
    if enabled() && signal.0 != 0 {
        with(|state| {
            let host = state.host.clone();
            state.signals.entry(signal.0).or_default().join(&host);
        });
    }
}

impl State {
    /// The jobs that happen before an observation of a signal. A signal that changes without a call may stand for all jobs.
    pub(super) fn of_signal(&self, handle: Signal) -> VectorClock {
        let mut clock = self.signals.get(&handle.0).cloned().unwrap_or_default();
        if is_exposed(handle) {
            clock.join(self.jobs.done());
        }
        clock
    }

    /// Makes the jobs of a clock happen before later observations of a signal.
    pub(super) fn shows(&mut self, signal: Signal, clock: &VectorClock) {
        if signal.0 == 0 {
            return;
        }
        self.signals.entry(signal.0).or_default().join(clock);
        // The program may read the value without a call.
        if is_exposed(signal) {
            self.host.join(clock);
        }
    }
}

fn is_exposed(handle: Signal) -> bool {
    signal::of(handle).is_some_and(|known| known.exposed.load(Ordering::Acquire) != 0)
}
