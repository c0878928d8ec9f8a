//! The global data share: memory of a device that is not in its address space
//! (Vega ISA, 11 "Data share operations", and 3.6.4 on M0).
//!
//! M0 names a part of it. Outside of that, reads give 0 and writes are dropped,
//! dword by dword, as in LDS; atomics ignore the low bits of the address.

use std::mem::MaybeUninit;

use wavetank_isa::numbers::GDS_BYTES as BYTES;

use crate::access::{Context, Request};
use crate::fault::Denied;
use crate::lanes::Lanes;
use crate::operation::Operation;
use crate::places::Split;
use crate::sources::{lanes32, uniform32};
use crate::space::Space;

/// Offsets in the global data share.
pub struct Shared;

impl Space for Shared {
    #[inline(always)]
    unsafe fn access<O: Operation>(
        ctx: &mut Context<'_, '_>,
        step: &Request,
        mask: u64,
        op: O,
    ) -> Result<(), Denied> {
        let mut room = MaybeUninit::uninit();
        // SAFETY: the wave is live; what is not in range is left out.
        unsafe {
            let window = uniform32(ctx, step.sources[1]);
            let lanes = lanes32(ctx, step.sources[0], &mut room);
            let offsets = lanes.cast::<Lanes>().read();
            let offset = step.op.offset as u32;
            let place = |lane: usize| {
                let sum = offsets[lane].wrapping_add(offset);
                let aligned = if O::ATOMIC {
                    sum & !(op.bytes() - 1)
                } else {
                    sum
                };
                u64::from(aligned)
            };
            let places = places(ctx.memory.gds().base(), window, op.bytes(), place);
            op.run(&places, mask);
        }
        Ok(())
    }
}

/// The places of the lanes within a window of the share.
fn places(base: u64, window: u32, bytes: u32, place: impl Fn(usize) -> u64) -> Split {
    let start = u64::from(window >> 16);
    let size = u64::from(window & 0xffff).min(BYTES - start);
    let (mut address, mut valid) = ([0; 64], [0; 4]);
    for lane in 0..64 {
        let offset = place(lane);
        address[lane] = base.wrapping_add(start + offset);
        for (n, valid) in (0..u64::from(bytes.div_ceil(4))).zip(&mut valid) {
            let inside = offset + 4 * n + u64::from(bytes.min(4)) <= size;
            *valid |= u64::from(inside) << lane;
        }
    }
    Split {
        address,
        step: 4,
        valid,
    }
}
