//! Where the lanes of an access read and write, once their addresses have been
//! checked.

use wavetank_ir::Rmw;

use crate::{atomic, global};

/// The places of 64 lanes. Reads and writes take the lane and the offset in
/// bytes from its address: 0, or a multiple of 4 within its dwords.
pub trait Places {
    /// Reads `N` bytes: 1, 2, 4, or 8 (two dwords).
    ///
    /// # Safety
    /// The lane's address has been checked for the bytes.
    unsafe fn load<const N: usize>(&self, lane: usize, at: u32) -> u64;

    /// Writes the low `N` bytes: 1, 2, 4, or 8 (two dwords).
    ///
    /// # Safety
    /// The lane's address has been checked for the bytes.
    unsafe fn store<const N: usize>(&self, lane: usize, at: u32, value: u64);

    /// Changes a dword, and gives the one before. Here for memory that belongs
    /// to one thread.
    ///
    /// # Safety
    /// The lane's address has been checked for the bytes.
    #[inline(always)]
    unsafe fn rmw32(&self, lane: usize, rmw: Rmw, data: u32, data2: u32) -> u32 {
        // SAFETY: the places are checked.
        unsafe {
            let before = self.load::<4>(lane, 0) as u32;
            let after = atomic::modify32(rmw, before, data, data2);
            self.store::<4>(lane, 0, after.into());
            before
        }
    }

    /// As `rmw32`, for two dwords.
    ///
    /// # Safety
    /// The lane's address has been checked for the bytes.
    #[inline(always)]
    unsafe fn rmw64(&self, lane: usize, rmw: Rmw, data: u64, data2: u64) -> u64 {
        // SAFETY: the places are checked.
        unsafe {
            let before = self.load::<8>(lane, 0);
            let after = atomic::modify64(rmw, before, data, data2);
            self.store::<8>(lane, 0, after);
            before
        }
    }

    /// The address of lane 0 if dwords of successive lanes are neighbours.
    #[inline(always)]
    fn row(&self) -> Option<u64> {
        None
    }
}

/// Places given by one host address a lane. Other threads may access them too.
pub trait Addresses {
    /// The address of a lane.
    ///
    /// # Safety
    /// What the places point to is alive.
    unsafe fn address(&self, lane: usize) -> u64;

    /// As [`Places::row`].
    #[inline(always)]
    fn row(&self) -> Option<u64> {
        None
    }
}

impl<A: Addresses> Places for A {
    #[inline(always)]
    unsafe fn load<const N: usize>(&self, lane: usize, at: u32) -> u64 {
        // SAFETY: the places are checked.
        unsafe { global::load::<N>(self.address(lane).wrapping_add(at.into())) }
    }

    #[inline(always)]
    unsafe fn store<const N: usize>(&self, lane: usize, at: u32, value: u64) {
        // SAFETY: the places are checked.
        unsafe { global::store::<N>(self.address(lane).wrapping_add(at.into()), value) }
    }

    #[inline(always)]
    unsafe fn rmw32(&self, lane: usize, rmw: Rmw, data: u32, data2: u32) -> u32 {
        // SAFETY: the places are checked, which includes alignment.
        unsafe { atomic::shared32(self.address(lane), rmw, data, data2) }
    }

    #[inline(always)]
    unsafe fn rmw64(&self, lane: usize, rmw: Rmw, data: u64, data2: u64) -> u64 {
        // SAFETY: the places are checked, which includes alignment.
        unsafe { atomic::shared64(self.address(lane), rmw, data, data2) }
    }

    #[inline(always)]
    fn row(&self) -> Option<u64> {
        Addresses::row(self)
    }
}

/// One base and a 32-bit offset a lane, which may lie in a vector register.
pub struct Near {
    /// The base address.
    pub base: u64,
    /// 64 offsets.
    pub offset: *const u32,
}

impl Addresses for Near {
    #[inline(always)]
    unsafe fn address(&self, lane: usize) -> u64 {
        // SAFETY: the offsets of 64 lanes.
        let offset = unsafe { self.offset.add(lane).read() };
        self.base.wrapping_add(offset.into())
    }
}

/// An address of its own for each lane.
pub struct Far(pub [u64; 64]);

impl Addresses for Far {
    #[inline(always)]
    unsafe fn address(&self, lane: usize) -> u64 {
        self.0[lane & 63]
    }
}

/// Dwords of successive lanes are neighbours.
pub struct Row(pub u64);

impl Addresses for Row {
    #[inline(always)]
    unsafe fn address(&self, lane: usize) -> u64 {
        self.0 + 4 * lane as u64
    }

    #[inline(always)]
    fn row(&self) -> Option<u64> {
        Some(self.0)
    }
}

/// Dwords of a lane that lie apart, each there or out of range: swizzled
/// scratch, and buffers.
pub struct Split {
    /// The address of each lane's first dword.
    pub address: [u64; 64],
    /// Bytes from a dword of a lane to its next.
    pub step: u64,
    /// The lanes for which dword n is in range. Others read 0 and drop writes.
    pub valid: [u64; 4],
}

impl Split {
    #[inline(always)]
    fn dword(&self, lane: usize, at: u32) -> Option<u64> {
        let n = (at as usize / 4) & 3;
        let valid = self.valid[n] >> lane & 1 != 0;
        valid.then(|| self.address[lane & 63] + self.step * n as u64)
    }
}

impl Places for Split {
    #[inline(always)]
    unsafe fn load<const N: usize>(&self, lane: usize, at: u32) -> u64 {
        // SAFETY: the places are checked, for what is in range.
        unsafe {
            if N == 8 {
                return self.load::<4>(lane, at) | self.load::<4>(lane, at + 4) << 32;
            }
            self.dword(lane, at).map_or(0, |a| global::load::<N>(a))
        }
    }

    #[inline(always)]
    unsafe fn store<const N: usize>(&self, lane: usize, at: u32, value: u64) {
        // SAFETY: the places are checked, for what is in range.
        unsafe {
            if N == 8 {
                self.store::<4>(lane, at, value);
                self.store::<4>(lane, at + 4, value >> 32);
            } else if let Some(a) = self.dword(lane, at) {
                global::store::<N>(a, value);
            }
        }
    }

    #[inline(always)]
    unsafe fn rmw32(&self, lane: usize, rmw: Rmw, data: u32, data2: u32) -> u32 {
        // SAFETY: the places are checked, for what is in range.
        self.dword(lane, 0)
            .map_or(0, |a| unsafe { atomic::shared32(a, rmw, data, data2) })
    }

    /// Two dwords that lie apart are private memory of the lane.
    unsafe fn rmw64(&self, lane: usize, rmw: Rmw, data: u64, data2: u64) -> u64 {
        let (Some(low), Some(high)) = (self.dword(lane, 0), self.dword(lane, 4)) else {
            return 0;
        };
        // SAFETY: the places are checked.
        unsafe {
            if high == low + 4 {
                return atomic::shared64(low, rmw, data, data2);
            }
            let before = self.load::<8>(lane, 0);
            self.store::<8>(lane, 0, atomic::modify64(rmw, before, data, data2));
            before
        }
    }
}
