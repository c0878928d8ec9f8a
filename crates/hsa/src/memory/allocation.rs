//! Memory that the library allocates for the program: its owners, and their limits.

use std::collections::BTreeMap;
use std::sync::Mutex;

use wavetank::{Allocation, RegistryError, Tool};

use super::address::PAGE;
use super::pool::{Kind, of_pool};
use crate::agent;
use crate::c_types::{Agent, Pool, Result, Status};
use crate::notice::Notice;
use crate::observe::{allocation_sites, checks};
use crate::state::{lock, runtime, settings};

/// The size of a huge page in bytes.
const HUGE_PAGE: u64 = 2 << 20;

/// The properties of a piece of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryInfo {
    pub address: u64,
    pub bytes: u64,
    pub owner: Agent,
    pub flags: u32,
    pub origin: Origin,
    /// The program's own pointer for the memory.
    pub user_data: usize,
}

/// The origin of memory: `hsa_amd_pointer_type_t`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// Memory that the library has allocated.
    Allocated = 1,
    /// Memory of the program that is locked.
    Locked = 2,
    /// Memory of another process.
    Attached = 4,
}

/// The notice before memory is freed.
pub(crate) static FREEING: Notice<MemoryInfo> = Notice::new();
/// The notice after memory has been freed.
pub(crate) static FREED: Notice<MemoryInfo> = Notice::new();

/// Memory of the library, by address.
static OWNED: Mutex<BTreeMap<u64, MemoryInfo>> = Mutex::new(BTreeMap::new());
/// Allocated bytes by their owner.
static ALLOCATED: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());

/// Bytes of memory of a GPU that are not allocated.
pub(crate) fn available(gpu: Agent) -> u64 {
    let taken = lock(&ALLOCATED).get(&gpu.0).copied().unwrap_or_default();
    agent::memory_bytes(gpu).saturating_sub(taken)
}

/// Allocates memory from a pool.
pub(crate) fn allocate(pool: Pool, bytes: usize) -> Result<u64> {
    let (owner, kind) = of_pool(pool)?;
    let (max, limit) = match kind {
        Kind::Group => return Err(Status::ERROR_INVALID_ALLOCATION),
        Kind::Device => (agent::memory_bytes(owner), available(owner)),
        _ => (agent::host_bytes(), agent::host_bytes()),
    };
    let requested = bytes as u64;
    let bytes = requested.checked_next_multiple_of(PAGE);
    match bytes {
        None | Some(0) => return Err(Status::ERROR_INVALID_ARGUMENT),
        Some(bytes) if bytes > max => return Err(Status::ERROR_INVALID_ALLOCATION),
        Some(bytes) if bytes > limit => return Err(Status::ERROR_OUT_OF_RESOURCES),
        _ => {}
    }
    let bytes = bytes.unwrap_or(PAGE);
    let what = match kind {
        Kind::Device => "a buffer in device memory",
        Kind::Kernarg => "memory for kernel arguments",
        _ => "a buffer in host memory",
    };
    let (address, allowed) = match bounds(kind) {
        Bounds::Bytes => (take_pages(what, requested)?, requested),
        Bounds::Pages => (take_pages(what, bytes)?, bytes),
        Bounds::Blocks => (take_blocks(what, bytes)?, bytes),
    };
    *lock(&ALLOCATED).entry(owner.0).or_default() += bytes;
    own(address, bytes, owner, kind, Origin::Allocated);
    if kind == Kind::Device && checks::tools().has(Tool::Init) {
        // The memory was allocated just now: if it is already freed, its state does not matter.
        let _ = runtime()?.registry().set_undefined(address, allowed, true);
    }
    allocation_sites::made(address, requested);
    Ok(address)
}

/// The part of an allocation's surroundings that kernels may access.
enum Bounds {
    /// The allocation to its last byte.
    Bytes,
    /// The allocation to the end of its last page.
    Pages,
    /// The same, and for loads to the end of the last block.
    Blocks,
}

/// The bounds for a kind of memory. A chip maps whole pages, and the driver takes device memory from blocks of 2 MiB. A check for
/// mistakes needs exact bounds.
fn bounds(kind: Kind) -> Bounds {
    let tools = checks::tools();
    let settings = settings().as_ref();
    let strict = settings.is_ok_and(|settings| settings.kernels.strict == Some(true));
    match kind {
        _ if strict || tools.has(Tool::Memory) => Bounds::Bytes,
        Kind::Device if tools.is_empty() => Bounds::Blocks,
        _ => Bounds::Pages,
    }
}

/// Allocates pages without an entry in the table.
pub(super) fn take_pages(what: &str, bytes: u64) -> Result<u64> {
    let memory = runtime()?
        .registry()
        .allocate(what, bytes, alignment(bytes));
    taken(memory)
}

/// Allocates device memory in blocks of its own.
fn take_blocks(what: &str, bytes: u64) -> Result<u64> {
    let registry = runtime()?.registry();
    taken(registry.allocate_block(what, bytes, alignment(bytes)))
}

/// The alignment of an allocation. The driver aligns those of a huge page or more to huge pages, and `malloc` on the device finds
/// the head of its 2 MB blocks by that.
fn alignment(bytes: u64) -> u64 {
    if bytes >= HUGE_PAGE { HUGE_PAGE } else { PAGE }
}

fn taken(memory: std::result::Result<Allocation, RegistryError>) -> Result<u64> {
    memory
        .map(|memory| memory.address)
        .map_err(|_| Status::ERROR_OUT_OF_RESOURCES)
}

/// Adds memory of the library to the table.
fn own(address: u64, bytes: u64, owner: Agent, kind: Kind, origin: Origin) {
    let known = MemoryInfo {
        address,
        bytes,
        owner,
        flags: kind.flags(),
        origin,
        user_data: 0,
    };
    lock(&OWNED).insert(address, known);
}

/// Adds memory of another process, which is mapped here.
pub(super) fn attached(address: u64, bytes: u64, owner: Agent) {
    own(address, bytes, owner, Kind::Device, Origin::Attached);
}

/// Frees memory from [`allocate`].
pub(crate) fn free(address: u64) -> Result {
    let known = disown(address, Origin::Allocated).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    FREEING.send(known);
    allocation_sites::freed(address);
    if let Some(taken) = lock(&ALLOCATED).get_mut(&known.owner.0) {
        *taken -= known.bytes;
    }
    give(&known)
}

/// Removes memory of another process.
pub(super) fn detach(address: u64) -> Result {
    let known = disown(address, Origin::Attached).ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    FREEING.send(known);
    give(&known)
}

/// Removes memory of the library from the table.
fn disown(address: u64, origin: Origin) -> Option<MemoryInfo> {
    let mut owned = lock(&OWNED);
    owned.get(&address).filter(|known| known.origin == origin)?;
    owned.remove(&address)
}

/// Returns the memory to the registry.
fn give(known: &MemoryInfo) -> Result {
    let freed = runtime()?.registry().free(known.address);
    FREED.send(*known);
    freed.map_err(|_| Status::ERROR_INVALID_ALLOCATION)
}

/// Finds the library's memory at a host address.
pub(super) fn find(address: u64) -> Option<MemoryInfo> {
    let owned = lock(&OWNED);
    let (_, known) = owned.range(..=address).next_back()?;
    (address < known.address + known.bytes).then_some(*known)
}

/// Stores the program's own pointer for the memory that begins at an address.
pub(super) fn set_user_data(start: u64, data: usize) {
    if let Some(owned) = lock(&OWNED).get_mut(&start) {
        owned.user_data = data;
    }
}
