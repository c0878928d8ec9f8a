//! Device memory, as the host sees it: allocations that free themselves, and loaded code objects.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::Arc;

use wavetank_machine::{Registry, Rights};
use wavetank_object::{CodeObject, Image};

use crate::error::{Error, Result};

/// The memory of a device.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    registry: Arc<Registry>,
}

impl Memory {
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Zeroed memory. `what` names it in messages.
    pub fn allocate(&self, what: &str, bytes: u64, align: u64) -> Result<Allocation> {
        let allocation = self.registry.allocate(what, bytes, align);
        let allocation = allocation.map_err(|_| Error::OutOfMemory { bytes })?;
        Ok(Allocation {
            registry: self.registry.clone(),
            address: allocation.address,
            len: bytes,
        })
    }
}

/// A piece of device memory, freed when dropped.
pub(crate) struct Allocation {
    registry: Arc<Registry>,
    address: u64,
    len: u64,
}

impl Allocation {
    /// The device address.
    pub fn address(&self) -> u64 {
        self.address
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
        let result = self.registry.read(self.at(offset, out.len()), out);
        result.expect("the registry holds what was allocated");
    }

    /// Copies bytes in.
    ///
    /// # Panics
    /// If they end past the allocation.
    pub fn write(&self, offset: u64, data: &[u8]) {
        let result = self.registry.write(self.at(offset, data.len()), data);
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
        // It was allocated there, so it is known there.
        let _ = self.registry.free(self.address);
    }
}

/// A code object in device memory: its segments are allocations of their own, and only those that the code may write can
/// be written. Between them lies nothing that a kernel may touch.
pub(crate) struct Loaded {
    registry: Arc<Registry>,
    pointer: *mut u8,
    layout: Layout,
    segments: Vec<u64>,
}

// SAFETY: plain memory, written once before anybody else knows of it, then reached through the registry only.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl Loaded {
    /// Copies the image of a code object into device memory, at an address of its own choice.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::Object`] for relocations that cannot be applied.
    pub fn new(
        memory: &Memory,
        object: &CodeObject,
        externals: &dyn Fn(&str) -> Option<u64>,
    ) -> Result<(Loaded, Image)> {
        let bytes = object.image_size();
        let out_of_memory = || Error::OutOfMemory { bytes };
        let size = usize::try_from(bytes.max(1)).map_err(|_| out_of_memory())?;
        // Whole pages: what the host has beside it is never next to a kernel's reach.
        let align = object.image_align().max(4096) as usize;
        let layout = Layout::from_size_align(size, align).map_err(|_| out_of_memory())?;
        // SAFETY: the layout has a size above zero.
        let pointer = unsafe { alloc_zeroed(layout) };
        if pointer.is_null() {
            return Err(out_of_memory());
        }
        let mut loaded = Loaded {
            registry: memory.registry.clone(),
            pointer,
            layout,
            segments: Vec::new(),
        };
        let base = pointer.expose_provenance() as u64;
        let image = object.load_image_with(base, externals)?;
        // SAFETY: the image has `image_size` bytes, the layout at least as many, and nobody else knows of them yet.
        unsafe { pointer.copy_from_nonoverlapping(image.bytes.as_ptr(), image.bytes.len()) };
        for segment in object.segments().iter().filter(|s| s.memory_size > 0) {
            let (what, rights) = match (segment.executable, segment.writable) {
                (true, _) => ("the code", Rights::Read),
                (_, true) => ("the global variables", Rights::ReadWrite),
                _ => ("the constants", Rights::Read),
            };
            let at = image.address_of(segment.address);
            let start = pointer.wrapping_add((at - image.base) as usize);
            // SAFETY: the segment lies within the image, which stays allocated until `drop` has taken it from the
            // registry; modules are dropped after the dispatches that use them.
            let registered = unsafe {
                loaded
                    .registry
                    .register(what, start, segment.memory_size, rights)
            };
            registered.map_err(|_| out_of_memory())?;
            loaded.segments.push(at);
        }
        Ok((loaded, image))
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        for segment in &self.segments {
            // It was registered there, so it is known there.
            let _ = self.registry.free(*segment);
        }
        // SAFETY: allocated with this layout, and nothing names it any more.
        unsafe { dealloc(self.pointer, self.layout) }
    }
}
