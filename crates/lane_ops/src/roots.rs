//! Square roots of double precision and their reciprocals, by vector arithmetic where that is faster than the processor's
//! instructions.
//!
//! An estimate is refined by fused multiply-adds until its error is smaller than the distance of any root to the middle between
//! two numbers. So the result has the same bits as the instructions. (P. Markstein, IA-64 and Elementary Functions, 2000,
//! chapters 8 and 9, has the sequences and proofs.)

use std::hint::black_box;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

use wavetank_ir::LANES;

use crate::format::{Double, Format};
use crate::lanes::{Env, Op1, all_lanes};
use crate::mode::Mode;
use crate::store::{Aligned, Store};
use crate::unary::{Rsq, Sqrt};

/// [`Sqrt`] of double precision, all lanes together.
pub(crate) struct WideSqrt<M>(PhantomData<M>);

impl<M: Mode> Op1 for WideSqrt<M> {
    type A = u64;
    type R = u64;

    #[inline(always)]
    fn f(env: Env, a: u64) -> u64 {
        Sqrt::<Double, M>::f(env, a)
    }

    #[inline(always)]
    fn all<S: Store>(env: Env, a: impl Fn(usize) -> u64) -> Aligned<[u64; LANES]> {
        match roots::<S>(&a) {
            Some([roots, _]) => all_lanes(|i| roots[i].to_bits()),
            None => all_lanes(|i| Self::f(env, a(i))),
        }
    }
}

/// [`Rsq`] of double precision, all lanes together.
pub(crate) struct WideRsq<M>(PhantomData<M>);

impl<M: Mode> Op1 for WideRsq<M> {
    type A = u64;
    type R = u64;

    #[inline(always)]
    fn f(env: Env, a: u64) -> u64 {
        Rsq::<Double, M>::f(env, a)
    }

    #[inline(always)]
    fn all<S: Store>(env: Env, a: impl Fn(usize) -> u64) -> Aligned<[u64; LANES]> {
        let Some(roots) = roots::<S>(&a) else {
            return all_lanes(|i| Self::f(env, a(i)));
        };
        // Stored to memory, so that the processor overlaps more lanes: each is a long dependency chain.
        let [roots, halves] = black_box(&roots);
        all_lanes(|i| reciprocal(roots[i], 2.0 * halves[i]).to_bits())
    }
}

/// Returns whether the root of a number can be refined. The number is positive and finite, and the remainder (the number minus
/// the square of its root) is not denormal. Excluded are the two numbers below 4 (times a power of 4) whose roots are the last
/// below 2 (times a power of 2): these roots and their reciprocals are almost midway between two numbers.
#[inline(always)]
fn is_usual(a: u64) -> bool {
    const MIN: u64 = (1023 - 960) << Double::FRACTION_BITS;
    const LAST_TWO: u64 = (1 << Double::FRACTION_BITS) - 2;
    (a.wrapping_sub(MIN) < Double::EXPONENT - MIN) & (a | !LAST_TWO != !0)
}

/// Returns the roots of all lanes, rounded to nearest, and about half of their reciprocals, within 2^-52. `None` if the level has
/// no estimates or an operand is unusual.
#[inline(always)]
fn roots<S: Store>(a: impl Fn(usize) -> u64) -> Option<[Aligned<[f64; LANES]>; 2]> {
    if !S::ESTIMATES_ROOTS {
        return None;
    }
    let mut odd = 0;
    for i in 0..LANES {
        odd |= u32::from(!is_usual(a(i)));
    }
    if odd != 0 {
        return None;
    }
    let x = all_lanes(|i| f64::from_bits(a(i)));
    let mut estimates = MaybeUninit::<Aligned<[f64; LANES]>>::uninit();
    // SAFETY: the space is that of 64 numbers, and the processor has the level's features, by the caller of the step.
    let estimates = unsafe {
        S::estimate_reciprocal_roots(&x, estimates.as_mut_ptr().cast());
        estimates.assume_init()
    };
    let mut halves = MaybeUninit::<Aligned<[f64; LANES]>>::uninit();
    let to = halves.as_mut_ptr().cast::<f64>();
    let roots = all_lanes(|i| {
        let (root, half) = root(x[i], estimates[i]);
        // SAFETY: number i of 64.
        unsafe { to.add(i).write(half) };
        root
    });
    // SAFETY: all 64 have been written.
    Some([roots, unsafe { halves.assume_init() }])
}

/// Returns the root of x, and about half of its reciprocal, from an estimate of the reciprocal with an error of at most 2^-14.
#[inline(always)]
fn root(x: f64, estimate: f64) -> (f64, f64) {
    let mut root = x * estimate;
    let mut half = 0.5 * estimate;
    // The error is 2^-27, then little more than that of rounding.
    for _ in 0..2 {
        let error = (-root).mul_add(half, 0.5);
        root = error.mul_add(root, root);
        half = error.mul_add(half, half);
    }
    // Within half a step and a little, then correctly rounded. The remainder is exact.
    for _ in 0..2 {
        let rest = (-root).mul_add(root, x);
        root = rest.mul_add(half, root);
    }
    (root, half)
}

/// 1 / x from an estimate with an error of at most two steps.
#[inline(always)]
fn reciprocal(x: f64, estimate: f64) -> f64 {
    let mut r = estimate;
    for _ in 0..2 {
        let error = (-x).mul_add(r, 1.0);
        r = error.mul_add(r, r);
    }
    r
}
