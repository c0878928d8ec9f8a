//! Scratch: the private memory of lanes (Vega ISA, 9.4 "Scratch").
//!
//! It is swizzled by dwords: dword `d` of lane `l` is at `d * 256 + l * 4` from the base of the wave. A buffer descriptor with
//! ADD_TID, an index stride of 64 and elements of 4 bytes has the same layout.

use std::mem::MaybeUninit;

use crate::access::{Context, Request};
use crate::alignment::Alignment;
use crate::bounds_cache::Span;
use crate::fault::Denied;
use crate::fault::MemoryFaultReason;
use crate::global::at;
use crate::lane_moves::{LaneMoves, copy};
use crate::lanes::{Lanes, bounds, each, over};
use crate::on_chip::scratch::Scratch;
use crate::operands::lanes32;
use crate::operation::Operation;
use crate::places::{self, PRIVATE_STEP as STEP, Places};
use crate::space::Space;

/// The space of scratch offsets, one a lane.
pub struct Private;

impl Space for Private {
    #[inline(always)]
    unsafe fn access<O: Operation>(
        ctx: &mut Context<'_, '_>,
        step: &Request,
        mask: u64,
        op: O,
    ) -> Result<(), Denied> {
        let mut room = MaybeUninit::uninit();
        // SAFETY: the wave is live.
        unsafe {
            let lanes = lanes32(ctx, step.sources[0], &mut room);
            if !O::ATOMIC
                && let Some(offset) = O::Moves::common(lanes, mask)
            {
                let offset = offset.wrapping_add(step.op.offset as u32);
                let bytes = op.bytes();
                let inside = ctx.memory.scratch.lane_holds(offset, bytes);
                if inside && offset % 4 + bytes.min(4) <= 4 {
                    let first = place(ctx.memory.scratch.base, 0, offset);
                    op.run(&places::Private::row(first), mask);
                    return Ok(());
                }
            }
            let offsets = Offsets::new(&lanes.cast::<Lanes>().read(), step.op.offset as u64);
            offsets.check(ctx, mask, op)?;
            offsets.run(ctx, mask, op);
        }
        Ok(())
    }
}

/// The offsets of the lanes within their scratch.
pub(crate) struct Offsets(Lanes);

impl Offsets {
    /// Returns the low halves of private addresses plus an offset, wrapping.
    #[inline(always)]
    pub(crate) fn new(lanes: &Lanes, offset: u64) -> Self {
        Offsets(over(lanes, |l| l.wrapping_add(offset as u32)))
    }

    /// Checks that every lane stays within its scratch.
    #[inline(always)]
    pub(crate) fn check<O: Operation>(
        &self,
        ctx: &Context<'_, '_>,
        mask: u64,
        op: O,
    ) -> Result<(), Denied> {
        let scratch = &ctx.memory.scratch;
        let inside = scratch.lane(op.bytes()).is_some_and(|lane| {
            // SAFETY: the pointer is to the 64 offsets.
            unsafe { O::Moves::within(self.0.as_ptr(), mask, lane) }
        });
        if inside && !O::ATOMIC {
            return Ok(());
        }
        self.check_each(scratch, mask, op)
    }

    #[cold]
    #[inline(never)]
    fn check_each<O: Operation>(&self, scratch: &Scratch, mask: u64, op: O) -> Result<(), Denied> {
        let bytes = op.bytes();
        let mut denied = None;
        each(mask, |lane| {
            let offset = self.0[lane & 63];
            let outside = !scratch.lane_holds(offset, bytes);
            let crooked = O::ATOMIC && !offset.is_multiple_of(bytes);
            if (outside || crooked) && denied.is_none() {
                denied = Some((lane, offset, outside));
            }
        });
        denied.map_or(Ok(()), |(lane, offset, outside)| {
            let denied = scratch.outside(lane, offset, bytes);
            Err(if outside {
                denied
            } else {
                Denied {
                    reason: MemoryFaultReason::Misaligned { align: bytes },
                    ..denied
                }
            })
        })
    }

    /// Runs an operation whose offsets have been checked.
    ///
    /// # Safety
    /// The offsets have been checked, and the wave is alive.
    #[inline(always)]
    pub(crate) unsafe fn run<O: Operation>(&self, ctx: &mut Context<'_, '_>, mask: u64, op: O) {
        let base = ctx.memory.scratch.base;
        // SAFETY: the wave is live.
        unsafe {
            match places::<O>(&self.0, mask, op) {
                Some(offset) => op.run(&places::Private::new(base, &offset), mask),
                None => self.run_bytes(base, mask, op),
            }
        }
    }

    #[inline(never)]
    unsafe fn run_bytes<O: Operation>(&self, base: u64, mask: u64, op: O) {
        let offsets = &self.0;
        // SAFETY: by the caller's promise.
        unsafe { op.run(&Bytes { base, offsets }, mask) };
    }
}

