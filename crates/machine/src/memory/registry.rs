//! The allocations of a device: what a guest address may name.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use memmap2::{MmapOptions, MmapRaw};

use super::gds::Gds;

/// Bytes between two allocations, so that one access never spans both.
const GUARD: u64 = 4096;

/// The alignment of every owned allocation: a page.
const PAGE: u64 = 4096;

/// From this size on, huge pages are asked for.
const HUGE: u64 = 4 << 20;

/// What the guest may do with an allocation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rights {
    /// Loads only.
    Read,
    /// Loads, stores and atomics.
    ReadWrite,
}

/// One allocation of a device. Its guest address is its host address.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// What reports call it.
    pub name: Arc<str>,
    /// The address of its first byte.
    pub address: u64,
    /// Its length in bytes.
    pub bytes: u64,
    /// What the guest may do.
    pub rights: Rights,
    /// The memory itself, if the registry owns it. Whoever holds a snapshot
    /// keeps it mapped: a wave that races with `free` reads stale bytes, but
    /// never memory that the host has given to somebody else.
    #[expect(dead_code, reason = "held, never read: dropping the last one unmaps")]
    owned: Option<Arc<MmapRaw>>,
}

impl Allocation {
    /// The address after the last byte.
    pub fn end(&self) -> u64 {
        self.address + self.bytes
    }

    /// Whether it holds all of `[first, end)`.
    pub fn holds(&self, first: u64, end: u64) -> bool {
        self.address <= first && end <= self.end()
    }
}

/// The sorted allocations at one moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    entries: Arc<[Entry]>,
    generation: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    allocation: Allocation,
    /// The largest end of this entry and of all before it: registered host
    /// memory may overlap.
    reach: u64,
}

impl Snapshot {
    /// The allocation that holds all of `[first, end)`.
    pub fn find(&self, first: u64, end: u64) -> Option<&Allocation> {
        self.below(first)
            .iter()
            .rev()
            .take_while(|e| e.reach >= end)
            .map(|e| &e.allocation)
            .find(|a| a.holds(first, end))
    }

    /// The allocation whose bytes are nearest to an address.
    pub fn nearest(&self, address: u64) -> Option<&Allocation> {
        let distance = |a: &Allocation| {
            let above = a.address.saturating_sub(address);
            above.max(address.saturating_sub(a.end() - 1))
        };
        self.entries
            .iter()
            .map(|e| &e.allocation)
            .min_by_key(|a| distance(a))
    }

    /// All allocations in the order of their addresses.
    pub fn iter(&self) -> impl Iterator<Item = &Allocation> {
        self.entries.iter().map(|e| &e.allocation)
    }

    /// The generation of the registry that this shows.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// The entries that start at or before an address.
    fn below(&self, address: u64) -> &[Entry] {
        let n = self
            .entries
            .partition_point(|e| e.allocation.address <= address);
        &self.entries[..n]
    }
}

/// Why memory was not allocated, registered or freed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// The host has no such memory.
    #[error("the host cannot map {bytes} bytes for {name:?} (aligned to {align}): {why}")]
    NoMemory {
        /// The name of the allocation.
        name: String,
        /// Its length.
        bytes: u64,
        /// Its alignment.
        align: u64,
        /// What the host said.
        why: String,
    },
    /// A range that wraps around the address space, or is empty.
    #[error("{name:?} at {address:#x} with {bytes} bytes is not a range of addresses")]
    NoRange {
        /// The name of the allocation.
        name: String,
        /// Its address.
        address: u64,
        /// Its length.
        bytes: u64,
    },
    /// Nothing starts at this address.
    #[error("no allocation starts at {address:#x}; it was freed already, or never allocated")]
    Unknown {
        /// The address.
        address: u64,
    },
    /// An access of the host that no allocation holds.
    #[error("{bytes} bytes at {address:#x} are in no allocation of the device")]
    Outside {
        /// The address.
        address: u64,
        /// The length of the access.
        bytes: u64,
    },
}

/// The allocations of a device, shared by its workers and its host.
///
/// Every change bumps a generation; a [`MemoryUnit`](super::MemoryUnit) looks
/// at it before each access and drops what it remembered, so that the first
/// access after [`Registry::free`] fails.
///
/// ```
/// use wavetank_machine::{Registry, Rights};
///
/// let registry = Registry::new();
/// let buffer = registry.allocate("buffer", 100, 256)?;
/// assert_eq!(buffer.address % 256, 0);
/// registry.write(buffer.address, &[1, 2, 3])?;
/// let mut back = [9; 4];
/// registry.read(buffer.address, &mut back)?;
/// assert_eq!(back, [1, 2, 3, 0]);
/// registry.free(buffer.address)?;
/// assert!(registry.read(buffer.address, &mut back).is_err());
/// # Ok::<(), wavetank_machine::RegistryError>(())
/// ```
#[derive(Debug, Default)]
pub struct Registry {
    generation: AtomicU64,
    snapshot: RwLock<Snapshot>,
    /// Serialises changes.
    change: Mutex<()>,
    /// Memory that is in no address space.
    pub(super) gds: Gds,
}

impl Registry {
    /// A device without memory.
    pub fn new() -> Self {
        Registry::default()
    }

