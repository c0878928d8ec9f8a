//! Memory that the program has from the library, or has shown to it: who owns it, and what kind it is.

use std::collections::BTreeMap;
use std::sync::Mutex;

use wavetank::{ALIAS, Allocation, Registration, RegistryError, Rights, Tool};

use crate::abi::{Agent, Pool, Result, Status};
use crate::host::Access;

use crate::state::{lock, runtime, settings};
use crate::{agent, checks, deallocation, host, ipc, log, origins, place, svm, undefined};

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
    pub origin: Origin,
    /// The program's own pointer.
    pub user_data: usize,
}

/// Where memory is from, by its number among the types of pointers in the headers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// Memory of the library.
    Allocated = 1,
    /// Memory of the program that it has locked.
    Locked = 2,
    /// Memory of another process.
    Attached = 4,
}

/// Memory of the library, by address.
static OWNED: Mutex<BTreeMap<u64, Known>> = Mutex::new(BTreeMap::new());
/// Bytes of it by their owner.
static TAKEN: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());

/// Memory of a GPU that is not taken yet.
pub fn available(gpu: Agent) -> u64 {
    let taken = lock(&TAKEN).get(&gpu.0).copied().unwrap_or_default();
    agent::memory_bytes(gpu).saturating_sub(taken)
}

/// Allocates memory of a pool.
pub fn allocate(pool: Pool, bytes: usize) -> Result<u64> {
    let (owner, kind) = of_pool(pool)?;
    let (most, limit) = match kind {
        Kind::Group => return Err(Status::ERROR_INVALID_ALLOCATION),
        Kind::Device => (agent::memory_bytes(owner), available(owner)),
        _ => (agent::host_bytes(), agent::host_bytes()),
    };
    let asked = bytes as u64;
    let bytes = asked.checked_next_multiple_of(PAGE);
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
    let (address, allowed) = match bounds(kind) {
        Bounds::Bytes => (take(what, asked)?, asked),
        Bounds::Pages => (take(what, bytes)?, bytes),
        Bounds::Blocks => (take_blocks(what, bytes)?, bytes),
    };
    *lock(&TAKEN).entry(owner.0).or_default() += bytes;
    own(address, bytes, owner, kind, Origin::Allocated);
    if kind == Kind::Device {
        undefined::begins(address, allowed);
    }
    origins::made(address, asked);
    Ok(address)
}

/// How far kernels reach.
enum Bounds {
    /// To the last byte.
    Bytes,
    /// To the end of the last page.
    Pages,
    /// There too; loads to the end of the last block.
    Blocks,
}

/// A chip maps whole pages, and the driver cuts device memory out of blocks of 2 MiB. Those who look for mistakes want to know
/// of the first byte beyond.
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

/// Takes memory on pages of which nothing else is known.
pub fn take(what: &str, bytes: u64) -> Result<u64> {
    let memory = runtime()?
        .registry()
        .allocate(what, bytes, alignment(bytes));
    taken(memory)
}

/// Takes device memory in blocks of its own.
fn take_blocks(what: &str, bytes: u64) -> Result<u64> {
    let registry = runtime()?.registry();
    taken(registry.allocate_block(what, bytes, alignment(bytes)))
}

/// The driver gives blocks of a huge page or more that alignment, and `malloc` on the device finds the head of its 2 MB blocks
/// by it.
fn alignment(bytes: u64) -> u64 {
    if bytes >= HUGE_PAGE { HUGE_PAGE } else { PAGE }
}

fn taken(memory: std::result::Result<Allocation, RegistryError>) -> Result<u64> {
    memory
        .map(|memory| memory.address)
        .map_err(|_| Status::ERROR_OUT_OF_RESOURCES)
}

fn own(address: u64, bytes: u64, owner: Agent, kind: Kind, origin: Origin) {
    let known = Known {
        address,
        bytes,
        owner,
        flags: kind.flags(),
        origin,
        user_data: 0,
    };
    lock(&OWNED).insert(address, known);
}

/// Remembers memory of another process, which is mapped here.
pub fn attached(address: u64, bytes: u64, owner: Agent) {
    own(address, bytes, owner, Kind::Device, Origin::Attached);
}

/// Frees what [`allocate`] gave.
pub fn free(address: u64) -> Result {
    let known = disown(address, Origin::Allocated).ok_or(Status::ERROR_INVALID_ALLOCATION)?;
    deallocation::tell(&known);
    origins::freed(address);
    if let Some(taken) = lock(&TAKEN).get_mut(&known.owner.0) {
        *taken -= known.bytes;
    }
    give(&known)
}

/// Forgets memory of another process.
pub fn detach(address: u64) -> Result {
    let known = disown(address, Origin::Attached).ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    give(&known)
}

fn disown(address: u64, origin: Origin) -> Option<Known> {
    let mut owned = lock(&OWNED);
    owned.get(&address).filter(|known| known.origin == origin)?;
    owned.remove(&address)
}

