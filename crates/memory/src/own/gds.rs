//! The memory of the global data share.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

use wavetank_isa::numbers::GDS_BYTES as BYTES;

/// The memory, made when it is first used: few programs do.
#[derive(Debug, Default)]
pub(crate) struct Gds(OnceLock<Box<[AtomicU64]>>);

impl Gds {
    /// Where it begins in the host's memory.
    #[inline]
    pub fn base(&self) -> u64 {
        let memory = self
            .0
            .get_or_init(|| (0..BYTES / 8).map(|_| AtomicU64::new(0)).collect());
        memory.as_ptr().expose_provenance() as u64
    }

    /// Where it is in the host's memory, and how many bytes; none as long as nobody has used it.
    pub fn extent(&self) -> (u64, u64) {
        match self.0.get() {
            Some(_) => (self.base(), BYTES),
            None => (0, 0),
        }
    }
}
