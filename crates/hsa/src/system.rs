//! System functions of the C interface: `hsa_init`, the system's attributes, extension tables, profiling.

use std::ffi::{c_char, c_void};

use crate::c_types::{Agent, ProfilingTime, Signal, Status};
use crate::call::{Result, calls, put};
use crate::observe::happens_before;
use crate::state::{TICKS_PER_SECOND, ticks};
use crate::{agent, image, life, loader, queue, signal};
use std::sync::atomic::Ordering;

/// The extension for images, and those of AMD.
const IMAGES: u16 = 1;
const PROFILER: u16 = 0x200;
const LOADER: u16 = 0x201;

/// Whether an extension of the headers is supported; an unknown one is an error.
fn has_extension(extension: u16, major: u16) -> Result<bool> {
    match extension {
        IMAGES | PROFILER | LOADER => Ok(major == 1),
        0..=3 | PROFILER..=0x202 => Ok(false), // `HSA_EXTENSION_STD_LAST`, `HSA_AMD_LAST_EXTENSION`
        _ => Err(Status::ERROR_INVALID_ARGUMENT),
    }
}

/// Whether an agent can have an extension: the CPU has no images.
fn on(agent: Agent, extension: u16) -> Result<bool> {
    let gpu = matches!(agent::of(agent)?, agent::Which::Gpu(..));
    Ok(gpu || extension != IMAGES)
}

/// Fills a table of functions, up to the size of the caller's.
///
/// # Safety
/// There is room for `bytes` bytes.
unsafe fn table(extension: u16, major: u16, bytes: usize, to: *mut c_void) -> Result {
    if to.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    if !has_extension(extension, major)? {
        return Err(Status::ERROR);
    }
    let functions: &[*const c_void] = match extension {
        IMAGES => &image::extension_table(),
        LOADER => &loader::extension_table(),
        _ => return Err(Status::ERROR),
    };
    let room = bytes / std::mem::size_of::<usize>();
    for (n, function) in functions.iter().take(room).enumerate() {
        // SAFETY: within the caller's room.
        unsafe { put(to.cast::<*const c_void>().add(n), *function)? };
    }
    Ok(())
}

