//! AQL packets (HSA specification, 2.9) and AMD's own.

use std::mem::{offset_of, size_of};

use super::Signal;

/// Every packet has 64 bytes.
pub(crate) const PACKET_BYTES: u64 = 64;

/// The type in the low byte of a packet's header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PacketType {
    /// AMD's own packet, with its format in the third byte.
    VendorSpecific,
    /// The slot is not filled yet.
    Invalid,
    KernelDispatch,
    BarrierAnd,
    AgentDispatch,
    BarrierOr,
    Unknown(u8),
}

impl PacketType {
    /// The type in a packet's header.
    pub(crate) fn of(header: u16) -> PacketType {
        match header as u8 {
            0 => PacketType::VendorSpecific,
            1 => PacketType::Invalid,
            2 => PacketType::KernelDispatch,
            3 => PacketType::BarrierAnd,
            4 => PacketType::AgentDispatch,
            5 => PacketType::BarrierOr,
            other => PacketType::Unknown(other),
        }
    }
}

/// `hsa_kernel_dispatch_packet_t`
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct DispatchPacket {
    pub header: u16,
    pub setup: u16,
    pub workgroup: [u16; 3],
    pub reserved0: u16,
    pub grid: [u32; 3],
    pub private_segment_size: u32,
    pub group_segment_size: u32,
    pub kernel_object: u64,
    pub kernarg: u64,
    pub reserved2: u64,
    pub completion: Signal,
}

/// `hsa_barrier_and_packet_t` and `hsa_barrier_or_packet_t`
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct BarrierPacket {
    pub header: u16,
    pub reserved0: u16,
    pub reserved1: u32,
    pub dependencies: [Signal; 5],
    pub reserved2: u64,
    pub completion: Signal,
}

/// `hsa_amd_barrier_value_packet_t`
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct BarrierValuePacket {
    pub header: u16,
    /// The format number, which is 2 for this packet.
    pub format: u8,
    pub reserved: u8,
    pub reserved1: u32,
    pub signal: Signal,
    pub value: i64,
    pub mask: i64,
    pub condition: u32,
    pub reserved2: [u32; 5],
    pub completion: Signal,
}

const _: () = {
    assert!(size_of::<DispatchPacket>() == 64);
    assert!(offset_of!(DispatchPacket, grid) == 12);
    assert!(offset_of!(DispatchPacket, private_segment_size) == 24);
    assert!(offset_of!(DispatchPacket, kernel_object) == 32);
    assert!(offset_of!(DispatchPacket, kernarg) == 40);
    assert!(offset_of!(DispatchPacket, completion) == 56);
    assert!(size_of::<BarrierPacket>() == 64);
    assert!(offset_of!(BarrierPacket, dependencies) == 8);
    assert!(offset_of!(BarrierPacket, completion) == 56);
    assert!(size_of::<BarrierValuePacket>() == 64);
    assert!(offset_of!(BarrierValuePacket, signal) == 8);
    assert!(offset_of!(BarrierValuePacket, condition) == 32);
    assert!(offset_of!(BarrierValuePacket, completion) == 56);
};