/// Runs an operation byte by byte, so that the offsets of lanes need not be multiples of 4. `base` is one. Runs nothing, and
/// returns `false`, unless buffer accesses may be unaligned and all accessed dwords are in the scratch of the wave.
///
/// # Safety
/// The wave is alive.
#[inline(never)]
pub(crate) unsafe fn run_anywhere<O: Operation>(
    ctx: &Context<'_, '_>,
    mask: u64,
    op: O,
    base: u64,
    offsets: &Lanes,
) -> bool {
    // SAFETY: the pointer is to the 64 offsets.
    let (min, max) = unsafe { bounds(offsets.as_ptr(), mask) };
    let dword = |offset: u64| base + offset / 4 * STEP;
    let last = u64::from(max) + u64::from(op.bytes()) - 1;
    let span = Span {
        first: dword(min.into()),
        last: dword(last) + STEP - 4,
        bytes: 4,
        stores: O::STORES,
    };
    let mode = ctx.memory.alignment;
    let inside = mode == Alignment::Unaligned && ctx.memory.scratch.holds(span);
    if inside {
        // SAFETY: the wave is live; the memory that it owns is mapped.
        unsafe { op.run(&Bytes { base, offsets }, mask) };
    }
    inside
}

/// Returns the places of the lanes' offsets, relative to the base of a wave's scratch, if each access covers whole dwords or a
/// part of one.
#[inline(always)]
pub(crate) fn places<O: Operation>(offsets: &Lanes, mask: u64, op: O) -> Option<Lanes> {
    // Offsets whose place does not fit into 32 bits.
    const FAR: u32 = !0 << 26;
    let over = if op.bytes() < 4 { op.bytes() - 1 } else { 3 };
    let mut place = [0; 64];
    let mut odd = [0; 64];
    for lane in 0..64 {
        let offset = offsets[lane];
        odd[lane] = offset & FAR | ((offset & 3) + over) & 4;
        place[lane] = (offset / 4).wrapping_mul(STEP as u32) + 4 * lane as u32 + offset % 4;
    }
    // SAFETY: the pointer is to 64 values.
    (unsafe { O::Moves::common(odd.as_ptr(), mask) } == Some(0)).then_some(place)
}

/// Returns the address of a byte of a lane.
#[inline(always)]
fn place(base: u64, lane: usize, offset: u32) -> u64 {
    base + u64::from(offset / 4) * STEP + 4 * lane as u64 + u64::from(offset % 4)
}

/// Scratch accessed at any byte. An access may cross dwords; each dword that it touches in part belongs to the lane.
struct Bytes<'a> {
    base: u64,
    offsets: &'a Lanes,
}

impl Bytes<'_> {
    /// Returns the address of dword `n` of those that a lane accesses in part.
    #[inline(always)]
    fn dword(&self, lane: usize, n: usize) -> *mut u8 {
        let first = self.offsets[lane & 63] & !3;
        at(place(self.base, lane, first + 4 * n as u32))
    }

    /// Bytes of the first dword before those that a lane accesses.
    #[inline(always)]
    fn skipped(&self, lane: usize) -> usize {
        self.offsets[lane & 63] as usize % 4
    }
}

impl Places for Bytes<'_> {
    const OWNED: bool = true;
    const PIECE: u32 = 1;

    #[inline(always)]
    unsafe fn read<R: LaneMoves, T>(&self, lane: usize, to: *mut T) {
        let (bytes, skipped) = (size_of::<T>(), self.skipped(lane));
        let dword = |n: usize| {
            let mut dword = 0u32;
            if 4 * n < skipped + bytes {
                // SAFETY: the caller has checked a byte of it.
                unsafe { copy::<R, u32>(self.dword(lane, n), (&raw mut dword).cast()) };
            }
            u64::from(dword)
        };
        let mut low = dword(0);
        for n in 0..bytes.div_ceil(4) {
            let high = dword(n + 1);
            let value = ((low | high << 32) >> (8 * skipped)) as u32;
            low = high;
            let to = to.cast::<u8>().wrapping_add(4 * n);
            // SAFETY: bytes of the `T`.
            unsafe { (&raw const value).cast::<u8>().copy_to(to, bytes.min(4)) };
        }
    }

    #[inline(always)]
    unsafe fn write<R: LaneMoves, T>(&self, lane: usize, from: *const T) {
        let (bytes, skipped) = (size_of::<T>(), self.skipped(lane));
        // The bits to write and their mask, shifted out of the previous dword.
        let (mut bits, mut mask) = (0u64, 0u64);
        for n in 0..=bytes.div_ceil(4) {
            if 4 * n < bytes {
                let mut value = 0u32;
                let from = from.cast::<u8>().wrapping_add(4 * n);
                // SAFETY: bytes of the `T`.
                unsafe { from.copy_to((&raw mut value).cast(), bytes.min(4)) };
                let all = u64::from(!0u32 >> (32 - 8 * bytes.min(4)));
                bits |= u64::from(value) << (8 * skipped);
                mask |= all << (8 * skipped);
            }
            let (new, keep) = (bits as u32, !(mask as u32));
            (bits, mask) = (bits >> 32, mask >> 32);
            if keep == !0 {
                continue;
            }
            let mut dword = 0u32;
            let (place, here) = (self.dword(lane, n), (&raw mut dword).cast::<u8>());
            // SAFETY: the caller has checked a byte of the dword, which only this thread accesses.
            unsafe {
                if keep != 0 {
                    copy::<R, u32>(place, here);
                }
                dword = dword & keep | new;
                copy::<R, u32>((&raw const dword).cast(), place);
            }
        }
    }

    fn part(&self, lane: usize, n: usize, _: u32) -> Option<u64> {
        let offset = self.offsets[lane & 63] + n as u32;
        Some(place(self.base, lane, offset))
    }

    fn cell(&self, lane: usize, _: u32) -> Option<u64> {
        self.part(lane, 0, Self::PIECE)
    }

    fn whole(&self) -> bool {
        false
    }
}
