//! Half precision computed in single: the words are converted on the way in and out, all lanes at once, by the processor's
//! instructions where it has them. A result computed in single precision and rounded to half is as if rounded once, see
//! [`Half`](crate::format::Half).
//!
//! Signaling NaNs become quiet on the way in, so this is for functions that treat both kinds alike.

use std::marker::PhantomData;

use wavetank_ir::LANES;

use crate::format::{Single, is_nan, nan_of};
use crate::half::{narrow, widen_quiet};
use crate::lanes::{Env, Op1, Op2, Op3, Room, Test2, Word};
use crate::odd::sum_to_odd_f32;
use crate::store::Store;

/// A half, as bits of single precision; rounded when it is stored: to nearest (0), or toward zero (3).
#[derive(Clone, Copy, Default)]
#[repr(transparent)]
pub(crate) struct Widened<const ROUND: i32 = 0>(u32);

impl<const ROUND: i32> Word for Widened<ROUND> {
    /// The width of the computation.
    const BITS: u32 = 32;

    #[inline(always)]
    unsafe fn lane(p: *const u32, i: usize) -> Self {
        // SAFETY: by the caller's promise.
        Widened(widen_quiet(unsafe { u32::lane(p, i) }))
    }

    #[inline(always)]
    unsafe fn words<S: Store>(p: *const u32, room: &mut Room<Self>) -> *const Self {
        let words = room.as_mut_ptr().cast();
        // SAFETY: `p` is a lane vector; the room has that of 64 words of 32 bits.
        unsafe { S::widen(p, words) };
        words.cast()
    }

    #[inline(always)]
    unsafe fn store<S: Store>(p: *mut u32, mask: u64, r: &[Self; LANES]) {
        let mut halves = Room::<u32>::uninit();
        // SAFETY: the words have the layout of their contents; `narrow` fills the space; `p` by the caller's promise.
        unsafe {
            S::narrow::<ROUND>(&*r.as_ptr().cast(), halves.as_mut_ptr().cast());
            S::store(p, mask, halves.assume_init_ref());
        }
    }

    #[inline(always)]
    fn from_u64(v: u64) -> Self {
        Widened(widen_quiet(v as u32))
    }

    #[inline(always)]
    fn to_u64(self) -> u64 {
        narrow(ROUND as u32, self.0).into()
    }

    #[inline(always)]
    fn modify(self, and: u64, xor: u64) -> Self {
        Widened(self.0.modify(and, xor))
    }
}

/// Single precision to half. A NaN keeps the upper bits of its payload and becomes quiet.
pub(crate) struct ToHalf<const ROUND: i32>;

impl<const ROUND: i32> Op1 for ToHalf<ROUND> {
    type A = u32;
    type R = Widened<ROUND>;

    #[inline(always)]
    fn f(_: Env, a: u32) -> Widened<ROUND> {
        Widened(a)
    }
}

/// Half precision to single, exactly; a NaN becomes quiet.
pub(crate) struct FromHalf;

impl Op1 for FromHalf {
    type A = Widened;
    type R = u32;

    #[inline(always)]
    fn f(_: Env, a: Widened) -> u32 {
        a.0
    }
}

/// A function of single precision, applied to halves.
pub(crate) struct Through<F>(PhantomData<F>);

impl<F: Op1<A = u32, R = u32>> Op1 for Through<F> {
    type A = Widened;
    type R = Widened;

    #[inline(always)]
    fn f(env: Env, a: Widened) -> Widened {
        Widened(F::f(env, a.0))
    }
}

impl<F: Op2<A = u32, B = u32, R = u32>> Op2 for Through<F> {
    type A = Widened;
    type B = Widened;
    type R = Widened;
    const REPAIR: bool = F::REPAIR;

    #[inline(always)]
    fn f(env: Env, a: Widened, b: Widened) -> Widened {
        Widened(F::f(env, a.0, b.0))
    }

    #[inline(always)]
    fn odd(r: Widened) -> bool {
        F::odd(r.0)
    }

    fn repair(env: Env, a: Widened, b: Widened, r: Widened) -> Widened {
        Widened(F::repair(env, a.0, b.0, r.0))
    }
}

impl<F: Op3<A = u32, B = u32, C = u32, R = u32>> Op3 for Through<F> {
    type A = Widened;
    type B = Widened;
    type C = Widened;
    type R = Widened;
    const REPAIR: bool = F::REPAIR;

    #[inline(always)]
    fn f(env: Env, a: Widened, b: Widened, c: Widened) -> Widened {
        Widened(F::f(env, a.0, b.0, c.0))
    }

    #[inline(always)]
    fn odd(r: Widened) -> bool {
        F::odd(r.0)
    }

    fn repair(env: Env, a: Widened, b: Widened, c: Widened, r: Widened) -> Widened {
        Widened(F::repair(env, a.0, b.0, c.0, r.0))
    }
}

impl<F: Test2<A = u32, B = u32>> Test2 for Through<F> {
    type A = Widened;
    type B = Widened;

    #[inline(always)]
    fn f(env: Env, a: Widened, b: Widened) -> bool {
        F::f(env, a.0, b.0)
    }
}

/// a · 2^b of halves, with b a signed 16-bit number.
pub(crate) struct LdexpThrough;

impl Op2 for LdexpThrough {
    type A = Widened;
    type B = u32;
    type R = Widened;

    #[inline(always)]
    fn f(_: Env, a: Widened, b: u32) -> Widened {
        // The power is exact in single precision within these bounds; half of the range already takes every half to zero or
        // infinity.
        let exponent = i32::from(b as i16).clamp(-60, 60);
        let power = f32::from_bits(((exponent + 127) as u32) << 23);
        let product = (f32::from_bits(a.0) * power).to_bits();
        // A NaN operand keeps its bits.
        Widened(if is_nan::<Single>(a.0) { a.0 } else { product })
    }
}

/// a · b + c of widened halves, to be rounded to half. The product is exact in single precision, and no sum overflows or
/// underflows there. The sum is rounded to odd, so that it may be rounded again.
pub(crate) struct SumToOdd;

impl Op3 for SumToOdd {
    type A = u32;
    type B = u32;
    type C = u32;
    type R = u32;
    const REPAIR: bool = true;

    #[inline(always)]
    fn f(_: Env, a: u32, b: u32, c: u32) -> u32 {
        let [a, b, c] = [a, b, c].map(f32::from_bits);
        sum_to_odd_f32(a * b, c).to_bits()
    }

    #[inline(always)]
    fn odd(r: u32) -> bool {
        is_nan::<Single>(r)
    }

    fn repair(_: Env, a: u32, b: u32, c: u32, _: u32) -> u32 {
        nan_of::<Single, _>([a, b, c])
    }
}
