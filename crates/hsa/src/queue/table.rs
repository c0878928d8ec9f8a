//! The table of all queues: creating, finding and destroying them, and waking those with new packets.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use wavetank::Device;

use super::pool;
use super::ring::{ErrorCallback, IDLE, Queue, STRUCTURES};
use crate::agent::{self, Which};
use crate::c_types::{Agent, AmdQueue, HsaQueue, PACKET_BYTES, Result, Signal, Status};
use crate::observe::happens_before::{self, QueueOrder};
use crate::signal;
use crate::state::{lock, runtime};

/// The longest ring, in packets.
pub(crate) const MAX_PACKETS: u32 = 1 << 17;

/// All queues by the addresses of their `amd_queue_t`.
pub(super) static QUEUES: Mutex<BTreeMap<u64, Arc<Queue>>> = Mutex::new(BTreeMap::new());

/// Finds the queue at a program's pointer.
pub(crate) fn find(address: u64) -> Result<Arc<Queue>> {
    let found = lock(&QUEUES).get(&address).cloned();
    found.ok_or(Status::ERROR_INVALID_QUEUE)
}

/// The parameters of a new queue.
pub(crate) struct Parameters {
    pub size: u32,
    pub kind: u32,
    pub callback: Option<ErrorCallback>,
    pub data: usize,
}

impl Queue {
    /// Makes a queue of a GPU.
    pub(crate) fn create(agent: Agent, parameters: &Parameters) -> Result<Arc<Queue>> {
        let Which::Gpu(_, device) = agent::of(agent)? else {
            return Err(Status::ERROR_INVALID_QUEUE_CREATION);
        };
        Queue::make(parameters, Some((agent, device)), None, 1)
    }

    /// Makes a queue of a GPU, or a soft queue with the doorbell of the program.
    pub(crate) fn make(
        parameters: &Parameters,
        on: Option<(Agent, &'static Device)>,
        doorbell: Option<Signal>,
        features: u32,
    ) -> Result<Arc<Queue>> {
        if !parameters.size.is_power_of_two()
            || parameters.size > MAX_PACKETS
            || parameters.kind > 2
        {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let bytes = u64::from(parameters.size) * PACKET_BYTES;
        let ring = runtime()?
            .registry()
            .allocate("the ring of a queue", bytes, 4096);
        let ring = ring.map_err(|_| Status::ERROR_OUT_OF_RESOURCES)?.address;
        let address = STRUCTURES.take()?;
        let doorbell = match doorbell {
            Some(doorbell) => doorbell,
            None => signal::doorbell(address)?,
        };
        static IDS: AtomicU64 = AtomicU64::new(0);
        let queue = Queue {
            id: IDS.fetch_add(1, Ordering::Relaxed),
            address,
            ring,
            size: parameters.size,
            doorbell,
            agent: on.map_or(Agent(0), |(agent, _)| agent),
            device: on.map(|(_, device)| device),
            callback: parameters.callback,
            data: parameters.data,
            stopped: AtomicBool::new(false),
            state: AtomicU8::new(IDLE),
            order: QueueOrder::default(),
            progress: Mutex::default(),
        };
        queue.fill(parameters.kind, features);
        let queue = Arc::new(queue);
        lock(&QUEUES).insert(address, queue.clone());
        Ok(queue)
    }

    /// Initializes the structure that programs and kernels read, and marks every packet as not filled.
    fn fill(&self, kind: u32, features: u32) {
        /// The high dwords of the flat apertures (gfx9).
        const SHARED_HI: u32 = 0x0001_0000;
        const PRIVATE_HI: u32 = 0x0002_0000;
        let hsa = HsaQueue {
            kind,
            features,
            base: self.ring,
            doorbell: self.doorbell,
            size: self.size,
            reserved1: 0,
            id: self.id,
        };
        let queue = std::ptr::with_exposed_provenance_mut::<AmdQueue>(self.address as usize);
        // SAFETY: a slot of this queue alone, with the size and the alignment of the structure. Users of the slot's previous
        // queue access only its indices, which are atomics.
        unsafe {
            (&raw mut (*queue).hsa).write(hsa);
            (&raw mut (*queue).group_segment_aperture_base_hi).write(SHARED_HI);
            (&raw mut (*queue).private_segment_aperture_base_hi).write(PRIVATE_HI);
            let offset = std::mem::offset_of!(AmdQueue, read_index);
            (&raw mut (*queue).read_index_offset).write(offset as u32);
            // Bit 1: pointers have 64 bits.
            (&raw mut (*queue).properties).write(2);
        }
        self.write_index().store(0, Ordering::Relaxed);
        self.read_index().store(0, Ordering::Relaxed);
        for n in 0..u64::from(self.size) {
            self.header(n).store(1, Ordering::Relaxed);
        }
    }

    /// Stops the queue, and frees its memory when its kernel has ended.
    pub(crate) fn destroy(self: Arc<Queue>) -> Result {
        self.stop();
        // Only one of several callers removes it.
        let removed = lock(&QUEUES).remove(&self.address);
        removed.ok_or(Status::ERROR_INVALID_QUEUE)?;
        // The thread that serves the queue ends first.
        drop(lock(&self.progress));
        if self.device.is_some() {
            signal::destroy(self.doorbell)?;
        }
        STRUCTURES.give(self.address);
        let freed = runtime()?.registry().free(self.ring);
        freed.map_err(|_| Status::ERROR)
    }
}

/// Handles a ring of a queue's doorbell.
pub(crate) fn rung(address: u64) {
    if let Ok(queue) = find(address) {
        if happens_before::enabled() && queue.device.is_some() {
            let first = queue.read_index().load(Ordering::Acquire);
            queue.order.rung(first, |index| queue.is_written(index));
        }
        queue.ring();
    }
}

/// Finds packets that were written without a doorbell call.
pub(crate) fn look(_: ()) {
    for queue in lock(&QUEUES).values() {
        let idle = queue.state.load(Ordering::Acquire) == IDLE && queue.device.is_some();
        let index = queue.read_index().load(Ordering::Acquire);
        if idle && !queue.is_stopped() && queue.is_written(index) {
            queue.ring();
        }
    }
    pool::look();
}

/// A sentence for each packet that waits for signals.
pub(crate) fn waiting() -> Vec<String> {
    let queues = lock(&QUEUES);
    let messages = queues.values().filter_map(|queue| {
        // The lock is held while a packet is executed; such a packet does not wait.
        let progress = queue.progress.try_lock().ok()?;
        progress.waits_for()
    });
    messages.collect()
}

/// Destroys all queues when the library is shut down.
pub(crate) fn stop_all() {
    let all = std::mem::take(&mut *lock(&QUEUES));
    all.values().for_each(|queue| queue.stop());
    pool::stop();
    // The memory of the queues stays: programs that are ending may still read it.
}
