//! Swizzled buffers: the address of a byte (Vega ISA, 8.1 "Swizzled Buffer Addressing"), and accesses whose bytes are located one
//! by one, since they do not lie in one element.

use crate::fault::Denied;
use crate::fault::MemoryFaultReason::{OutsideScratch, StackOverflow};
use crate::lane_moves::LaneMoves;
use crate::places::{Places, read_bytes, write_bytes};

/// The arrangement of elements in a swizzled buffer.
#[derive(Clone, Copy)]
pub(crate) struct Swizzle {
    /// Bytes of a record.
    pub stride: u64,
    /// Bytes of an element, a power of two.
    pub element: u64,
    /// Indices whose elements are adjacent, a power of two.
    pub index_stride: u64,
}

impl Swizzle {
    /// Returns the offset of a byte from the base.
    #[inline(always)]
    pub(crate) fn place(self, index: u64, offset: u64) -> u64 {
        let (index_msb, index_lsb) = (index / self.index_stride, index % self.index_stride);
        let (offset_msb, offset_lsb) = (offset / self.element, offset % self.element);
        (index_msb * self.stride + offset_msb * self.element)
            .wrapping_mul(self.index_stride)
            .wrapping_add(index_lsb * self.element + offset_lsb)
    }
}

/// Places of lanes whose bytes are located one by one.
pub(crate) struct Bytes {
    pub swizzle: Swizzle,
    /// The address that offsets are relative to.
    pub base: u64,
    pub index: [u64; 64],
    /// The offset of the first byte of each lane.
    pub offset: [u64; 64],
    /// The lanes for which dword n is in range, by its first byte. Other lanes read 0 and drop writes.
    pub valid: [u64; 4],
}

impl Bytes {
    /// Returns the address of byte `n` of a lane.
    #[inline(always)]
    pub(crate) fn address(&self, lane: usize, n: usize) -> u64 {
        let (index, offset) = (self.index[lane & 63], self.offset[lane & 63]);
        let place = self.swizzle.place(index, offset + n as u64);
        self.base.wrapping_add(place)
    }
}

impl Places for Bytes {
    const PIECE: u32 = 1;

    #[inline(always)]
    unsafe fn read<R: LaneMoves, T>(&self, lane: usize, to: *mut T) {
        // SAFETY: the places in range are checked.
        unsafe { read_bytes::<R, T>(to, |n| self.part(lane, n, 1)) }
    }

    #[inline(always)]
    unsafe fn write<R: LaneMoves, T>(&self, lane: usize, from: *const T) {
        // SAFETY: the places in range are checked.
        unsafe { write_bytes::<R, T>(from, |n| self.part(lane, n, 1)) }
    }

    #[inline(always)]
    fn part(&self, lane: usize, n: usize, _: u32) -> Option<u64> {
        let valid = self.valid[(n / 4) & 3] >> lane & 1 != 0;
        valid.then(|| self.address(lane, n))
    }

    #[inline(always)]
    fn cell(&self, lane: usize, _: u32) -> Option<u64> {
        self.part(lane, 0, 1)
    }

    #[inline(always)]
    fn whole(&self) -> bool {
        false
    }
}

/// Returns the denial of an access of `bytes` bytes whose byte `n` was denied: in scratch, at the start of its dword, as for
/// other accesses.
pub(crate) fn of_dword(denied: Denied, n: u32, bytes: u32) -> Denied {
    let before = n % 4;
    let reason = match denied.reason {
        StackOverflow {
            offset,
            stack_bytes,
        } => StackOverflow {
            offset: offset.saturating_sub(before),
            stack_bytes,
        },
        OutsideScratch => OutsideScratch,
        _ => return denied,
    };
    Denied {
        address: denied.address - u64::from(before),
        bytes: bytes.min(4),
        reason,
        ..denied
    }
}
