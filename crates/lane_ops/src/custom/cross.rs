//! Moves between lanes. Each reads all of its source before it writes, since the destination may be the source.

use wavetank_ir::LANES;

use super::lane;
use crate::drive::Custom;
use crate::lanes::all_lanes;
use crate::lanes::{Room, Word};
use crate::step::{Ctx, Next, Step};
use crate::store::Store;

/// Gives a shuffle its table, by the address at which it is kept with the block. Its only source is source 0, so that the other
/// constants are free.
pub fn set_table(step: &mut Step, address: u64) {
    step.imm[1] = address;
}

/// Gives a shuffle of a mask its result for the mask of all lanes, a shortcut for EXEC, which mostly is full.
pub fn set_shuffled_full_mask(step: &mut Step, shuffled: u64) {
    step.imm[2] = shuffled;
}

/// Returns the table of a shuffle.
///
/// # Safety
/// Lowering made the step with the address of a table that outlives it.
#[inline(always)]
unsafe fn table(s: &Step) -> &[u8; LANES] {
    // SAFETY: the contract of `StepFn`.
    unsafe { &*std::ptr::with_exposed_provenance(s.imm[1] as usize) }
}

/// Lane n takes lane `table[n]`, or 0. `ROWS` promises that the table stays within rows of sixteen lanes.
pub(crate) struct Shuffle<const ROWS: bool>;

impl<const ROWS: bool> Custom for Shuffle<ROWS> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let mut r = Room::<u32>::uninit();
            let from = &*ctx.v(s.src[0]).cast_const().cast();
            if ROWS {
                S::shuffle_rows(from, table(s), r.as_mut_ptr().cast());
            } else {
                S::shuffle(from, table(s), r.as_mut_ptr().cast());
            }
            S::store(ctx.v(s.dst), ctx.mask(s), &r.assume_init_ref().0);
        }
        Next::Step
    }
}

/// A shuffle of a mask, restricted to the step's mask.
pub(crate) struct ShuffleMask;

impl Custom for ShuffleMask {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let from = ctx.uniform64(s, 0);
            if from == u64::MAX {
                let shuffled_full_mask = s.imm[2];
                let r = shuffled_full_mask & ctx.mask(s);
                ctx.u::<u64>(s.dst).write_unaligned(r);
                return Next::Step;
            }
            let mut lanes = [0; LANES];
            S::select(from, &[!0; LANES], &[0; LANES], lanes.as_mut_ptr());
            let mut r = Room::<u32>::uninit();
            S::shuffle(&lanes, table(s), r.as_mut_ptr().cast());
            let r = S::mask(&r.assume_init_ref().0) & ctx.mask(s);
            ctx.u::<u64>(s.dst).write_unaligned(r);
        }
        Next::Step
    }
}

/// Lane n takes lane `index[n] / 4` if it is in the mask (source 2), or 0.
pub(crate) struct Permute<const U: u8>;

impl<const U: u8> Custom for Permute<U> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets; lanes are taken modulo 64.
        unsafe {
            let live = ctx.uniform64(s, 2);
            let r = all_lanes(|i| {
                let from = lane::<u32>(ctx, s, 1, U, i) as usize / 4 % LANES;
                let value = lane::<u32>(ctx, s, 0, U, from);
                if live >> from & 1 != 0 { value } else { 0 }
            });
            u32::store::<S>(ctx.v(s.dst), ctx.mask(s), &r);
        }
        Next::Step
    }
}

/// Lane n of the mask (source 2) sends to lane `index[n] / 4`; if several send to one, the highest wins.
pub(crate) struct Scatter<const U: u8>;

impl<const U: u8> Custom for Scatter<U> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets; lanes are taken modulo 64.
        unsafe {
            let live = ctx.uniform64(s, 2);
            let mut r = [0; LANES];
            for i in 0..LANES {
                if live >> i & 1 != 0 {
                    let to = lane::<u32>(ctx, s, 1, U, i) as usize / 4 % LANES;
                    r[to] = lane::<u32>(ctx, s, 0, U, i);
                }
            }
            u32::store::<S>(ctx.v(s.dst), ctx.mask(s), &r);
        }
        Next::Step
    }
}

/// The value in the lane whose number is source 1.
pub(crate) struct ReadLane;

impl Custom for ReadLane {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets; lanes are taken modulo 64.
        unsafe {
            let n = ctx.uniform32(s, 1) as usize % LANES;
            let value = u32::lane(ctx.v(s.src[0]), n);
            ctx.u::<u32>(s.dst).write(value);
        }
        Next::Step
    }
}

/// The value of the lowest lane of the mask (source 1), or of lane 0 if the mask is empty.
pub(crate) struct ReadFirstLane;

impl Custom for ReadFirstLane {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets; lanes are taken modulo 64.
        unsafe {
            let n = ctx.uniform64(s, 1).trailing_zeros() as usize % LANES;
            let value = u32::lane(ctx.v(s.src[0]), n);
            ctx.u::<u32>(s.dst).write(value);
        }
        Next::Step
    }
}

/// For each lane, the mask of the lanes below it: its low or high half.
pub(crate) struct LanesBelow<const HIGH: bool>;

impl<const HIGH: bool> Custom for LanesBelow<HIGH> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let shift = if HIGH { 32 } else { 0 };
            let r = all_lanes(|i| (((1u64 << i) - 1) >> shift) as u32);
            u32::store::<S>(ctx.v(s.dst), ctx.mask(s), &r);
        }
        Next::Step
    }
}

/// The number of each lane.
pub(crate) struct LaneId;

impl Custom for LaneId {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let r = all_lanes(|i| i as u32);
            u32::store::<S>(ctx.v(s.dst), ctx.mask(s), &r);
        }
        Next::Step
    }
}
