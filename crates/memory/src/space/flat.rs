//! Flat and global memory: addresses of 64 bits a lane (Vega ISA, 9.3 and 9.4).

use std::mem::MaybeUninit;

use crate::access::{Context, Request, Source};
use crate::bounds_cache::Span;
use crate::element_check::span;
use crate::fault::Denied;
use crate::fault::MemoryFaultReason;
use crate::global::ALIAS;
use crate::lane_moves::LaneMoves;
use crate::lanes::{bounds, each, is_strided, over, which};
use crate::operands::{lanes32, uniform64};
use crate::operation::Operation;
use crate::places::{Addresses, Far, Near, Side, Steps};
use crate::reach::Offsets;
use crate::space::Space;
use crate::space::lds;
use crate::space::scratch;
use wavetank_gcn::numbers::{PRIVATE_BASE, SHARED_BASE};

/// Global memory: addresses that are not compared with the apertures.
pub struct Global;

impl Space for Global {
    #[inline(always)]
    unsafe fn access<O: Operation>(
        ctx: &mut Context<'_, '_>,
        step: &Request,
        mask: u64,
        op: O,
    ) -> Result<(), Denied> {
        let offset = step.op.offset as u64;
        // SAFETY: the wave is live.
        unsafe {
            match step.sources {
                [Source::Vector(at), Source::None, ..] => wide(ctx, step, mask, op, at, offset),
                [Source::Vector(at), index, ..] => indexed(ctx, step, mask, op, at, index),
                [address, index, ..] => {
                    let mut room = MaybeUninit::uninit();
                    let index = lanes32(ctx, index, &mut room);
                    let base = uniform64(ctx, address).wrapping_add(offset);
                    near(ctx, step, mask, op, base, index)
                }
            }
        }
    }
}

/// Flat memory: an address may be in the aperture of the LDS or of scratch.
pub struct Flat;

impl Space for Flat {
    #[inline(always)]
    unsafe fn access<O: Operation>(
        ctx: &mut Context<'_, '_>,
        step: &Request,
        mask: u64,
        op: O,
    ) -> Result<(), Denied> {
        let Source::Vector(at) = step.sources[0] else {
            // SAFETY: the wave is live. A uniform address is never in an aperture: lowering makes such an address a vector.
            return unsafe { Global::access(ctx, step, mask, op) };
        };
        // SAFETY: the wave is live.
        unsafe {
            let low = ctx.v(at).cast_const();
            let high = low.add(64);
            let same = O::Moves::common(high, mask);
            if let Some(high) = same
                && !matches!(high >> 16, IN_LDS | IN_SCRATCH)
            {
                let base = (u64::from(high) << 32).wrapping_add(step.op.offset as u64);
                return near(ctx, step, mask, op, base, low);
            }
            let aside = || aperture(high, SHARED_BASE) | aperture(high, PRIVATE_BASE);
            if same.is_none() && mask & aside() == 0 {
                return wide(ctx, step, mask, op, at, step.op.offset as u64);
            }
            apart(ctx, step, mask, op, at)
        }
    }
}

/// The upper dwords of addresses in the apertures.
const IN_LDS: u32 = (SHARED_BASE >> 48) as u32;
const IN_SCRATCH: u32 = (PRIVATE_BASE >> 48) as u32;

/// Returns the lanes whose address is in the aperture at `base`.
#[inline(always)]
unsafe fn aperture(high: *const u32, base: u64) -> u64 {
    // SAFETY: the high halves of 64 lanes.
    let high = unsafe { high.cast::<[u32; 64]>().read() };
    let tag = (base >> 48) as u32;
    which(|lane| high[lane] >> 16 == tag)
}

/// Runs a flat access with some lanes in an aperture.
#[inline(always)]
unsafe fn apart<O: Operation>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
    op: O,
    at: u32,
) -> Result<(), Denied> {
    let offset = step.op.offset as u64;
    // SAFETY: the wave is live.
    unsafe {
        let high = ctx.v(at).add(64).cast_const();
        let in_lds = mask & aperture(high, SHARED_BASE);
        let in_scratch = mask & aperture(high, PRIVATE_BASE);
        let rest = mask & !(in_lds | in_scratch);
        // The results may overwrite the registers of the address, so it is copied.
        let low = ctx.v(at).cast::<[u32; 64]>().read();
        let places = Far(wide_addresses(ctx, at, offset));
        let private = scratch::Offsets::new(&low, offset);
        if rest != 0 {
            check_far(ctx, step, rest, op, &places)?;
        }
        if in_scratch != 0 {
            private.check(ctx, in_scratch, op)?;
        }
        let shared = low.as_ptr();
        let extent = lds::Extent::new(ctx, step.sources[1], op);
        let inside =
            in_lds == 0 || lds::is_inside(ctx, step, in_lds, op, shared, offset as u32, extent)?;
        if rest != 0 {
            op.run(&places, rest);
        }
        if in_scratch != 0 {
            private.run(ctx, in_scratch, op);
        }
        if in_lds != 0 {
            lds::run(ctx, in_lds, op, shared, offset as u32, extent, inside);
        }
    }
    Ok(())
}

