//! The local data share (Vega ISA, 11 "Data share operations").
//!
//! Reads out of range give 0 and writes are dropped, dword by dword (3.6.2); both are recorded. Loads and stores may be
//! unaligned: compilers for gfx9 rely on the unaligned mode. Atomics ignore the low bits of the address. So do all accesses with
//! a limit, as before gfx9 (GCN wiki, "DS instructions").

use std::mem::MaybeUninit;

use wavetank_ir::MemKind;

use crate::access::{Context, Request, Source};
use crate::atomic;
use crate::fault::Denied;
use crate::instrument::Recorder;
use crate::lane_moves::{Baseline, LaneMoves};
use crate::lanes::{Lanes, each, over};
use crate::operands::{lanes32, uniform32};
use crate::operation::Operation;
use crate::places::{Near, Places, Side, Steps, read_dwords, write_dwords};
use crate::reach::{self, Offsets, Reach};
use crate::space::Space;

/// The space of LDS offsets, one a lane.
pub struct Local;

impl Space for Local {
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
            let offset = step.op.offset as u32;
            let extent = Extent::new(ctx, step.sources[1], op);
            if !run_strided(ctx, mask, op, lanes, offset, extent) {
                let inside = is_inside(ctx, step, mask, op, lanes, offset, extent)?;
                run(ctx, mask, op, lanes, offset, extent, inside);
            }
        }
        Ok(())
    }
}

/// The part of the LDS that an operation can access.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    /// The end of the part in bytes.
    bytes: u32,
    /// The low bits of offsets that are ignored.
    ignored: u32,
}

impl Extent {
    /// All of the LDS, or the part below a limit.
    ///
    /// # Safety
    /// The source is one of a step of this context.
    #[inline(always)]
    pub(crate) unsafe fn new<O: Operation>(ctx: &Context<'_, '_>, limit: Source, op: O) -> Extent {
        // SAFETY: by the caller's promise.
        unsafe { Extent::of(ctx, limit, op.bytes(), O::ATOMIC) }
    }

    /// Returns the extent for accesses of `width` bytes.
    #[inline(always)]
    unsafe fn of(ctx: &Context<'_, '_>, limit: Source, width: u32, aligned: bool) -> Extent {
        let bytes = ctx.memory.lds.bytes();
        let low = width.next_power_of_two() - 1;
        if limit == Source::None {
            let ignored = if aligned { low } else { 0 };
            return Extent { bytes, ignored };
        }
        // SAFETY: by the caller's promise.
        let limit = unsafe { uniform32(ctx, limit) };
        Extent {
            bytes: bytes.min(limit),
            ignored: low,
        }
    }

    /// Returns the lane offsets at which `bytes` bytes after `offset` are in range, if there are any. Sums that wrap are checked
    /// lane by lane.
    #[inline(always)]
    fn reach(self, offset: u32, bytes: u32) -> Option<Offsets> {
        Reach::new(0, self.bytes.into(), bytes)?.from(offset.into())
    }

    /// Returns the sums of the lanes' offsets and a constant, which wrap at 32 bits.
    #[inline(always)]
    unsafe fn sums(self, lanes: *const u32, offset: u32) -> Lanes {
        // SAFETY: the wave is live: 64 values.
        let lanes = unsafe { lanes.cast::<Lanes>().read() };
        over(&lanes, |l| l.wrapping_add(offset) & !self.ignored)
    }
}

/// Runs an operation if all lanes are active, contiguous and within the LDS. Returns whether it ran.
#[inline(always)]
unsafe fn run_strided<O: Operation>(
    ctx: &Context<'_, '_>,
    mask: u64,
    op: O,
    lanes: *const u32,
    offset: u32,
    extent: Extent,
) -> bool {
    let (lds, bytes) = (&ctx.memory.lds, op.bytes());
    // SAFETY: the wave is live; contiguous lanes end with the last lane.
    unsafe {
        let (first, last) = (lanes.read(), lanes.add(63).read());
        let reach = extent.reach(offset, bytes);
        let inside = reach.is_some_and(|reach| reach.holds(first) && reach.holds(last));
        let apart = first.wrapping_add(offset) & extent.ignored != 0;
        if O::ATOMIC || mask != !0 || !inside || apart {
            return false;
        }
        let first = lds.base() + u64::from(offset) + u64::from(first);
        if O::Moves::is_strided(lanes, bytes) {
            op.run(&Side::new(first, bytes), mask);
            return true;
        }
        // With a step of 4, some lanes are not aligned to their width.
        let steps = bytes > 4 && extent.ignored == 0 && O::Moves::is_strided(lanes, 4);
        if steps {
            op.run(&Steps { first }, mask);
        }
        steps
    }
}

