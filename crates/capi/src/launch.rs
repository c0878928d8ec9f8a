//! Launches: a kernel with its arguments and sizes, which can run many times.

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use wavetank::hooks::Hooks;
use wavetank::{Arg, Dims, Report, ShownFinding, Tools};

use crate::buffer::{Buffer, wavetank_buffer};
use crate::failure::{Failure, Result};
use crate::findings::{Findings, tools_named, wavetank_findings};
use crate::handle::{self, Handled, Kind};
use crate::hook::{Hook, wavetank_hook};
use crate::kernel::{Kernel, wavetank_kernel};
use crate::last_error::guarded;
use crate::pointer::{bytes, c_string, text, text_or_none};
use crate::record::Record;
use crate::status::wavetank_status::{self, *};

/// A kernel with its arguments and sizes, which can run many times.
///
/// Any thread may use it at any time. A run takes the settings at its begin, and several threads may run one launch at once.
pub struct wavetank_launch {
    _private: [u8; 0],
}

pub(crate) struct Launch {
    kernel: Arc<Kernel>,
    settings: Mutex<Settings>,
    /// What stops each run that is in progress.
    running: Mutex<Vec<Arc<AtomicBool>>>,
}

#[derive(Clone)]
struct Settings {
    grid: Dims,
    block: Option<Dims>,
    args: Vec<Option<Arg>>,
    lds: u32,
    timeout: Option<Duration>,
    count: bool,
    hooks: Vec<Hook>,
}

impl Handled for Launch {
    type Opaque = wavetank_launch;
    const KIND: Kind = Kind::Launch;
}

/// The most arguments of a kernel that does not list them.
const MAX_UNLISTED: usize = 1024;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Launch {
    fn new(kernel: Arc<Kernel>) -> Launch {
        let settings = Settings {
            grid: 1.into(),
            block: None,
            args: Vec::new(),
            lds: 0,
            timeout: None,
            count: false,
            hooks: Vec::new(),
        };
        Launch {
            kernel,
            settings: Mutex::new(settings),
            running: Mutex::default(),
        }
    }

    /// Sets an argument by its number.
    fn set(&self, index: usize, arg: Arg) -> Result<()> {
        let kernel = &self.kernel.kernel;
        let count = match kernel.info().unlisted_args {
            None => kernel.args().len(),
            Some(_) => MAX_UNLISTED,
        };
        if index >= count {
            let signature = kernel.signature();
            let sentence = format!("there is no argument {index}: the kernel is {signature}");
            return Err(Failure::not_found(sentence));
        }
        let args = &mut locked(&self.settings).args;
        args.resize(args.len().max(index + 1), None);
        args[index] = Some(arg);
        Ok(())
    }

    /// Runs the kernel with tools.
    fn run(&self, tools: Tools) -> std::result::Result<Report, Stopped> {
        let settings = locked(&self.settings).clone();
        let kernel = &self.kernel.kernel;
        let args: Option<Vec<Arg>> = settings.args.iter().cloned().collect();
        let Some(args) = args else {
            let missing = settings.args.iter().position(Option::is_none);
            let sentence = format!(
                "argument {} of kernel {} is not set",
                missing.unwrap_or(0),
                kernel.signature()
            );
            return Err(Stopped::Before(Failure::new(
                WAVETANK_ERROR_LAUNCH,
                sentence,
            )));
        };
        let block = settings
            .block
            .unwrap_or_else(|| kernel.default_block(settings.grid));
        let cancel = Arc::new(AtomicBool::new(false));
        locked(&self.running).push(cancel.clone());
        let dispatch = kernel
            .dispatch()
            .grid(settings.grid)
            .block(block)
            .args(args);
        let dispatch = dispatch.dynamic_lds(settings.lds).count(settings.count);
        let dispatch = match settings.timeout {
            Some(timeout) => dispatch.timeout(timeout),
            None => dispatch,
        };
        let dispatch = dispatch.check(tools).cancel(&cancel);
        let hooks = settings.hooks.iter();
        let hooks = hooks.fold(Hooks::default(), |all, hook| hook.add(all));
        let done = if settings.hooks.is_empty() {
            dispatch.run()
        } else {
            dispatch.hooks(&hooks).run()
        };
        locked(&self.running).retain(|other| !Arc::ptr_eq(other, &cancel));
        done.map_err(|error| match error {
            wavetank::Error::Timeout(_) if cancel.load(Ordering::Relaxed) => {
                let sentence = "the launch was cancelled";
                Stopped::Before(Failure::new(WAVETANK_ERROR_CANCELLED, sentence))
            }
            error => Stopped::By(error),
        })
    }
}

