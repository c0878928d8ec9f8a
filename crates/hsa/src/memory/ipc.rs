//! Memory and signals that several processes share.
//!
//! Shared memory is an anonymous file, which its owner keeps open. A handle contains a process and its descriptor
//! (`/proc/PID/fd`), and the inode, so that a stale handle finds nothing. Memory is moved to its file when the program requests a
//! handle, and keeps its address; a signal that may be shared has a file from the start.
//!
//! Lifetimes are those of a kernel driver: a handle is valid until the exporting process frees the memory or ends; processes that
//! attached the memory before keep it.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::sync::Mutex;

use super::address::PAGE;
use super::allocation::{self, MemoryInfo, Origin};
use super::{pointer, shared_file};
use crate::c_types::{Agent, Signal, Status};
use crate::call::{Result, calls, put};
use crate::observe::undefined;
use crate::state::{lock, runtime};
use crate::{agent, log, signal};

/// `hsa_amd_ipc_memory_t`, `hsa_amd_ipc_signal_t`: 32 bytes that only this module reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(crate) struct IpcHandle {
    /// Whether the handle is of memory or of a signal.
    what: u32,
    /// The process that has the file open; its descriptor follows.
    process: u32,
    descriptor: u32,
    reserved: u32,
    /// The inode of the file.
    inode: u64,
    /// The length of the file in bytes.
    bytes: u64,
}

const _: () = assert!(std::mem::size_of::<IpcHandle>() == 32);

/// The kinds of handles.
const MEMORY: u32 = u32::from_le_bytes(*b"wtm1");
const SIGNAL: u32 = u32::from_le_bytes(*b"wts1");

/// The files of memory that this process shares or has attached, by address, and those of signals, by handle.
static FILES: Mutex<BTreeMap<u64, File>> = Mutex::new(BTreeMap::new());

/// Returns a status, after a line with the reason.
fn refused(status: Status, why: impl std::fmt::Display) -> Status {
    log::line(&why.to_string());
    status
}

/// Makes a handle of a file for other processes.
fn handle_of(what: u32, file: &File) -> Result<IpcHandle> {
    let about = file.metadata().map_err(|_| Status::ERROR)?;
    Ok(IpcHandle {
        what,
        process: std::process::id(),
        descriptor: file.as_raw_fd() as u32,
        reserved: 0,
        inode: about.ino(),
        bytes: about.len(),
    })
}