/// Runs an access with addresses in a pair of registers. Mostly their high halves are equal.
#[inline(always)]
unsafe fn wide<O: Operation>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
    op: O,
    at: u32,
    offset: u64,
) -> Result<(), Denied> {
    // SAFETY: the wave is live.
    unsafe {
        let low = ctx.v(at).cast_const();
        if let Some(high) = O::Moves::common(low.add(64), mask) {
            let base = (u64::from(high) << 32).wrapping_add(offset);
            return near(ctx, step, mask, op, base, low);
        }
        let places = Far(wide_addresses(ctx, at, offset));
        far(ctx, step, mask, op, places)
    }
}

/// Runs an access with addresses in a pair of registers, and an index in another.
#[inline(never)]
unsafe fn indexed<O: Operation>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
    op: O,
    at: u32,
    index: Source,
) -> Result<(), Denied> {
    let mut room = MaybeUninit::uninit();
    // SAFETY: the wave is live.
    unsafe {
        let index = lanes32(ctx, index, &mut room);
        let mut places = Far(wide_addresses(ctx, at, step.op.offset as u64));
        for (lane, address) in places.0.iter_mut().enumerate() {
            *address = address.wrapping_add(index.add(lane).read().into());
        }
        far(ctx, step, mask, op, places)
    }
}

#[inline(always)]
pub(crate) unsafe fn wide_addresses(ctx: &Context<'_, '_>, at: u32, offset: u64) -> [u64; 64] {
    // SAFETY: the wave is live: two lane vectors.
    let [low, high] = unsafe { ctx.v(at).cast::<[[u32; 64]; 2]>().read() };
    let mut out = [0; 64];
    for i in 0..64 {
        out[i] = (u64::from(low[i]) | u64::from(high[i]) << 32).wrapping_add(offset);
    }
    out
}

/// Runs an access with one base, and an offset for each lane.
#[inline(always)]
pub(crate) unsafe fn near<O: Operation>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
    op: O,
    base: u64,
    offset: *const u32,
) -> Result<(), Denied> {
    // SAFETY: the wave is live.
    unsafe {
        if known(ctx, step, mask, op, base, offset, Offsets::ALL) {
            Ok(())
        } else {
            unsure(ctx, step, mask, op, base, offset)
        }
    }
}

/// Runs an operation if the cached allocation of its instruction contains all lanes, and all offsets are within a limit. Returns
/// whether it ran.
#[inline(always)]
pub(crate) unsafe fn known<O: Operation>(
    ctx: &Context<'_, '_>,
    step: &Request,
    mask: u64,
    op: O,
    base: u64,
    offset: *const u32,
    limit: Offsets,
) -> bool {
    let bytes = op.bytes();
    let bounds = ctx.memory.reach(step.cache, base, bytes, O::STORES);
    let Some(reach) = bounds.and_then(|bounds| bounds.and(limit)) else {
        return false;
    };
    // SAFETY: the wave is live; the places are checked before use.
    unsafe {
        if !O::ATOMIC && mask == !0 {
            let (first, last) = (offset.read(), offset.add(63).read());
            let inside = reach.holds(first) && reach.holds(last);
            let first = base.wrapping_add(first.into());
            if inside && O::Moves::is_strided(offset, bytes) {
                op.run(&Side::new(first, bytes), mask);
                return true;
            }
            if inside && bytes > 4 && O::Moves::is_strided(offset, 4) {
                op.run(&Steps { first }, mask);
                return true;
            }
        }
        if !O::Moves::within(offset, mask, reach) {
            return false;
        }
        let near = Near {
            base: without_alias(base, mask, offset),
            offset,
        };
        // The error for misaligned lanes is made by the caller's slow path.
        let straight = check_alignment(mask, op, &near).is_ok();
        if straight {
            op.run(&near, mask);
        }
        straight
    }
}

/// Returns the base without [`ALIAS`]: all addresses of an allocation have the bit, or none.
#[inline(always)]
unsafe fn without_alias(base: u64, mask: u64, offset: *const u32) -> u64 {
    // SAFETY: 64 offsets, by the caller's promise.
    let first = unsafe { offset.add(mask.trailing_zeros() as usize & 63).read() };
    base.wrapping_sub(base.wrapping_add(first.into()) & ALIAS)
}