/// Returns whether every lane stays within the LDS. Lanes that do not are recorded.
///
/// # Safety
/// `lanes` points to 64 values and the context is that of a live wave.
///
/// # Errors
/// The denial of the first lane that does not, if overruns are faults.
#[inline(always)]
pub(crate) unsafe fn is_inside<O: Operation>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
    op: O,
    lanes: *const u32,
    offset: u32,
    extent: Extent,
) -> Result<bool, Denied> {
    let reach = extent.reach(offset, op.bytes());
    // SAFETY: the wave is live.
    unsafe {
        if reach.is_some_and(|reach| O::Moves::within(lanes, mask, reach)) {
            return Ok(true);
        }
        let offsets = extent.sums(lanes, offset);
        note_overrun(ctx, step, mask, extent, op.bytes(), &offsets)?;
    }
    Ok(false)
}

/// Records the lanes that access something beyond the LDS.
fn note_overrun(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
    extent: Extent,
    bytes: u32,
    offsets: &Lanes,
) -> Result<(), Denied> {
    let at = (step.pc, step.op.kind);
    ctx.memory
        .overruns
        .note(at, extent.bytes, mask, bytes, offsets)
}

/// Runs an operation at LDS offsets; the sum with `offset` wraps at 32 bits. `inside` is the result of [`is_inside`].
///
/// # Safety
/// `lanes` points to 64 values and the context is that of a live wave.
#[inline(always)]
pub(crate) unsafe fn run<O: Operation>(
    ctx: &mut Context<'_, '_>,
    mask: u64,
    op: O,
    lanes: *const u32,
    offset: u32,
    extent: Extent,
    inside: bool,
) {
    // SAFETY: the wave is live; places out of range are left out.
    unsafe {
        if !inside {
            return run_each(ctx, mask, op, lanes, offset, extent);
        }
        if O::ATOMIC || extent.ignored != 0 {
            let base = ctx.memory.lds.base();
            let offsets = extent.sums(lanes, offset);
            let offset = offsets.as_ptr();
            let near = Near { base, offset };
            return if O::ATOMIC {
                op.run(&Own(near), mask);
            } else {
                op.run(&near, mask);
            };
        }
        let base = ctx.memory.lds.base() + u64::from(offset);
        let offset = lanes;
        op.run(&Near { base, offset }, mask);
    }
}

/// Runs an operation with the range checked lane by lane.
#[inline(never)]
unsafe fn run_each<O: Operation>(
    ctx: &mut Context<'_, '_>,
    mask: u64,
    op: O,
    lanes: *const u32,
    offset: u32,
    extent: Extent,
) {
    let lds = &ctx.memory.lds;
    // SAFETY: the wave is live.
    unsafe {
        let places = Clamped {
            base: lds.base(),
            bytes: extent.bytes,
            offsets: extent.sums(lanes, offset),
        };
        op.run(&places, mask);
    }
}

