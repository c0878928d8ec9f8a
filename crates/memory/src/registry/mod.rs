//! The registry: all allocations of a device, by guest address.
//!
//! [`map`] finds the allocation at an address, [`arena`] provides the memory of allocations that the registry owns, and [`file`]
//! shares it with other processes. [`restore`] makes allocations at given addresses. [`epoch`] determines when accesses to freed memory can no longer be running; [`freed`] keeps
//! the descriptions of freed allocations.

pub(crate) mod allocation;
mod arena;
mod epoch;
mod file;
mod freed;
mod host_mapping;
pub(crate) mod map;
mod restore;

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use crate::bounds_caches::SpareCaches;
use crate::global;
use crate::on_chip::gds::Gds;
use crate::shadow;
use arena::{Arena, Room};
use epoch::Epochs;
use freed::Freed;
use host_mapping::PAGE;
use wavetank_gcn::numbers::GDS_BYTES;

pub use allocation::{Allocation, Rights};
pub(crate) use epoch::EpochGuard;
pub(crate) use map::{Entry, Map};
pub use restore::Placed;

/// A part of memory that is allocated as a whole but used in parts, like the segments of a code object. Each part is an
/// allocation; the gaps between them are not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part<'a> {
    /// The name in reports.
    pub name: &'a str,
    /// Bytes from the start of the memory.
    pub offset: u64,
    /// The length in bytes.
    pub bytes: u64,
    /// The guest's access rights.
    pub rights: Rights,
}

/// A handle of host memory that [`Registry::register`] has made accessible.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Registration(u64);

/// Memory of a device that stays mapped while this value lives, even if it is freed meanwhile: for copies by the host.
#[derive(Debug)]
pub struct Hold<'r> {
    _guard: EpochGuard<'r>,
    entry: Arc<Entry>,
}

impl Hold<'_> {
    /// Returns the allocation that contains the range.
    pub fn allocation(&self) -> &Allocation {
        &self.entry.allocation
    }
}

/// The reason why memory was not allocated, registered, freed or copied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// The host has no memory of that size and alignment.
    #[error("the host cannot map {bytes} bytes for {name:?} (aligned to {align}): {why}")]
    NoMemory {
        /// The name of the allocation.
        name: String,
        /// The length in bytes.
        bytes: u64,
        /// The alignment in bytes.
        align: u64,
        /// The error of the host.
        why: String,
    },
    /// Addresses that the process does not have for memory of the device.
    #[error("{bytes} bytes at {address:#x} cannot be mapped: {why}")]
    Taken {
        /// The first address.
        address: u64,
        /// The length in bytes.
        bytes: u64,
        /// The reason of the failure.
        why: String,
    },
    /// A range that wraps around the address space, or is empty.
    #[error("{name:?} at {address:#x} with {bytes} bytes is not a range of addresses")]
    NoRange {
        /// The name of the allocation.
        name: String,
        /// The address at which the range starts.
        address: u64,
        /// The length in bytes.
        bytes: u64,
    },
    /// No allocation starts at this address.
    #[error("no allocation starts at {address:#x}; it was freed already, or never allocated")]
    Unknown {
        /// The address at which no allocation starts.
        address: u64,
    },
    /// Memory that could not be mapped to a file, or unmapped from it.
    #[error("the memory at {address:#x} cannot be shared: {why}")]
    NotShared {
        /// The address of the memory.
        address: u64,
        /// The reason of the failure.
        why: String,
    },
    /// The host cannot map shadows.
    #[error("the host has no memory for what says which bits are undefined: {why}")]
    NoShadow {
        /// The error of the host.
        why: String,
    },
    /// A registration that has ended already.
    #[error("this host memory was taken away already")]
    Unregistered,
    /// An access of the host outside every allocation.
    #[error("{bytes} bytes at {address:#x} are in no allocation of the device")]
    Outside {
        /// The address of the access.
        address: u64,
        /// The length of the access.
        bytes: u64,
    },
}

/// The longest time of one attempt to pause all accesses, and the number of attempts. A copy that waits for a second epoch guard
/// while it holds one gets it between attempts.
const PATIENCE: Duration = Duration::from_millis(20);
const PAUSES: u32 = 500;

