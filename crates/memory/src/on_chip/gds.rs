//! The global data share of a device.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use wavetank_gcn::numbers::GDS_BYTES as BYTES;

/// The memory of the global data share, allocated at its first use: few programs need it.
#[derive(Debug, Default)]
pub(crate) struct Gds(OnceLock<Box<[AtomicU64]>>);

impl Gds {
    /// Returns the host address of its start.
    #[inline]
    pub(crate) fn base(&self) -> u64 {
        self.cells().as_ptr().expose_provenance() as u64
    }

    fn cells(&self) -> &[AtomicU64] {
        let new = || (0..BYTES / 8).map(|_| AtomicU64::new(0)).collect();
        self.0.get_or_init(new)
    }

    /// Returns a copy of its contents.
    pub(crate) fn read(&self) -> Vec<u8> {
        let cells = self.0.get().map(Box::as_ref).unwrap_or_default();
        let bytes = cells
            .iter()
            .flat_map(|cell| cell.load(Relaxed).to_le_bytes());
        let mut contents: Vec<u8> = bytes.collect();
        contents.resize(BYTES as usize, 0);
        contents
    }

    /// Writes bytes at an offset; `false` if they end past the memory.
    pub(crate) fn write(&self, offset: u64, from: &[u8]) -> bool {
        if offset.saturating_add(from.len() as u64) > BYTES {
            return false;
        }
        let cells = self.cells();
        for (n, byte) in (offset..).zip(from) {
            let shift = 8 * (n % 8);
            let put = |cell: u64| Some(cell & !(0xff << shift) | u64::from(*byte) << shift);
            // The closure always returns a value, so the update succeeds.
            let _ = cells[(n / 8) as usize].fetch_update(Relaxed, Relaxed, put);
        }
        true
    }

    /// Returns the host address and the size in bytes.
    pub(crate) fn extent(&self) -> (u64, u64) {
        (self.base(), BYTES)
    }
}
