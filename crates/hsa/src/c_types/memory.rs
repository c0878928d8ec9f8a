//! C structures of the memory, profiling and loader functions.

use std::ffi::c_void;

use super::{Agent, Executable};

/// `hsa_amd_pointer_info_t` as of ROCm 5; older callers pass a smaller size.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct PointerInfo {
    pub size: u32,
    /// 0 unknown, 1 allocated by HSA, 2 locked host memory.
    pub kind: u32,
    pub agent_base: *mut c_void,
    pub host_base: *mut c_void,
    pub bytes: usize,
    pub user_data: *mut c_void,
    pub owner: Agent,
    pub global_flags: u32,
}

/// `hsa_amd_profiling_dispatch_time_t` and `hsa_amd_profiling_async_copy_time_t`
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ProfilingTime {
    pub start: u64,
    pub end: u64,
}

/// `hsa_dim3_t`
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

/// `hsa_pitched_ptr_t`
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct PitchedPtr {
    pub base: *mut c_void,
    /// Bytes from a row to the next.
    pub pitch: usize,
    /// Bytes from a slice to the next.
    pub slice: usize,
}

/// `hsa_amd_svm_attribute_pair_t`
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct SvmPair {
    pub attribute: u64,
    pub value: u64,
}

/// `hsa_ven_amd_loader_segment_descriptor_t`
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct SegmentDescriptor {
    pub agent: Agent,
    pub executable: Executable,
    /// 0 none, 1 a file, 2 memory.
    pub storage: u32,
    pub storage_base: *const c_void,
    pub storage_size: usize,
    pub storage_offset: usize,
    pub segment_base: *const c_void,
    pub segment_size: usize,
}
