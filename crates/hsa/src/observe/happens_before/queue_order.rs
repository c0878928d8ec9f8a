//! The order of the packets of a queue: each happens after the one before it.

use std::collections::BTreeMap;
use std::sync::Mutex;

use wavetank::Kernel;
use wavetank::check::Kept;

use super::jobs::{Job, Request, What, is_copy};
use super::state::{enabled, with};
use super::vector_clock::{Id, VectorClock};
use crate::c_types::Signal;
use crate::memory::{self, Kind, Origin};
use crate::state::{lock, runtime};

/// The order of a queue's packets.
#[derive(Default)]
pub(crate) struct QueueOrder(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    /// The timeline of the queue, created by its first kernel.
    timeline: Option<usize>,
    /// The jobs that happen before the next packet.
    clock: VectorClock,
    /// Packets that have been announced and not executed yet, by their numbers.
    announced: BTreeMap<u64, Request>,
    /// The number of the first packet that has not been announced.
    next: u64,
}

impl QueueOrder {
    /// Handles a doorbell ring: all written packets, from the first waiting one, are requests of this thread.
    pub(crate) fn rung(&self, first: u64, is_written: impl Fn(u64) -> bool) {
        if !enabled() {
            return;
        }
        let mut inner = lock(&self.0);
        let mut index = inner.next.max(first);
        while is_written(index) {
            inner
                .announced
                .extend(Request::here().map(|request| (index, request)));
            index += 1;
        }
        inner.next = index;
    }

    /// Whether a packet has been announced, or `race` does not run.
    pub(crate) fn has_announced(&self, index: u64) -> bool {
        !enabled() || lock(&self.0).announced.contains_key(&index)
    }

    /// Records that the packet of a kernel is executed.
    pub(crate) fn begins(&self, index: u64, kernel: &Kernel) -> Option<Launch> {
        let mut inner = lock(&self.0);
        let request = inner.takes(index)?;
        let new = || with(|state| state.timelines.open());
        let timeline = *inner.timeline.get_or_insert_with(new);
        Some(Launch::new(timeline, request, kernel))
    }

    /// Records that a kernel has ended.
    pub(crate) fn ends(&self, launch: Option<Launch>) {
        if let Some(launch) = launch {
            let id = launch.ends();
            lock(&self.0).clock.add(id);
        }
    }

    /// Records that a packet has waited for signals.
    pub(crate) fn waited(&self, index: u64, signals: &[Signal]) {
        if !enabled() {
            return;
        }
        let mut inner = lock(&self.0);
        if inner.takes(index).is_some() {
            for signal in signals {
                let clock = with(|state| state.of_signal(*signal));
                inner.clock.join(&clock);
            }
            with(|state| state.jobs.given_up());
        }
    }

    /// Records that a packet has ended, and completes a signal.
    pub(crate) fn completes(&self, signal: Signal) {
        if enabled() {
            let clock = lock(&self.0).clock.clone();
            with(|state| {
                state.shows(signal, &clock);
                state.jobs.forget(&state.host);
            });
        }
    }
}

/// A running kernel, with its order among the jobs.
pub(crate) struct Launch {
    number: u64,
    timeline: usize,
    request: Request,
    kernel: Kernel,
    pub footprint: Kept,
}

impl Launch {
    fn new(timeline: usize, request: Request, kernel: &Kernel) -> Launch {
        let number = with(|state| state.jobs.runs());
        Launch {
            number,
            timeline,
            request,
            kernel: kernel.clone(),
            footprint: Kept::default(),
        }
    }

    /// Compares the ended kernel with the other jobs.
    fn ends(self) -> Id {
        let footprint = lock(&self.footprint).take();
        let is_copy = is_copy(self.kernel.name());
        let silent = footprint.filter(|footprint| is_copy || !footprint.communicates(is_shared));
        let (request, kernel) = (self.request.clone(), self.kernel.clone());
        with(|state| {
            let id = state.timelines.next(self.timeline);
            match silent {
                Some(footprint) => state.jobs.kernel_ends(
                    self.number,
                    Job {
                        id,
                        request,
                        what: What::Kernel(kernel, Box::new(footprint)),
                    },
                ),
                None => state.jobs.announces(self.number, id, &request.clock),
            }
            id
        })
    }
}

impl Drop for Launch {
    fn drop(&mut self) {
        // The accesses of a failed kernel are unknown.
        with(|state| state.jobs.stops(self.number));
    }
}

/// Whether the host may read memory while a kernel runs, so that a kernel can announce something there.
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

impl Inner {
    /// Takes the request of a packet, which happens after all earlier ones. A packet that was not announced happens after all
    /// jobs that happen before the host now.
    fn takes(&mut self, index: u64) -> Option<Request> {
        let announced = self.announced.remove(&index);
        let mut request = announced.or_else(|| {
            let mut request = Request::here()?;
            request.backtrace = None;
            Some(request)
        })?;
        self.clock.join(&request.clock);
        request.clock = self.clock.clone();
        Some(request)
    }
}
