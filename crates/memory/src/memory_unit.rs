//! The memory unit of one worker: its view of the registry, LDS, scratch and bounds caches.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::sync::Arc;

use wavetank_gcn::Generation;
use wavetank_ir::MemKind;

use crate::access_log::Log;
use crate::alignment::Alignment;
use crate::bounds_cache::{Bounds, BoundsCache, Span};
use crate::bounds_caches::BoundsCaches;
use crate::fault::{Denied, MemoryFault, MemoryFaultReason};
use crate::on_chip::gds::Gds;
use crate::on_chip::lds::Lds;
use crate::on_chip::scratch::Scratch;
use crate::overrun::{LdsOverrun, Overruns, ReadOn};
use crate::reach::Offsets;
use crate::registry::{Allocation, EpochGuard, Map, Registry};
use crate::shadow::{ProbeHit, Seen, Undefined};
use crate::surface::Surfaces;
use crate::tallies::Tallies;
use wavetank_gcn::numbers::PRIVATE_BASE;

/// The memory unit of one worker: the registry of allocations, and the LDS and scratch of the running wave.
///
/// Every access is checked. A unit caches the allocation that each memory instruction used last, and checks before each access
/// that it still exists.
pub struct MemoryUnit<'m> {
    registry: &'m Registry,
    /// The epoch guard, pinned while waves run.
    guard: EpochGuard<'m>,
    /// The allocations at the last update; those freed since are marked.
    map: Map,
    /// The registry's generation at the last update.
    generation_seen: u64,
    /// Given back to the registry in the end.
    bounds_caches: ManuallyDrop<Box<BoundsCaches>>,
    pub(crate) lds: Lds,
    pub(crate) overruns: Overruns,
    pub(crate) scratch: Scratch,
    pub(crate) alignment: Alignment,
    /// The lanes that were denied last for the same reason, after a check lane by lane.
    denied: u64,
    /// The address of the table of border colors.
    border_colors: Option<u64>,
    pub(crate) surfaces: Arc<Surfaces>,
    /// The accesses of instrumented programs.
    pub(crate) records: Log,
    /// Whether records have the conflicts of lanes in LDS ([`MemoryUnit::record_lds_conflicts`]).
    pub(crate) lds_conflicts: bool,
    /// The probe hits and undefined bits of programs with shadows.
    pub(crate) seen: Rc<RefCell<Seen>>,
    /// The counters of programs with tallies.
    tallies: Tallies,
}

