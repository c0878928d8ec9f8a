//! Device memory, as the host sees it: allocations that free themselves, and loaded code objects.

use std::sync::Arc;

use wavetank_memory::{Part, Registry, Rights};
use wavetank_object::{CodeObject, Image};

use crate::error::{Error, Result};

/// The memory of a device.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    registry: Arc<Registry>,
}

impl Memory {
    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The registry, for a reader that keeps it alive.
    pub(crate) fn shared_registry(&self) -> Arc<Registry> {
        self.registry.clone()
    }

    /// Allocates zeroed memory. `what` is its name in messages.
    pub(crate) fn allocate(&self, what: &str, bytes: u64, align: u64) -> Result<Allocation> {
        let allocation = self.registry.allocate(what, bytes, align);
        let allocation = allocation.map_err(|_| Error::OutOfMemory { bytes })?;
        Ok(Allocation {
            registry: self.registry.clone(),
            address: allocation.address,
            len: bytes,
            is_private: false,
        })
    }

    /// Allocates as above, for memory whose address is not given to a program.
    pub(crate) fn allocate_private(
        &self,
        what: &str,
        bytes: u64,
        align: u64,
    ) -> Result<Allocation> {
        let mut allocation = self.allocate(what, bytes, align)?;
        allocation.is_private = true;
        Ok(allocation)
    }
}

/// A piece of device memory, freed when dropped.
pub(crate) struct Allocation {
    registry: Arc<Registry>,
    address: u64,
    len: u64,
    /// Whether no program has its address, so that no stale pointer can exist.
    is_private: bool,
}

impl Allocation {
    /// The device address.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// The size in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Whether it is an allocation of a registry.
    pub(crate) fn is_of(&self, registry: &Registry) -> bool {
        std::ptr::eq(&raw const *self.registry, registry)
    }

    /// Copies bytes out.
    ///
    /// # Panics
    /// If they end past the allocation.
    pub(crate) fn read(&self, offset: u64, out: &mut [u8]) {
        let result = self.registry.read(self.at(offset, out.len()), out);
        result.expect("the registry holds what was allocated");
    }

    /// Copies bytes in.
    ///
    /// # Panics
    /// If they end past the allocation.
    pub(crate) fn write(&self, offset: u64, data: &[u8]) {
        let result = self.registry.write(self.at(offset, data.len()), data);
        result.expect("the registry holds what was allocated");
    }

    /// Fills the allocation with zeros.
    pub(crate) fn zero(&self) {
        let result = self.registry.zero(self.address, self.len);
        result.expect("the registry holds what was allocated");
    }

    fn at(&self, offset: u64, len: usize) -> u64 {
        let end = offset.checked_add(len as u64);
        assert!(
            end.is_some_and(|end| end <= self.len),
            "a copy ends past its allocation"
        );
        self.address + offset
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // The memory was allocated there, so the registry knows it.
        let _ = if self.is_private {
            self.registry.forget(self.address)
        } else {
            self.registry.free(self.address)
        };
    }
}

/// A code object in device memory: its segments are allocations of their own. Kernels may write all of them but the code,
/// constants included, as on hardware, where whole objects lie in writable memory: runtimes fill constants with kernels.
/// Between the segments lies nothing that a kernel may access.
pub(crate) struct Loaded {
    registry: Arc<Registry>,
    address: u64,
    bytes: u64,
    /// The virtual address of its first byte.
    origin: u64,
    /// Whether the memory is freed with this value.
    is_own: bool,
}

impl Loaded {
    /// Copies the image of a code object into device memory, at an address of its own choice.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Object`] for relocations that cannot be applied.
    pub(crate) fn new(
        memory: &Memory,
        object: &CodeObject,
        externals: &dyn Fn(&str) -> Option<u64>,
    ) -> Result<(Loaded, Image)> {
        let bytes = object.image_size().max(1);
        let out_of_memory = |_| Error::OutOfMemory { bytes };
        let origin = object.image_origin();
        let segments = object.segments().iter().filter(|s| s.memory_size > 0);
        let parts: Vec<Part<'_>> = segments
            .map(|segment| {
                let (name, rights) = match (segment.executable, segment.writable) {
                    (true, _) => ("the code", Rights::Read),
                    (_, true) => ("the global variables", Rights::ReadWrite),
                    _ => ("the constants", Rights::ReadWrite),
                };
                Part {
                    name,
                    offset: segment.address - origin,
                    bytes: segment.memory_size,
                    rights,
                }
            })
            .collect();
        let registry = memory.registry.clone();
        let made = registry.allocate_parts("a code object", bytes, object.image_align(), &parts);
        let address = made.map_err(out_of_memory)?;
        let loaded = Loaded {
            registry,
            address,
            bytes,
            origin,
            is_own: true,
        };
        let image = object.load_image_with(address, externals)?;
        for part in &parts {
            // Memory that the file does not initialize is zero already.
            let (start, end) = (part.offset as usize, (part.offset + part.bytes) as usize);
            let end = end.min(image.bytes.len());
            let contents = image.bytes.get(start..end).unwrap_or_default();
            let written = loaded.registry.write(address + part.offset, contents);
            written.map_err(out_of_memory)?;
        }
        Ok((loaded, image))
    }

    /// A code object that is in device memory already, from this address on.
    ///
    /// # Errors
    /// [`Error::Object`] for relocations that cannot be applied.
    pub(crate) fn adopt(
        memory: &Memory,
        object: &CodeObject,
        address: u64,
    ) -> Result<(Loaded, Image)> {
        // The relocations have been applied.
        let image = object.load_image_with(address, &|_| Some(0))?;
        let loaded = Loaded {
            registry: memory.registry.clone(),
            address,
            bytes: object.image_size().max(1),
            origin: object.image_origin(),
            is_own: false,
        };
        Ok((loaded, image))
    }

    /// The device address of its first byte.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// The device address of a virtual address of the code object.
    pub(crate) fn address_of(&self, virtual_address: u64) -> u64 {
        let offset = virtual_address.wrapping_sub(self.origin);
        self.address.wrapping_add(offset)
    }

    /// The virtual address of a device address, if it lies in the code object.
    pub(crate) fn virtual_address_of(&self, address: u64) -> Option<u64> {
        let at = address.checked_sub(self.address)?;
        (at < self.bytes).then(|| self.origin + at)
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if self.is_own {
            // The memory was allocated there, so the registry knows it.
            let _ = self.registry.free(self.address);
        }
    }
}
