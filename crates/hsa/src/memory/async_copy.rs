//! Asynchronous copies, made by two threads after their dependencies have ended.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Condvar, Mutex, PoisonError};

use super::svm;
use super::transfer::{self, Place, Rows};
use crate::c_types::{Agent, Dim3, PitchedPtr, Signal, Status};
use crate::call::{Result, calls};
use crate::observe::happens_before::{self, Request};
use crate::signal::waiters::{self, Outcome};
use crate::signal::{self, Awaited};
use crate::state::{lock, ticks};
use crate::thread::{self, Service};
use crate::{agent, log};

/// A copy that has been requested.
struct Job {
    /// The function that requested it.
    call: &'static str,
    work: Work,
    /// The remaining dependencies, the next one last.
    dependencies: Vec<Signal>,
    completion: Signal,
    /// The request, if `race` runs.
    order: Option<Request>,
}

enum Work {
    Copy(Rows),
    /// A prefetch: no data are moved, but the order is kept, and the memory must exist.
    Prefetch {
        address: u64,
        bytes: u64,
    },
    /// The reason for which a dependency has failed.
    Failed(String),
}

/// The threads that copy: one copy uses most of a memory channel.
static THREADS: [Service; 2] = [const { Service::new("wavetank-copy", serve) }; 2];
/// Copies without remaining dependencies.
static READY: Mutex<VecDeque<Job>> = Mutex::new(VecDeque::new());
static MORE: Condvar = Condvar::new();

/// Queues a copy that runs after its dependencies.
fn add(job: Job) -> Result {
    let signals = || job.dependencies.iter().chain([&job.completion]);
    if !signals().all(|signal| signal::is_optional(*signal)) {
        return Err(Status::ERROR_INVALID_SIGNAL);
    }
    THREADS.iter().try_for_each(Service::start)?;
    advance(job);
    Ok(())
}

/// Runs a job, or continues when its next dependency has ended.
fn advance(mut job: Job) {
    let Some(signal) = job.dependencies.pop() else {
        lock(&READY).push_back(job);
        MORE.notify_one();
        return;
    };
    if signal.0 == 0 {
        return advance(job);
    }
    waiters::when(Awaited::end_of(signal), 0, move |outcome| {
        let handle = signal.0;
        let problem = match outcome {
            Outcome::Is(0) => {
                if let Some(request) = &mut job.order {
                    request.waited(signal);
                }
                return advance(job);
            }
            Outcome::Is(value) => {
                format!("the work that it waits for has failed: its signal {handle:#x} is {value}")
            }
            Outcome::Gone => format!("the signal {handle:#x} was destroyed while it waits for it"),
        };
        job.work = Work::Failed(problem);
        job.dependencies.clear();
        advance(job);
    });
}

/// Ends the threads, and drops the copies that have not begun.
pub(crate) fn stop() {
    lock(&READY).clear();
    MORE.notify_all();
}

fn serve() {
    loop {
        let nothing = |ready: &mut VecDeque<_>| ready.is_empty() && thread::is_serving();
        let ready = MORE.wait_while(lock(&READY), nothing);
        let mut ready = ready.unwrap_or_else(PoisonError::into_inner);
        if !thread::is_serving() {
            return;
        }
        let next = ready.pop_front();
        drop(ready);
        if let Some(job) = next {
            run(job);
        }
    }
}

/// Runs a job. If it fails, its completion signal becomes negative, as in ROCr.
fn run(job: Job) {
    let start = ticks();
    let done = match &job.work {
        Work::Copy(rows) => rows.copy(),
        Work::Prefetch { address, bytes } => transfer::check(*address, *bytes),
        Work::Failed(problem) => Err(problem.clone()),
    };
    match done {
        Ok(()) => {
            job.work.is_done(job.order, job.call, job.completion);
            signal::complete(job.completion, start, ticks());
        }
        Err(problem) => {
            happens_before::given_up(job.order, job.completion);
            log::line(&format!("a copy of {} fails: {problem}", job.call));
            signal::fail(job.completion, start, ticks());
        }
    }
}

impl Work {
    /// Records the copy for `race`, before its signal changes.
    fn is_done(&self, request: Option<Request>, call: &'static str, completion: Signal) {
        let Some(request) = request else { return };
        let (written, read) = match self {
            Work::Copy(rows) => (rows.to.ranges(rows.size), rows.from.ranges(rows.size)),
            Work::Prefetch { .. } | Work::Failed(_) => (vec![], vec![]),
        };
        happens_before::copied(Some(request), call, written, read, Some(completion));
    }
}

