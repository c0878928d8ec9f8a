//! Queues: rings of packets that programs write and the library's threads execute.

mod barrier;
mod calls;
mod fault;
mod gpu_event;
mod pool;
mod process;
mod rest;
mod slow;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use wavetank::Device;

use crate::abi::{Agent, AmdQueue, HsaQueue, PACKET_BYTES, Result, Signal, Status};
use crate::agent::{self, Which};
use crate::slab::Slabs;
use crate::state::{lock, runtime};
use crate::{log, order, signal, watch};
use fault::Fault;
use process::{Pause, Progress};

pub use gpu_event::forget_handler as forget_event_handler;
pub use rest::finish_at_exit;

/// The longest ring, in packets.
pub const MAX_PACKETS: u32 = 1 << 17;

/// `void (*callback)(hsa_status_t, hsa_queue_t*, void*)`
pub type ErrorCallback = unsafe extern "C" fn(Status, *mut c_void, *mut c_void);

/// A queue of a GPU.
pub struct Queue {
    /// The address of its `amd_queue_t`.
    address: u64,
    ring: u64,
    size: u32,
    doorbell: Signal,
    /// Whose queue it is; none for a soft queue.
    agent: Agent,
    /// `None` for a soft queue, which the program itself reads.
    device: Option<&'static Device>,
    callback: Option<ErrorCallback>,
    /// The program's pointer for the callback.
    data: usize,
    /// Set to stop: it is being destroyed, or has been inactivated, or has failed.
    stopped: AtomicBool,
    /// What its threads are about: [`IDLE`], [`BLOCKED`], [`READY`], [`SERVED`] or [`RUNG`].
    state: AtomicU8,
    /// What lies behind its packets, if somebody asks.
    order: order::Line,
    /// Held while it is served.
    progress: Mutex<Progress>,
}

/// There is nothing to do.
const IDLE: u8 = 0;
/// A packet waits for signals.
const BLOCKED: u8 = 1;
/// It waits for a thread.
const READY: u8 = 2;
/// A thread executes its packets.
const SERVED: u8 = 3;
/// So it is, and more has happened since.
const RUNG: u8 = 4;

/// The `amd_queue_t` of all queues.
static STRUCTURES: Slabs = Slabs::new("queues", QUEUE_BYTES, 0);
const QUEUE_BYTES: u64 = std::mem::size_of::<AmdQueue>() as u64;

static QUEUES: Mutex<BTreeMap<u64, Arc<Queue>>> = Mutex::new(BTreeMap::new());

/// The queue of a pointer that the program has.
pub fn find(address: u64) -> Result<Arc<Queue>> {
    let found = lock(&QUEUES).get(&address).cloned();
    found.ok_or(Status::ERROR_INVALID_QUEUE)
}

/// What a program asks for.
struct Wish {
    size: u32,
    kind: u32,
    callback: Option<ErrorCallback>,
    data: usize,
}

impl Queue {
    /// Makes a queue of a GPU.
    fn create(agent: Agent, wish: &Wish) -> Result<Arc<Queue>> {
        let Which::Gpu(_, device) = agent::of(agent)? else {
            return Err(Status::ERROR_INVALID_QUEUE_CREATION);
        };
        Queue::make(wish, Some((agent, device)), None, 1)
    }

    fn make(
        wish: &Wish,
        on: Option<(Agent, &'static Device)>,
        doorbell: Option<Signal>,
        features: u32,
    ) -> Result<Arc<Queue>> {
        if !wish.size.is_power_of_two() || wish.size > MAX_PACKETS || wish.kind > 2 {
            return Err(Status::ERROR_INVALID_ARGUMENT);
        }
        let bytes = u64::from(wish.size) * PACKET_BYTES;
        let ring = runtime()?
            .registry()
            .allocate("the ring of a queue", bytes, 4096);
        let ring = ring.map_err(|_| Status::ERROR_OUT_OF_RESOURCES)?.address;
        let address = STRUCTURES.take()?;
        let doorbell = match doorbell {
            Some(doorbell) => doorbell,
            None => signal::doorbell(address)?,
        };
        let queue = Queue {
            address,
            ring,
            size: wish.size,
            doorbell,
            agent: on.map_or(Agent(0), |(agent, _)| agent),
            device: on.map(|(_, device)| device),
            callback: wish.callback,
            data: wish.data,
            stopped: AtomicBool::new(false),
            state: AtomicU8::new(IDLE),
            order: order::Line::default(),
            progress: Mutex::default(),
        };
        queue.fill(wish.kind, features);
        let queue = Arc::new(queue);
        lock(&QUEUES).insert(address, queue.clone());
        Ok(queue)
    }

    /// Writes the structure that programs and kernels read, and marks every packet as not filled.
    fn fill(&self, kind: u32, features: u32) {
        /// The high dwords of the flat apertures (gfx9).
        const SHARED_HI: u32 = 0x0001_0000;
        const PRIVATE_HI: u32 = 0x0002_0000;
        static IDS: AtomicU64 = AtomicU64::new(0);
        let hsa = HsaQueue {
            kind,
            features,
            base: self.ring,
            doorbell: self.doorbell,
            size: self.size,
            reserved1: 0,
            id: IDS.fetch_add(1, Ordering::Relaxed),
        };
        let queue = std::ptr::with_exposed_provenance_mut::<AmdQueue>(self.address as usize);
        // SAFETY: a slot that nobody else has, of the size and the alignment of the structure. Those who still look at the
        // queue that was there before only know its indices, which are atomics.
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

    fn write_index(&self) -> &'static AtomicU64 {
        // SAFETY: the structure of a queue is a slot.
        unsafe { index(self.address, std::mem::offset_of!(AmdQueue, write_index)) }
    }

    fn read_index(&self) -> &'static AtomicU64 {
        // SAFETY: the structure of a queue is a slot.
        unsafe { index(self.address, std::mem::offset_of!(AmdQueue, read_index)) }
    }

