//! The bytes that describe a kernel, and the names of their fields in assembly: descriptors of code object versions 3 to 6, and
//! `amd_kernel_code_t` of version 2.

mod descriptor;
mod kernel_code;

pub(crate) use descriptor::{Descriptor, FIELDS, LATER, descriptor_fields, extra_sgprs};
pub(crate) use kernel_code::{
    FIELDS as KERNEL_CODE_FIELDS, KernelCode, LATER as KERNEL_CODE_LATER, field, kernel_code_fields,
};