/// Why a run did not come to its end.
enum Stopped {
    /// It has no findings.
    Before(Failure),
    By(wavetank::Error),
}

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Failure {
        match stopped {
            Stopped::Before(failure) => failure,
            Stopped::By(error) => error.into(),
        }
    }
}

/// Makes a launch of a kernel: one work-item, no arguments yet.
///
/// `*launch` is null after an error. Free the launch by wavetank_launch_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_create(
    kernel: *const wavetank_kernel,
    launch: *mut *mut wavetank_launch,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Launch>(launch, "launch", || {
            Ok(Launch::new(handle::get::<Kernel>(kernel, "kernel")?))
        })
    }
}

/// Frees a launch; null is ignored. Runs in progress go on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_free(launch: *mut wavetank_launch) -> wavetank_status {
    handle::free::<Launch>(launch, "launch")
}

/// Changes the settings of a launch.
fn change(
    launch: *const wavetank_launch,
    change: impl FnOnce(&mut Settings) -> Result<()>,
) -> wavetank_status {
    guarded(|| {
        let launch = handle::get::<Launch>(launch, "launch")?;
        change(&mut locked(&launch.settings))
    })
}

/// Returns sizes with as many dimensions as are used.
fn dims(x: u32, y: u32, z: u32) -> Dims {
    match (y, z) {
        (1, 1) => x.into(),
        (_, 1) => [x, y].into(),
        _ => [x, y, z].into(),
    }
}

/// Sets the grid in work-items, as HSA counts: `<<<4, 256>>>` of HIP is 1024. Dimensions that are not used are 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_grid(
    launch: *mut wavetank_launch,
    x: u32,
    y: u32,
    z: u32,
) -> wavetank_status {
    change(launch, |settings| {
        settings.grid = dims(x, y, z);
        Ok(())
    })
}

/// Sets the size of a work-group in work-items. Without it, it is the size that the kernel requires, or up to 64 work-items of the
/// first dimension.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_block(
    launch: *mut wavetank_launch,
    x: u32,
    y: u32,
    z: u32,
) -> wavetank_status {
    change(launch, |settings| {
        settings.block = Some(dims(x, y, z));
        Ok(())
    })
}

/// Sets the LDS in bytes in addition to the kernel's own (`extern __shared__` of HIP).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_dynamic_lds(
    launch: *mut wavetank_launch,
    size: u32,
) -> wavetank_status {
    change(launch, |settings| {
        settings.lds = size;
        Ok(())
    })
}

/// Sets the time in seconds after which a run is stopped; 0 for no limit, which is the default.
///
/// WAVETANK_ERROR_ARGUMENT: a negative number, or one that is not a time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_timeout(
    launch: *mut wavetank_launch,
    seconds: f64,
) -> wavetank_status {
    change(launch, |settings| {
        let time = Duration::try_from_secs_f64(seconds);
        let time = time.map_err(|e| Failure::argument(format!("the timeout is wrong: {e}")))?;
        settings.timeout = Some(time).filter(|time| !time.is_zero());
        Ok(())
    })
}

/// Sets whether runs count instructions: 1, or 0, which is the default. Counting takes time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_counting(
    launch: *mut wavetank_launch,
    count: i32,
) -> wavetank_status {
    change(launch, |settings| {
        settings.count = count != 0;
        Ok(())
    })
}

/// Adds a function that later runs call at an event: "instruction" (before each), "memory" (after each instruction that accesses
/// memory), "barrier", "wave_start", "wave_end" or "fault". `data` is passed to it.
///
/// `options` may be null. Of instructions, "mnemonic=v_exp_f32" (a pattern with `*`) and "function=NAME" choose some, for memory, too.
/// Of accesses, "kind=load", "store" or "atomic", "space=global", "lds", "gds" or "scratch", and "range=0x1000-0x2000" choose some.
/// Options have semicolons between them; one that is given several times chooses more.
///
/// Threads of the device call the function, several at once unless the device has "threads=1". It must not jump out. It may call
/// functions of this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_add_hook(
    launch: *mut wavetank_launch,
    event: *const c_char,
    options: *const c_char,
    function: wavetank_hook,
    data: *mut c_void,
) -> wavetank_status {
    guarded(|| {
        let launch = handle::get::<Launch>(launch, "launch")?;
        // SAFETY: by the caller's promise.
        let (event, options) =
            unsafe { (text(event, "event")?, text_or_none(options, "options")?) };
        let module = &launch.kernel.module.module;
        let hook = Hook::new(event, options, module, function, data)?;
        locked(&launch.settings).hooks.push(hook);
        Ok(())
    })
}

