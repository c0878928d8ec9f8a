//! Virtual memory: reserving addresses, allocating memory, and mapping it there.
//!
//! The functions are those of ROCm 6. Memory lies in files without names, so that it can be mapped at several addresses, and
//! shared with other processes through the file.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd};
use std::sync::{Arc, Mutex};

use wavetank::{Registration, Rights, set_file_size};

use super::address::PAGE;
use super::pool::{self, Kind, of_pool};
use super::shared_file;
use crate::agent;
use crate::c_types::{Agent, Pool, Status};
use crate::call::{Result, calls, put};
use crate::state::{lock, runtime};

/// `MEMORY_TYPE_PINNED`, a kind of memory in the headers.
const PINNED: u32 = 1;

/// `hsa_amd_vmem_alloc_handle_t`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(super) struct Handle(u64);

/// `hsa_amd_memory_access_desc_t`
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Access {
    /// 0 none, 1 read, 2 write, 3 both.
    permission: u32,
    agent: Agent,
}

/// Memory that can be mapped at addresses.
struct Memory {
    file: File,
    bytes: u64,
    pool: Pool,
    kind: u32,
}

/// Memory that is mapped at an address.
struct Mapping {
    bytes: u64,
    handle: Handle,
    memory: Arc<Memory>,
    /// The access of the GPUs.
    permission: u32,
    /// The registration that makes it accessible to the GPUs, if they have any access.
    registration: Option<Registration>,
}

static STATE: Mutex<State> = Mutex::new(State {
    next: 1,
    reserved: BTreeMap::new(),
    memory: BTreeMap::new(),
    mapped: BTreeMap::new(),
});

struct State {
    next: u64,
    /// Reserved ranges: address to size.
    reserved: BTreeMap<u64, u64>,
    memory: BTreeMap<u64, Arc<Memory>>,
    mapped: BTreeMap<u64, Mapping>,
}

impl State {
    fn has_reserved(&self, address: u64, bytes: u64) -> bool {
        let before = self.reserved.range(..=address).next_back();
        let end = address.checked_add(bytes);
        // The end of a reservation is a valid address, so the sum does not overflow.
        before
            .zip(end)
            .is_some_and(|((start, size), end)| end <= start + size)
    }

    /// The mapping that contains an address.
    fn holding(&self, address: u64) -> Option<(u64, &Mapping)> {
        let (start, mapping) = self.mapped.range(..=address).next_back()?;
        (address - start < mapping.bytes).then_some((*start, mapping))
    }
}

fn whole_pages(bytes: usize) -> Result<u64> {
    if bytes > 0 && (bytes as u64).is_multiple_of(PAGE) {
        Ok(bytes as u64)
    } else {
        Err(Status::ERROR_INVALID_ARGUMENT)
    }
}