/// Returns an atomic whose operand is in LDS too: `MEM[A] = MEM[A] op MEM[B]`, lane by lane (Vega ISA, 12.13, DS_*_SRC2_*). With
/// `INSTRUMENTED` it records the accesses.
///
/// # Safety
/// The context is that of a live wave, the step was lowered for it.
///
/// # Errors
/// The denial of the first lane beyond the LDS, if overruns are faults.
pub unsafe fn pair<const INSTRUMENTED: bool>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
) -> Result<(), Denied> {
    let MemKind::Atomic(rmw) = step.op.kind else {
        unreachable!("pairs of offsets are for atomics")
    };
    let (mut first, mut second) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    let base = ctx.memory.lds.base();
    let width = step.op.access.bytes();
    // SAFETY: the wave is live; places out of range are left out.
    unsafe {
        let extent = Extent::of(ctx, step.sources[2], width, true);
        let places = |source, room| Clamped {
            base,
            bytes: extent.bytes,
            offsets: extent.sums(lanes32(ctx, source, room), 0),
        };
        let to = places(step.sources[0], &mut first);
        let from = places(step.sources[1], &mut second);
        for offsets in [&to.offsets, &from.offsets] {
            note_overrun(ctx, step, mask, extent, width, offsets)?;
        }
        if INSTRUMENTED {
            let recorder = Recorder::new(ctx.memory, step);
            recorder.lanes(&from, mask, width);
            recorder.lanes(&to, mask, width);
        }
        each(mask, |lane| {
            let Some(cell) = to.cell(lane, width) else {
                return;
            };
            if width == 4 {
                let mut operand = 0u32;
                from.read::<Baseline, u32>(lane, &raw mut operand);
                atomic::owned32(cell, rmw, operand, operand);
            } else {
                let mut operand = 0u64;
                from.read::<Baseline, u64>(lane, &raw mut operand);
                atomic::owned64(cell, rmw, operand, operand);
            }
        });
    }
    Ok(())
}

/// Places that only this thread accesses.
struct Own(Near);

impl Places for Own {
    const OWNED: bool = true;

    #[inline(always)]
    unsafe fn read<R: LaneMoves, T>(&self, lane: usize, to: *mut T) {
        // SAFETY: by the caller's promise.
        unsafe { self.0.read::<R, T>(lane, to) }
    }

    #[inline(always)]
    unsafe fn write<R: LaneMoves, T>(&self, lane: usize, from: *const T) {
        // SAFETY: by the caller's promise.
        unsafe { self.0.write::<R, T>(lane, from) }
    }

    #[inline(always)]
    fn part(&self, lane: usize, n: usize, bytes: u32) -> Option<u64> {
        self.0.part(lane, n, bytes)
    }

    #[inline(always)]
    fn cell(&self, lane: usize, bytes: u32) -> Option<u64> {
        self.0.cell(lane, bytes)
    }

    #[inline(always)]
    fn cells(&self, mask: u64, bytes: u32, cells: &mut [u64; 64]) -> u64 {
        self.0.cells(mask, bytes, cells)
    }

    #[inline(always)]
    fn starts(&self, mask: u64, bytes: u32) -> Option<[u64; 64]> {
        self.0.starts(mask, bytes)
    }
}

/// LDS offsets that may be out of range.
struct Clamped {
    base: u64,
    bytes: u32,
    offsets: Lanes,
}

impl Clamped {
    /// Returns the address of some bytes of a lane, if they are in range.
    #[inline(always)]
    fn place(&self, lane: usize, at: usize, bytes: usize) -> Option<u64> {
        let offset = u64::from(self.offsets[lane & 63]) + at as u64;
        let inside = reach::holds(0, self.bytes.into(), offset, bytes as u32);
        inside.then(|| self.base + offset)
    }
}

impl Places for Clamped {
    const OWNED: bool = true;

    #[inline(always)]
    unsafe fn read<R: LaneMoves, T>(&self, lane: usize, to: *mut T) {
        let bytes = size_of::<T>().min(4);
        // SAFETY: the bytes in range are owned by the unit.
        unsafe { read_dwords::<R, T>(to, |n| self.place(lane, 4 * n, bytes)) }
    }

    #[inline(always)]
    unsafe fn write<R: LaneMoves, T>(&self, lane: usize, from: *const T) {
        let bytes = size_of::<T>().min(4);
        // SAFETY: the bytes in range are owned by the unit.
        unsafe { write_dwords::<R, T>(from, |n| self.place(lane, 4 * n, bytes)) }
    }

    #[inline(always)]
    fn part(&self, lane: usize, n: usize, bytes: u32) -> Option<u64> {
        self.place(lane, 4 * n, bytes as usize)
    }

    /// Returns the cell of an atomic, whose offset is aligned.
    #[inline(always)]
    fn cell(&self, lane: usize, bytes: u32) -> Option<u64> {
        self.place(lane, 0, bytes as usize)
    }
}
