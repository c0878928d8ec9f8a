//! Modules: code that has been loaded on a device.

use std::ffi::{CString, c_char, c_void};
use std::path::{Path, PathBuf};

use crate::assembly::{Assembly, wavetank_assembly};
use crate::device::{Device, wavetank_device};
use crate::failure::{Failure, Result};
use crate::handle::{self, Handled, Kind};
use crate::last_error::guarded;
use crate::pointer::{Out, bytes, c_string, text};
use crate::status::wavetank_status::{self, *};

/// Code that has been loaded on a device. Any thread may use it at any time.
pub struct wavetank_module {
    _private: [u8; 0],
}

pub(crate) struct Module {
    pub module: wavetank::Module,
    /// The name of the file, for findings.
    pub path: PathBuf,
    target: CString,
}

impl Handled for Module {
    type Opaque = wavetank_module;
    const KIND: Kind = Kind::Module;
}

impl Module {
    fn load(device: &Device, code: &[u8], path: impl Into<PathBuf>) -> Result<Module> {
        let module = device.device.load(code)?;
        Ok(Module {
            target: c_string(&module.object().target().to_string()),
            module,
            path: path.into(),
        })
    }
}

/// Reads a file.
///
/// # Errors
/// Those of the system.
pub(crate) fn read_file(path: &str) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        let path = Path::new(path).display();
        Failure::new(
            WAVETANK_ERROR_FILE,
            format!("{path} cannot be read: {error}"),
        )
    })
}

/// Loads a code object of `size` bytes, or that for the chip of the device from an offload bundle or a host program. The bytes are
/// not used after the call.
///
/// WAVETANK_ERROR_CODE: bytes without code for the chip. `*module` is then null. Free the module by wavetank_module_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_module_load(
    device: *const wavetank_device,
    code: *const c_void,
    size: usize,
    module: *mut *mut wavetank_module,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Module>(module, "module", || {
            let device = handle::get::<Device>(device, "device")?;
            Module::load(&device, bytes(code, size, "code")?, "the bytes")
        })
    }
}

/// Loads the code of a file, as wavetank_module_load does.
///
/// WAVETANK_ERROR_FILE: the file cannot be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_module_load_file(
    device: *const wavetank_device,
    path: *const c_char,
    module: *mut *mut wavetank_module,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Module>(module, "module", || {
            let device = handle::get::<Device>(device, "device")?;
            let path = text(path, "path")?;
            Module::load(&device, &read_file(path)?, path)
        })
    }
}

/// Loads an assembled source. If neither wavetank_assemble nor the source named a chip, it is assembled for that of the device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_module_load_assembly(
    device: *const wavetank_device,
    assembly: *const wavetank_assembly,
    module: *mut *mut wavetank_module,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Module>(module, "module", || {
            let device = handle::get::<Device>(device, "device")?;
            let assembly = handle::get::<Assembly>(assembly, "assembly")?;
            let object = assembly.object_for(device.device.chip())?;
            Module::load(&device, &object, "the source")
        })
    }
}

/// Frees a module; null is ignored. Its kernels still work, until they are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_module_free(module: *mut wavetank_module) -> wavetank_status {
    handle::free::<Module>(module, "module")
}

/// Writes the target of the code, such as "gfx906:xnack-". The text is valid until the module is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_module_target(
    module: *const wavetank_module,
    target: *mut *const c_char,
) -> wavetank_status {
    guarded(|| {
        let module = handle::get::<Module>(module, "module")?;
        // SAFETY: by the caller's promise.
        unsafe { Out::of(target, "target") }?.set(module.target.as_ptr());
        Ok(())
    })
}

/// Writes device address and size in bytes of a global variable, or of any other symbol. `size` may be null.
///
/// WAVETANK_ERROR_NOT_FOUND: there is no symbol of this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_module_symbol(
    module: *const wavetank_module,
    name: *const c_char,
    address: *mut u64,
    size: *mut u64,
) -> wavetank_status {
    guarded(|| {
        let module = handle::get::<Module>(module, "module")?;
        // SAFETY: by the caller's promise.
        let (name, out) = unsafe { (text(name, "name")?, Out::of(address, "address")?) };
        let symbol = module.module.symbol(name);
        let missing = || Failure::not_found(format!("there is no symbol `{name}` here"));
        let (first, bytes) = symbol.ok_or_else(missing)?;
        if !size.is_null() {
            // SAFETY: by the caller's promise.
            unsafe { Out::of(size, "size") }?.set(bytes);
        }
        out.set(first);
        Ok(())
    })
}
