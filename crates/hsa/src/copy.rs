//! Asynchronous copies: two threads that copy when the signals that a copy depends on are zero.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::abi::{Agent, Dim3, PitchedPtr, Signal, Status};
use crate::call::{Result, calls};
use crate::runtime::{lock, ticks};
use crate::{agent, memory, signal, thread};

/// Threads that copy: one memory copy fills most of a memory channel.
const THREADS: usize = 2;
/// How often a copy that waits for a signal is looked at.
const LOOK: Duration = Duration::from_micros(200);

/// A copy that has been asked for.
struct Job {
    rows: Rows,
    dependencies: Vec<Signal>,
    completion: Signal,
}

/// Rows of bytes from one place to another.
#[derive(Clone, Copy)]
struct Rows {
    to: usize,
    from: usize,
    /// Bytes of a row, rows of a slice, slices.
    size: [usize; 3],
    /// Bytes from row to row and from slice to slice.
    to_pitch: [usize; 2],
    from_pitch: [usize; 2],
}

impl Rows {
    fn plain(to: *mut c_void, from: *const c_void, bytes: usize) -> Rows {
        Rows {
            to: to.expose_provenance(),
            from: from.expose_provenance(),
            size: [bytes, 1, 1],
            to_pitch: [0; 2],
            from_pitch: [0; 2],
        }
    }

    /// # Safety
    /// Both places are memory of this process that nobody else writes meanwhile.
    unsafe fn copy(&self) {
        let [bytes, rows, slices] = self.size;
        for slice in 0..slices {
            for row in 0..rows {
                let at = |base: usize, pitch: [usize; 2]| {
                    memory::host_address((base + row * pitch[0] + slice * pitch[1]) as u64) as usize
                };
                let from = std::ptr::with_exposed_provenance::<u8>(at(self.from, self.from_pitch));
                let to = std::ptr::with_exposed_provenance_mut::<u8>(at(self.to, self.to_pitch));
                // SAFETY: the caller's promise; the ranges may overlap.
                unsafe { std::ptr::copy(from, to, bytes) };
            }
        }
    }
}

static JOBS: Mutex<Jobs> = Mutex::new(Jobs {
    waiting: VecDeque::new(),
    started: false,
});
static MORE: Condvar = Condvar::new();

struct Jobs {
    waiting: VecDeque<Job>,
    started: bool,
}

/// Queues a copy.
fn add(job: Job) -> Result {
    let mut jobs = lock(&JOBS);
    if !jobs.started {
        for _ in 0..THREADS {
            thread::spawn("wavetank-copy", serve)?;
        }
        jobs.started = true;
    }
    jobs.waiting.push_back(job);
    drop(jobs);
    MORE.notify_one();
    Ok(())
}

fn ready(job: &Job) -> bool {
    job.dependencies
        .iter()
        .all(|s| s.0 == 0 || signal::load(*s) == 0)
}

fn serve() {
    loop {
        let mut jobs = lock(&JOBS);
        let job = loop {
            if let Some(at) = jobs.waiting.iter().position(ready) {
                break jobs.waiting.remove(at);
            }
            // Nobody tells when a dependency is met: a waiting copy is looked at again.
            let time = if jobs.waiting.is_empty() {
                Duration::from_secs(3600)
            } else {
                LOOK
            };
            let waited = MORE.wait_timeout(jobs, time);
            jobs = waited.unwrap_or_else(PoisonError::into_inner).0;
        };
        drop(jobs);
        if let Some(job) = job {
            run(&job);
        }
    }
}

fn run(job: &Job) {
    let start = ticks();
    // SAFETY: the program asked for the copy, and waits for the completion signal before it does more.
    unsafe { job.rows.copy() };
    signal::complete(job.completion, start, ticks());
}

/// The signals that a caller lists.
///
/// # Safety
/// The array has `count` handles.
unsafe fn dependencies(count: u32, signals: *const Signal) -> Result<Vec<Signal>> {
    match (count, signals.is_null()) {
        (0, true) => Ok(vec![]),
        (0, false) | (_, true) => Err(Status::ERROR_INVALID_ARGUMENT),
        // SAFETY: the caller's promise.
        _ => Ok(unsafe { std::slice::from_raw_parts(signals, count as usize) }.to_vec()),
    }
}

/// Checks and queues a copy of plain bytes.
///
/// # Safety
/// As the C functions' callers promise.
unsafe fn plain(
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
    if completion.0 != 0 && !signal::exists(completion) {
        return Err(Status::ERROR_INVALID_SIGNAL);
    }
    // SAFETY: the caller's promise.
    let dependencies = unsafe { dependencies(count, signals)? };
    add(Job {
        rows: Rows::plain(to, from, bytes),
        dependencies,
        completion,
    })
}

calls! {
    fn hsa_amd_memory_async_copy(
        to: *mut c_void, to_agent: Agent, from: *const c_void, from_agent: Agent, bytes: usize, count: u32,
        dependencies: *const Signal, completion: Signal,
    ) {
        // SAFETY: as the caller of the C function promises.
        unsafe { plain(to, from, bytes, [to_agent, from_agent], count, dependencies, completion) }
    }

    fn hsa_amd_memory_async_copy_on_engine(
        to: *mut c_void, to_agent: Agent, from: *const c_void, from_agent: Agent, bytes: usize, count: u32,
        dependencies: *const Signal, completion: Signal, _engine: u32, _force: bool,
    ) {
        // SAFETY: as the caller of the C function promises.
        unsafe { plain(to, from, bytes, [to_agent, from_agent], count, dependencies, completion) }
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
        let start = |place: PitchedPtr, offset: Dim3| {
            place.base.expose_provenance() + offset.x as usize + offset.y as usize * place.pitch + offset.z as usize * place.slice
        };
        let rows = Rows {
            to: start(to, to_offset),
            from: start(from, from_offset),
            size: [range.x, range.y, range.z].map(|n| n as usize),
            to_pitch: [to.pitch, to.slice],
            from_pitch: [from.pitch, from.slice],
        };
        add(Job { rows, dependencies, completion })
    }

    fn hsa_amd_svm_prefetch_async(
        _pointer: *mut c_void, _size: usize, agent: Agent, count: u32, signals: *const Signal, completion: Signal,
    ) {
        agent::of(agent)?;
        // Nothing moves; only the order is kept.
        // SAFETY: the array has `count` handles.
        let dependencies = unsafe { dependencies(count, signals)? };
        let rows = Rows { to: 1, from: 1, size: [0; 3], to_pitch: [0; 2], from_pitch: [0; 2] };
        add(Job { rows, dependencies, completion })
    }
}
