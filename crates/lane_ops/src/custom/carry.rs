//! Sums with carry, and the wide multiply-add: steps with 64-bit or two results.

use super::lane;
use crate::drive::Custom;
use crate::lanes::all_lanes;
use crate::lanes::{Room, Word};
use crate::step::{Ctx, Next, Step};
use crate::store::Store;

/// One lane of a sum (or, with `SUB`, a difference) with carry.
#[inline(always)]
fn add<const SUB: bool>(a: u32, b: u32, carry: u32) -> (u32, bool) {
    if SUB {
        let (r, x) = a.overflowing_sub(b);
        let (r, y) = r.overflowing_sub(carry);
        (r, x | y)
    } else {
        let (r, x) = a.overflowing_add(b);
        let (r, y) = r.overflowing_add(carry);
        (r, x | y)
    }
}

/// a ± b ± carry in each lane; source 2 is the carry mask when `CARRY`. The carries of the active lanes go to `dst2`.
pub(crate) struct AddCarry<const SUB: bool, const CARRY: bool, const U: u8>;

impl<const SUB: bool, const CARRY: bool, const U: u8> Custom for AddCarry<SUB, CARRY, U> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let mut carry_in = [0u32; 64];
            if CARRY {
                S::select(
                    ctx.uniform64(s, 2),
                    &[1; 64],
                    &[0; 64],
                    carry_in.as_mut_ptr(),
                );
            }
            let mut out = [0u32; 64];
            let r = all_lanes(|i| {
                let (a, b) = (lane(ctx, s, 0, U, i), lane(ctx, s, 1, U, i));
                let (r, c) = add::<SUB>(a, b, if CARRY { carry_in[i] } else { 0 });
                out[i] = u32::from(c).wrapping_neg();
                r
            });
            let mask = ctx.mask(s);
            u32::store::<S>(ctx.v(s.dst), mask, &r);
            ctx.u::<u64>(s.dst2).write_unaligned(S::mask(&out) & mask);
        }
        Next::Step
    }
}

/// a ± b ± carry of uniform 32-bit values; the carry, 0 or 1, goes to `dst2`.
pub(crate) struct UniformAddCarry<const SUB: bool, const CARRY: bool>;

impl<const SUB: bool, const CARRY: bool> Custom for UniformAddCarry<SUB, CARRY> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let carry = if CARRY {
                u32::from(ctx.uniform32(s, 2) != 0)
            } else {
                0
            };
            let (r, c) = add::<SUB>(ctx.uniform32(s, 0), ctx.uniform32(s, 1), carry);
            ctx.u::<u32>(s.dst).write(r);
            ctx.u::<u32>(s.dst2).write(c.into());
        }
        Next::Step
    }
}

#[inline(always)]
fn mad<const SIGNED: bool>(a: u32, b: u32, c: u64) -> (u64, bool) {
    if SIGNED {
        let product = (i64::from(a as i32) * i64::from(b as i32)) as u64;
        (product.wrapping_add(c), false)
    } else {
        (u64::from(a) * u64::from(b)).overflowing_add(c)
    }
}

/// a · b + c in 64 bits in each lane.
pub(crate) struct MadWide<const SIGNED: bool, const U: u8>;

impl<const SIGNED: bool, const U: u8> Custom for MadWide<SIGNED, U> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let mut out = [0u32; 64];
            let mut room = Room::uninit();
            let c = match U & 4 {
                0 => &*u64::words::<S>(ctx.v(s.src[2]), &mut room).cast(),
                _ => &[ctx.uniform64(s, 2); 64],
            };
            let r = all_lanes(|i| {
                let (a, b) = (lane(ctx, s, 0, U, i), lane(ctx, s, 1, U, i));
                let (r, c) = mad::<SIGNED>(a, b, c[i]);
                out[i] = u32::from(c).wrapping_neg();
                r
            });
            let mask = ctx.mask(s);
            u64::store::<S>(ctx.v(s.dst), mask, &r);
            ctx.u::<u64>(s.dst2).write_unaligned(S::mask(&out) & mask);
        }
        Next::Step
    }
}

/// a · b + c in 64 bits of uniform values.
pub(crate) struct UniformMadWide<const SIGNED: bool>;

impl<const SIGNED: bool> Custom for UniformMadWide<SIGNED> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let c = ctx.uniform64(s, 2);
            let (r, c) = mad::<SIGNED>(ctx.uniform32(s, 0), ctx.uniform32(s, 1), c);
            ctx.u::<u64>(s.dst).write_unaligned(r);
            ctx.u::<u32>(s.dst2).write(c.into());
        }
        Next::Step
    }
}
