//! Queues: rings of packets that programs write and the library's threads execute.

mod calls;
mod fault;
mod process;

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use wavetank::Device;

use crate::abi::{Agent, AmdQueue, HsaQueue, PACKET_BYTES, Signal, Status};
use crate::agent::{self, Which};
use crate::call::Result;
use crate::runtime::{lock, runtime};
use crate::{signal, thread, wait};

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
    stopped: Arc<AtomicBool>,
    /// Whether its thread has ended.
    ended: AtomicBool,
}

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
    /// Makes a queue of a GPU, and the thread that executes its packets.
    fn create(agent: Agent, wish: &Wish) -> Result<Arc<Queue>> {
        let Which::Gpu(_, device) = agent::of(agent)? else {
            return Err(Status::ERROR_INVALID_QUEUE_CREATION);
        };
        let queue = Queue::make(wish, Some((agent, device)), None, 1)?;
        let served = queue.clone();
        thread::spawn("wavetank-queue", move || process::serve(&served))?;
        Ok(queue)
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
        let registry = runtime()?.registry();
        let memory = |name: &str, bytes: u64| {
            let made = registry.allocate(name, bytes, 4096);
            made.map(|a| a.address)
                .map_err(|_| Status::ERROR_OUT_OF_RESOURCES)
        };
        let ring = memory("the ring of a queue", u64::from(wish.size) * PACKET_BYTES)?;
        let address = memory("a queue", 4096)?;
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
            stopped: Arc::new(AtomicBool::new(false)),
            ended: AtomicBool::new(on.is_none()),
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
        let pointer = std::ptr::with_exposed_provenance_mut::<AmdQueue>(self.address as usize);
        // SAFETY: fresh memory of a page, all zero, which is a valid `AmdQueue`.
        let queue = unsafe { &mut *pointer };
        queue.hsa = HsaQueue {
            kind,
            features,
            base: self.ring,
            doorbell: self.doorbell,
            size: self.size,
            reserved1: 0,
            id: IDS.fetch_add(1, Ordering::Relaxed),
        };
        queue.group_segment_aperture_base_hi = SHARED_HI;
        queue.private_segment_aperture_base_hi = PRIVATE_HI;
        queue.read_index_offset = std::mem::offset_of!(AmdQueue, read_index) as u32;
        // Bit 1: pointers have 64 bits.
        queue.properties = 2;
        for n in 0..u64::from(self.size) {
            self.header(n).store(1, Ordering::Relaxed);
        }
    }

    fn amd(&self) -> &AmdQueue {
        let pointer = std::ptr::with_exposed_provenance::<AmdQueue>(self.address as usize);
        // SAFETY: the structure lives as long as the queue; what changes in it are atomics.
        unsafe { &*pointer }
    }

    /// The address of a packet's slot.
    fn slot(&self, index: u64) -> u64 {
        self.ring + index % u64::from(self.size) * PACKET_BYTES
    }

    /// The header of a packet.
    fn header(&self, index: u64) -> &std::sync::atomic::AtomicU16 {
        let pointer = std::ptr::with_exposed_provenance_mut(self.slot(index) as usize);
        // SAFETY: within the ring, which lives as long as the queue; headers are atomics.
        unsafe { std::sync::atomic::AtomicU16::from_ptr(pointer) }
    }

    fn stops(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Lets no packet start any more.
    fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        wait::something_changed();
    }

    /// Stops the queue and gives its memory back when its thread has ended.
    fn destroy(self: Arc<Queue>) -> Result {
        self.stop();
        // The kernel that runs ends first.
        wait::until(None, None, || {
            self.ended.load(Ordering::Acquire).then_some(())
        });
        lock(&QUEUES).remove(&self.address);
        if self.device.is_some() {
            signal::destroy(self.doorbell)?;
        }
        let registry = runtime()?.registry();
        let freed = registry
            .free(self.ring)
            .and_then(|_| registry.free(self.address));
        freed.map_err(|_| Status::ERROR)
    }
}