/// Sets an argument of a launch.
fn set(
    launch: *const wavetank_launch,
    index: usize,
    arg: impl FnOnce() -> Result<Arg>,
) -> wavetank_status {
    guarded(|| {
        let launch = handle::get::<Launch>(launch, "launch")?;
        launch.set(index, arg()?)
    })
}

/// Sets an argument by its number, from 0, to a buffer, whose address the kernel gets. The launch keeps its memory.
///
/// WAVETANK_ERROR_NOT_FOUND: the kernel has not so many arguments. WAVETANK_ERROR_LAUNCH: a buffer of another device. What does
/// not fit the argument otherwise is an error of the run.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_buffer(
    launch: *mut wavetank_launch,
    index: usize,
    buffer: *const wavetank_buffer,
) -> wavetank_status {
    guarded(|| {
        let launch = handle::get::<Launch>(launch, "launch")?;
        let buffer = handle::get::<Buffer>(buffer, "buffer")?;
        if !buffer.0.is_of(launch.kernel.module.module.device()) {
            let sentence = format!(
                "argument {index} of kernel {} was given a buffer of another device",
                launch.kernel.kernel.signature()
            );
            return Err(Failure::new(WAVETANK_ERROR_LAUNCH, sentence));
        }
        launch.set(index, Arg::Buffer(buffer.0.clone()))
    })
}

/// Sets an argument that is a pointer to a device address; 0 is a null pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_address(
    launch: *mut wavetank_launch,
    index: usize,
    address: u64,
) -> wavetank_status {
    set(launch, index, || Ok(Arg::Pointer(address)))
}

/// Sets an argument that is a pointer to LDS to memory of `size` bytes after the LDS so far.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_lds(
    launch: *mut wavetank_launch,
    index: usize,
    size: u32,
) -> wavetank_status {
    set(launch, index, || Ok(Arg::Lds(size)))
}

/// Sets an argument that is passed by value to the `size` bytes at `value`, which are copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_value(
    launch: *mut wavetank_launch,
    index: usize,
    value: *const c_void,
    size: usize,
) -> wavetank_status {
    set(launch, index, || {
        // SAFETY: by the caller's promise.
        let value = unsafe { bytes(value, size, "value") }?;
        Ok(Arg::Bytes(value.to_vec()))
    })
}

/// Sets an argument that is an int.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_i32(
    launch: *mut wavetank_launch,
    index: usize,
    value: i32,
) -> wavetank_status {
    set(launch, index, || Ok(value.into()))
}

/// Sets an argument that is an unsigned int.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_u32(
    launch: *mut wavetank_launch,
    index: usize,
    value: u32,
) -> wavetank_status {
    set(launch, index, || Ok(value.into()))
}

/// Sets an argument that is a 64-bit integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_i64(
    launch: *mut wavetank_launch,
    index: usize,
    value: i64,
) -> wavetank_status {
    set(launch, index, || Ok(value.into()))
}

/// Sets an argument that is an unsigned 64-bit integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_u64(
    launch: *mut wavetank_launch,
    index: usize,
    value: u64,
) -> wavetank_status {
    set(launch, index, || Ok(value.into()))
}

/// Sets an argument that is a float.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_f32(
    launch: *mut wavetank_launch,
    index: usize,
    value: f32,
) -> wavetank_status {
    set(launch, index, || Ok(value.into()))
}

/// Sets an argument that is a double.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_set_f64(
    launch: *mut wavetank_launch,
    index: usize,
    value: f64,
) -> wavetank_status {
    set(launch, index, || Ok(value.into()))
}

