//! Transcendental functions: 2^x, log2, sine and cosine.
//!
//! All are polynomials evaluated by fused multiply-adds, which are vector instructions where these exist, and give the same bits
//! at every level. Functions of single precision are computed in double, within 0.5001 ULP, where the ISA document grants 1 ULP.
//! Functions of half precision are computed in single, within 0.51 ULP.

mod half;
mod single;

use std::marker::PhantomData;

use wavetank_ir::LANES;

use crate::format::{Half, Single, settle};
use crate::half::{narrow_nearest, widen};
use crate::lanes::all_lanes;
use crate::lanes::{Env, Op1};
use crate::mode::{Mode, input, output};
use crate::store::{Aligned, Store};

/// A function of bits of single precision. A NaN becomes quiet; an invalid operand gives the NaN of invalid operations.
pub(crate) trait Function: 'static {
    /// Returns the result rounded to single precision.
    fn single(a: u32) -> u32;
    /// Returns the results of `single` in all lanes, whose operands `a` returns.
    fn singles(a: impl Fn(usize) -> u32) -> Aligned<[u32; LANES]>;
    /// Returns the result for a half in single precision, close enough to be rounded to half. NaNs and invalid operands give a
    /// NaN of any bits.
    fn of_half(x: f32) -> f32;
}

/// Two to the power of x.
pub(crate) struct Exp2;
/// The logarithm of x to base 2.
pub(crate) struct Log2;
/// The sine of x turns.
pub(crate) struct Sin;
/// The cosine of x turns.
pub(crate) struct Cos;

/// A function in single precision.
pub(crate) struct InSingle<F, M>(PhantomData<(F, M)>);

impl<F: Function, M: Mode> Op1 for InSingle<F, M> {
    type A = u32;
    type R = u32;

    #[inline(always)]
    fn f(env: Env, a: u32) -> u32 {
        output::<Single, M>(env, F::single(input::<Single, M>(env, a)))
    }

    #[inline(always)]
    fn all<S: Store>(env: Env, a: impl Fn(usize) -> u32) -> Aligned<[u32; LANES]> {
        let r = F::singles(|i| input::<Single, M>(env, a(i)));
        if M::flush_out(env) {
            return all_lanes(|i| output::<Single, M>(env, r[i]));
        }
        r
    }
}

/// A function of a half that was widened to single precision; the result has yet to be rounded to half.
pub(crate) struct OfWidened<F>(PhantomData<F>);

impl<F: Function> Op1 for OfWidened<F> {
    type A = u32;
    type R = u32;

    #[inline(always)]
    fn f(_: Env, a: u32) -> u32 {
        settle::<Single>(a, F::of_half(f32::from_bits(a)).to_bits())
    }
}

/// A function in half precision.
pub(crate) struct InHalf<F, M>(PhantomData<(F, M)>);

impl<F: Function, M: Mode> Op1 for InHalf<F, M> {
    type A = u32;
    type R = u32;

    #[inline(always)]
    fn f(env: Env, a: u32) -> u32 {
        let a = input::<Half, M>(env, a);
        let r = F::of_half(f32::from_bits(widen(a)));
        settle::<Half>(a, output::<Half, M>(env, narrow_nearest(r.to_bits())))
    }
}