/// Reserves addresses at which nothing is mapped.
fn reserve(bytes: u64, hint: u64, align: u64) -> Result<u64> {
    let align = align.max(PAGE);
    if !align.is_power_of_two() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let length = bytes
        .checked_add(align - PAGE)
        .ok_or(Status::ERROR_OUT_OF_RESOURCES)?;
    // SAFETY: new addresses, chosen by the system.
    let start = unsafe {
        libc::mmap(
            std::ptr::with_exposed_provenance_mut(hint as usize),
            length as usize,
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if start == libc::MAP_FAILED {
        return Err(Status::ERROR_OUT_OF_RESOURCES);
    }
    let start = start.expose_provenance() as u64;
    let address = start.next_multiple_of(align);
    trim(start, address - start);
    trim(address + bytes, start + length - address - bytes);
    lock(&STATE).reserved.insert(address, bytes);
    Ok(address)
}

/// Returns addresses to the system.
fn trim(address: u64, bytes: u64) {
    if bytes > 0 {
        // SAFETY: addresses of a reservation of this module, which are not in use.
        unsafe {
            libc::munmap(
                std::ptr::with_exposed_provenance_mut(address as usize),
                bytes as usize,
            )
        };
    }
}

/// Maps a file, or nothing, over reserved addresses.
fn place(address: u64, bytes: u64, from: Option<(&File, u64)>) -> Result {
    let (protection, flags, file, offset) = match from {
        Some((file, offset)) => (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            file.as_raw_fd(),
            offset,
        ),
        None => (
            libc::PROT_NONE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        ),
    };
    let at = std::ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: the addresses are reserved by this module; the previous mapping is replaced.
    let done = unsafe {
        libc::mmap(
            at,
            bytes as usize,
            protection,
            flags | libc::MAP_FIXED,
            file,
            offset as i64,
        )
    };
    if done == libc::MAP_FAILED {
        Err(Status::ERROR_OUT_OF_RESOURCES)
    } else {
        Ok(())
    }
}

fn make(pool: Pool, bytes: u64, kind: u32) -> Result<Handle> {
    of_pool(pool)?;
    let file = shared_file::create()?;
    set_file_size(&file, bytes).map_err(|_| Status::ERROR_OUT_OF_RESOURCES)?;
    Ok(keep(Memory {
        file,
        bytes,
        pool,
        kind,
    }))
}

/// Makes a handle of memory.
fn keep(memory: Memory) -> Handle {
    let mut state = lock(&STATE);
    let handle = Handle(state.next);
    state.next += 1;
    state.memory.insert(handle.0, Arc::new(memory));
    handle
}

/// A new descriptor of memory, which the caller closes.
fn export(handle: Handle) -> Result<i32> {
    let memory = lock(&STATE).memory.get(&handle.0).cloned();
    let memory = memory.ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    let file = memory.file.try_clone();
    file.map(IntoRawFd::into_raw_fd)
        .map_err(|_| Status::ERROR_OUT_OF_RESOURCES)
}

/// Imports memory by a descriptor from [`export`], of this process or another. The caller keeps the descriptor.
fn import(descriptor: i32) -> Result<Handle> {
    // SAFETY: duplicates a descriptor, or fails.
    let own = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 0) };
    if own < 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    // SAFETY: the descriptor was just duplicated, and has no other owner.
    let file = unsafe { File::from_raw_fd(own) };
    let about = file
        .metadata()
        .map_err(|_| Status::ERROR_INVALID_ARGUMENT)?;
    let bytes = about.len();
    if !about.is_file() || bytes == 0 || !bytes.is_multiple_of(PAGE) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    Ok(keep(Memory {
        file,
        bytes,
        pool: pool::pool(agent::gpu(0), Kind::Device),
        kind: PINNED,
    }))
}

fn map(address: u64, bytes: u64, offset: u64, handle: Handle) -> Result {
    let mut state = lock(&STATE);
    let memory = state
        .memory
        .get(&handle.0)
        .cloned()
        .ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    let fits = offset
        .checked_add(bytes)
        .is_some_and(|end| end <= memory.bytes);
    // Reserved ranges do not wrap around.
    if !fits || !offset.is_multiple_of(PAGE) || !state.has_reserved(address, bytes) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let inside = state.mapped.range(address..address + bytes).next();
    if inside.is_some() || state.holding(address).is_some() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    place(address, bytes, Some((&memory.file, offset)))?;
    let mapping = Mapping {
        bytes,
        handle,
        memory,
        permission: 0,
        registration: None,
    };
    state.mapped.insert(address, mapping);
    Ok(())
}

/// Whether the GPUs may access a range: it is registered, and stays mapped while it is held.
pub(super) fn reaches(address: u64, bytes: u64) -> bool {
    let state = lock(&STATE);
    let found = state.holding(address);
    let inside = |start: u64, m: &Mapping| {
        address - start <= m.bytes && bytes <= m.bytes - (address - start)
    };
    found.is_some_and(|(start, m)| m.registration.is_some() && inside(start, m))
}

fn unmap(address: u64, bytes: u64) -> Result {
    take_from_gpus(address, bytes)?;
    let mut state = lock(&STATE);
    let known = state.mapped.remove(&address);
    known.ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    place(address, bytes, None)
}

/// Ends the GPUs' access to a mapping. When this returns, no kernel and no copy accesses it any more.
fn take_from_gpus(address: u64, bytes: u64) -> Result {
    let mut state = lock(&STATE);
    let known = state.mapped.get_mut(&address).filter(|m| m.bytes == bytes);
    let known = known.ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    known.permission = 0;
    let registration = known.registration.take();
    // The lock is released, since a thread that holds the memory may look up the owner of another range.
    drop(state);
    let gone = registration.map(|registration| {
        runtime()?
            .registry()
            .unregister(registration)
            .map_err(|_| Status::ERROR)
    });
    gone.transpose().map(drop)
}

/// Sets the GPUs' access to mapped memory.
fn allow(address: u64, bytes: u64, permission: u32) -> Result {
    take_from_gpus(address, bytes)?;
    if permission == 0 {
        return Ok(());
    }
    let rights = if permission == 1 {
        Rights::Read
    } else {
        Rights::ReadWrite
    };
    let mut state = lock(&STATE);
    let known = state
        .mapped
        .get_mut(&address)
        .filter(|m| m.registration.is_none());
    let known = known.ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    let pointer = std::ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: mapped until `unmap`, which removes it from the registry first.
    let made = unsafe {
        runtime()?
            .registry()
            .register("mapped memory", pointer, bytes, rights)
    };
    known.registration = Some(made.map_err(|_| Status::ERROR_OUT_OF_RESOURCES)?);
    known.permission = permission;
    Ok(())
}

