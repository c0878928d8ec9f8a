//! Device memory: host memory that the registry of allocations knows.
//!
//! Emulated addresses are host addresses. Kernels may run while the host copies, so copies go through raw pointers and
//! never make references to device memory.

use std::alloc::{Layout, alloc_zeroed, dealloc};

use crate::error::{Error, Result};

/// The memory of a device.
#[derive(Clone, Default)]
pub(crate) struct Memory {}

impl Memory {
    pub fn new() -> Self {
        Memory::default()
    }

    /// Zeroed memory of at least one byte. `what` names it in messages.
    pub fn allocate(&self, _what: &str, bytes: u64, align: u64) -> Result<Allocation> {
        let size = usize::try_from(bytes.max(1)).ok();
        let layout = size.and_then(|size| Layout::from_size_align(size, align as usize).ok());
        let layout = layout.ok_or(Error::OutOfMemory { bytes })?;
        // SAFETY: the layout has a size above zero.
        let pointer = unsafe { alloc_zeroed(layout) };
        if pointer.is_null() {
            return Err(Error::OutOfMemory { bytes });
        }
        Ok(Allocation {
            pointer,
            layout,
            len: bytes,
        })
    }
}

/// A piece of device memory, freed when dropped.
pub(crate) struct Allocation {
    pointer: *mut u8,
    layout: Layout,
    len: u64,
}

// SAFETY: the allocation is plain memory, reached only by raw copies.
unsafe impl Send for Allocation {}
// SAFETY: as above; copies that race are byte copies by one instruction, as those of guest code are.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// The device address.
    pub fn address(&self) -> u64 {
        self.pointer as u64
    }

    /// The size in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Copies bytes out.
    ///
    /// # Panics
    /// If they end past the allocation.
    pub fn read(&self, offset: u64, out: &mut [u8]) {
        let from = self.at(offset, out.len());
        // SAFETY: `at` checked the range, and `out` is as long.
        unsafe { copy(from, out.as_mut_ptr(), out.len()) }
    }

    /// Copies bytes in.
    ///
    /// # Panics
    /// If they end past the allocation.
    pub fn write(&self, offset: u64, data: &[u8]) {
        let to = self.at(offset, data.len());
        // SAFETY: `at` checked the range, and `data` is as long.
        unsafe { copy(data.as_ptr(), to, data.len()) }
    }

    fn at(&self, offset: u64, len: usize) -> *mut u8 {
        let end = offset.checked_add(len as u64);
        assert!(
            end.is_some_and(|end| end <= self.len),
            "a copy ends past its allocation"
        );
        self.pointer.wrapping_add(offset as usize)
    }
}

/// Copies bytes in assembly: what guest code does to them meanwhile is no data race of Rust's.
///
/// # Safety
/// Both ranges are `len` bytes of memory that may be read and written, and do not overlap.
unsafe fn copy(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: by the caller's promise; the direction flag is clear (ABI).
    unsafe {
        std::arch::asm!(
            "rep movsb",
            inout("rcx") len => _,
            inout("rsi") from => _,
            inout("rdi") to => _,
            options(nostack, preserves_flags),
        );
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and nobody else frees it.
        unsafe { dealloc(self.pointer, self.layout) }
    }
}
