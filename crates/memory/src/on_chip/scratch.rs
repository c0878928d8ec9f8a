//! The scratch of the running wave: its address, size and allocation.

use std::mem::offset_of;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use wavetank_gcn::numbers::PRIVATE_BASE;

use crate::bounds_cache::{NOTHING, Span};
use crate::fault::{Denied, MemoryFaultReason};
use crate::reach::{Offsets, Reach};
use crate::registry::{Entry, Map, Rights};

/// Bytes from one dword of a lane's private memory to the next.
pub const PRIVATE_STEP: u64 = 64 * 4;

use PRIVATE_STEP as STEP;

/// The scratch of the running wave.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    pub base: u64,
    /// The start of the allocation that contains it: the scratch of the first wave of the work-group.
    group: u64,
    bytes_per_lane: u32,
    /// The allocation that contains it, if there is one.
    entry: Option<Arc<Entry>>,
    /// A flag that is set when the allocation is freed. The entry keeps the target alive; without an entry, it is a static.
    gone: *const AtomicBool,
}

impl Default for Scratch {
    /// No scratch: lanes have 0 bytes.
    fn default() -> Self {
        Scratch {
            base: 0,
            group: 0,
            bytes_per_lane: 0,
            entry: None,
            gone: &raw const NOTHING,
        }
    }
}

impl Scratch {
    /// Byte offset of its address (64 bits).
    pub(crate) const BASE: usize = offset_of!(Scratch, base);
    /// Byte offset of the size for one lane (32 bits).
    pub(crate) const BYTES: usize = offset_of!(Scratch, bytes_per_lane);
    /// Byte offset of the pointer to a byte that is 0 while the memory exists.
    pub(crate) const GONE: usize = offset_of!(Scratch, gone);

    /// Returns the scratch at `base`, with the allocation that contains it.
    pub(crate) fn new(base: u64, bytes_per_lane: u32, map: &Map) -> Self {
        let end = base.checked_add(wave_bytes(bytes_per_lane));
        let entry = end.and_then(|end| map.find(base, end));
        let entry = entry.filter(|e| e.allocation.rights == Rights::ReadWrite);
        let entry = entry.cloned();
        Scratch {
            base,
            group: entry.as_ref().map_or(base, |e| e.allocation.address),
            bytes_per_lane,
            gone: entry
                .as_ref()
                .map_or(&raw const NOTHING, |entry| entry.gone()),
            entry,
        }
    }

    /// Returns whether this is the scratch at `base` of that size, and still exists.
    pub(crate) fn is(&self, base: u64, bytes_per_lane: u32) -> bool {
        (self.base, self.bytes_per_lane) == (base, bytes_per_lane) && self.is_there()
    }

    /// Bytes that a lane may access: 0 if the registry does not contain the memory.
    #[inline(always)]
    pub(crate) fn bytes_per_lane(&self) -> u32 {
        if self.is_there() {
            self.bytes_per_lane
        } else {
            0
        }
    }

    #[inline(always)]
    fn is_there(&self) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.is_there())
    }

    /// Returns whether a buffer at this address is scratch: the descriptors of compilers start at the scratch of the work-group,
    /// or of the wave.
    pub(crate) fn is_base(&self, address: u64) -> bool {
        self.bytes_per_lane() > 0 && (self.group..=self.base).contains(&address)
    }

    /// Returns the host address and the size in bytes.
    pub(crate) fn extent(&self) -> (u64, u64) {
        (self.base, wave_bytes(self.bytes_per_lane()))
    }

    /// Returns whether the wave owns all bytes of an access. The memory exists and is writable.
    #[inline(always)]
    pub(crate) fn holds(&self, span: Span) -> bool {
        let end = self.base + wave_bytes(self.bytes_per_lane());
        Reach::new(self.base, end, span.bytes)
            .is_some_and(|reach| reach.holds(span.first, span.last))
    }

    /// Returns the offsets at which a lane may access `bytes` bytes of its own, if there are any.
    #[inline(always)]
    pub(crate) fn lane(&self, bytes: u32) -> Option<Offsets> {
        Reach::new(0, self.bytes_per_lane().into(), bytes)?.from(0)
    }

    /// Returns whether a lane may access `bytes` bytes at an offset.
    #[inline(always)]
    pub(crate) fn lane_holds(&self, offset: u32, bytes: u32) -> bool {
        self.lane(bytes).is_some_and(|lane| lane.holds(offset))
    }

    /// Returns the denial of an access to the address of another lane or wave, or beyond the scratch.
    pub(crate) fn denied(&self, lane: usize, address: u64, bytes: u32) -> Denied {
        let offset = address.checked_sub(self.base).map(|distance| {
            let dword = distance / STEP;
            dword.saturating_mul(4).saturating_add(distance % 4)
        });
        let offset = offset.map_or(BELOW, |offset| offset.try_into().unwrap_or(BELOW));
        self.outside(lane, offset, bytes)
    }

    /// Returns the denial of an access to an offset outside the lane's scratch.
    pub(crate) fn outside(&self, lane: usize, offset: u32, bytes: u32) -> Denied {
        let stack_bytes = self.bytes_per_lane();
        Denied {
            lane: Some(lane as u8),
            address: PRIVATE_BASE | u64::from(offset),
            bytes,
            reason: match offset {
                BELOW.. => MemoryFaultReason::OutsideScratch,
                _ => MemoryFaultReason::StackOverflow {
                    offset,
                    stack_bytes,
                },
            },
        }
    }
}

/// The first offset that counts as negative: no stack is as large.
const BELOW: u32 = 1 << 31;

/// Bytes of the scratch of a wave.
#[inline(always)]
fn wave_bytes(bytes_per_lane: u32) -> u64 {
    u64::from(bytes_per_lane.div_ceil(4)) * STEP
}
