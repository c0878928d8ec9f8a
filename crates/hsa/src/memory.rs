//! Memory that the program has from the library, or has shown to it: who owns it, and what kind it is.

use std::collections::BTreeMap;
use std::sync::Mutex;

use wavetank::{ALIAS, Registration, Rights};

use crate::abi::{Agent, Pool, Status};
use crate::agent;
use crate::call::Result;
use crate::runtime::{lock, runtime};

/// Allocations are whole pages.
pub const PAGE: u64 = 4096;
const HUGE_PAGE: u64 = 2 << 20;

/// The kinds of memory; a pool is a kind and an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Host memory that host and device see change at once.
    Fine,
    /// Host memory for arguments of kernels.
    Kernarg,
    /// Host memory that is consistent between kernels.
    Coarse,
    /// Device memory.
    Device,
    /// LDS: known as a pool, not to be allocated from.
    Group,
}

impl Kind {
    /// Flags of the global segment: 1 kernarg, 2 fine grained, 4 coarse grained.
    pub fn flags(self) -> u32 {
        match self {
            Kind::Fine => 2,
            Kind::Kernarg => 3,
            Kind::Coarse | Kind::Device => 4,
            Kind::Group => 0,
        }
    }

    /// The segment: 0 global, 3 group.
    pub fn segment(self) -> u32 {
        if self == Kind::Group { 3 } else { 0 }
    }

    /// The pools of an agent, best first.
    pub fn of(agent: agent::Which) -> &'static [Kind] {
        match agent {
            agent::Which::Cpu => &[Kind::Fine, Kind::Coarse, Kind::Kernarg],
            agent::Which::Gpu(..) => &[Kind::Device, Kind::Group],
        }
    }
}

const KINDS: [Kind; 5] = [
    Kind::Fine,
    Kind::Kernarg,
    Kind::Coarse,
    Kind::Device,
    Kind::Group,
];

/// The handle of a pool: the agent's, and the number of the kind behind it.
pub fn pool(agent: Agent, kind: Kind) -> Pool {
    let number = KINDS.iter().position(|k| *k == kind).unwrap_or(0);
    Pool((agent.0 << 4) | (number as u64 + 1))
}

/// The agent and the kind of a pool.
pub fn of_pool(pool: Pool) -> Result<(Agent, Kind)> {
    let kind = KINDS.get((pool.0 & 15).wrapping_sub(1) as usize);
    let agent = Agent(pool.0 >> 4);
    let which = agent::of(agent).map_err(|_| Status::ERROR_INVALID_MEMORY_POOL)?;
    let kind = kind.filter(|kind| Kind::of(which).contains(kind));
    kind.map(|kind| (agent, *kind))
        .ok_or(Status::ERROR_INVALID_MEMORY_POOL)
}

/// What is known of a piece of memory.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub address: u64,
    pub bytes: u64,
    pub owner: Agent,
    pub flags: u32,
    /// Host memory that is locked, with the number of locks; else memory of the library.
    pub locks: u32,
    /// The program's own pointer.
    pub user_data: usize,
    /// How the GPUs know locked memory, by each of its addresses.
    registrations: Option<[Registration; 2]>,
}

static KNOWN: Mutex<BTreeMap<u64, Known>> = Mutex::new(BTreeMap::new());

/// Device memory that is not taken yet.
pub fn available() -> u64 {
    let owned = |known: &&Known| known.locks == 0 && known.owner != agent::cpu();
    let taken: u64 = lock(&KNOWN).values().filter(owned).map(|k| k.bytes).sum();
    agent::memory_bytes().saturating_sub(taken)
}