/// The allocations of a device, shared by its workers and its host.
///
/// A [`MemoryUnit`](super::MemoryUnit) caches the allocations that it has found, and checks at every access that they still
/// exist. So the first access after [`Registry::free`] fails, while cached bounds of other allocations stay valid.
///
/// ```
/// use wavetank_memory::{Registry, Rights};
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
/// # Ok::<(), wavetank_memory::RegistryError>(())
/// ```
#[derive(Debug, Default)]
pub struct Registry {
    /// The number of changes of the map.
    generation: AtomicU64,
    map: RwLock<Map>,
    epochs: Epochs,
    owned: Mutex<Owned>,
    registered: Mutex<Registered>,
    /// Whether there are [shadows](crate::shadow).
    has_shadows: AtomicBool,
    freed: Mutex<Freed>,
    /// The global data share, which is in no address space.
    pub(super) gds: Gds,
    /// The bounds caches for the next memory units.
    pub(super) spare_caches: SpareCaches,
}

/// The memory that the registry owns.
#[derive(Debug, Default)]
struct Owned {
    arena: Arena,
    /// The blocks by the address of their room.
    blocks: BTreeMap<u64, Block>,
}

/// A piece of memory, and the allocations in it.
#[derive(Debug)]
struct Block {
    room: Room,
    parts: Vec<Arc<Entry>>,
}

/// Host memory that has been registered.
#[derive(Debug, Default)]
struct Registered {
    next: u64,
    entries: HashMap<Registration, Arc<Entry>>,
}

impl Registry {
    /// Returns a registry without allocations.
    pub fn new() -> Self {
        Registry::default()
    }

    /// Maps zeroed memory of `bytes` bytes (at least one) at a multiple of `align` (rounded up to a power of two) and of the page
    /// size. No other allocation lies within a page after it. Pages are committed when they are accessed.
    ///
    /// # Errors
    /// If the host has no memory.
    pub fn allocate(
        &self,
        name: &str,
        bytes: u64,
        align: u64,
    ) -> Result<Allocation, RegistryError> {
        let part = Part {
            name,
            offset: 0,
            bytes: bytes.max(1),
            rights: Rights::ReadWrite,
        };
        let address = self.allocate_parts(name, part.bytes, align, &[part])?;
        Ok(allocation(part, address))
    }

    /// Maps memory as [`allocate`](Self::allocate) does, in blocks of 2 MiB of its own, as the driver of a chip does. Loads of
    /// the guest past the end of the allocation, up to the end of the last block, read 0 and are recorded
    /// ([`MemoryUnit::take_read_on`](crate::MemoryUnit::take_read_on)). Stores and atomics there are refused. On a host without
    /// enough address space, such loads are refused too.
    ///
    /// # Errors
    /// If the host has no memory.
    pub fn allocate_block(
        &self,
        name: &str,
        bytes: u64,
        align: u64,
    ) -> Result<Allocation, RegistryError> {
        let part = Part {
            name,
            offset: 0,
            bytes: bytes.max(1),
            rights: Rights::ReadWrite,
        };
        let take = |arena: &mut Arena, align| {
            let has_come = |epoch| self.epochs.has_come(epoch);
            let block = arena.take_block(part.bytes, align, has_come);
            block
                .map(|room| (room, room.guard()))
                .or_else(|_| Ok((arena.take(part.bytes, align, has_come)?, 0)))
        };
        let address = self.place(name, part.bytes, align, &[part], take)?;
        Ok(allocation(part, address))
    }

