//! The global data share: memory of a device outside its address space (Vega ISA, 11 "Data share operations", and 3.6.4 on M0).
//!
//! M0 selects a window of it. Outside of the window, reads give 0 and writes are dropped, dword by dword, as in LDS; atomics
//! ignore the low bits of the address.

use std::mem::MaybeUninit;

use wavetank_gcn::numbers::GDS_BYTES as BYTES;

use crate::access::{Context, Request};
use crate::fault::Denied;
use crate::lanes::{Lanes, over};
use crate::operands::{lanes32, uniform32};
use crate::operation::Operation;
use crate::places::Split;
use crate::reach;
use crate::space::Space;

/// The space of offsets in the global data share.
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
        // SAFETY: the wave is live; places out of range are left out.
        unsafe {
            let window = uniform32(ctx, step.sources[1]);
            let lanes = lanes32(ctx, step.sources[0], &mut room);
            let offsets = lanes.cast::<Lanes>().read();
            let offset = step.op.offset as u32;
            let sums = over(&offsets, |lane| lane.wrapping_add(offset));
            let places = places(ctx.memory.gds().base(), window, op, &sums);
            op.run(&places, mask);
        }
        Ok(())
    }
}

/// Returns the places of the lanes within a window of the share. An atomic is in the window as a whole, or not at all.
fn places<O: Operation>(base: u64, window: u32, op: O, sums: &Lanes) -> Split {
    let start = u64::from(window >> 16);
    let end = (start + u64::from(window & 0xffff)).min(BYTES);
    let bytes = op.bytes();
    let (low, element) = if O::ATOMIC {
        (u64::from(bytes) - 1, bytes)
    } else {
        (0, bytes.min(4))
    };
    let (mut address, mut valid) = ([0; 64], [0; 4]);
    for lane in 0..64 {
        let first = (start + u64::from(sums[lane])) & !low;
        address[lane] = base.wrapping_add(first);
        for (n, valid) in (0..u64::from(bytes / element)).zip(&mut valid) {
            let inside = reach::holds(start, end, first + 4 * n, element);
            *valid |= u64::from(inside) << lane;
        }
    }
    if O::ATOMIC {
        valid = [valid[0]; 4];
    }
    Split {
        address,
        step: 4,
        valid,
    }
}
