//! The structures of HSA that a kernel may read: its dispatch packet and its queue.
//!
//! Source: "HSA Platform System Architecture Specification" 1.2, 2.9.6 "Kernel dispatch packet"; the queue by LLVM's "User Guide
//! for AMDGPU Backend" (the fields of `amd_queue_t` that code objects read).

use crate::dispatch::Grid;
use wavetank_memory::{PRIVATE_BASE, SHARED_BASE};

/// Bytes of a kernel dispatch packet (`hsa_kernel_dispatch_packet_t`).
pub const PACKET_SIZE: usize = 64;
/// Bytes of a queue (`amd_queue_t`).
pub const QUEUE_SIZE: usize = 256;

/// The fields of a kernel dispatch packet that a launch determines.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// The grid of the dispatch.
    pub grid: Grid,
    /// Dimensions in use, 1 to 3.
    pub dimensions: u16,
    /// Scratch of a work-item in bytes.
    pub private_segment_size: u32,
    /// LDS of a work-group in bytes.
    pub group_segment_size: u32,
    /// Address of the kernel descriptor.
    pub kernel_object: u64,
    /// Address of the argument block.
    pub kernarg_address: u64,
}

impl Packet {
    /// The bytes of the packet, as on a queue.
    pub fn to_bytes(&self) -> [u8; PACKET_SIZE] {
        /// `HSA_PACKET_TYPE_KERNEL_DISPATCH`, system scope acquire (9) and release (11).
        const HEADER: u16 = 2 | 2 << 9 | 2 << 11;
        let mut out = [0; PACKET_SIZE];
        let mut put = |at: usize, bytes: &[u8]| out[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &HEADER.to_le_bytes());
        put(2, &self.dimensions.to_le_bytes());
        for d in 0..3 {
            // At most 1024, which fits 16 bits.
            put(4 + 2 * d, &(self.grid.group_size()[d] as u16).to_le_bytes());
            put(12 + 4 * d, &self.grid.items()[d].to_le_bytes());
        }
        put(24, &self.private_segment_size.to_le_bytes());
        put(28, &self.group_segment_size.to_le_bytes());
        put(32, &self.kernel_object.to_le_bytes());
        put(40, &self.kernarg_address.to_le_bytes());
        out
    }
}

/// A queue with the fields that kernels read: the high dwords of the flat apertures.
pub fn queue() -> [u8; QUEUE_SIZE] {
    let mut out = [0; QUEUE_SIZE];
    out[0x40..0x44].copy_from_slice(&((SHARED_BASE >> 32) as u32).to_le_bytes());
    out[0x44..0x48].copy_from_slice(&((PRIVATE_BASE >> 32) as u32).to_le_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets as in the specification's table of `hsa_kernel_dispatch_packet_t`.
    #[test]
    fn fields_stand_where_the_specification_says() {
        let packet = Packet {
            grid: Grid::new([1000, 20, 3], [64, 2, 1]).unwrap(),
            dimensions: 3,
            private_segment_size: 0x11,
            group_segment_size: 0x22,
            kernel_object: 0x33_0000_0044,
            kernarg_address: 0x55_0000_0066,
        };
        let bytes = packet.to_bytes();
        let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let u32_at = |at: usize| u32::from(u16_at(at)) | u32::from(u16_at(at + 2)) << 16;
        assert_eq!(u16_at(0) & 0xff, 2);
        assert_eq!([2, 4, 6, 8].map(u16_at), [3, 64, 2, 1]);
        assert_eq!([12, 16, 20, 24, 28].map(u32_at), [1000, 20, 3, 0x11, 0x22]);
        assert_eq!([32, 36, 40, 44].map(u32_at), [0x44, 0x33, 0x66, 0x55]);
        assert_eq!(bytes[48..], [0; 16]);
    }

    #[test]
    fn the_queue_holds_the_apertures() {
        let bytes = queue();
        assert_eq!(bytes[0x40..0x48], [0, 0, 1, 0, 0, 0, 2, 0]);
    }
}
