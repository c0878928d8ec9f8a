//! Memory pools, regions, allocation, locking and pointers in the C interface.

use std::ffi::c_void;
use std::ops::Range;

use wavetank_gcn::numbers::LDS_BYTES;

use super::transfer::{self, Place};
use super::{Kind, PAGE};
use crate::agent::{self, Which};
use crate::c_types::{Agent, PointerInfo, Pool, Region, Signal, Status};
use crate::call::{Result, calls, put, traverse};
use crate::log;
use crate::memory;
use crate::observe::happens_before::{self, Request};
use crate::observe::undefined;

fn size(agent: Agent, kind: Kind) -> u64 {
    match kind {
        Kind::Group => LDS_BYTES.into(),
        Kind::Device => agent::memory_bytes(agent),
        _ => agent::host_bytes(),
    }
}

/// Writes an attribute that pools and regions share.
///
/// # Safety
/// There is room for the attribute's value.
unsafe fn pool_info(agent: Agent, kind: Kind, attribute: u32, value: *mut c_void) -> Result {
    let global = kind != Kind::Group;
    // SAFETY: each arm writes the type that the headers give for its attribute.
    unsafe {
        match attribute {
            0 => put(value.cast(), kind.segment()),
            1 => put(value.cast(), kind.flags()),
            2 => put(value.cast(), size(agent, kind) as usize),
            5 => put(value.cast(), global),
            6 | 7 => put(value.cast(), if global { PAGE as usize } else { 0 }),
            15 => put(value.cast(), agent == agent::cpu()),
            4 | 16 => put(
                value.cast(),
                if global {
                    size(agent, kind) as usize
                } else {
                    0
                },
            ),
            17 => put(value.cast(), u32::from(kind == Kind::Device)), // location: CPU, GPU
            18 => put(value.cast(), PAGE as usize),
            8 => put(value.cast(), 0u32),
            0xA000 => put(value.cast(), true),
            0xA001 => put(value.cast(), 0u64),
            0xA002 | 0xA003 => put(value.cast(), 0u32),
            _ => Err(Status::ERROR_INVALID_ARGUMENT),
        }
    }
}

/// The pools of an agent.
fn pools(agent: Agent) -> Result<Vec<Pool>> {
    let kinds = Kind::of(agent::of(agent)?);
    Ok(kinds
        .iter()
        .map(|kind| memory::pool(agent, *kind))
        .collect())
}

/// The regions of an agent. A region is a pool under another name; each agent has those of the host, too.
fn regions(agent: Agent) -> Result<Vec<Region>> {
    let mut all = pools(agent)?;
    if let Which::Gpu(..) = agent::of(agent)? {
        all.extend([Kind::Kernarg, Kind::Fine].map(|kind| memory::pool(agent::cpu(), kind)));
    }
    Ok(all.into_iter().map(|pool| Region(pool.0)).collect())
}

/// The status of a copy, after a line with the reason if it failed.
fn status_of(call: &str, done: std::result::Result<(), String>) -> Result {
    done.map_err(|problem| {
        log::line(&format!("{call} fails: {problem}"));
        Status::ERROR_INVALID_ARGUMENT
    })
}

/// Makes a copy now, as a request for `race`. `ranges` are the bytes that it writes and reads.
fn ordered(
    call: &'static str,
    copy: impl FnOnce() -> std::result::Result<(), String>,
    ranges: impl FnOnce() -> [Vec<Range<u64>>; 2],
) -> Result {
    let request = Request::here();
    let done = copy();
    match (&done, request) {
        (_, None) => {}
        (Ok(()), request) => {
            let [written, read] = ranges();
            happens_before::copied(request, call, written, read, None);
        }
        (Err(_), request) => happens_before::given_up(request, Signal(0)),
    }
    status_of(call, done)
}