    /// Maps zeroed memory of `bytes` bytes (at least one) at a multiple of
    /// `align` (rounded up to a power of two) and of the page size. Nothing
    /// else lies within a page of it. Pages come into being when touched.
    ///
    /// # Errors
    /// If the host has no memory.
    pub fn allocate(
        &self,
        name: &str,
        bytes: u64,
        align: u64,
    ) -> Result<Allocation, RegistryError> {
        let no_memory = |why: String| RegistryError::NoMemory {
            name: name.into(),
            bytes,
            align,
            why,
        };
        let bytes = bytes.max(1);
        let align = align.max(PAGE).checked_next_power_of_two();
        let align = align.ok_or_else(|| no_memory("the alignment is too large".into()))?;
        // A guard page follows; what the alignment skips lies in front.
        let length = bytes
            .checked_next_multiple_of(PAGE)
            .and_then(|n| n.checked_add(GUARD + (align - PAGE)))
            .and_then(|n| usize::try_from(n).ok())
            .ok_or_else(|| no_memory("the size is too large".into()))?;
        let map = MmapOptions::new().len(length).map_anon();
        let map = MmapRaw::from(map.map_err(|e| no_memory(e.to_string()))?);
        #[cfg(target_os = "linux")]
        if bytes >= HUGE {
            // Only a wish: without huge pages everything works the same.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        let start = map.as_mut_ptr().expose_provenance() as u64;
        let allocation = Allocation {
            name: name.into(),
            address: start.next_multiple_of(align),
            bytes,
            rights: Rights::ReadWrite,
            owned: Some(Arc::new(map)),
        };
        self.change(|entries| entries.push(allocation.clone()));
        Ok(allocation)
    }

    /// Makes host memory known to the guest, at its host address. Ranges may
    /// overlap others.
    ///
    /// # Safety
    /// The memory stays mapped, and writable unless `rights` says otherwise,
    /// until it is unregistered and no wave runs that was started before. The
    /// guest accesses it at any time, as relaxed atomics do.
    ///
    /// # Errors
    /// If the range is empty or wraps around.
    pub unsafe fn register(
        &self,
        name: &str,
        memory: *mut u8,
        bytes: u64,
        rights: Rights,
    ) -> Result<Allocation, RegistryError> {
        let address = memory.expose_provenance() as u64;
        if bytes == 0 || address == 0 || address.checked_add(bytes).is_none() {
            let name = name.into();
            return Err(RegistryError::NoRange {
                name,
                address,
                bytes,
            });
        }
        let allocation = Allocation {
            name: name.into(),
            address,
            bytes,
            rights,
            owned: None,
        };
        self.change(|entries| entries.push(allocation.clone()));
        Ok(allocation)
    }

    /// Takes away what [`Registry::allocate`] gave at this address, or what
    /// [`Registry::register`] made known last. Its memory is unmapped when the
    /// last unit that saw it has noticed.
    ///
    /// # Errors
    /// If no allocation starts there.
    pub fn free(&self, address: u64) -> Result<Allocation, RegistryError> {
        self.change(|entries| {
            let at = entries.iter().rposition(|a| a.address == address);
            at.map(|n| entries.remove(n))
        })
        .ok_or(RegistryError::Unknown { address })
    }

    /// Changes what the guest may do with an allocation: code that has been
    /// loaded becomes read-only.
    ///
    /// # Errors
    /// If no allocation starts there.
    pub fn protect(&self, address: u64, rights: Rights) -> Result<(), RegistryError> {
        self.change(|entries| {
            let found = entries.iter_mut().find(|a| a.address == address);
            found.map(|a| a.rights = rights)
        })
        .ok_or(RegistryError::Unknown { address })
    }

    /// The allocations as they are now.
    pub fn snapshot(&self) -> Snapshot {
        let lock = self.snapshot.read();
        lock.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The allocation that holds an address.
    pub fn find(&self, address: u64) -> Option<Allocation> {
        self.snapshot()
            .find(address, address.checked_add(1)?)
            .cloned()
    }

    /// Copies guest memory to the host.
    ///
    /// # Errors
    /// If one allocation does not hold all of it.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), RegistryError> {
        let _held = self.hold(address, to.len())?;
        // SAFETY: the snapshot says so and keeps it mapped.
        unsafe { super::global::copy_out(address, to) };
        Ok(())
    }

    /// Copies host memory to the guest, whatever the guest's own rights.
    ///
    /// # Errors
    /// If one allocation does not hold all of it.
    pub fn write(&self, address: u64, from: &[u8]) -> Result<(), RegistryError> {
        let _held = self.hold(address, from.len())?;
        // SAFETY: the snapshot says so and keeps it mapped.
        unsafe { super::global::copy_in(address, from) };
        Ok(())
    }

    /// A snapshot in which an allocation holds the range.
    fn hold(&self, address: u64, len: usize) -> Result<Snapshot, RegistryError> {
        let bytes = len as u64;
        let snapshot = self.snapshot();
        address
            .checked_add(bytes)
            .and_then(|end| snapshot.find(address, end))
            .ok_or(RegistryError::Outside { address, bytes })?;
        Ok(snapshot)
    }

    /// The number of changes so far.
    #[inline(always)]
    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    /// Applies a change to the list and shows it to everybody.
    fn change<T>(&self, change: impl FnOnce(&mut Vec<Allocation>) -> T) -> T {
        let _one = self.change.lock().unwrap_or_else(PoisonError::into_inner);
        let mut list: Vec<_> = self.snapshot().iter().cloned().collect();
        let result = change(&mut list);
        list.sort_by_key(|a| a.address);
        let mut reach = 0;
        let entries = list.into_iter().map(|allocation| {
            reach = allocation.end().max(reach);
            Entry { allocation, reach }
        });
        let snapshot = Snapshot {
            entries: entries.collect(),
            generation: self.generation() + 1,
        };
        let mut shown = self
            .snapshot
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        self.generation
            .store(snapshot.generation, Ordering::Release);
        *shown = snapshot;
        result
    }
}
