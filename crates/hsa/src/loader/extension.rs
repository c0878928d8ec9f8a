//! AMD's loader extension: queries of debuggers and runtimes about loaded code.

use std::ffi::c_void;
use std::sync::Arc;

use super::loaded::Loaded;
use super::tables::{Program, with};
use crate::c_types::{Agent, Executable, LoadedCodeObject, Reader, SegmentDescriptor, Status};
use crate::call::{Result, calls, put, traverse};
use crate::memory;

/// The functions of version 1, in the order of the table.
pub(crate) fn table() -> [*const c_void; 6] {
    [
        hsa_ven_amd_loader_query_host_address as *const c_void,
        hsa_ven_amd_loader_query_segment_descriptors as *const c_void,
        hsa_ven_amd_loader_query_executable as *const c_void,
        hsa_ven_amd_loader_executable_iterate_loaded_code_objects as *const c_void,
        hsa_ven_amd_loader_loaded_code_object_get_info as *const c_void,
        hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size as *const c_void,
    ]
}

/// All loaded code objects, with their executables.
fn all() -> Vec<(Executable, Arc<Loaded>)> {
    with(|t| {
        let each = |(handle, program): (&u64, &Program)| {
            let executable = Executable(*handle);
            program
                .loaded
                .iter()
                .map(|l| (executable, l.clone()))
                .collect::<Vec<_>>()
        };
        t.executables.iter().flat_map(each).collect()
    })
}

/// The first address and the size of a loaded code object.
fn span(loaded: &Loaded) -> (u64, u64) {
    let object = loaded.module.object();
    let segments = object.segments().iter().filter(|s| s.memory_size > 0);
    let ends = segments.map(|s| (s.address, s.address + s.memory_size));
    let (first, end) = ends.fold((u64::MAX, 0), |(a, b), (start, end)| {
        (a.min(start), b.max(end))
    });
    if first < end {
        (loaded.module.address_of(first), end - first)
    } else {
        (0, 0)
    }
}

fn holding(address: u64) -> Option<(Executable, Arc<Loaded>)> {
    let holds = |loaded: &Loaded| {
        let (start, bytes) = span(loaded);
        (start..start + bytes).contains(&address)
    };
    all().into_iter().find(|(_, loaded)| holds(loaded))
}

fn pointer(address: usize) -> *const c_void {
    std::ptr::with_exposed_provenance(address)
}

fn descriptors() -> Vec<SegmentDescriptor> {
    let each = |(executable, loaded): (Executable, Arc<Loaded>)| {
        let (start, bytes) = span(&loaded);
        SegmentDescriptor {
            agent: loaded.agent,
            executable,
            storage: if loaded.source.file < 0 { 2 } else { 1 },
            storage_base: pointer(loaded.source.address),
            storage_size: loaded.source.bytes,
            storage_offset: 0,
            segment_base: pointer(start as usize),
            segment_size: bytes as usize,
        }
    };
    all().into_iter().map(each).collect()
}

type EachLoaded = unsafe extern "C" fn(Executable, LoadedCodeObject, *mut c_void) -> Status;

calls! {
    fn hsa_ven_amd_loader_query_host_address(device: *const c_void, host: *mut *const c_void) {
        let address = device.expose_provenance() as u64;
        let known = holding(address).is_some() || memory::find(address).is_some();
        if !known {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // Device addresses are host addresses.
        // SAFETY: null, or room for a pointer.
        unsafe { put(host, device) }
    }

    fn hsa_ven_amd_loader_query_segment_descriptors(to: *mut SegmentDescriptor, count: *mut usize) {
        if count.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let all = descriptors();
        // SAFETY: not null; an array of the caller has as many elements as it says.
        unsafe {
            if to.is_null() {
                return put(count, all.len());
            }
            if *count != all.len() {
                return Err(Status::ERROR_INCOMPATIBLE_ARGUMENTS);
            }
            all.iter().enumerate().try_for_each(|(n, one)| put(to.add(n), *one))
        }
    }

    fn hsa_ven_amd_loader_query_executable(device: *const c_void, executable: *mut Executable) {
        let found = holding(device.expose_provenance() as u64);
        let (found, _) = found.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        // SAFETY: null, or room for a handle.
        unsafe { put(executable, found) }
    }

    fn hsa_ven_amd_loader_executable_iterate_loaded_code_objects(
        executable: Executable, callback: Option<EachLoaded>, data: *mut c_void,
    ) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        let found = with(|t| Some(t.executables.get(&executable.0)?.loaded.clone()));
        let loaded = found.ok_or(Status::ERROR_INVALID_EXECUTABLE)?;
        // SAFETY: the program's own function, with its own argument.
        traverse(loaded, |one| unsafe { callback(executable, one.handle, data) })
    }

    fn hsa_ven_amd_loader_loaded_code_object_get_info(loaded: LoadedCodeObject, attribute: u32, value: *mut c_void) {
        let found = all().into_iter().find(|(_, one)| one.handle == loaded);
        let (executable, one) = found.ok_or(Status::ERROR_INVALID_CODE_OBJECT)?;
        // SAFETY: the caller has room for a value of the attribute's type.
        unsafe { info(executable, &one, attribute, value) }
    }

    fn hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size(
        file: i32, offset: usize, size: usize, reader: *mut Reader,
    ) {
        if reader.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let made = super::calls::from_file(file, offset as u64, Some(size as u64))?;
        // SAFETY: not null: room for a handle.
        unsafe { put(reader, Reader(made)) }
    }

    fn hsa_ven_amd_loader_iterate_executables(
        callback: Option<unsafe extern "C" fn(Executable, *mut c_void) -> Status>, data: *mut c_void,
    ) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        let all: Vec<u64> = with(|t| t.executables.keys().copied().collect());
        // SAFETY: the program's own function, with its own argument.
        traverse(all, |one| unsafe { callback(Executable(one), data) })
    }
}

/// Writes an attribute of a loaded code object.
///
/// # Safety
/// There is room for the attribute's value.
unsafe fn info(
    executable: Executable,
    loaded: &Loaded,
    attribute: u32,
    value: *mut c_void,
) -> Result {
    let (start, bytes) = span(loaded);
    let Agent(agent) = loaded.agent;
    let uri = format!(
        "memory://{}#offset={:#x}&size={}",
        std::process::id(),
        loaded.source.address,
        loaded.source.bytes
    );
    // SAFETY: each arm writes the type that the headers give for its attribute.
    unsafe {
        match attribute {
            1 => put(value.cast(), executable),
            2 => put(value.cast(), 2u32),
            3 => put(value.cast(), agent),
            4 => put(value.cast(), if loaded.source.file < 0 { 2u32 } else { 1 }),
            5 => put(value.cast(), loaded.source.address as u64),
            6 => put(value.cast(), loaded.source.bytes as u64),
            7 => put(value.cast(), loaded.source.file),
            8 => put(value.cast(), loaded.module.address_of(0) as i64),
            9 => put(value.cast(), start),
            10 => put(value.cast(), bytes),
            11 => put(value.cast(), uri.len() as u32),
            12 if !value.is_null() => {
                value.cast::<u8>().copy_from(uri.as_ptr(), uri.len());
                Ok(())
            }
            _ => Err(Status::ERROR_INVALID_ARGUMENT),
        }
    }
}