/// Opens the file of a handle.
fn open(handle: IpcHandle, what: u32) -> Result<File> {
    if handle.what != what {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let IpcHandle {
        process,
        descriptor,
        ..
    } = handle;
    let path = format!("/proc/{process}/fd/{descriptor}");
    let about = |why: &dyn std::fmt::Display| {
        let text = format!("what process {process} shares cannot be attached: {path}: {why}");
        refused(Status::ERROR_INVALID_ARGUMENT, text)
    };
    // The metadata are read first, since opening an unrelated file, such as a device, could have side effects.
    let there = std::fs::metadata(&path).map_err(|error| about(&error))?;
    if !there.is_file() || (there.ino(), there.len()) != (handle.inode, handle.bytes) {
        return Err(about(&"it is not shared any more"));
    }
    let file = File::options().read(true).write(true).open(&path);
    let file = file.map_err(|error| about(&error))?;
    // The file may have been replaced before it was opened.
    if handle_of(what, &file)?.inode == handle.inode {
        Ok(file)
    } else {
        Err(about(&"it is not shared any more"))
    }
}

/// Makes a handle of the allocation that begins at an address and has this length.
fn share(address: u64, bytes: u64) -> Result<IpcHandle> {
    let known = pointer::find(address).filter(|known| {
        let whole = bytes.checked_next_multiple_of(PAGE) == Some(known.bytes);
        known.origin != Origin::Locked && known.address == address && whole && bytes > 0
    });
    let known = known.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    let mut files = lock(&FILES);
    if let Some(file) = files.get(&known.address) {
        return handle_of(MEMORY, file);
    }
    let file = shared_file::create()?;
    undefined::filled(known.address, bytes);
    let shared = runtime()?.registry().share(known.address, &file);
    shared.map_err(|error| refused(Status::ERROR_OUT_OF_RESOURCES, error))?;
    let handle = handle_of(MEMORY, &file)?;
    files.insert(known.address, file);
    Ok(handle)
}

/// Maps memory that another process shares. `owner` is the GPU that owns it in this one.
fn attach(handle: IpcHandle, bytes: u64, owner: Agent) -> Result<u64> {
    if bytes.checked_next_multiple_of(PAGE) != Some(handle.bytes) {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let file = open(handle, MEMORY)?;
    let what = "memory that another process shares";
    let address = allocation::take_pages(what, handle.bytes)?;
    let joined = runtime()?.registry().join(address, &file);
    joined.map_err(|error| {
        // The program does not have the address yet.
        let _ = runtime().map(|runtime| runtime.registry().free(address));
        refused(Status::ERROR_OUT_OF_RESOURCES, error)
    })?;
    lock(&FILES).insert(address, file);
    allocation::attached(address, handle.bytes, owner);
    Ok(address)
}

/// Stops sharing memory that has been freed.
pub(crate) fn freed(memory: MemoryInfo) {
    lock(&FILES).remove(&memory.address);
}

/// Makes a signal that other processes can attach.
pub(crate) fn create_signal(value: i64) -> Result<Signal> {
    let file = shared_file::create()?;
    let made = signal::alone(|slab| {
        let shared = runtime()?.registry().share(slab, &file);
        shared.map_err(|error| refused(Status::ERROR_OUT_OF_RESOURCES, error))
    })?;
    signal::begin_alone(made, value);
    lock(&FILES).insert(made.0, file);
    Ok(made)
}

fn attach_signal(handle: IpcHandle) -> Result<Signal> {
    let file = open(handle, SIGNAL)?;
    let made = signal::alone(|slab| {
        let joined = runtime()?.registry().join(slab, &file);
        joined.map_err(|error| refused(Status::ERROR_OUT_OF_RESOURCES, error))
    })?;
    lock(&FILES).insert(made.0, file);
    Ok(made)
}

/// Destroys a shared signal, for this process. Returns whether it was such a signal.
pub(crate) fn destroy_signal(signal: Signal) -> Result<bool> {
    // The table also contains addresses of memory.
    signal::of(signal).ok_or(Status::ERROR_INVALID_SIGNAL)?;
    if lock(&FILES).remove(&signal.0).is_none() {
        return Ok(false);
    }
    signal::end_alone(signal, |slab| {
        let left = runtime()?.registry().leave(slab);
        left.map_err(|error| refused(Status::ERROR_OUT_OF_RESOURCES, error))
    })?;
    Ok(true)
}

calls! {
    fn hsa_amd_ipc_memory_create(pointer: *mut c_void, size: usize, handle: *mut IpcHandle) {
        if handle.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null: room for a handle.
        unsafe { put(handle, share(pointer.expose_provenance() as u64, size as u64)?) }
    }

    fn hsa_amd_ipc_memory_attach(
        handle: *const IpcHandle, size: usize, count: u32, agents: *const Agent, pointer: *mut u64,
    ) {
        if handle.is_null() || pointer.is_null() || count > 0 && agents.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null: a handle, and an array of `count` agents.
        let (handle, agents) = unsafe {
            let agents = if count == 0 { &[] } else { std::slice::from_raw_parts(agents, count as usize) };
            (handle.read_unaligned(), agents)
        };
        agents.iter().try_for_each(|agent| agent::of(*agent).map(drop))?;
        let owner = agents.iter().copied().find(|agent| *agent != agent::cpu());
        let owner = owner.unwrap_or(agent::gpu(0));
        // SAFETY: not null: room for a pointer.
        unsafe { put(pointer, attach(handle, size as u64, owner)?) }
    }

    fn hsa_amd_ipc_memory_detach(pointer: *mut c_void) {
        allocation::detach(pointer.expose_provenance() as u64)
    }

    fn hsa_amd_ipc_signal_create(signal: Signal, handle: *mut IpcHandle) {
        let files = lock(&FILES);
        let file = files.get(&signal.0).filter(|_| signal::exists(signal));
        let file = file.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        // SAFETY: null, or room for a handle.
        unsafe { put(handle, handle_of(SIGNAL, file)?) }
    }

    fn hsa_amd_ipc_signal_attach(handle: *const IpcHandle, signal: *mut Signal) {
        if handle.is_null() || signal.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: neither is null: a handle to read, and room for a signal.
        unsafe { put(signal, attach_signal(handle.read_unaligned())?) }
    }
}