/// [`near`] for an access that `known` does not cover.
#[inline(never)]
pub(crate) unsafe fn unsure<O: Operation>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
    op: O,
    base: u64,
    offset: *const u32,
) -> Result<(), Denied> {
    // SAFETY: the wave is live; the places are checked before use.
    unsafe {
        let (min, max) = bounds(offset, mask);
        let span = Span {
            first: base.wrapping_add(min.into()),
            last: base.wrapping_add(max.into()),
            bytes: op.bytes(),
            stores: O::STORES,
        };
        if !ctx.memory.holds(step.cache, span) {
            return scattered(ctx, step, mask, op, base, offset);
        }
        let base = without_alias(base, mask, offset);
        check_alignment(mask, op, &Near { base, offset })?;
        op.run(&Near { base, offset }, mask);
    }
    Ok(())
}

/// [`near`] for lanes that no single allocation contains.
unsafe fn scattered<O: Operation>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
    op: O,
    base: u64,
    offset: *const u32,
) -> Result<(), Denied> {
    // SAFETY: the wave is live; the places are checked before use.
    unsafe {
        let offsets = offset.cast::<[u32; 64]>().read();
        let places = Far(over(&offsets, |offset| base.wrapping_add(offset.into())));
        let address = |lane: usize| places.0[lane];
        ctx.memory
            .check_lanes(step.pc, mask, op.bytes(), O::STORES, address)?;
        check_alignment(mask, op, &places)?;
        op.run(&places, mask);
    }
    Ok(())
}

/// Runs an access with a separate address for each lane.
#[inline(never)]
unsafe fn far<O: Operation>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
    op: O,
    places: Far,
) -> Result<(), Denied> {
    // SAFETY: the wave is live; the places are checked before use.
    unsafe {
        check_far(ctx, step, mask, op, &places)?;
        run_at(mask, op, &places.0);
    }
    Ok(())
}

/// Runs an operation at addresses that have been checked.
///
/// # Safety
/// The addresses have been checked, and the wave is alive.
#[inline(always)]
pub(crate) unsafe fn run_at<O: Operation>(mask: u64, op: O, address: &[u64; 64]) {
    let Span { first, last, .. } = span(mask, op.bytes(), O::STORES, address);
    let reachable = last - first <= u64::from(u32::MAX) && (first ^ last) & ALIAS == 0;
    let offset = over(address, |a| a.wrapping_sub(first) as u32);
    let offset = offset.as_ptr();
    // SAFETY: by the caller's promise.
    unsafe {
        if !reachable {
            op.run(&Far(*address), mask);
        } else if !O::ATOMIC && mask == !0 && is_strided(offset, op.bytes()) {
            op.run(&Side::new(first, op.bytes()), mask);
        } else {
            let base = first & !ALIAS;
            op.run(&Near { base, offset }, mask);
        }
    }
}

fn check_far<O: Operation>(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
    op: O,
    places: &Far,
) -> Result<(), Denied> {
    let span = span(mask, op.bytes(), O::STORES, &places.0);
    if !ctx.memory.holds(step.cache, span) {
        let address = |lane: usize| places.0[lane];
        ctx.memory
            .check_lanes(step.pc, mask, op.bytes(), O::STORES, address)?;
    }
    check_alignment(mask, op, places)
}

/// Checks that an atomic is aligned to its width (Vega ISA, 4.6 "Memory Violations").
#[inline(always)]
pub(crate) fn check_alignment<O: Operation>(
    mask: u64,
    op: O,
    places: &impl Addresses,
) -> Result<(), Denied> {
    if O::ATOMIC {
        check_multiples(mask, op.bytes(), op.bytes(), places)
    } else {
        Ok(())
    }
}

/// Checks that the address of each lane is a multiple of `align`, a power of two.
#[inline(always)]
pub(crate) fn check_multiples(
    mask: u64,
    bytes: u32,
    align: u32,
    places: &impl Addresses,
) -> Result<(), Denied> {
    let low = u64::from(align) - 1;
    let mut crooked = 0;
    each(mask, |lane| {
        // SAFETY: the places are alive; memory is not accessed.
        crooked |= unsafe { places.address(lane) } & low;
    });
    if crooked == 0 {
        return Ok(());
    }
    for lane in (0..64).filter(|l| mask >> l & 1 != 0) {
        // SAFETY: the places are alive; memory is not accessed.
        let address = unsafe { places.address(lane) };
        if address & low != 0 {
            return Err(Denied {
                lane: Some(lane as u8),
                address,
                bytes,
                reason: MemoryFaultReason::Misaligned { align },
            });
        }
    }
    Ok(())
}