/// Allocates memory of a pool.
pub fn allocate(pool: Pool, bytes: usize) -> Result<u64> {
    let (owner, kind) = of_pool(pool)?;
    let (most, limit) = match kind {
        Kind::Group => return Err(Status::ERROR_INVALID_ALLOCATION),
        Kind::Device => (agent::memory_bytes(), available()),
        _ => (agent::host_bytes(), agent::host_bytes()),
    };
    let bytes = (bytes as u64).checked_next_multiple_of(PAGE);
    match bytes {
        None | Some(0) => return Err(Status::ERROR_INVALID_ARGUMENT),
        Some(bytes) if bytes > most => return Err(Status::ERROR_INVALID_ALLOCATION),
        Some(bytes) if bytes > limit => return Err(Status::ERROR_OUT_OF_RESOURCES),
        _ => {}
    }
    let bytes = bytes.unwrap_or(PAGE);
    let what = match kind {
        Kind::Device => "a buffer in device memory",
        Kind::Kernarg => "memory for kernel arguments",
        _ => "a buffer in host memory",
    };
    // The driver gives blocks of a huge page or more that alignment, and `malloc` on the device finds the head of its 2 MB
    // blocks by it.
    let alignment = if bytes >= HUGE_PAGE { HUGE_PAGE } else { PAGE };
    let memory = runtime()?.registry().allocate(what, bytes, alignment);
    let address = memory.map_err(|_| Status::ERROR_OUT_OF_RESOURCES)?.address;
    let known = Known {
        address,
        bytes,
        owner,
        flags: kind.flags(),
        locks: 0,
        user_data: 0,
        registrations: None,
    };
    lock(&KNOWN).insert(address, known);
    Ok(address)
}

/// Frees what [`allocate`] gave.
pub fn free(address: u64) -> Result {
    let mut all = lock(&KNOWN);
    let owned = all.get(&address).is_some_and(|known| known.locks == 0);
    if !owned {
        return Err(Status::ERROR_INVALID_ALLOCATION);
    }
    all.remove(&address);
    drop(all);
    let freed = runtime()?.registry().free(address);
    freed.map_err(|_| Status::ERROR_INVALID_ALLOCATION)
}

/// The host's address of memory that a program may name by the GPU's.
pub fn host_address(address: u64) -> u64 {
    address & !ALIAS
}

/// The address on the GPU of locked host memory: HIP 5 needs another one than the host's.
pub fn locked_address(address: u64) -> u64 {
    address | ALIAS
}

/// Makes memory of the program known to the GPUs, whole pages of it, at the host's address and at [`locked_address`].
///
/// # Safety
/// The memory stays mapped until it is unlocked.
pub unsafe fn lock_host(address: u64, bytes: usize) -> Result {
    if address == 0 || bytes == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let mut all = lock(&KNOWN);
    if let Some(known) = all
        .get_mut(&address)
        .filter(|k| k.locks > 0 && k.bytes >= bytes as u64)
    {
        known.locks += 1;
        return Ok(());
    }
    let first = address / PAGE * PAGE;
    let end = address
        .checked_add(bytes as u64)
        .ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    let length = end.next_multiple_of(PAGE) - first;
    let registry = runtime()?.registry();
    let register = |first: u64| {
        let pointer = std::ptr::with_exposed_provenance_mut(first as usize);
        // SAFETY: the caller's promise; a page is mapped whole.
        let made =
            unsafe { registry.register("locked host memory", pointer, length, Rights::ReadWrite) };
        made.map_err(|_| Status::ERROR_OUT_OF_RESOURCES)
    };
    let registrations = Some([register(first)?, register(first | ALIAS)?]);
    let known = Known {
        address,
        bytes: bytes as u64,
        owner: agent::cpu(),
        flags: Kind::Fine.flags(),
        locks: 1,
        user_data: 0,
        registrations,
    };
    all.insert(address, known);
    Ok(())
}

/// Takes a lock away.
pub fn unlock_host(address: u64) -> Result {
    let address = host_address(address);
    let mut all = lock(&KNOWN);
    // Like its model, the runtime takes memory that was never locked for unlocked.
    let Some(known) = all.get_mut(&address).filter(|k| k.locks > 0) else {
        return Ok(());
    };
    known.locks -= 1;
    if known.locks > 0 {
        return Ok(());
    }
    let registrations = known.registrations;
    all.remove(&address);
    drop(all);
    let registry = runtime()?.registry();
    for registration in registrations.into_iter().flatten() {
        let gone = registry.unregister(registration);
        gone.map_err(|_| Status::ERROR)?;
    }
    Ok(())
}

/// What is known of the memory at an address.
pub fn find(address: u64) -> Option<Known> {
    let address = host_address(address);
    let all = lock(&KNOWN);
    let (_, known) = all.range(..=address).next_back()?;
    (address < known.address + known.bytes).then_some(*known)
}

/// Remembers the program's own pointer for the memory at an address.
pub fn set_user_data(address: u64, data: usize) -> Result {
    let start = find(address).ok_or(Status::ERROR_INVALID_ARGUMENT)?.address;
    if let Some(known) = lock(&KNOWN).get_mut(&start) {
        known.user_data = data;
    }
    Ok(())
}