calls! {
    fn hsa_amd_vmem_address_reserve(address: *mut u64, size: usize, hint: u64, _flags: u64) {
        // SAFETY: null, or room for a pointer.
        unsafe { put(address, reserve(whole_pages(size)?, hint, PAGE)?) }
    }

    fn hsa_amd_vmem_address_reserve_align(address: *mut u64, size: usize, hint: u64, align: u64, _flags: u64) {
        // SAFETY: null, or room for a pointer.
        unsafe { put(address, reserve(whole_pages(size)?, hint, align)?) }
    }

    fn hsa_amd_vmem_address_free(address: *mut c_void, size: usize) {
        let (address, bytes) = (address.expose_provenance() as u64, size as u64);
        let mut state = lock(&STATE);
        if state.reserved.get(&address) != Some(&bytes) {
            return Err(Status::ERROR_INVALID_ALLOCATION);
        }
        let end = address.checked_add(bytes).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
        if state.mapped.range(address..end).next().is_some() {
            return Err(Status::ERROR_RESOURCE_FREE);
        }
        state.reserved.remove(&address);
        trim(address, bytes);
        Ok(())
    }

    fn hsa_amd_vmem_handle_create(pool: Pool, size: usize, kind: u32, _flags: u64, handle: *mut Handle) {
        if handle.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null: room for a handle.
        unsafe { put(handle, make(pool, whole_pages(size)?, kind)?) }
    }

    fn hsa_amd_vmem_handle_release(handle: Handle) {
        let removed = lock(&STATE).memory.remove(&handle.0);
        // Mappings keep the memory alive.
        removed.map(drop).ok_or(Status::ERROR_INVALID_ALLOCATION)
    }

    fn hsa_amd_vmem_map(address: *mut c_void, size: usize, offset: usize, handle: Handle, _flags: u64) {
        map(address.expose_provenance() as u64, whole_pages(size)?, offset as u64, handle)
    }

    fn hsa_amd_vmem_unmap(address: *mut c_void, size: usize) {
        unmap(address.expose_provenance() as u64, size as u64)
    }

    fn hsa_amd_vmem_set_access(address: *mut c_void, size: usize, list: *const Access, count: usize) {
        if list.is_null() || count == 0 {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: the caller's array has `count` elements.
        let list = unsafe { std::slice::from_raw_parts(list, count) };
        let mut permission = 0;
        for access in list {
            agent::of(access.agent)?;
            permission |= access.permission & 3;
        }
        allow(address.expose_provenance() as u64, size as u64, permission)
    }

    fn hsa_amd_vmem_get_access(address: *mut c_void, permission: *mut u32, agent: Agent) {
        agent::of(agent)?;
        let found = lock(&STATE).mapped.get(&(address.expose_provenance() as u64)).map(|m| m.permission);
        // SAFETY: null, or room for the permission.
        unsafe { put(permission, found.ok_or(Status::ERROR_INVALID_ALLOCATION)?) }
    }

    fn hsa_amd_vmem_retain_alloc_handle(handle: *mut Handle, address: *mut c_void) {
        let mut state = lock(&STATE);
        let found = state.mapped.get(&(address.expose_provenance() as u64));
        let (found, memory) = found.map(|m| (m.handle, m.memory.clone())).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
        state.memory.entry(found.0).or_insert(memory);
        // SAFETY: null, or room for a handle.
        unsafe { put(handle, found) }
    }

    fn hsa_amd_vmem_get_alloc_properties_from_handle(handle: Handle, pool: *mut Pool, kind: *mut u32) {
        let found = lock(&STATE).memory.get(&handle.0).map(|m| (m.pool, m.kind));
        let (found, its_kind) = found.ok_or(Status::ERROR_INVALID_ALLOCATION)?;
        // SAFETY: null, or room for the results.
        unsafe {
            put(pool, found)?;
            put(kind, its_kind)
        }
    }

    fn hsa_amd_vmem_export_shareable_handle(descriptor: *mut i32, handle: Handle, _flags: u64) {
        if descriptor.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null: room for a descriptor.
        unsafe { put(descriptor, export(handle)?) }
    }

    fn hsa_amd_vmem_import_shareable_handle(descriptor: i32, handle: *mut Handle) {
        if handle.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null: room for a handle.
        unsafe { put(handle, import(descriptor)?) }
    }
}
