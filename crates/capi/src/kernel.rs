//! Kernels of a module.

use std::ffi::{CString, c_char};

use wavetank::object::ArgKind;

use crate::failure::Failure;
use crate::handle::{self, Handled, Kind};
use crate::last_error::guarded;
use crate::module::{Module, wavetank_module};
use crate::pointer::{Out, c_string, shown_or_null, text};
use crate::record::Record;
use crate::status::wavetank_status;

/// A kernel of a module. Any thread may use it at any time.
pub struct wavetank_kernel {
    _private: [u8; 0],
}

pub(crate) struct Kernel {
    pub kernel: wavetank::Kernel,
    pub module: std::sync::Arc<Module>,
    name: CString,
    signature: CString,
    /// Name and type of each argument.
    arguments: Vec<(Option<CString>, Option<CString>)>,
}

impl Handled for Kernel {
    type Opaque = wavetank_kernel;
    const KIND: Kind = Kind::Kernel;
}

impl Kernel {
    fn new(kernel: wavetank::Kernel, module: std::sync::Arc<Module>) -> Kernel {
        let shown = |text: &Option<String>| text.as_deref().map(c_string);
        let arguments = kernel.args().into_iter();
        let arguments = arguments.map(|arg| (shown(&arg.name), shown(&arg.type_name)));
        Kernel {
            name: c_string(kernel.name()),
            signature: c_string(&kernel.signature()),
            arguments: arguments.collect(),
            module,
            kernel,
        }
    }
}

/// Writes the number of kernels of a module.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_module_kernel_count(
    module: *const wavetank_module,
    count: *mut usize,
) -> wavetank_status {
    guarded(|| {
        let module = handle::get::<Module>(module, "module")?;
        let kernels = module.module.object().kernels().len();
        // SAFETY: by the caller's promise.
        unsafe { Out::of(count, "count") }?.set(kernels);
        Ok(())
    })
}

/// Makes a handle of a kernel by its number, from 0, in the order of the code object.
///
/// WAVETANK_ERROR_NOT_FOUND: there are not so many kernels. `*kernel` is then null. Free the kernel by wavetank_kernel_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_module_kernel_at(
    module: *const wavetank_module,
    index: usize,
    kernel: *mut *mut wavetank_kernel,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Kernel>(kernel, "kernel", || {
            let module = handle::get::<Module>(module, "module")?;
            let found = module.module.kernels().nth(index).ok_or_else(|| {
                let count = module.module.object().kernels().len();
                Failure::not_found(format!(
                    "there is no kernel {index}: the module has {count}"
                ))
            })?;
            Ok(Kernel::new(found, module))
        })
    }
}

/// Makes a handle of a kernel by its name: as in the code object, or as in a source of C++, with its parameters, or without them if no
/// other kernel has the name.
///
/// WAVETANK_ERROR_NOT_FOUND: there is no such kernel; the sentence lists those that there are. `*kernel` is then null. Free the
/// kernel by wavetank_kernel_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_module_kernel(
    module: *const wavetank_module,
    name: *const c_char,
    kernel: *mut *mut wavetank_kernel,
) -> wavetank_status {
    // SAFETY: by the caller's promise.
    unsafe {
        handle::create::<Kernel>(kernel, "kernel", || {
            let module = handle::get::<Module>(module, "module")?;
            let found = module.module.kernel(text(name, "name")?)?;
            Ok(Kernel::new(found, module))
        })
    }
}

/// Frees a kernel; null is ignored. Its launches still work, until they are freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_kernel_free(kernel: *mut wavetank_kernel) -> wavetank_status {
    handle::free::<Kernel>(kernel, "kernel")
}

/// Properties of a kernel. Texts are valid until the kernel is freed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct wavetank_kernel_info {
    /// The name, mangled for C++.
    pub name: *const c_char,
    /// Name and arguments for people: "saxpy(float* y, float* x, float a, int n)".
    pub signature: *const c_char,
    /// The number of arguments that a caller gives; 0 if the code object does not list them.
    pub argument_count: u32,
    /// 1 if the code object lists the arguments; otherwise 0, and each argument has the size of the value that is set.
    pub has_argument_list: u32,
    /// Vector registers of a lane, and scalar registers of a wave; 0 if the code object does not say it.
    pub vgprs: u32,
    /// See vgprs.
    pub sgprs: u32,
    /// The kernel's own LDS, in bytes for each work-group.
    pub lds: u32,
    /// Private memory, in bytes for each work-item.
    pub scratch: u32,
    /// The most work-items of a work-group; 0 if the code object does not say it.
    pub max_block: u32,
    /// The size of a work-group that the kernel requires, or three zeros.
    pub required_block: [u32; 3],
}