calls! {
    (early) fn hsa_init() {
        life::init()
    }

    fn hsa_shut_down() {
        life::shut_down()
    }

    (early) fn hsa_status_string(status: Status, text: *mut *const c_char) {
        let name = status.name();
        if name == c"an unknown status" {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: null, or room for a pointer.
        unsafe { put(text, name.as_ptr()) }
    }

    fn hsa_system_get_info(attribute: u32, value: *mut c_void) {
        // SAFETY: each arm writes the type that the headers give for its attribute.
        unsafe {
            match attribute {
                0 | 1 => put(value.cast(), 1u16),
                2 => put(value.cast(), ticks()),
                3 => put(value.cast(), TICKS_PER_SECOND),
                4 => put(value.cast(), u64::MAX),
                5 => put(value.cast(), 0u32),
                6 => put(value.cast(), 1u32),
                7 => {
                    let mut extensions = [0u8; 128];
                    for extension in [IMAGES, PROFILER, LOADER] {
                        extensions[usize::from(extension / 8)] |= 1 << (extension % 8);
                    }
                    put(value.cast(), extensions)
                }
                0x200 => put(value.cast(), c"wavetank".as_ptr()),
                // Virtual memory is supported.
                0x205 => put(value.cast(), true),
                // Not supported: SVM of pageable memory, its default, monitor waits, dma-buf, XNACK.
                0x201..=0x206 => put(value.cast(), false),
                // The version of AMD's extensions.
                0x207 | 0x208 => put(value.cast(), 1u16),
                _ => Err(Status::ERROR_INVALID_ARGUMENT),
            }
        }
    }

    fn hsa_extension_get_name(extension: u16, name: *mut *const c_char) {
        let text = match extension {
            IMAGES => c"HSA_EXTENSION_IMAGES",
            PROFILER => c"HSA_EXTENSION_AMD_PROFILER",
            LOADER => c"HSA_EXTENSION_AMD_LOADER",
            _ => return Err(Status::ERROR_INVALID_ARGUMENT),
        };
        // SAFETY: null, or room for a pointer.
        unsafe { put(name, text.as_ptr()) }
    }

    fn hsa_system_extension_supported(extension: u16, major: u16, _minor: u16, result: *mut bool) {
        // SAFETY: null, or room for the result.
        unsafe { put(result, has_extension(extension, major)?) }
    }

    fn hsa_system_major_extension_supported(extension: u16, major: u16, minor: *mut u16, result: *mut bool) {
        // SAFETY: null, or room for the results.
        unsafe {
            put(minor, 0)?;
            put(result, has_extension(extension, major)?)
        }
    }

    fn hsa_agent_extension_supported(extension: u16, agent: Agent, major: u16, _minor: u16, result: *mut bool) {
        let there = has_extension(extension, major)? && on(agent, extension)?;
        // SAFETY: null, or room for the result.
        unsafe { put(result, there) }
    }

    fn hsa_agent_major_extension_supported(extension: u16, agent: Agent, major: u16, minor: *mut u16, result: *mut bool) {
        let there = has_extension(extension, major)? && on(agent, extension)?;
        // SAFETY: null, or room for the results.
        unsafe {
            put(minor, 0)?;
            put(result, there)
        }
    }

    fn hsa_system_get_extension_table(extension: u16, major: u16, _minor: u16, to: *mut c_void) {
        // SAFETY: the first version of the table has three functions; the caller has room for them.
        unsafe { table(extension, major, 3 * std::mem::size_of::<usize>(), to) }
    }

    fn hsa_system_get_major_extension_table(extension: u16, major: u16, bytes: usize, to: *mut c_void) {
        // SAFETY: the caller has room for so many bytes.
        unsafe { table(extension, major, bytes, to) }
    }

    fn hsa_amd_enable_logging(_flags: *const u8, _file: *mut c_void) {
        // The environment variable WAVETANK_LOG selects the log level instead.
        Ok(())
    }

    fn hsa_amd_coherency_get_type(agent: Agent, kind: *mut u32) {
        agent::of(agent)?;
        // SAFETY: null, or room for the type.
        unsafe { put(kind, 0) }
    }

    fn hsa_amd_coherency_set_type(agent: Agent, _kind: u32) {
        agent::of(agent).map(drop)
    }

    fn hsa_amd_profiling_set_profiler_enabled(queue: *const c_void, _enable: i32) {
        // Times are always recorded.
        queue::find(queue.expose_provenance() as u64).map(drop)
    }

    fn hsa_amd_profiling_async_copy_enable(_enable: bool) {
        Ok(())
    }

    fn hsa_amd_profiling_get_dispatch_time(agent: Agent, signal: Signal, time: *mut ProfilingTime) {
        agent::of(agent)?;
        // SAFETY: null, or room for the times.
        unsafe { put(time, times(signal)?) }
    }

    fn hsa_amd_profiling_get_async_copy_time(signal: Signal, time: *mut ProfilingTime) {
        // SAFETY: null, or room for the times.
        unsafe { put(time, times(signal)?) }
    }

    fn hsa_amd_profiling_convert_tick_to_system_domain(agent: Agent, tick: u64, system: *mut u64) {
        agent::of(agent)?;
        // SAFETY: null, or room for the time.
        unsafe { put(system, tick) }
    }
}

/// The start and end times of a signal's work.
fn times(signal: Signal) -> Result<ProfilingTime> {
    let found = signal::of(signal).ok_or(Status::ERROR_INVALID_SIGNAL)?;
    happens_before::host_sees(signal);
    Ok(ProfilingTime {
        start: found.start_ts.load(Ordering::Relaxed),
        end: found.end_ts.load(Ordering::Relaxed),
    })
}