fn give(known: &Known) -> Result {
    svm::forget(known.address, known.bytes);
    let freed = runtime()?.registry().free(known.address);
    ipc::freed(known.address);
    freed.map_err(|_| Status::ERROR_INVALID_ALLOCATION)
}

/// The host's address of memory that a program may name by the GPU's. What no memory can have stays as it was named.
pub fn host_address(address: u64) -> u64 {
    match address < 2 * ALIAS {
        true => address & !ALIAS,
        false => address,
    }
}

/// Memory that is locked: by the address that the program gave, the first lock first.
static LOCKS: Mutex<Locks> = Mutex::new(Locks {
    all: BTreeMap::new(),
    longest: 0,
});

struct Locks {
    all: BTreeMap<u64, Vec<Lock>>,
    /// No lock has more bytes.
    longest: u64,
}

struct Lock {
    bytes: u64,
    /// How often this very range is locked.
    times: u32,
    /// How the GPUs know it, at the host's address and at another: HIP 5 needs one. Memory of the library they know anyhow.
    registrations: Option<[Registration; 2]>,
    user_data: usize,
}

impl Locks {
    /// The lock, with its address, that holds an address.
    fn holding(&mut self, address: u64) -> Option<(u64, &mut Lock)> {
        let first = address.saturating_sub(self.longest);
        let before = self.all.range_mut(first..=address).rev();
        let mut locks = before.flat_map(|(start, locks)| locks.iter_mut().map(|l| (*start, l)));
        locks.find(|(start, lock)| address - start < lock.bytes)
    }
}

/// Makes memory of the program known to the GPUs, whole pages of it. Gives its address there.
///
/// # Safety
/// The memory stays mapped, and writable if it is now, until it is unlocked.
pub unsafe fn lock_host(address: u64, bytes: usize) -> Result<u64> {
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
    // SAFETY: the whole pages of what stays mapped until it is unlocked.
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

/// Registers pages of the program, with the rights that it has itself, unless they are the library's. The error is a
/// sentence without a subject.
///
/// # Safety
/// As for [`lock_host`].
unsafe fn register(
    first: u64,
    bytes: u64,
) -> std::result::Result<Option<[Registration; 2]>, String> {
    if place::is_ours(first) {
        return place::hold(first, bytes, Access::Read).map(|_| None);
    }
    let pages = host::pages(first, bytes, Access::Read)?;
    let rights = match pages.writable {
        true => Rights::ReadWrite,
        false => Rights::Read,
    };
    let runtime = runtime().map_err(|_| "the library is not initialised")?;
    let registry = runtime.registry();
    let register = |first: u64| {
        let pointer = std::ptr::with_exposed_provenance_mut(first as usize);
        // SAFETY: pages that are mapped, and writable where that is said; the caller keeps them so.
        let made = unsafe { registry.register("locked host memory", pointer, bytes, rights) };
        made.map_err(|error| error.to_string())
    };
    Ok(Some([register(first)?, register(first | ALIAS)?]))
}

/// Takes the last lock of an address away. When this returns, no kernel reaches the memory by it any more.
pub fn unlock_host(address: u64) -> Result {
    let address = host_address(address);
    let registrations = {
        let mut locks = lock(&LOCKS);
        // Like its model, the runtime takes memory that was never locked for unlocked.
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
    // Without the table: kernels that are in a turn end it first.
    let registry = runtime()?.registry();
    for registration in registrations.into_iter().flatten() {
        let gone = registry.unregister(registration);
        gone.map_err(|_| Status::ERROR)?;
    }
    Ok(())
}

/// The address on the GPU of memory that is known.
pub fn address_on_gpu(known: &Known) -> u64 {
    let mut locks = lock(&LOCKS);
    let found = locks
        .holding(known.address)
        .filter(|_| known.origin == Origin::Locked);
    found.map_or(known.address, |(address, lock)| gpu_address(address, lock))
}

/// What is known of the memory at an address.
pub fn find(address: u64) -> Option<Known> {
    let address = host_address(address);
    let owned = lock(&OWNED);
    let before = owned.range(..=address).next_back().map(|(_, known)| *known);
    drop(owned);
    before
        .filter(|known| address < known.address + known.bytes)
        .or_else(|| {
            let mut locks = lock(&LOCKS);
            let (start, lock) = locks.holding(address)?;
            Some(Known {
                address: start,
                bytes: lock.bytes,
                owner: agent::cpu(),
                flags: Kind::Fine.flags(),
                origin: Origin::Locked,
                user_data: lock.user_data,
            })
        })
}

/// Remembers the program's own pointer for the memory at an address.
pub fn set_user_data(address: u64, data: usize) -> Result {
    let known = find(address).ok_or(Status::ERROR_INVALID_ARGUMENT)?;
    if known.origin == Origin::Locked {
        if let Some((_, lock)) = lock(&LOCKS).holding(host_address(address)) {
            lock.user_data = data;
        }
    } else if let Some(owned) = lock(&OWNED).get_mut(&known.address) {
        owned.user_data = data;
    }
    Ok(())
}
