//! The local data share of a work-group.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::registry::RegistryError;
use crate::shadow;

/// The LDS of a work-group, as memory of the host.
#[derive(Debug)]
pub struct Lds {
    /// Atomic cells, since the guest's accesses are atomic. The raw pointer owns the memory of a box. A box would assert unique
    /// access when it is moved into a unit, while guests access the memory by its address.
    memory: NonNull<[AtomicU64]>,
    /// The host address of the memory.
    base: u64,
    bytes: u32,
}

// SAFETY: the value owns the memory.
unsafe impl Send for Lds {}

impl Drop for Lds {
    fn drop(&mut self) {
        // SAFETY: `of` took the pointer from a box, and nothing uses it after its owner.
        drop(unsafe { Box::from_raw(self.memory.as_ptr()) });
    }
}

impl Lds {
    /// Zeroed memory of `bytes` bytes.
    pub fn new(bytes: u32) -> Self {
        let words = bytes.div_ceil(8) as usize;
        Lds::of((0..words).map(|_| AtomicU64::new(0)).collect(), bytes)
    }

    /// Memory that holds these dwords.
    pub fn from_dwords(dwords: &[u32]) -> Self {
        let word = |pair: &[u32]| {
            let high = pair.get(1).copied().unwrap_or_default();
            AtomicU64::new(u64::from(pair[0]) | u64::from(high) << 32)
        };
        Lds::of(
            dwords.chunks(2).map(word).collect(),
            4 * dwords.len() as u32,
        )
    }

    fn of(memory: Box<[AtomicU64]>, bytes: u32) -> Self {
        let memory = NonNull::from(Box::leak(memory));
        let base = memory.cast::<u64>().as_ptr().expose_provenance() as u64;
        Lds {
            memory,
            base,
            bytes,
        }
    }

    /// Byte offset of the address of its memory (64 bits).
    pub const BASE: usize = std::mem::offset_of!(Lds, base);
    /// Byte offset of its size in bytes (32 bits).
    pub const BYTES: usize = std::mem::offset_of!(Lds, bytes);

    /// Returns the size in bytes.
    #[inline(always)]
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Prepares the memory for another work-group: these dwords at its start, as far as they fit, then zeros.
    pub fn begin(&mut self, dwords: &[u32]) {
        let words = self.memory.len();
        // Zeroing no words is slow: the C library stores under an empty mask. If no memory is mapped at the address, as with the
        // pointer to no words, the processor needs some 80 ns to find that harmless.
        if words == 0 {
            return;
        }
        // SAFETY: so many words, which no other thread accesses between work-groups; a cell has the layout of a word.
        unsafe { self.memory.cast::<u64>().as_ptr().write_bytes(0, words) };
        for (word, pair) in self.words().iter().zip(dwords.chunks(2)) {
            let high = pair.get(1).copied().unwrap_or_default();
            word.store(u64::from(pair[0]) | u64::from(high) << 32, Relaxed);
        }
    }

    /// Adds shadows for its bits.
    ///
    /// # Errors
    /// If the host has no memory for them.
    pub fn keep_shadows(&self) -> Result<(), RegistryError> {
        let (start, bytes) = self.extent();
        shadow::cover(start..start + bytes).map_err(|why| RegistryError::NoShadow { why })
    }

    /// Marks the contents after the first bytes as undefined. The memory has shadows.
    pub fn forget_after(&mut self, first: u64) {
        let (start, bytes) = self.extent();
        let known = start + first.min(bytes);
        shadow::clear(start..known);
        shadow::mark(known..start + bytes);
    }

    fn words(&self) -> &[AtomicU64] {
        // SAFETY: the value owns the cells.
        unsafe { self.memory.as_ref() }
    }

    /// Returns the contents as dwords, the last one padded with zeros.
    pub fn dwords(&mut self) -> Vec<u32> {
        let words = self.words().iter().map(|word| word.load(Relaxed));
        words
            .flat_map(|w| [w as u32, (w >> 32) as u32])
            .take(self.bytes.div_ceil(4) as usize)
            .collect()
    }

    /// Reads bytes from an offset on. Returns whether they are all inside.
    ///
    /// ```
    /// let lds = wavetank_memory::Lds::from_dwords(&[0x0302_0100, 0x0706_0504, 0x0b0a_0908]);
    /// let mut bytes = [0; 6];
    /// assert!(lds.read(3, &mut bytes));
    /// assert_eq!(bytes, [3, 4, 5, 6, 7, 8]);
    /// assert!(!lds.read(7, &mut bytes));
    /// ```
    pub fn read(&self, offset: u64, to: &mut [u8]) -> bool {
        let end = offset.checked_add(to.len() as u64);
        if end.is_none_or(|end| end > self.bytes.into()) {
            return false;
        }
        let (mut at, mut rest) = (offset as usize, to);
        while !rest.is_empty() {
            let word = self.words()[at / 8].load(Relaxed).to_le_bytes();
            let from = &word[at % 8..];
            let (part, later) = rest.split_at_mut(from.len().min(rest.len()));
            part.copy_from_slice(&from[..part.len()]);
            (at, rest) = (at + part.len(), later);
        }
        true
    }

    /// Returns the host address of the memory.
    #[inline(always)]
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// Returns the host address and the size in bytes.
    pub fn extent(&self) -> (u64, u64) {
        (self.base(), self.bytes.into())
    }
}