// SAFETY: it is plain data, and all of its bits may be 0.
unsafe impl Record for wavetank_kernel_info {
    const FIRST_SIZE: usize = 56;
}

/// Writes the properties of a kernel. `size` is sizeof(wavetank_kernel_info).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_kernel_get_info(
    kernel: *const wavetank_kernel,
    info: *mut wavetank_kernel_info,
    size: usize,
) -> wavetank_status {
    guarded(|| {
        let kernel = handle::get::<Kernel>(kernel, "kernel")?;
        let facts = kernel.kernel.info();
        let record = wavetank_kernel_info {
            name: kernel.name.as_ptr(),
            signature: kernel.signature.as_ptr(),
            argument_count: kernel.arguments.len() as u32,
            has_argument_list: facts.unlisted_args.is_none().into(),
            vgprs: facts.vgpr_count.unwrap_or(0),
            sgprs: facts.sgpr_count.unwrap_or(0),
            lds: facts.descriptor.group_segment_fixed_size,
            scratch: facts.descriptor.private_segment_fixed_size,
            max_block: facts.max_flat_workgroup_size.unwrap_or(0),
            required_block: facts.reqd_workgroup_size.unwrap_or_default(),
        };
        // SAFETY: by the caller's promise.
        unsafe { record.write(info, size, "info") }
    })
}

/// A value, or a structure that is passed by value.
pub const WAVETANK_ARGUMENT_VALUE: u32 = 1;
/// A pointer to memory of the device.
pub const WAVETANK_ARGUMENT_POINTER: u32 = 2;
/// A pointer to LDS, which is set by a number of bytes.
pub const WAVETANK_ARGUMENT_LDS: u32 = 3;
/// An image, sampler, pipe or queue, which is set by the address of its descriptor.
pub const WAVETANK_ARGUMENT_OTHER: u32 = 4;

/// An argument of a kernel. Texts are valid until the kernel is freed.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct wavetank_argument {
    /// The name, or null.
    pub name: *const c_char,
    /// The type in the source, such as "float*", or null.
    pub type_name: *const c_char,
    /// WAVETANK_ARGUMENT_VALUE, WAVETANK_ARGUMENT_POINTER, WAVETANK_ARGUMENT_LDS or WAVETANK_ARGUMENT_OTHER.
    pub kind: u32,
    /// The size in bytes.
    pub size: u32,
    /// The place in the argument block, in bytes from its start.
    pub offset: u32,
}

// SAFETY: it is plain data, and all of its bits may be 0.
unsafe impl Record for wavetank_argument {
    const FIRST_SIZE: usize = 32;
}

/// Writes the properties of an argument by its number, from 0. `size` is sizeof(wavetank_argument).
///
/// WAVETANK_ERROR_NOT_FOUND: there are not so many arguments.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wavetank_kernel_get_argument(
    kernel: *const wavetank_kernel,
    index: usize,
    argument: *mut wavetank_argument,
    size: usize,
) -> wavetank_status {
    guarded(|| {
        let kernel = handle::get::<Kernel>(kernel, "kernel")?;
        let args = kernel.kernel.args();
        let (Some(arg), Some((name, type_name))) = (args.get(index), kernel.arguments.get(index))
        else {
            let sentence = format!(
                "there is no argument {index}: the kernel lists {}",
                args.len()
            );
            return Err(Failure::not_found(sentence));
        };
        let record = wavetank_argument {
            name: shown_or_null(name.as_deref()),
            type_name: shown_or_null(type_name.as_deref()),
            kind: match arg.kind {
                ArgKind::ByValue => WAVETANK_ARGUMENT_VALUE,
                ArgKind::GlobalBuffer => WAVETANK_ARGUMENT_POINTER,
                ArgKind::DynamicSharedPointer => WAVETANK_ARGUMENT_LDS,
                _ => WAVETANK_ARGUMENT_OTHER,
            },
            size: arg.size,
            offset: arg.offset,
        };
        // SAFETY: by the caller's promise.
        unsafe { record.write(argument, size, "argument") }
    })
}
