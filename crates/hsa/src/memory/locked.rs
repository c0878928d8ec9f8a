//! Locked memory: memory of the program that GPUs can access.

use std::collections::BTreeMap;
use std::sync::Mutex;

use wavetank::{ALIAS, Registration, Rights};

use super::address::{PAGE, host_address};
use super::allocation::{MemoryInfo, Origin};
use super::host::{self, Access};
use super::ownership;
use super::pool::Kind;
use crate::c_types::{Result, Status};
use crate::state::{lock, runtime};
use crate::{agent, log};

/// Locked memory by the address that the program gave, the first lock first.
static LOCKS: Mutex<Locks> = Mutex::new(Locks {
    all: BTreeMap::new(),
    longest: 0,
});

struct Locks {
    all: BTreeMap<u64, Vec<Lock>>,
    /// The length of the longest lock in bytes.
    longest: u64,
}

struct Lock {
    bytes: u64,
    /// The number of locks of exactly this range.
    times: u32,
    /// The registrations, at the host's address and at another: HIP 5 needs one. Memory of the library needs none.
    registrations: Option<[Registration; 2]>,
    user_data: usize,
}

impl Locks {
    /// The lock that contains an address, with its own address.
    fn holding(&mut self, address: u64) -> Option<(u64, &mut Lock)> {
        let first = address.saturating_sub(self.longest);
        let before = self.all.range_mut(first..=address).rev();
        let mut locks = before.flat_map(|(start, locks)| locks.iter_mut().map(|l| (*start, l)));
        locks.find(|(start, lock)| address - start < lock.bytes)
    }
}

/// Makes whole pages of the program's memory accessible to the GPUs. Returns the address there.
///
/// # Safety
/// The memory stays mapped, and writable if it is now, until it is unlocked.
pub(crate) unsafe fn lock_host(address: u64, bytes: usize) -> Result<u64> {
    let bytes = bytes as u64;
    let end = address
        .checked_add(bytes)
        .filter(|_| address != 0 && bytes != 0);
    let end = end.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    let mut locks = lock(&LOCKS);
    let again = locks.all.get_mut(&address).and_then(|all| all.last_mut());
    if let Some(again) = again.filter(|last| last.bytes == bytes) {
        again.times += 1;
        return Ok(gpu_address(address, again));
    }
    let first = address / PAGE * PAGE;
    let pages = end.next_multiple_of(PAGE) - first;
    // SAFETY: whole pages of memory that stays mapped until it is unlocked.
    let registrations = unsafe { register(first, pages) };
    let registrations = registrations.map_err(|problem| {
        log::line(&format!(
            "memory of {bytes} bytes at {address:#x} cannot be locked, by whole pages: {problem}"
        ));
        Status::ERROR_INVALID_ARGUMENT
    })?;
    let lock = Lock {
        bytes,
        times: 1,
        registrations,
        user_data: 0,
    };
    let on_gpu = gpu_address(address, &lock);
    locks.longest = locks.longest.max(bytes);
    locks.all.entry(address).or_default().push(lock);
    Ok(on_gpu)
}

fn gpu_address(address: u64, lock: &Lock) -> u64 {
    match lock.registrations {
        Some(_) => address | ALIAS,
        None => address,
    }
}

/// Registers pages of the program, with the program's own rights, unless they are the library's. The error is a sentence without
/// a subject.
///
/// # Safety
/// As for [`lock_host`].
unsafe fn register(
    first: u64,
    bytes: u64,
) -> std::result::Result<Option<[Registration; 2]>, String> {
    if ownership::is_ours(first) {
        return ownership::hold(first, bytes, Access::Read).map(|_| None);
    }
    let pages = host::pages(first, bytes, Access::Read)?;
    let rights = if pages.writable {
        Rights::ReadWrite
    } else {
        Rights::Read
    };
    let runtime = runtime().map_err(|_| "the library is not initialised")?;
    let registry = runtime.registry();
    let register = |first: u64| {
        let pointer = std::ptr::with_exposed_provenance_mut(first as usize);
        // SAFETY: pages that are mapped, and writable if `rights` allows writes; the caller keeps them so.
        let made = unsafe { registry.register("locked host memory", pointer, bytes, rights) };
        made.map_err(|error| error.to_string())
    };
    Ok(Some([register(first)?, register(first | ALIAS)?]))
}

/// Removes the last lock of an address. When this returns, no kernel accesses the memory through it any more.
pub(crate) fn unlock_host(address: u64) -> Result {
    let address = host_address(address);
    let registrations = {
        let mut locks = lock(&LOCKS);
        // As in ROCr, memory that was never locked counts as unlocked.
        let Some(all) = locks.all.get_mut(&address) else {
            return Ok(());
        };
        match all.last_mut() {
            Some(last) if last.times > 1 => {
                last.times -= 1;
                return Ok(());
            }
            _ => {}
        }
        let last = all.pop();
        if all.is_empty() {
            locks.all.remove(&address);
        }
        last.and_then(|last| last.registrations)
    };
    // The table is unlocked: unregistering waits for the time slices of running kernels.
    let registry = runtime()?.registry();
    for registration in registrations.into_iter().flatten() {
        let gone = registry.unregister(registration);
        gone.map_err(|_| Status::ERROR)?;
    }
    Ok(())
}

/// The locked memory at a host address.
pub(super) fn find(address: u64) -> Option<MemoryInfo> {
    let mut locks = lock(&LOCKS);
    let (start, lock) = locks.holding(address)?;
    Some(MemoryInfo {
        address: start,
        bytes: lock.bytes,
        owner: agent::cpu(),
        flags: Kind::Fine.flags(),
        origin: Origin::Locked,
        user_data: lock.user_data,
    })
}

/// The address on the GPU of the locked memory at a host address.
pub(super) fn address_on_gpu(address: u64) -> Option<u64> {
    let mut locks = lock(&LOCKS);
    let (start, lock) = locks.holding(address)?;
    Some(gpu_address(start, lock))
}

/// Stores the program's own pointer for the locked memory at a host address.
pub(super) fn set_user_data(address: u64, data: usize) {
    if let Some((_, lock)) = lock(&LOCKS).holding(address) {
        lock.user_data = data;
    }
}
