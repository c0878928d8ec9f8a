//! The life cycle of the library: the effects of `hsa_init`, of the last `hsa_shut_down`, and of a fork.

use std::sync::Mutex;

use wavetank::Device;
use wavetank::environment::{Settings, unknown_variables};

use crate::c_types::{Result, Status};
use crate::memory::{self, async_copy, deallocation, ipc, svm};
use crate::observe::{checks, deadline, profile, seed, statistics, undefined};
use crate::signal::{self, handler, poll, waiters};
use crate::state::{self, Runtime, lock};
use crate::{driver, log, queue, thread};

/// Held while the library is initialised or shut down.
static CHANGE: Mutex<()> = Mutex::new(());

/// Adds a reference. The first one creates the devices.
pub(crate) fn init() -> Result {
    state::not_forked()?;
    let _one = lock(&CHANGE);
    if state::runtime().is_err() {
        connect();
        let runtime = create()?;
        if undefined::enabled() {
            runtime.registry().keep_shadows().map_err(unusable)?;
        }
        state::set_runtime(runtime);
        // SAFETY: the handler only stores to statics.
        unsafe { libc::pthread_atfork(None, None, Some(forked)) };
    }
    state::add_reference()
}

/// Removes a reference. After the last one, all threads have ended, so that a fork copies a library that can be initialised
/// again.
pub(crate) fn shut_down() -> Result {
    let _one = lock(&CHANGE);
    if state::remove_reference()? {
        queue::forget_event_handler();
        thread::end_life(|| {
            queue::stop_all();
            waiters::forget_all();
            async_copy::stop();
            handler::stop();
            poll::stop();
        });
        statistics::report();
        profile::report();
    }
    Ok(())
}

extern "C" fn forked() {
    if !state::is_open() {
        thread::forked();
    } else {
        state::set_forked();
    }
}

/// The status of an `hsa_init` that fails, after a line with the reason.
fn unusable(why: impl std::fmt::Display) -> Status {
    log::line(&why.to_string());
    Status::ERROR_OUT_OF_RESOURCES
}

/// Connects the notices of lower modules to their receivers.
fn connect() {
    signal::RUNG.connect(&[queue::rung]);
    poll::MAY_HAVE_CHANGED.connect(&[signal::wake_all, waiters::look_at_all, queue::look]);
    memory::FREEING.connect(&[deallocation::notify, svm::forget, undefined::freed]);
    memory::FREED.connect(&[ipc::freed]);
}

fn create() -> Result<Runtime> {
    let settings = Settings::from_env().map_err(unusable)?;
    // `wavetank run` has reported them.
    if !driver::is_run() {
        let names = std::env::vars_os().map(|(name, _)| name);
        unknown_variables(names)
            .iter()
            .for_each(|sentence| log::line(sentence));
    }
    let mut gpus: Vec<Device> = Vec::new();
    for gpu in &settings.gpus {
        let builder = Device::builder(gpu.chip()).product(gpu.facts);
        let builder = match gpus.first() {
            Some(first) => builder.memory_of(first).schedule(first.schedule()),
            None => builder,
        };
        gpus.push(builder.build().map_err(unusable)?);
    }
    deadline::begin(queue::waiting);
    if !checks::tools().is_empty() {
        queue::drain_at_exit();
    }
    seed::print_at_exit(gpus[0].schedule());
    let memory = settings.memory();
    Ok(Runtime { gpus, memory })
}
