//! `hsa_queue_t`, and AMD's fields after it.

use std::mem::{offset_of, size_of};
use std::sync::atomic::AtomicU64;

use super::Signal;

/// `hsa_queue_t`
#[repr(C)]
pub(crate) struct HsaQueue {
    /// 0 many producers, 1 one, 2 cooperative.
    pub kind: u32,
    /// Bit 0: the queue accepts kernel dispatches.
    pub features: u32,
    /// The address of the ring of packets.
    pub base: u64,
    /// The signal to which producers store after writing packets.
    pub doorbell: Signal,
    /// The size of the ring in packets, a power of two.
    pub size: u32,
    pub reserved1: u32,
    pub id: u64,
}

/// `amd_queue_t`, 256 bytes.
#[repr(C, align(64))]
pub(crate) struct AmdQueue {
    pub hsa: HsaQueue,
    pub reserved1: [u32; 4],
    pub write_index: AtomicU64,
    pub group_segment_aperture_base_hi: u32,
    pub private_segment_aperture_base_hi: u32,
    pub max_cu_id: u32,
    pub max_wave_id: u32,
    pub max_legacy_doorbell: u64,
    pub legacy_doorbell_lock: u32,
    pub reserved2: [u32; 9],
    pub read_index: AtomicU64,
    pub read_index_offset: u32,
    pub compute_tmpring_size: u32,
    pub scratch_resource: [u32; 4],
    pub scratch_memory: u64,
    pub scratch_bytes: u64,
    pub scratch_item_bytes: u32,
    pub properties: u32,
    pub reserved3: [u32; 2],
    pub inactive_signal: Signal,
    pub reserved4: [u32; 14],
}

const _: () = {
    assert!(size_of::<HsaQueue>() == 40);
    assert!(offset_of!(HsaQueue, base) == 8);
    assert!(offset_of!(HsaQueue, doorbell) == 16);
    assert!(offset_of!(HsaQueue, size) == 24);
    assert!(offset_of!(HsaQueue, id) == 32);
    assert!(size_of::<AmdQueue>() == 256);
    assert!(offset_of!(AmdQueue, write_index) == 56);
    assert!(offset_of!(AmdQueue, group_segment_aperture_base_hi) == 64);
    assert!(offset_of!(AmdQueue, private_segment_aperture_base_hi) == 68);
    assert!(offset_of!(AmdQueue, read_index) == 128);
    assert!(offset_of!(AmdQueue, read_index_offset) == 136);
    assert!(offset_of!(AmdQueue, scratch_resource) == 144);
    assert!(offset_of!(AmdQueue, properties) == 180);
    assert!(offset_of!(AmdQueue, inactive_signal) == 192);
};
