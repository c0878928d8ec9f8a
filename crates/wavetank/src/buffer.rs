//! Device memory that the host reads and writes.

use std::fmt;
use std::sync::Arc;

use bytemuck::{NoUninit, Pod};

use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::Allocation;

/// A piece of device memory. It is freed when the last clone is dropped.
#[derive(Clone)]
pub struct Buffer {
    allocation: Arc<Allocation>,
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes at {:#x})", self.len(), self.address())
    }
}

impl Buffer {
    pub(crate) fn zeroed(device: &Device, bytes: u64) -> Result<Buffer> {
        let allocation = device.inner.memory.allocate("a buffer", bytes, 256)?;
        Ok(Buffer {
            allocation: Arc::new(allocation),
        })
    }

    /// Returns the device address of the first byte.
    pub fn address(&self) -> u64 {
        self.allocation.address()
    }

    /// Returns the size in bytes.
    pub fn len(&self) -> u64 {
        self.allocation.len()
    }

    /// Returns whether the size is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether kernels of a device can reach the buffer: it is that of the device, or of one that shares its memory.
    pub fn is_of(&self, device: &Device) -> bool {
        self.allocation.is_of(device.registry())
    }

    /// Reads all whole values of the buffer. Bytes after the last one are ignored.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the host has no memory for the copy.
    pub fn read<T: Pod>(&self) -> Result<Vec<T>> {
        let size = std::mem::size_of::<T>().max(1);
        let count = self.len() as usize / size;
        let mut out = Vec::new();
        out.try_reserve_exact(count)
            .map_err(|_| Error::OutOfMemory { bytes: self.len() })?;
        out.resize(count, T::zeroed());
        self.read_at(0, &mut out)?;
        Ok(out)
    }

    /// Reads values from `offset` bytes on.
    ///
    /// # Errors
    /// [`Error::BufferRange`] if they would end past the buffer.
    pub fn read_at<T: Pod>(&self, offset: u64, out: &mut [T]) -> Result<()> {
        let out: &mut [u8] = bytemuck::cast_slice_mut(out);
        self.check(offset, out.len())?;
        self.allocation.read(offset, out);
        Ok(())
    }

    /// Writes values from `offset` bytes on.
    ///
    /// # Errors
    /// [`Error::BufferRange`] if they would end past the buffer.
    pub fn write_at<T: NoUninit>(&self, offset: u64, data: &[T]) -> Result<()> {
        let data: &[u8] = bytemuck::cast_slice(data);
        self.check(offset, data.len())?;
        self.allocation.write(offset, data);
        Ok(())
    }

    fn check(&self, start: u64, len: usize) -> Result<()> {
        let end = start.saturating_add(len as u64);
        if end <= self.len() {
            Ok(())
        } else {
            Err(Error::BufferRange {
                start,
                end,
                len: self.len(),
            })
        }
    }
}