    /// Maps zeroed memory as [`allocate`](Self::allocate) does, of which the guest can access only the given parts. Returns the
    /// address of the whole; [`free`](Self::free) frees it with all its parts.
    ///
    /// # Errors
    /// If the host has no memory, or a part is empty or ends past the whole.
    pub fn allocate_parts(
        &self,
        name: &str,
        bytes: u64,
        align: u64,
        parts: &[Part<'_>],
    ) -> Result<u64, RegistryError> {
        for part in parts {
            let end = part.offset.checked_add(part.bytes);
            if part.bytes == 0 || end.is_none_or(|end| end > bytes) {
                return Err(RegistryError::NoRange {
                    name: part.name.into(),
                    address: part.offset,
                    bytes: part.bytes,
                });
            }
        }
        let take = |arena: &mut Arena, align| {
            let room = arena.take(bytes, align, |epoch| self.epochs.has_come(epoch));
            room.map(|room| (room, 0))
        };
        self.place(name, bytes, align, parts, take)
    }

    /// Adds allocations that are parts of a piece of the arena. `load_end` is the address up to which loads may read past the
    /// end, or 0.
    fn place(
        &self,
        name: &str,
        bytes: u64,
        align: u64,
        parts: &[Part<'_>],
        take: impl FnOnce(&mut Arena, u64) -> Result<(Room, u64), String>,
    ) -> Result<u64, RegistryError> {
        let no_memory = |why: String| RegistryError::NoMemory {
            name: name.into(),
            bytes,
            align,
            why,
        };
        let align = align.max(PAGE).checked_next_power_of_two();
        let align = align.ok_or_else(|| no_memory("the alignment is too large".into()))?;
        let mut owned = lock(&self.owned);
        let (room, load_end) = take(&mut owned.arena, align).map_err(no_memory)?;
        let entry = |part: &Part<'_>| Entry::reading_on(allocation(*part, room.start), load_end);
        let parts: Vec<_> = parts.iter().map(entry).collect();
        let end = load_end.max(room.start + room.usable());
        if let Err(why) = self.shadow(room.start..end) {
            owned.arena.give(room, self.epochs.begin());
            return Err(no_memory(why));
        }
        lock(&self.freed).forget(room.start, end);
        self.change(|map| parts.iter().for_each(|part| map.insert(part)));
        owned.blocks.insert(room.start, Block { room, parts });
        Ok(room.start)
    }

    /// Makes host memory accessible to the guest, at its host address. Ranges may overlap others.
    ///
    /// # Safety
    /// The memory stays mapped, and writable unless `rights` says otherwise, until [`unregister`](Self::unregister) has returned.
    /// The guest accesses it at any time, as relaxed atomics do.
    ///
    /// # Errors
    /// If the range is empty or wraps around.
    pub unsafe fn register(
        &self,
        name: &str,
        memory: *mut u8,
        bytes: u64,
        rights: Rights,
    ) -> Result<Registration, RegistryError> {
        let address = memory.expose_provenance() as u64;
        if bytes == 0 || address == 0 || address.checked_add(bytes).is_none() {
            let name = name.into();
            return Err(RegistryError::NoRange {
                name,
                address,
                bytes,
            });
        }
        self.shadow(address..address + bytes)
            .map_err(|why| RegistryError::NoShadow { why })?;
        let entry = Entry::new(Allocation {
            name: name.into(),
            address,
            bytes,
            rights,
        });
        let mut registered = lock(&self.registered);
        registered.next += 1;
        let registration = Registration(registered.next);
        registered.entries.insert(registration, entry.clone());
        self.change(|map| map.insert(&entry));
        Ok(registration)
    }

    /// Ends a registration of host memory. When this returns, no access by this registration is running: time slices and copies
    /// that were running have ended.
    ///
    /// # Errors
    /// If it was taken away already.
    pub fn unregister(&self, registration: Registration) -> Result<Allocation, RegistryError> {
        let entry = lock(&self.registered).entries.remove(&registration);
        let entry = entry.ok_or(RegistryError::Unregistered)?;
        let epoch = self.take_away(std::slice::from_ref(&entry));
        self.epochs.wait(epoch);
        Ok(entry.allocation.clone())
    }

    /// Frees the memory that [`allocate`](Self::allocate) or [`allocate_parts`](Self::allocate_parts) returned at this address.
    /// The memory is returned to the host, and its addresses are not reused for long. Until then, [`freed`](Self::freed)
    /// describes the former allocation.
    ///
    /// # Errors
    /// If nothing that was allocated starts there.
    pub fn free(&self, address: u64) -> Result<(), RegistryError> {
        self.give_back(address, true)
    }

    /// Frees as [`free`](Self::free) does, without keeping a description: for memory whose address no program was given, so that
    /// no stale pointer to it exists.
    ///
    /// # Errors
    /// If nothing that was allocated starts there.
    pub fn forget(&self, address: u64) -> Result<(), RegistryError> {
        self.give_back(address, false)
    }

    fn give_back(&self, address: u64, remember: bool) -> Result<(), RegistryError> {
        let mut owned = lock(&self.owned);
        let block = owned.blocks.remove(&address);
        let block = block.ok_or(RegistryError::Unknown { address })?;
        if remember {
            // Added before the allocation is marked as gone, so that a refused access finds the description.
            let mut freed = lock(&self.freed);
            let parts = block.parts.iter();
            parts.for_each(|part| freed.add(&part.allocation));
        }
        let epoch = self.take_away(&block.parts);
        owned.arena.give(block.room, epoch);
        Ok(())
    }

    /// Maps memory to an empty file and writes its contents to it. Another process that maps the file shares the memory with the
    /// guest, until [`free`](Self::free). The address stays.
    ///
    /// Waves and copies pause during the call, so that none of their stores is lost. Stores of the host itself may be lost.
    ///
    /// # Errors
    /// If nothing that was allocated starts there, or the host cannot write or map the file.
    pub fn share(&self, address: u64, file: &File) -> Result<(), RegistryError> {
        self.lay(address, |arena, room| {
            // SAFETY: the room's pages are mapped.
            unsafe { file::write_out(room.start, room.usable(), file) }?;
            arena.lay(room, file)
        })
    }

    /// Maps memory to a file of the same number of whole pages, whose contents replace its own.
    ///
    /// # Errors
    /// As for [`share`](Self::share).
    pub fn join(&self, address: u64, file: &File) -> Result<(), RegistryError> {
        self.lay(address, |arena, room| arena.lay(room, file))
    }

    /// Unmaps memory from its file, which is unchanged: the memory reads zeros, and belongs to the registry only.
    ///
    /// # Errors
    /// If nothing that was allocated starts there, or the host cannot map memory.
    pub fn leave(&self, address: u64) -> Result<(), RegistryError> {
        self.lay(address, Arena::lift)
    }

    /// Changes the pages of a block while no access is running.
    fn lay(
        &self,
        address: u64,
        change: impl Fn(&mut Arena, Room) -> std::io::Result<()>,
    ) -> Result<(), RegistryError> {
        let not_shared = |why: String| RegistryError::NotShared { address, why };
        for _ in 0..PAUSES {
            {
                let mut owned = lock(&self.owned);
                let owned = &mut *owned;
                let block = owned.blocks.get(&address);
                let room = block.ok_or(RegistryError::Unknown { address })?.room;
                let arena = &mut owned.arena;
                if let Some(done) = self.epochs.pause(PATIENCE, || change(arena, room)) {
                    return done.map_err(|error| not_shared(error.to_string()));
                }
            }
            self.epochs.let_through();
        }
        Err(not_shared("copies that do not end are using it".into()))
    }

    /// Changes the guest's rights to an allocation of one part.
    ///
    /// # Errors
    /// If nothing that was allocated starts there.
    pub fn protect(&self, address: u64, rights: Rights) -> Result<(), RegistryError> {
        let mut owned = lock(&self.owned);
        let block = owned.blocks.get_mut(&address);
        let block = block.ok_or(RegistryError::Unknown { address })?;
        self.take_away(&block.parts);
        for part in &mut block.parts {
            let allocation = Allocation {
                rights,
                ..part.allocation.clone()
            };
            *part = Entry::reading_on(allocation, part.load_end);
        }
        self.change(|map| block.parts.iter().for_each(|part| map.insert(part)));
        Ok(())
    }

    /// Returns the allocation that contains an address.
    pub fn find(&self, address: u64) -> Option<Allocation> {
        let map = self.map();
        let entry = map.find(address, address.checked_add(1)?)?;
        Some(entry.allocation.clone())
    }

    /// Returns the allocation at an address that was [freed](Self::free): one of the latest few thousand, if its address has not
    /// been allocated again.
    pub fn freed(&self, address: u64) -> Option<Allocation> {
        lock(&self.freed).at(address).cloned()
    }

    /// Returns whether an address is the registry's own, allocated, freed or unused.
    pub fn owns(&self, address: u64) -> bool {
        lock(&self.owned).arena.holds(address)
    }

    /// Keeps the memory of a range mapped, whatever the guest's rights.
    ///
    /// A thread that holds memory must not [`unregister`](Self::unregister) any: it would wait for itself.
    ///
    /// # Errors
    /// If one allocation does not hold all of it.
    pub fn hold(&self, address: u64, bytes: u64) -> Result<Hold<'_>, RegistryError> {
        self.hold_from(address, bytes, |guard| guard.pin())
    }

    /// Holds memory as [`hold`](Self::hold) does, for reading only. The call does not wait for the end of a pause, so a thread
    /// that has a pinned epoch guard may make it: a pause waits for that guard.
    fn hold_to_read(&self, address: u64, bytes: u64) -> Result<Hold<'_>, RegistryError> {
        self.hold_from(address, bytes, |guard| guard.pin_to_read())
    }

