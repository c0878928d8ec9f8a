//! The memory of the local data share.

use std::sync::atomic::AtomicU64;

/// The LDS of a work-group.
#[derive(Debug)]
pub struct Lds {
    /// Atomic cells, since the guest's accesses are atomic; boxed, so that the
    /// address stays when it is moved to a unit.
    memory: Box<[AtomicU64]>,
    /// Where that is.
    base: u64,
    bytes: u32,
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
        let base = memory.as_ptr().expose_provenance() as u64;
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

    /// Its size in bytes.
    #[inline(always)]
    pub fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Makes it ready for another work-group: these dwords at its start, as far as they fit, and zeros behind them.
    pub fn begin(&mut self, dwords: &[u32]) {
        let mut dwords = dwords.iter().map(|dword| u64::from(*dword));
        for word in &mut self.memory {
            let (low, high) = (dwords.next(), dwords.next());
            *word.get_mut() = low.unwrap_or(0) | high.unwrap_or(0) << 32;
        }
    }

    /// Its dwords, the last one padded with zeros.
    pub fn dwords(&mut self) -> Vec<u32> {
        let words = self.memory.iter_mut().map(|w| *w.get_mut());
        words
            .flat_map(|w| [w as u32, (w >> 32) as u32])
            .take(self.bytes.div_ceil(4) as usize)
            .collect()
    }

    /// Where it begins in the host's memory.
    #[inline(always)]
    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    /// Where it is in the host's memory, and how many bytes.
    pub(crate) fn extent(&self) -> (u64, u64) {
        (self.base(), self.bytes.into())
    }
}