    /// The address of a packet's slot.
    fn slot(&self, index: u64) -> u64 {
        self.ring + index % u64::from(self.size) * PACKET_BYTES
    }

    /// The header of a packet.
    fn header(&self, index: u64) -> &AtomicU16 {
        let pointer = std::ptr::with_exposed_provenance_mut(self.slot(index) as usize);
        // SAFETY: within the ring. It is freed by `destroy`, after the queue was taken from the table and its progress was
        // locked: those who call this have found the queue in the locked table, or have locked its progress and seen that
        // it does not stop, or have just made it. Headers are atomics.
        unsafe { AtomicU16::from_ptr(pointer) }
    }

    /// A packet of any type, which was written before its header, and is the library's until the read index has passed it.
    fn packet<T: AnyPacket>(&self, index: u64) -> T {
        let slot = std::ptr::with_exposed_provenance::<T>(self.slot(index) as usize);
        // SAFETY: within the ring, which is there as for `header`; a packet fills a slot, and takes any bits.
        unsafe { slot.read() }
    }

    fn stops(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Lets no packet start any more, and ends the kernel that runs.
    fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        watch::forget(self.address);
    }

    /// Lets a thread serve the queue, if it is in one of these states.
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

    /// There may be packets.
    fn ring(self: &Arc<Queue>) {
        self.wake(&[IDLE]);
    }

    /// There is more to see for the packet that waits.
    fn unblock(self: &Arc<Queue>) {
        self.wake(&[IDLE, BLOCKED]);
    }

    /// Serves the queue until it has nothing to do, or it is another's turn.
    fn turn(self: &Arc<Queue>) -> Option<Fault> {
        loop {
            self.state.store(SERVED, Ordering::Release);
            let next = match process::packets(self) {
                Err(fault) => return Some(fault),
                Ok(Pause::Idle) => IDLE,
                Ok(Pause::Blocked) => BLOCKED,
                Ok(Pause::Turn) => {
                    self.state.store(IDLE, Ordering::Release);
                    self.ring();
                    return None;
                }
            };
            let changed =
                self.state
                    .compare_exchange(SERVED, next, Ordering::AcqRel, Ordering::Acquire);
            if changed.is_ok() {
                return None;
            }
        }
    }

    /// Stops the queue and gives its memory back when its kernel has ended.
    fn destroy(self: Arc<Queue>) -> Result {
        self.stop();
        // Only one of several callers has it.
        let removed = lock(&QUEUES).remove(&self.address);
        removed.ok_or(Status::ERROR_INVALID_QUEUE)?;
        // Whoever serves it ends first.
        drop(lock(&self.progress));
        if self.device.is_some() {
            signal::destroy(self.doorbell)?;
        }
        STRUCTURES.give(self.address);
        let freed = runtime()?.registry().free(self.ring);
        freed.map_err(|_| Status::ERROR)
    }
}

/// Packets: structures of the size of a slot that take any bits.
trait AnyPacket: Copy {}

impl AnyPacket for crate::abi::DispatchPacket {}
impl AnyPacket for crate::abi::BarrierPacket {}
impl AnyPacket for crate::abi::BarrierValuePacket {}

/// An index of the queue whose structure is at an address.
///
/// # Safety
/// The address is a slot of [`STRUCTURES`], the offset that of an index. Slots are never unmapped, and only atomics reach
/// what is there.
unsafe fn index(address: u64, offset: usize) -> &'static AtomicU64 {
    let pointer = std::ptr::with_exposed_provenance_mut(address as usize + offset);
    // SAFETY: eight aligned bytes of a slot, which is mapped for ever.
    unsafe { AtomicU64::from_ptr(pointer) }
}

/// The doorbell of a queue was rung.
pub fn rung(address: u64) {
    if let Ok(queue) = find(address) {
        if order::wanted() && queue.device.is_some() {
            let first = queue.read_index().load(Ordering::Acquire);
            queue
                .order
                .rung(first, |index| process::is_there(&queue, index));
        }
        queue.ring();
    }
}

/// Looks for packets that nobody announced.
pub fn look() {
    for queue in lock(&QUEUES).values() {
        let idle = queue.state.load(Ordering::Acquire) == IDLE && queue.device.is_some();
        let index = queue.read_index().load(Ordering::Acquire);
        if idle && !queue.stops() && process::is_there(queue, index) {
            queue.ring();
        }
    }
    pool::look();
}

/// What packets wait for, a sentence each.
pub fn waiting() -> Vec<String> {
    let queues = lock(&QUEUES);
    let told = queues.values().filter_map(|queue| {
        // Who holds it executes a packet, and does not wait.
        let progress = queue.progress.try_lock().ok()?;
        progress.waits_for()
    });
    told.collect()
}

/// Destroys all queues: the library is shut down.
pub fn stop_all() {
    let all = std::mem::take(&mut *lock(&QUEUES));
    all.values().for_each(|queue| queue.stop());
    pool::stop();
    // Their memory stays: programs that end may still look at it.
}
