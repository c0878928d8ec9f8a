//! A queue: its ring of packets, its state, and the requests for a thread that serves it.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use wavetank::{Device, Kernel};

use super::dependencies::Waiting;
use super::pool;
use crate::c_types::{Agent, AmdQueue, PACKET_BYTES, PacketType, Signal, Status};
use crate::log;
use crate::memory::slab::Slabs;
use crate::observe::happens_before::QueueOrder;
use crate::signal::waiters;

/// `void (*callback)(hsa_status_t, hsa_queue_t*, void*)`
pub(super) type ErrorCallback = unsafe extern "C" fn(Status, *mut c_void, *mut c_void);

/// A queue of a GPU.
pub(crate) struct Queue {
    /// The number of the queue, from 0 on.
    pub id: u64,
    /// The address of the queue's `amd_queue_t`.
    pub address: u64,
    pub ring: u64,
    pub size: u32,
    pub doorbell: Signal,
    /// The agent that owns the queue; 0 for a soft queue.
    pub agent: Agent,
    /// The device; `None` for a soft queue, which the program itself reads.
    pub device: Option<&'static Device>,
    pub callback: Option<ErrorCallback>,
    /// The program's pointer for the callback.
    pub data: usize,
    /// Set to stop the queue: it is being destroyed, was inactivated, or has failed.
    pub stopped: AtomicBool,
    /// The state: [`IDLE`], [`BLOCKED`], [`READY`], [`SERVED`] or [`RUNG`].
    pub state: AtomicU8,
    /// The order of the packets, for `race`.
    pub order: QueueOrder,
    /// The progress, locked while the queue is served.
    pub progress: Mutex<Progress>,
}

/// The queue has no packet to execute.
pub(super) const IDLE: u8 = 0;
/// The next packet waits for signals.
pub(super) const BLOCKED: u8 = 1;
/// The queue waits for a thread.
pub(super) const READY: u8 = 2;
/// A thread executes the packets.
pub(super) const SERVED: u8 = 3;
/// A thread executes the packets, and more have been announced since.
pub(super) const RUNG: u8 = 4;

/// The progress of a queue through its packets.
#[derive(Default)]
pub(crate) struct Progress {
    pub index: u64,
    /// The kernel of the last dispatch, by its descriptor: most dispatches repeat it.
    pub last: Option<(u64, Kernel)>,
    /// The packet that waits for signals.
    pub waiting: Option<Waiting>,
}

impl Progress {
    /// A sentence about the signals that the waiting packet needs.
    pub(crate) fn waits_for(&self) -> Option<String> {
        self.waiting.as_ref().map(Waiting::message)
    }
}

/// The `amd_queue_t` of all queues.
pub(super) static STRUCTURES: Slabs = Slabs::new("queues", QUEUE_BYTES, 0);
const QUEUE_BYTES: u64 = std::mem::size_of::<AmdQueue>() as u64;

impl Queue {
    /// The write index, which programs and kernels change too.
    pub(crate) fn write_index(&self) -> &'static AtomicU64 {
        // SAFETY: the structure of a queue is a slot.
        unsafe { index(self.address, std::mem::offset_of!(AmdQueue, write_index)) }
    }

    /// The read index: the packets before it have been executed.
    pub(crate) fn read_index(&self) -> &'static AtomicU64 {
        // SAFETY: the structure of a queue is a slot.
        unsafe { index(self.address, std::mem::offset_of!(AmdQueue, read_index)) }
    }

    /// The address of a packet's slot.
    pub(crate) fn slot(&self, index: u64) -> u64 {
        self.ring + index % u64::from(self.size) * PACKET_BYTES
    }

    /// The header of a packet.
    pub(crate) fn header(&self, index: u64) -> &AtomicU16 {
        let pointer = std::ptr::with_exposed_provenance_mut(self.slot(index) as usize);
        // SAFETY: within the ring, which `destroy` frees after the queue was removed from the table and its progress was
        // locked. A caller has found the queue in the locked table, or has locked its progress and seen that it is not stopped,
        // or has just made it. Headers are atomics.
        unsafe { AtomicU16::from_ptr(pointer) }
    }

    /// A packet of any type, written before its header. It belongs to the library until the read index has passed it.
    pub(crate) fn packet<T: AnyPacket>(&self, index: u64) -> T {
        let slot = std::ptr::with_exposed_provenance::<T>(self.slot(index) as usize);
        // SAFETY: within the ring, which exists as for `header`; a packet fills a slot, and any bits are valid.
        unsafe { slot.read() }
    }

    /// Whether the queue is stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Stops the queue: no further packet starts, and the running kernel ends.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        waiters::forget(self.address);
    }

    /// Assigns a thread to the queue, if it is in one of these states.
    fn wake(self: &Arc<Queue>, from: &[u8]) {
        let next = |state| match state {
            SERVED => Some(RUNG),
            state if from.contains(&state) => Some(READY),
            _ => None,
        };
        let changed = self
            .state
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, next);
        if changed.is_ok_and(|state| state != SERVED)
            && let Err(status) = pool::add(self.clone())
        {
            log::line(&format!(
                "no thread can be started to serve a queue ({status:?}): its packets wait"
            ));
        }
    }

    /// Wakes the queue, which may have new packets.
    pub(crate) fn ring(self: &Arc<Queue>) {
        self.wake(&[IDLE]);
    }

    /// Wakes the queue after a change of a signal that its packet waits for.
    pub(crate) fn unblock(self: &Arc<Queue>) {
        self.wake(&[IDLE, BLOCKED]);
    }

    /// Whether a packet has been written: its slot is reserved, and its header has a type. The value
    /// of the doorbell does not matter.
    pub(crate) fn is_written(&self, index: u64) -> bool {
        let header = self.header(index).load(Ordering::Acquire);
        PacketType::of(header) != PacketType::Invalid
            && index < self.write_index().load(Ordering::Acquire)
    }
}

/// Packets: structures of the size of a slot that take any bits.
pub(crate) trait AnyPacket: Copy {}

impl AnyPacket for crate::c_types::DispatchPacket {}
impl AnyPacket for crate::c_types::BarrierPacket {}
impl AnyPacket for crate::c_types::BarrierValuePacket {}

/// An index of the queue whose structure is at an address.
///
/// # Safety
/// The address is a slot of [`STRUCTURES`], the offset that of an index. Slots are never unmapped, and only atomics access them.
pub(super) unsafe fn index(address: u64, offset: usize) -> &'static AtomicU64 {
    let pointer = std::ptr::with_exposed_provenance_mut(address as usize + offset);
    // SAFETY: eight aligned bytes of a slot, which is mapped for ever.
    unsafe { AtomicU64::from_ptr(pointer) }
}
