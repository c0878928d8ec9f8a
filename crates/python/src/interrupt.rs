//! Launches that Ctrl+C ends.
//!
//! Python handles signals in its main thread, between its own instructions. A launch of that thread is therefore run by a second one,
//! which stays for the next launch, while the main thread looks for signals.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

use pyo3::prelude::*;

/// The time between two looks for signals.
const LOOK: Duration = Duration::from_millis(50);

type Job = Box<dyn FnOnce() + Send>;

/// The thread that imported the module, which is the main thread as a rule. In others signals are not handled anyway.
static MAIN: OnceLock<ThreadId> = OnceLock::new();

/// The second thread, by the process that it is of: a fork has none.
static RUNNER: Mutex<Option<(u32, Sender<Job>)>> = Mutex::new(None);

/// Notes that this is the main thread.
pub(crate) fn note_main() {
    MAIN.get_or_init(|| std::thread::current().id());
}

/// Runs work that ends early when its flag is set. Returns its result.
///
/// # Errors
/// The exception of a signal's handler: `KeyboardInterrupt`.
pub(crate) fn run<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> R + Send + 'static,
) -> PyResult<R> {
    if MAIN.get() != Some(&std::thread::current().id()) {
        return Ok(py.detach(|| work(&AtomicBool::new(false))));
    }
    py.detach(|| {
        let cancel = Arc::new(AtomicBool::new(false));
        let (done, result) = channel();
        let flag = cancel.clone();
        // Without a receiver nobody waits for the result.
        send(Box::new(move || drop(done.send(work(&flag)))));
        wait(&result, &cancel)
    })
}

/// Waits for the result of a job, and looks for signals meanwhile.
fn wait<R>(result: &Receiver<R>, cancel: &AtomicBool) -> PyResult<R> {
    let mut interrupt = None;
    loop {
        match result.recv_timeout(LOOK) {
            Ok(result) => return interrupt.map_or(Ok(result), Err),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    cancel.store(true, Ordering::Relaxed);
                    interrupt = Some(error);
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                let sentence = "the launch ended by an error of this library";
                return Err(pyo3::exceptions::PyRuntimeError::new_err(sentence));
            }
        }
    }
}

/// Gives a job to the second thread.
fn send(job: Job) {
    let mut runner = RUNNER.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    let job = match &*runner {
        Some((of, jobs)) if *of == process => match jobs.send(job) {
            Ok(()) => return,
            // A job has ended the thread by a panic.
            Err(unsent) => unsent.0,
        },
        _ => job,
    };
    let (jobs, queue) = channel::<Job>();
    // Its receiver is moved into the thread below.
    let _ = jobs.send(job);
    let name = "wavetank-launch".to_owned();
    let spawned = std::thread::Builder::new().name(name).spawn(move || {
        for job in queue {
            job();
        }
    });
    // Without the thread, dropping the job tells the waiting thread.
    *runner = spawned.ok().map(|_| (process, jobs));
}