    fn hold_from(
        &self,
        address: u64,
        bytes: u64,
        enter: impl Fn(&EpochGuard<'_>),
    ) -> Result<Hold<'_>, RegistryError> {
        let guard = self.epochs.guard();
        // Pinned before the lookup: an allocation that is found afterwards stays mapped.
        enter(&guard);
        let map = self.map();
        let entry = address
            .checked_add(bytes)
            .and_then(|end| map.find(address, end).cloned())
            .ok_or(RegistryError::Outside { address, bytes })?;
        Ok(Hold {
            _guard: guard,
            entry,
        })
    }

    /// Copies guest memory to the host. A wave may call it within a time slice, to read the code that follows.
    ///
    /// # Errors
    /// If one allocation does not hold all of it.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), RegistryError> {
        let _held = self.hold_to_read(address, to.len() as u64)?;
        // SAFETY: the memory is held.
        unsafe { global::copy_out(address, to) };
        Ok(())
    }

    /// Copies host memory to the guest, whatever the guest's own rights.
    ///
    /// # Errors
    /// If one allocation does not hold all of it.
    pub fn write(&self, address: u64, from: &[u8]) -> Result<(), RegistryError> {
        let _held = self.hold(address, from.len() as u64)?;
        if self.has_shadows.load(Ordering::SeqCst) {
            shadow::clear(address..address + from.len() as u64);
        }
        // SAFETY: the memory is held.
        unsafe { global::copy_in(address, from) };
        Ok(())
    }

    /// Fills guest memory with zeros, whatever the guest's own rights.
    ///
    /// # Errors
    /// If one allocation does not hold all of it.
    ///
    /// # Panics
    /// If the address or the length is not a multiple of 8.
    pub fn zero(&self, address: u64, bytes: u64) -> Result<(), RegistryError> {
        assert!(address.is_multiple_of(8) && bytes.is_multiple_of(8));
        let _held = self.hold(address, bytes)?;
        if self.has_shadows.load(Ordering::SeqCst) {
            shadow::clear(address..address + bytes);
        }
        // SAFETY: the memory is held.
        unsafe { global::zero(address, bytes) };
        Ok(())
    }

    /// Keeps shadows of all memory from now on, for programs with shadows. At first all bits are defined.
    ///
    /// # Errors
    /// If the host has no memory for them.
    pub fn keep_shadows(&self) -> Result<(), RegistryError> {
        if self.has_shadows.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        let gds = self.gds.base();
        let all = self
            .map()
            .ranges()
            .chain(std::iter::once(gds..gds + GDS_BYTES))
            .collect::<Vec<_>>();
        for bytes in all {
            if let Err(why) = shadow::cover(bytes.clone()) {
                self.has_shadows.store(false, Ordering::SeqCst);
                return Err(RegistryError::NoShadow { why });
            }
            // Another device may have left marks there, for memory that was not initialized or for the LDS of a work-group.
            shadow::clear(bytes);
        }
        Ok(())
    }

    /// Gives memory shadows, if the registry has them, and marks it as defined.
    fn shadow(&self, bytes: Range<u64>) -> Result<(), String> {
        if self.has_shadows.load(Ordering::SeqCst) {
            shadow::cover(bytes.clone())?;
            shadow::clear(bytes);
        }
        Ok(())
    }

    /// Marks bytes as undefined or defined.
    ///
    /// # Errors
    /// If one allocation does not hold all of them.
    pub fn set_undefined(
        &self,
        address: u64,
        bytes: u64,
        undefined: bool,
    ) -> Result<(), RegistryError> {
        let held = self.hold(address, bytes)?;
        let range = address..address + bytes;
        match (self.has_shadows.load(Ordering::SeqCst), undefined) {
            (false, _) => {}
            (true, true) => shadow::mark(range),
            (true, false) => shadow::clear(range),
        }
        drop(held);
        Ok(())
    }

    /// Copies the shadows of bytes to others.
    ///
    /// # Errors
    /// If allocations do not hold all of them.
    pub fn copy_undefined(&self, from: u64, to: u64, bytes: u64) -> Result<(), RegistryError> {
        let held = [self.hold(from, bytes)?, self.hold(to, bytes)?];
        if self.has_shadows.load(Ordering::SeqCst) {
            shadow::copy(from, to, bytes);
        }
        drop(held);
        Ok(())
    }

    /// Returns the first undefined bytes of a range, if there are any.
    ///
    /// # Errors
    /// If one allocation does not hold all of them.
    pub fn first_undefined(
        &self,
        address: u64,
        bytes: u64,
    ) -> Result<Option<Range<u64>>, RegistryError> {
        let _held = self.hold(address, bytes)?;
        if self.has_shadows.load(Ordering::SeqCst) {
            Ok(shadow::first(address..address + bytes))
        } else {
            Ok(None)
        }
    }

    /// Copies the global data share to the host; it is zero until it is written.
    pub fn read_gds(&self) -> Vec<u8> {
        self.gds.read()
    }

    /// Copies host memory to the global data share, from an offset on.
    ///
    /// # Errors
    /// If it ends past the share.
    pub fn write_gds(&self, offset: u64, from: &[u8]) -> Result<(), RegistryError> {
        if self.gds.write(offset, from) {
            Ok(())
        } else {
            Err(RegistryError::Outside {
                address: offset,
                bytes: from.len() as u64,
            })
        }
    }

    /// Returns whether pieces of an allocation, each given by its address, have these contents.
    ///
    /// # Errors
    /// If one allocation does not hold all of it.
    ///
    /// # Panics
    /// If a piece lies elsewhere.
    pub fn equals<'p>(
        &self,
        address: u64,
        bytes: u64,
        mut pieces: impl Iterator<Item = (u64, &'p [u8])>,
    ) -> Result<bool, RegistryError> {
        let _held = self.hold_to_read(address, bytes)?;
        let same = |(at, contents): (u64, &[u8])| {
            let end = at.checked_sub(address).map(|at| at + contents.len() as u64);
            assert!(end.is_some_and(|end| end <= bytes), "a piece lies outside");
            // SAFETY: the memory is held.
            unsafe { global::equals(at, contents) }
        };
        Ok(pieces.all(same))
    }

    /// Returns an epoch guard for a user of the map.
    pub(super) fn epoch_guard(&self) -> EpochGuard<'_> {
        self.epochs.guard()
    }

    /// Returns the present version of the map.
    pub(super) fn map(&self) -> Map {
        let map = self.map.read();
        map.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the number of changes so far.
    #[inline(always)]
    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Marks allocations as gone. Returns the epoch after which no access to them is running.
    fn take_away(&self, entries: &[Arc<Entry>]) -> u64 {
        entries.iter().for_each(|entry| entry.take_away());
        self.change(|map| entries.iter().for_each(|entry| map.remove(entry)));
        self.epochs.begin()
    }

    fn change(&self, change: impl FnOnce(&mut Map)) {
        let mut map = self.map.write().unwrap_or_else(PoisonError::into_inner);
        change(&mut map);
        self.generation.fetch_add(1, Ordering::Release);
    }
}

fn allocation(part: Part<'_>, start: u64) -> Allocation {
    Allocation {
        name: part.name.into(),
        address: start + part.offset,
        bytes: part.bytes,
        rights: part.rights,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
