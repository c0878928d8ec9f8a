//! Steps of functions that compute a row of words at once.

use std::marker::PhantomData;

use wavetank_ir::LANES;

use crate::drive::{Custom, env};
use crate::lanes::{Batch2, Batch3, Room, Row};
use crate::step::{Ctx, Next, Step};
use crate::store::{Aligned, Store};

/// A step with two sources; bit n of `U` says that source n is uniform.
pub(crate) struct Two<F, const U: u8>(PhantomData<F>);

impl<F: Batch2, const U: u8> Custom for Two<F, U> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let [mut x, mut y] = [Room::uninit(), Room::uninit()];
            let (a, b) = (row::<0, U>(ctx, s, &mut x), row::<1, U>(ctx, s, &mut y));
            let r = F::all::<S>(env(s), a, b);
            S::store(ctx.v(s.dst), ctx.mask(s), &r);
        }
        Next::Step
    }
}

/// A step with three sources; bit n of `U` says that source n is uniform.
pub(crate) struct Three<F, const U: u8>(PhantomData<F>);

impl<F: Batch3, const U: u8> Custom for Three<F, U> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let [mut x, mut y, mut z] = [Room::uninit(), Room::uninit(), Room::uninit()];
            let (a, b) = (row::<0, U>(ctx, s, &mut x), row::<1, U>(ctx, s, &mut y));
            let r = F::all::<S>(env(s), a, b, row::<2, U>(ctx, s, &mut z));
            S::store(ctx.v(s.dst), ctx.mask(s), &r);
        }
        Next::Step
    }
}

/// Returns the row of source `N`: in the vector file, or a uniform value spread into `room`.
///
/// # Safety
/// The contract of `StepFn`. The source is not written while it is used.
#[inline(always)]
unsafe fn row<'a, const N: usize, const U: u8>(
    ctx: &Ctx<'_, '_>,
    s: &Step,
    room: &'a mut Room<u32>,
) -> &'a Row {
    // SAFETY: by the caller's promise.
    unsafe {
        match U >> N & 1 {
            0 => &*ctx.v(s.src[N]).cast_const().cast(),
            _ => room.write(Aligned([ctx.uniform32(s, N); LANES])),
        }
    }
}
