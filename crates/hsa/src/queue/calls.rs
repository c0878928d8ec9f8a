//! The queue functions of the C interface.

use std::ffi::c_void;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use super::ring::{self, ErrorCallback, Queue, STRUCTURES};
use super::table::{Parameters, find};
use crate::agent;
use crate::c_types::{Agent, AmdQueue, Pool, Region, Signal, Status};
use crate::call::{calls, put, same};
use crate::{log, memory, signal};

/// An index of the queue at a program's pointer, destroyed or not; 0 for a pointer that never was a queue, which is logged.
fn index(queue: *const AmdQueue, offset: usize) -> &'static AtomicU64 {
    static NONE: AtomicU64 = AtomicU64::new(0);
    let address = queue.expose_provenance() as u64;
    if !STRUCTURES.holds(address) {
        log::few(&format!(
            "{address:#x} is not a queue: the operation does nothing, and its indices are 0"
        ));
        return &NONE;
    }
    // SAFETY: the address is a slot.
    unsafe { ring::index(address, offset) }
}

fn read(queue: *const AmdQueue) -> &'static AtomicU64 {
    index(queue, std::mem::offset_of!(AmdQueue, read_index))
}

fn write(queue: *const AmdQueue) -> &'static AtomicU64 {
    index(queue, std::mem::offset_of!(AmdQueue, write_index))
}

same! {
    [queue: *const AmdQueue] [-> u64] { read(queue).load(Acquire) }
    hsa_queue_load_read_index_relaxed hsa_queue_load_read_index_acquire hsa_queue_load_read_index_scacquire
}
same! {
    [queue: *const AmdQueue] [-> u64] { write(queue).load(Acquire) }
    hsa_queue_load_write_index_relaxed hsa_queue_load_write_index_acquire hsa_queue_load_write_index_scacquire
}
same! {
    [queue: *const AmdQueue, value: u64] [] { write(queue).store(value, Release); }
    hsa_queue_store_write_index_relaxed hsa_queue_store_write_index_release hsa_queue_store_write_index_screlease
}
same! {
    [queue: *const AmdQueue, value: u64] [] { read(queue).store(value, Release); }
    hsa_queue_store_read_index_relaxed hsa_queue_store_read_index_release hsa_queue_store_read_index_screlease
}
same! {
    [queue: *const AmdQueue, expected: u64, value: u64] [-> u64] {
        let exchanged = write(queue).compare_exchange(expected, value, AcqRel, Acquire);
        exchanged.unwrap_or_else(|other| other)
    }
    hsa_queue_cas_write_index_relaxed hsa_queue_cas_write_index_acquire hsa_queue_cas_write_index_release
    hsa_queue_cas_write_index_acq_rel hsa_queue_cas_write_index_scacquire hsa_queue_cas_write_index_screlease
    hsa_queue_cas_write_index_scacq_screl
}
same! {
    [queue: *const AmdQueue, value: u64] [-> u64] { write(queue).fetch_add(value, AcqRel) }
    hsa_queue_add_write_index_relaxed hsa_queue_add_write_index_acquire hsa_queue_add_write_index_release
    hsa_queue_add_write_index_acq_rel hsa_queue_add_write_index_scacquire hsa_queue_add_write_index_screlease
    hsa_queue_add_write_index_scacq_screl
}

calls! {
    fn hsa_queue_create(
        agent: Agent, size: u32, kind: u32, callback: Option<ErrorCallback>, data: *mut c_void, _private: u32, _group: u32,
        queue: *mut u64,
    ) {
        if queue.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let parameters = Parameters { size, kind, callback, data: data.expose_provenance() };
        let made = Queue::create(agent, &parameters)?;
        // SAFETY: not null: room for a pointer.
        unsafe { put(queue, made.address) }
    }

    fn hsa_soft_queue_create(region: Region, size: u32, kind: u32, features: u32, doorbell: Signal, queue: *mut u64) {
        memory::of_pool(Pool(region.0)).map_err(|_| Status::ERROR_INVALID_REGION)?;
        if queue.is_null() || features == 0 || features > 3 {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        if !signal::exists(doorbell) {
            return Err(Status::ERROR_INVALID_SIGNAL);
        }
        let parameters = Parameters { size, kind, callback: None, data: 0 };
        let made = Queue::make(&parameters, None, Some(doorbell), features)?;
        // SAFETY: not null: room for a pointer.
        unsafe { put(queue, made.address) }
    }

    fn hsa_queue_destroy(queue: *const c_void) {
        find(queue.expose_provenance() as u64)?.destroy()
    }

    fn hsa_queue_inactivate(queue: *const c_void) {
        find(queue.expose_provenance() as u64)?.stop();
        Ok(())
    }

    fn hsa_amd_queue_set_priority(queue: *const c_void, priority: u32) {
        find(queue.expose_provenance() as u64)?;
        match priority {
            0..=2 => Ok(()),
            _ => Err(Status::ERROR_INVALID_ARGUMENT),
        }
    }

    fn hsa_amd_queue_cu_set_mask(queue: *const c_void, bits: u32, mask: *const u32) {
        find(queue.expose_provenance() as u64)?;
        // Work-groups run on any free thread, so every mask is accepted.
        if bits.is_multiple_of(32) && (bits == 0) == mask.is_null() { Ok(()) } else { Err(Status::ERROR_INVALID_ARGUMENT) }
    }

    fn hsa_amd_queue_cu_get_mask(queue: *const c_void, bits: u32, mask: *mut u32) {
        let device = find(queue.expose_provenance() as u64)?.device.ok_or(Status::ERROR_INVALID_QUEUE)?;
        if bits == 0 || !bits.is_multiple_of(32) || mask.is_null() {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let units = device.compute_units();
        for word in 0..bits / 32 {
            let left = units.saturating_sub(32 * word).min(32);
            let ones = ((1u64 << left) - 1) as u32;
            // SAFETY: the caller's mask has so many bits.
            unsafe { put(mask.add(word as usize), ones)? };
        }
        Ok(())
    }

    fn hsa_amd_agent_set_async_scratch_limit(agent: Agent, _bytes: usize) {
        agent::of(agent).map(drop)
    }
}