calls! {
    fn hsa_amd_agent_iterate_memory_pools(
        agent: Agent, callback: Option<unsafe extern "C" fn(Pool, *mut c_void) -> Status>, data: *mut c_void,
    ) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        // SAFETY: the program's own function, with its own argument.
        traverse(pools(agent)?, |pool| unsafe { callback(pool, data) })
    }

    fn hsa_amd_memory_pool_get_info(pool: Pool, attribute: u32, value: *mut c_void) {
        let (agent, kind) = memory::of_pool(pool)?;
        // SAFETY: the caller has room for a value of the attribute's type.
        unsafe { pool_info(agent, kind, attribute, value) }
    }

    fn hsa_amd_agent_memory_pool_get_info(agent: Agent, pool: Pool, attribute: u32, value: *mut c_void) {
        let which = agent::of(agent)?;
        let (owner, kind) = memory::of_pool(pool)?;
        let own = owner == agent;
        // 0 never, 1 by default, 2 when allowed.
        let access = match (which, kind) {
            _ if own => 1u32,
            (_, Kind::Group) => 0,
            (Which::Gpu(..), _) if owner == agent::cpu() => 1,
            // Runtimes would write there from the host, unseen by the checks.
            (Which::Cpu, Kind::Device) if undefined::enabled() || happens_before::enabled() => 0,
            _ => 2,
        };
        let hops = u32::from(!own);
        // SAFETY: each arm writes the type that the headers give for its attribute.
        unsafe {
            match attribute {
                0 => put(value.cast(), access),
                1 => put(value.cast(), hops),
                // One `hsa_amd_memory_pool_link_info_t` a hop: latencies, bandwidths, atomics of 32 and 64 bits, coherent.
                2 if own => Ok(()),
                2 => put(value.cast(), LinkInfo::PCIE),
                _ => Err(Status::ERROR_INVALID_ARGUMENT),
            }
        }
    }

    fn hsa_agent_iterate_regions(
        agent: Agent, callback: Option<unsafe extern "C" fn(Region, *mut c_void) -> Status>, data: *mut c_void,
    ) {
        let callback = callback.ok_or(Status::ERROR_INVALID_ARGUMENT)?;
        // SAFETY: the program's own function, with its own argument.
        traverse(regions(agent)?, |region| unsafe { callback(region, data) })
    }

    fn hsa_region_get_info(region: Region, attribute: u32, value: *mut c_void) {
        let found = memory::of_pool(Pool(region.0));
        let (agent, kind) = found.map_err(|_| Status::ERROR_INVALID_REGION)?;
        // SAFETY: the caller has room for a value of the attribute's type.
        unsafe { pool_info(agent, kind, attribute, value) }
    }

    fn hsa_memory_allocate(region: Region, size: usize, pointer: *mut u64) {
        if pointer.is_null() || size == 0 {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let pool = Pool(region.0);
        memory::of_pool(pool).map_err(|_| Status::ERROR_INVALID_REGION)?;
        // SAFETY: not null: room for a pointer.
        unsafe { put(pointer, memory::allocate(pool, size)?) }
    }

    fn hsa_amd_memory_pool_allocate(pool: Pool, size: usize, _flags: u32, pointer: *mut u64) {
        if pointer.is_null() || size == 0 {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: not null: room for a pointer.
        unsafe { put(pointer, memory::allocate(pool, size)?) }
    }

    fn hsa_memory_free(pointer: *mut c_void) {
        if pointer.is_null() { Ok(()) } else { memory::free(pointer.expose_provenance() as u64) }
    }

    fn hsa_amd_memory_pool_free(pointer: *mut c_void) {
        if pointer.is_null() { Ok(()) } else { memory::free(pointer.expose_provenance() as u64) }
    }

    fn hsa_memory_copy(to: *mut c_void, from: *const c_void, size: usize) {
        if to.is_null() || from.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let [to, from] = [to.expose_provenance(), from.expose_provenance()].map(|a| a as u64);
        let bytes = size as u64;
        let done = || transfer::copy(to, from, bytes);
        let ranges = || [to, from].map(|at| Place::row(at).ranges([bytes, 1, 1]));
        ordered("hsa_memory_copy", done, ranges)
    }

    fn hsa_amd_memory_fill(to: *mut c_void, value: u32, count: usize) {
        if to.is_null() || !(to as usize).is_multiple_of(4) {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let to = to.expose_provenance() as u64;
        let done = || transfer::fill(to, value, count as u64);
        let ranges = || [Place::row(to).ranges([4 * count as u64, 1, 1]), Vec::new()];
        ordered("hsa_amd_memory_fill", done, ranges)
    }

    fn hsa_memory_register(pointer: *mut c_void, size: usize) {
        // SAFETY: the caller keeps the memory until it is deregistered.
        unsafe { memory::lock_host(pointer.expose_provenance() as u64, size).map(drop) }
    }

    fn hsa_memory_deregister(pointer: *mut c_void, _size: usize) {
        memory::unlock_host(pointer.expose_provenance() as u64)
    }

    fn hsa_memory_assign_agent(pointer: *mut c_void, agent: Agent, access: u32) {
        agent::of(agent)?;
        if !pointer.is_null() && (1..=3).contains(&access) { Ok(()) } else { Err(Status::ERROR_INVALID_ARGUMENT) }
    }

    fn hsa_amd_agents_allow_access(count: u32, agents: *const Agent, flags: *const u32, pointer: *const c_void) {
        if count == 0 || agents.is_null() || !flags.is_null() || pointer.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: the caller's array has `count` handles.
        let agents = unsafe { std::slice::from_raw_parts(agents, count as usize) };
        agents.iter().try_for_each(|agent| agent::of(*agent).map(drop))?;
        // Every agent can access all memory here.
        let known = memory::find(pointer.expose_provenance() as u64);
        known.map(drop).ok_or(Status::ERROR)
    }

    fn hsa_amd_memory_lock(pointer: *mut c_void, size: usize, _agents: *const Agent, _count: i32, locked: *mut u64) {
        if locked.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: the caller keeps the memory until it is unlocked; `locked` is not null.
        unsafe {
            put(locked, memory::lock_host(pointer.expose_provenance() as u64, size)?)
        }
    }

    fn hsa_amd_memory_lock_to_pool(
        pointer: *mut c_void, size: usize, _agents: *const Agent, _count: i32, pool: Pool, _flags: u32,
        locked: *mut u64,
    ) {
        memory::of_pool(pool)?;
        if locked.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        // SAFETY: the caller keeps the memory until it is unlocked; `locked` is not null.
        unsafe {
            put(locked, memory::lock_host(pointer.expose_provenance() as u64, size)?)
        }
    }

    fn hsa_amd_memory_unlock(pointer: *mut c_void) {
        memory::unlock_host(pointer.expose_provenance() as u64)
    }

    fn hsa_amd_pointer_info(
        pointer: *const c_void, info: *mut PointerInfo, allocate: Option<unsafe extern "C" fn(usize) -> *mut c_void>,
        count: *mut u32, accessible: *mut *mut Agent,
    ) {
        // SAFETY: the program's promise (see `calls!`).
        unsafe { pointer_info(pointer, info, allocate, count, accessible) }
    }

    fn hsa_amd_pointer_info_set_userdata(pointer: *const c_void, data: *mut c_void) {
        memory::set_user_data(pointer.expose_provenance() as u64, data.expose_provenance())
    }

    fn hsa_amd_memory_pool_can_migrate(from: Pool, to: Pool, result: *mut bool) {
        memory::of_pool(from)?;
        memory::of_pool(to)?;
        // SAFETY: null, or room for the result.
        unsafe { put(result, false) }
    }

    fn hsa_amd_memory_migrate(_pointer: *const c_void, pool: Pool, _flags: u32) {
        memory::of_pool(pool)?;
        Err(Status::ERROR_OUT_OF_RESOURCES)
    }
}

/// `hsa_amd_memory_pool_link_info_t`
#[derive(Clone, Copy)]
#[repr(C)]
struct LinkInfo {
    latency: [u32; 2],
    bandwidth: [u32; 2],
    atomics: [bool; 2],
    coherent: bool,
    kind: u32,
    distance: u32,
}

impl LinkInfo {
    const PCIE: LinkInfo = LinkInfo {
        latency: [0; 2],
        bandwidth: [0; 2],
        atomics: [true; 2],
        coherent: true,
        kind: 2,
        distance: 20,
    };
}

/// Writes the properties of a pointer.
///
/// # Safety
/// `info` has as many bytes as it says; the other pointers are null or have room.
unsafe fn pointer_info(
    pointer: *const c_void,
    info: *mut PointerInfo,
    allocate: Option<unsafe extern "C" fn(usize) -> *mut c_void>,
    count: *mut u32,
    accessible: *mut *mut Agent,
) -> Result {
    if pointer.is_null() || info.is_null() {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let known = memory::find(pointer.expose_provenance() as u64);
    // SAFETY: the structure begins with its size in bytes.
    let given = unsafe { info.cast::<u32>().read_unaligned() } as usize;
    if given == 0 {
        return Err(Status::ERROR_INVALID_ARGUMENT);
    }
    let size = given.min(std::mem::size_of::<PointerInfo>());
    let address = known.map_or(0, |k| k.address) as usize;
    let base = std::ptr::with_exposed_provenance_mut(address);
    let on_gpu = known.map_or(0, |k| memory::address_on_gpu(&k));
    let answer = PointerInfo {
        size: size as u32,
        kind: known.map_or(0, |k| k.origin as u32),
        agent_base: std::ptr::with_exposed_provenance_mut(on_gpu as usize),
        host_base: base,
        bytes: known.map_or(0, |k| k.bytes) as usize,
        user_data: std::ptr::with_exposed_provenance_mut(known.map_or(0, |k| k.user_data)),
        owner: known.map_or(Agent(0), |k| k.owner),
        global_flags: known.map_or(0, |k| k.flags),
    };
    // SAFETY: the caller's structure has its stated size; at most the size of ours is written.
    unsafe {
        info.cast::<u8>()
            .copy_from((&raw const answer).cast(), size);
    };
    let (Some(allocate), false, false) = (allocate, count.is_null(), accessible.is_null()) else {
        return Ok(());
    };
    let agents = if known.is_some() {
        agent::all()?
    } else {
        vec![]
    };
    // SAFETY: the caller's function gives memory of that size, or null; the results have room.
    unsafe {
        let list = allocate(std::mem::size_of::<Agent>() * agents.len().max(1)).cast::<Agent>();
        if list.is_null() {
            return Err(Status::ERROR_OUT_OF_RESOURCES);
        }
        list.copy_from(agents.as_ptr(), agents.len());
        put(count, agents.len() as u32)?;
        put(accessible, list)
    }
}
