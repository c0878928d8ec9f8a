//! Devices.

use std::ffi::{CString, c_char};

use wavetank::environment::KernelSettings;
use wavetank::{Chip, DEFAULT_CHIP, instruction_set};

use crate::failure::{Failure, Result};
use crate::handle::{self, Handled, Kind};
use crate::last_error::guarded;
use crate::options::Options;
use crate::pointer::{Out, c_string, text_or_none};
use crate::status::wavetank_status;

/// An emulated GPU: a chip, its memory, and the threads that run work-groups.
///
/// Any thread may use it at any time. What was made with it keeps it alive, so the order of freeing does not matter.
pub struct wavetank_device {
    _private: [u8; 0],
}

pub(crate) struct Device {
    pub device: wavetank::Device,
    chip: CString,
}

impl Handled for Device {
    type Opaque = wavetank_device;
    const KIND: Kind = Kind::Device;
}

/// The names of options; each is that of a variable of the environment (`WAVETANK_THREADS`) in lower case.
const OPTIONS: [&str; 6] = ["threads", "engine", "schedule", "simd", "strict", "stack"];

/// Returns the chip of a name; the default one without a name.
///
/// # Errors
/// A name that is not a chip of GCN or CDNA.
pub(crate) fn chip_named(name: Option<&str>) -> Result<Chip> {
    let chip = name.map_or(Ok(DEFAULT_CHIP), instruction_set);
    chip.map_err(Failure::argument)
}

/// Returns the settings in options.
fn settings(options: &Options<'_>) -> Result<KernelSettings> {
    let value = |variable: &str| {
        let name = variable.strip_prefix("WAVETANK_")?.to_lowercase();
        Some(options.last(&name)?.into())
    };
    KernelSettings::read(&value).map_err(|wrong| {
        let name = wrong
            .variable
            .trim_start_matches("WAVETANK_")
            .to_lowercase();
        Failure::argument(format!("the option `{name}` is wrong: {}", wrong.problem))
    })
}

fn made(
    chip: Option<&str>,
    options: Option<&str>,
    memory: Option<&wavetank::Device>,
) -> Result<Device> {
    let options = Options::read(options, &OPTIONS)?;
    let mut builder = wavetank::Device::builder(chip_named(chip)?).settings(settings(&options)?);
    if let Some(other) = memory {
        builder = builder.memory_of(other);
    }
    let device = builder.build()?;
    Ok(Device {
        chip: c_string(device.chip().name()),
        device,
    })
}

/// Makes a device.
///
/// `chip` is an instruction set ("gfx906"), a name of LLVM ("fiji") or a product ("mi50"); null is gfx900. `options` is null, or
/// a text such as "threads=1; engine=interpreter; schedule=random:7; strict=1; simd=avx2; stack=4096". What it leaves out is set by
/// the environment (WAVETANK_THREADS and others), or has its default: as many threads as the host has processors. With threads=1
/// runs repeat bit for bit.
///
/// WAVETANK_ERROR_ARGUMENT: an unknown chip or option. WAVETANK_ERROR_UNSUPPORTED: a chip that is not executed.
/// WAVETANK_ERROR_SETTING: a wrong value in the environment. `*device` is then null. Free the device by wavetank_device_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_device_create(
    chip: *const c_char,
    options: *const c_char,
    device: *mut *mut wavetank_device,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Device>(device, "device", || {
            made(
                text_or_none(chip, "chip")?,
                text_or_none(options, "options")?,
                None,
            )
        })
    }
}

/// Makes a device that shares the memory of another: kernels of each reach the buffers of both. Otherwise as
/// wavetank_device_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_device_create_sharing(
    chip: *const c_char,
    options: *const c_char,
    other: *const wavetank_device,
    device: *mut *mut wavetank_device,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Device>(device, "device", || {
            let other = handle::get::<Device>(other, "other")?;
            made(
                text_or_none(chip, "chip")?,
                text_or_none(options, "options")?,
                Some(&other.device),
            )
        })
    }
}

/// Frees a device; null is ignored. Its modules, buffers and waves still work, until they are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_device_free(device: *mut wavetank_device) -> wavetank_status {
    handle::free::<Device>(device, "device")
}

/// Writes the name of the chip, such as "gfx906". The text is valid until the device is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_device_chip(
    device: *const wavetank_device,
    chip: *mut *const c_char,
) -> wavetank_status {
    guarded(|| {
        let device = handle::get::<Device>(device, "device")?;
        // SAFETY: by the caller's promise.
        unsafe { Out::of(chip, "chip") }?.set(device.chip.as_ptr());
        Ok(())
    })
}

/// Writes the number of threads that run work-groups.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_device_threads(
    device: *const wavetank_device,
    threads: *mut usize,
) -> wavetank_status {
    guarded(|| {
        let device = handle::get::<Device>(device, "device")?;
        // SAFETY: by the caller's promise.
        unsafe { Out::of(threads, "threads") }?.set(device.device.threads());
        Ok(())
    })
}