/// The signals of a caller's list, the first one last.
///
/// # Safety
/// The array has `count` handles.
unsafe fn dependencies(count: u32, signals: *const Signal) -> Result<Vec<Signal>> {
    match (count, signals.is_null()) {
        (0, true) => Ok(vec![]),
        (0, false) | (_, true) => Err(Status::ERROR_INVALID_ARGUMENT),
        _ => {
            // SAFETY: not null, so `count` handles.
            let signals = unsafe { std::slice::from_raw_parts(signals, count as usize) };
            Ok(signals.iter().rev().copied().collect())
        }
    }
}

/// Checks and queues a copy of plain bytes.
///
/// # Safety
/// The array has `count` handles.
unsafe fn plain(
    call: &'static str,
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    agents: [Agent; 2],
    count: u32,
    signals: *const Signal,
    completion: Signal,
) -> Result {
    if to.is_null() || from.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    agents.iter().try_for_each(|a| agent::of(*a).map(drop))?;
    // SAFETY: null, or `count` handles.
    let dependencies = unsafe { dependencies(count, signals)? };
    let rows = Rows {
        to: Place::row(to.expose_provenance() as u64),
        from: Place::row(from.expose_provenance() as u64),
        size: [bytes as u64, 1, 1],
    };
    add(Job {
        call,
        work: Work::Copy(rows),
        dependencies,
        completion,
        order: Request::here(),
    })
}

/// The start of a part of pitched memory.
fn place(of: PitchedPtr, offset: Dim3) -> Result<Place> {
    let pitches = [of.pitch as u64, of.slice as u64];
    let [y, z] = [offset.y, offset.z].map(u64::from);
    let [down, deep] = [y.checked_mul(pitches[0]), z.checked_mul(pitches[1])];
    let parts = [Some(u64::from(offset.x)), down, deep];
    let base = Some(of.base.expose_provenance() as u64);
    let address = parts
        .into_iter()
        .fold(base, |sum, part| sum?.checked_add(part?));
    let address = address.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    Ok(Place { address, pitches })
}

calls! {
    fn hsa_amd_memory_async_copy(
        to: *mut c_void, to_agent: Agent, from: *const c_void, from_agent: Agent, bytes: usize, count: u32,
        dependencies: *const Signal, completion: Signal,
    ) {
        let (call, agents) = ("hsa_amd_memory_async_copy", [to_agent, from_agent]);
        // SAFETY: the caller's array has `count` handles.
        unsafe { plain(call, to, from, bytes, agents, count, dependencies, completion) }
    }

    fn hsa_amd_memory_async_copy_on_engine(
        to: *mut c_void, to_agent: Agent, from: *const c_void, from_agent: Agent, bytes: usize, count: u32,
        dependencies: *const Signal, completion: Signal, _engine: u32, _force: bool,
    ) {
        let (call, agents) = ("hsa_amd_memory_async_copy_on_engine", [to_agent, from_agent]);
        // SAFETY: the caller's array has `count` handles.
        unsafe { plain(call, to, from, bytes, agents, count, dependencies, completion) }
    }

    fn hsa_amd_memory_copy_engine_status(to: Agent, from: Agent, engines: *mut u32) {
        agent::of(to)?;
        agent::of(from)?;
        // SAFETY: null, or room for the mask.
        unsafe { crate::call::put(engines, 3) }
    }

    fn hsa_amd_memory_async_copy_rect(
        to: *const PitchedPtr, to_offset: *const Dim3, from: *const PitchedPtr, from_offset: *const Dim3,
        range: *const Dim3, agent: Agent, _direction: u32, count: u32, signals: *const Signal, completion: Signal,
    ) {
        agent::of(agent)?;
        let missing = to.is_null() || to_offset.is_null() || from.is_null() || from_offset.is_null() || range.is_null();
        if missing {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null, structures of the caller; the array has `count` handles.
        let (to, to_offset, from, from_offset, range, dependencies) =
            unsafe { (*to, *to_offset, *from, *from_offset, *range, dependencies(count, signals)?) };
        let rows = Rows {
            to: place(to, to_offset)?,
            from: place(from, from_offset)?,
            size: [range.x, range.y, range.z].map(u64::from),
        };
        let call = "hsa_amd_memory_async_copy_rect";
        let order = Request::here();
        add(Job { call, work: Work::Copy(rows), dependencies, completion, order })
    }

    fn hsa_amd_svm_prefetch_async(
        pointer: *mut c_void, size: usize, agent: Agent, count: u32, signals: *const Signal, completion: Signal,
    ) {
        agent::of(agent)?;
        // SAFETY: the array has `count` handles.
        let dependencies = unsafe { dependencies(count, signals)? };
        svm::prefetched(pointer.expose_provenance() as u64, size as u64, agent);
        let work = Work::Prefetch { address: pointer.expose_provenance() as u64, bytes: size as u64 };
        let order = Request::here();
        add(Job { call: "hsa_amd_svm_prefetch_async", work, dependencies, completion, order })
    }
}