/// The report of a run.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct wavetank_report {
    /// Work-groups that ran.
    pub groups: u64,
    /// Waves that ran.
    pub waves: u64,
    /// Instructions of all waves, if they were counted, or else 0.
    pub instructions: u64,
    /// Instructions that compiled code executed, out of `instructions`; the interpreter executed the others.
    pub compiled_instructions: u64,
    /// Instructions times the lanes that were active in them, if they were counted.
    pub lane_instructions: u64,
    /// Seconds from the first wave's start to the last one's end, on this computer.
    pub seconds: f64,
    /// Null, or sentences about accesses that are hardly ever intended: beyond the LDS of the kernel, and past the end of memory. The
    /// text is valid until the next run of this thread, or until its end.
    pub warning: *const c_char,
}

// SAFETY: it is plain data, and all of its bits may be 0.
unsafe impl Record for wavetank_report {
    const FIRST_SIZE: usize = 56;
}

thread_local! {
    /// The warning of the last run.
    static WARNING: RefCell<CString> = RefCell::default();
}

/// Keeps the warnings of a run for the thread, and returns their text.
fn warning(report: &Report) -> *const c_char {
    let mut sentences = Vec::new();
    sentences.extend(report.lds_overruns.as_ref().map(ToString::to_string));
    sentences.extend(report.read_on.as_ref().map(ToString::to_string));
    if sentences.is_empty() {
        return std::ptr::null();
    }
    let text = c_string(&sentences.join("\n"));
    let kept = WARNING.try_with(|kept| {
        kept.replace(text);
        kept.borrow().as_ptr()
    });
    kept.unwrap_or(std::ptr::null())
}

/// Runs the kernel to its end, and writes a report. `report` may be null; `size` is sizeof(wavetank_report).
///
/// WAVETANK_ERROR_LAUNCH: arguments or sizes do not fit the kernel, and nothing ran. WAVETANK_ERROR_FAULT, WAVETANK_ERROR_TIMEOUT,
/// WAVETANK_ERROR_CANCELLED: the kernel stopped; buffers have what it had written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_run(
    launch: *const wavetank_launch,
    report: *mut wavetank_report,
    size: usize,
) -> wavetank_status {
    guarded(|| {
        let launch = handle::get::<Launch>(launch, "launch")?;
        if !report.is_null() {
            wavetank_report::check(report, size, "report")?;
        }
        let done = launch.run(Tools::default())?;
        if report.is_null() {
            return Ok(());
        }
        let counts = done.instructions.as_ref();
        let record = wavetank_report {
            groups: done.groups,
            waves: done.waves,
            instructions: counts.map_or(0, |counts| counts.waves()),
            compiled_instructions: counts.map_or(0, |counts| counts.compiled),
            lane_instructions: counts.map_or(0, |counts| counts.lanes),
            seconds: done.wall.as_secs_f64(),
            warning: warning(&done),
        };
        // SAFETY: by the caller's promise.
        unsafe { record.write(report, size, "report") }
    })
}

/// Runs the kernel with tools that find mistakes, and returns their findings. A fault or timeout of the kernel is one of them.
///
/// `tools` are names with commas, such as "memory,race"; null is all but float: memory, race, sync, init, wait, hazard, limits.
/// "init/read", "lanes" and "lanes32" among them add to init and race.
/// `*findings` is null after an error. Free it by wavetank_findings_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_check(
    launch: *const wavetank_launch,
    tools: *const c_char,
    findings: *mut *mut wavetank_findings,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Findings>(findings, "findings", || {
            let launch = handle::get::<Launch>(launch, "launch")?;
            let tools = tools_named(text_or_none(tools, "tools")?, Tools::DEFAULT)?;
            let found = match launch.run(tools) {
                Ok(report) => report.findings,
                // What stopped the kernel is among its findings.
                Err(Stopped::By(error)) if !error.findings().is_empty() => {
                    error.findings().to_vec()
                }
                Err(stopped) => return Err(stopped.into()),
            };
            let module = &launch.kernel.module;
            let shown = ShownFinding::of_launch(&module.module, &module.path, &found);
            Ok(Findings::new(shown))
        })
    }
}

/// Stops the runs of a launch that are in progress in other threads: they end with WAVETANK_ERROR_CANCELLED. Later runs are not stopped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_launch_cancel(launch: *mut wavetank_launch) -> wavetank_status {
    guarded(|| {
        let launch = handle::get::<Launch>(launch, "launch")?;
        for run in locked(&launch.running).iter() {
            run.store(true, Ordering::Relaxed);
        }
        Ok(())
    })
}