impl<'m> MemoryUnit<'m> {
    /// Byte offset of the pointer to the bounds caches.
    pub const BOUNDS_CACHES: usize = std::mem::offset_of!(MemoryUnit<'static>, bounds_caches);

    /// Byte offset of the LDS.
    pub const LDS: usize = std::mem::offset_of!(MemoryUnit<'static>, lds);

    /// Byte offset of the scratch address of the running wave (64 bits).
    pub const SCRATCH_BASE: usize =
        std::mem::offset_of!(MemoryUnit<'static>, scratch) + Scratch::BASE;

    /// Byte offset of the size of a lane's scratch in bytes (32 bits).
    pub const SCRATCH_BYTES: usize =
        std::mem::offset_of!(MemoryUnit<'static>, scratch) + Scratch::BYTES;

    /// Byte offset of the pointer to a byte that is 0 while the scratch exists.
    pub const SCRATCH_GONE: usize =
        std::mem::offset_of!(MemoryUnit<'static>, scratch) + Scratch::GONE;

    /// Byte offset of the [`Alignment`] (8 bits).
    pub const ALIGNMENT: usize = std::mem::offset_of!(MemoryUnit<'static>, alignment);

    /// Byte offset of the address of the first row of tallies.
    pub const TALLIES: usize = std::mem::offset_of!(MemoryUnit<'static>, tallies) + Tallies::FIRST;

    /// Byte offset of the number of rows of tallies (32 bits).
    pub const TALLIED_SITES: usize =
        std::mem::offset_of!(MemoryUnit<'static>, tallies) + Tallies::SITES;

    /// Byte offset of the site that was tallied last (32 bits).
    pub const LAST_TALLIED: usize =
        std::mem::offset_of!(MemoryUnit<'static>, tallies) + Tallies::LAST;

    /// Byte offset of an instruction's bounds cache among all, by the slot of its [`Request`](crate::Request).
    pub const fn bounds_cache_at(slot: u32) -> usize {
        BoundsCaches::offset(slot)
    }

    /// Byte offset of an instruction's stride among all bounds caches, by the slot of its [`Request`](crate::Request).
    pub const fn stride_at(slot: u32) -> usize {
        BoundsCaches::stride(slot)
    }

    /// Returns a memory unit for the allocations of a device, without LDS or scratch.
    pub fn new(registry: &'m Registry) -> Self {
        MemoryUnit {
            registry,
            guard: registry.epoch_guard(),
            map: registry.map(),
            generation_seen: 0,
            bounds_caches: ManuallyDrop::new(registry.spare_caches.take()),
            lds: Lds::new(0),
            overruns: Overruns::default(),
            scratch: Scratch::default(),
            alignment: Alignment::of(Generation::Gfx9),
            denied: 0,
            border_colors: None,
            surfaces: Arc::default(),
            records: Log::default(),
            lds_conflicts: false,
            seen: Rc::default(),
            tallies: Tallies::default(),
        }
    }

    /// Returns the global data share of the device.
    pub(crate) fn gds(&self) -> &Gds {
        &self.registry.gds
    }

    /// Returns the allocations of the device.
    pub fn registry(&self) -> &'m Registry {
        self.registry
    }

    /// Sets the alignment mode of buffer accesses. The default is ROCm's mode on gfx9.
    pub fn set_alignment(&mut self, alignment: Alignment) {
        self.alignment = alignment;
    }

    /// Sets the address of the table of border colors that samplers refer to (`TA_BC_BASE_ADDR` of a chip). Without it, a sampler
    /// that uses the table stops the kernel.
    pub fn set_border_colors(&mut self, address: Option<u64>) {
        self.border_colors = address;
    }

    /// Counts an execution of a site with these active lanes, after those that were active before (`Op::Tally`).
    pub fn tally(&mut self, site: u32, lanes: u64, before: u64) {
        self.tallies.count(site, lanes, before);
    }

    /// Returns the site that was counted last since this was asked before, if there is one.
    #[inline]
    pub fn take_last_tallied(&mut self) -> Option<u32> {
        self.tallies.take_last()
    }

    /// Takes the counters of all sites, [`TALLY_ROW`](crate::TALLY_ROW) for each, and leaves zeros: executions by the number of
    /// active lanes, then executions that part the wave ([`TALLY_PARTS`](crate::TALLY_PARTS)).
    pub fn take_tallies(&mut self) -> Vec<u64> {
        self.tallies.take()
    }

    /// Returns the address of the table of border colors.
    #[inline]
    pub fn border_colors(&self) -> Option<u64> {
        self.border_colors
    }

    /// Sets the surfaces that waves access by number. The default is none.
    pub fn set_surfaces(&mut self, surfaces: Arc<Surfaces>) {
        self.surfaces = surfaces;
    }

    /// Sets the LDS of the work-group that runs next; returns that of the previous one. Nothing is copied.
    pub fn set_lds(&mut self, lds: Lds) -> Lds {
        std::mem::replace(&mut self.lds, lds)
    }

    /// Returns the LDS of the running work-group.
    pub fn lds(&mut self) -> &mut Lds {
        &mut self.lds
    }

    /// Records a probe hit: the lanes in which a value is not 0, and values of the first of them.
    #[inline]
    pub fn probe(&mut self, pc: u64, about: u8, lanes: u64, shown: Vec<u64>) {
        self.seen.borrow_mut().probe(pc, about, lanes, shown);
    }

    /// Returns the records of programs with shadows since the last call: probe hits, and undefined bits that were loaded and
    /// stored.
    #[inline]
    pub fn take_seen(&mut self) -> Option<(Vec<ProbeHit>, Vec<Undefined>)> {
        let mut seen = self.seen.borrow_mut();
        (!seen.is_empty()).then(|| seen.take())
    }

    /// Sets whether an access beyond the LDS, or a load past the end of an allocation, is a fault. The default is `false`, where
    /// the allocation permits it.
    pub fn set_strict(&mut self, strict: bool) {
        self.overruns.set_strict(strict);
    }

    /// Returns the accesses beyond the LDS since the last call.
    #[inline]
    pub fn take_lds_overrun(&mut self) -> Option<LdsOverrun> {
        self.overruns.take()
    }

    /// Returns the loads past the end of allocations since the last call, where these permit it ([`Registry::allocate_block`]).
    #[inline]
    pub fn take_read_on(&mut self) -> Option<Box<ReadOn>> {
        self.overruns.take_read_on()
    }

    /// Sets the scratch of the wave that runs next: dword `d` of lane `l` is at `wave_base + d * 256 + l * 4`. An offset of
    /// `bytes_per_lane` or more is a fault; so is every offset if the registry does not contain the memory.
    pub fn set_scratch(&mut self, wave_base: u64, bytes_per_lane: u32) {
        if !self.scratch.is(wave_base, bytes_per_lane) {
            self.catch_up();
            self.scratch = Scratch::new(wave_base, bytes_per_lane, &self.map);
        }
    }

    /// Pins an epoch for a wave: memory that it was allowed to access stays mapped until the next call, or
    /// [`leave`](Self::leave).
    #[inline]
    pub fn enter(&mut self) {
        self.guard.pin();
    }

    /// Unpins the epoch when no wave runs. A thread must call it before it waits for memory to be out of use.
    #[inline]
    pub fn leave(&mut self) {
        self.guard.unpin();
    }

    /// Updates the view of the allocations if they have changed.
    fn catch_up(&mut self) {
        let generation = self.registry.generation();
        if generation != self.generation_seen {
            self.map = self.registry.map();
            self.generation_seen = generation;
        }
    }

    /// Returns whether one allocation contains every byte from the smallest address to the end of the largest.
    #[inline(always)]
    pub fn holds(&mut self, slot: u32, span: Span) -> bool {
        self.bounds_caches.instruction(slot).holds(span) || self.look_up(slot, span)
    }

    /// Returns the offsets from `base` at which lanes may access `bytes` bytes of the cached allocation of an instruction, if
    /// any.
    #[inline(always)]
    pub(crate) fn reach(&self, slot: u32, base: u64, bytes: u32, stores: bool) -> Option<Offsets> {
        self.bounds_caches
            .instruction(slot)
            .reach(base, bytes, stores)
    }

    /// Returns the bounds cache of an instruction, by the slot of its [`Request`](crate::Request). The cache stays at its address
    /// as long as the unit exists.
    pub fn bounds_cache(&self, slot: u32) -> &BoundsCache {
        self.bounds_caches.instruction(slot)
    }

    /// Finds whether one allocation contains every byte from the smallest address to the end of the largest. If so, the bounds
    /// cache of the slot is set to it.
    #[cold]
    #[inline(never)]
    pub fn look_up(&mut self, slot: u32, span: Span) -> bool {
        self.catch_up();
        let end = span.first.saturating_add(span.bytes.into());
        let Some(entry) = self.map.find(span.first, end) else {
            return false;
        };
        let found = BoundsCache::of(entry);
        let holds = found.holds(span);
        *self.bounds_caches.instruction_mut(slot) = found;
        holds
    }

    /// Checks one access. `last` are the bounds of the access before. Returns whether it is a load past the end of an allocation,
    /// where it reads zeros.
    #[inline]
    fn check_one(&mut self, last: &mut Bounds, span: Span) -> Result<bool, MemoryFaultReason> {
        if last.holds(span) {
            return Ok(false);
        }
        let page = self.bounds_caches.page_mut(span.first);
        if !page.holds(span) {
            let end = span.first.saturating_add(span.bytes.into());
            let Some(entry) = self.map.find(span.first, end) else {
                let may = !span.stores && !self.overruns.is_strict();
                return if may && self.map.find_before(span.first, end).is_some() {
                    Ok(true)
                } else {
                    Err(MemoryFaultReason::Unmapped)
                };
            };
            *page = BoundsCache::of(entry);
        }
        *last = page.bounds();
        if last.holds(span) {
            Ok(false)
        } else {
            Err(MemoryFaultReason::ReadOnly)
        }
    }

    /// Checks lane by lane, for lanes that use several allocations or include a failing one. Loads past the end of an allocation
    /// are recorded.
    ///
    /// # Errors
    /// The first lane that fails.
    #[cold]
    #[inline(never)]
    pub fn check_lanes(
        &mut self,
        pc: u64,
        mask: u64,
        bytes: u32,
        stores: bool,
        address: impl Fn(usize) -> u64,
    ) -> Result<(), Denied> {
        self.catch_up();
        let mut last = Bounds::default();
        let mut check = |lane: usize| {
            let address = address(lane);
            let span = Span {
                first: address,
                last: address,
                bytes,
                stores,
            };
            self.check_one(&mut last, span)
        };
        let mut lanes = (0..64).filter(|l| mask >> l & 1 != 0);
        let mut read_on = 0u64;
        let mut fails = |lane: usize| match check(lane) {
            Ok(reads_on) => {
                read_on |= u64::from(reads_on) << lane;
                None
            }
            Err(reason) => Some((lane, reason)),
        };
        let Some((lane, reason)) = lanes.find_map(&mut fails) else {
            if read_on != 0 {
                let lane = read_on.trailing_zeros() as usize;
                let count = read_on.count_ones().into();
                self.reads_on(pc, Some(lane as u8), (address(lane), bytes), count);
            }
            return Ok(());
        };
        let others = lanes.filter(|other| check(*other) == Err(reason));
        self.denied = others.fold(1 << lane, |all, other| all | 1 << other);
        Err(Denied {
            lane: Some(lane as u8),
            address: address(lane),
            bytes,
            reason,
        })
    }

    /// Checks the scalar access of a wave.
    #[inline]
    pub(crate) fn check_scalar(&mut self, pc: u64, slot: u32, span: Span) -> Result<(), Denied> {
        if self.holds(slot, span) {
            return Ok(());
        }
        match self.check_one(&mut Bounds::default(), span) {
            Ok(false) => Ok(()),
            Ok(true) => {
                self.reads_on(pc, None, (span.first, span.bytes), 1);
                Ok(())
            }
            Err(reason) => Err(Denied {
                lane: None,
                address: span.first,
                bytes: span.bytes,
                reason,
            }),
        }
    }

    /// Records loads past the end of an allocation.
    #[cold]
    fn reads_on(&mut self, pc: u64, lane: Option<u8>, (address, bytes): (u64, u32), count: u64) {
        let end = address.saturating_add(bytes.into());
        if let Some(entry) = self.map.find_before(address, end) {
            self.overruns.note_read_on(ReadOn {
                pc,
                lane,
                address,
                bytes,
                allocation: entry.allocation.clone(),
                count,
            });
        }
    }

    /// Returns the report of a denied access.
    #[cold]
    pub fn fault(&self, pc: u64, kind: MemKind, denied: Denied) -> MemoryFault {
        let freed = match denied.reason {
            MemoryFaultReason::Unmapped => self.registry.freed(denied.address),
            _ => None,
        };
        let named = |a: &Allocation| (a.name.to_string(), a.address, a.bytes);
        let nearest = match denied.reason {
            MemoryFaultReason::OutsideScratch => {
                let size = self.scratch.bytes_per_lane().into();
                Some(("scratch of the lane".to_owned(), PRIVATE_BASE, size))
            }
            MemoryFaultReason::StackOverflow { .. }
            | MemoryFaultReason::OutsideLds { .. }
            | MemoryFaultReason::Surface(_) => None,
            _ => freed
                .as_ref()
                .or(self.map.nearest(denied.address))
                .map(named),
        };
        let lane = denied.lane.map_or(0, |lane| 1 << lane);
        let known = matches!(
            denied.reason,
            MemoryFaultReason::Unmapped | MemoryFaultReason::ReadOnly
        );
        MemoryFault {
            pc,
            kind,
            lane: denied.lane,
            lanes: if known && self.denied & lane != 0 {
                self.denied
            } else {
                lane
            },
            address: denied.address,
            bytes: denied.bytes,
            reason: match freed {
                Some(_) => MemoryFaultReason::Freed,
                None => denied.reason,
            },
            nearest,
            calls: Box::default(),
        }
    }
}

impl Drop for MemoryUnit<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing uses the caches after this.
        let caches = unsafe { ManuallyDrop::take(&mut self.bounds_caches) };
        self.registry.spare_caches.put(caches);
    }
}
