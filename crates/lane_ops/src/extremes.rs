//! Minimum, maximum, median and clamp (Vega ISA, V_MIN_F32, V_MAX_F32, V_MED3_F32 and their siblings).
//!
//! The fast path orders numbers, and gives a NaN in lanes with a NaN operand; `repair` then applies the rules for NaNs.

use std::marker::PhantomData;

use wavetank_ir::LANES;

use crate::format::{Format, Single, invalid, is_nan};
use crate::lanes::{Batch3, Env, Op1, Op2, Op3, Row, one_by_one3};
use crate::mode::{Mode, input, output};
use crate::store::{Aligned, Store};

/// Minimum (`MAX` false) or maximum of numbers, with −0 below +0.
#[inline(always)]
fn extreme<F: Format, const MAX: bool>(a: F::W, b: F::W) -> F::W {
    // Equal numbers have equal bits, except zeros, whose sign is chosen here: minus if either (minimum) or both (maximum) have
    // it.
    let zero = if MAX { a & b } else { a | b };
    let first = if MAX { F::lt(b, a) } else { F::lt(a, b) };
    let r = if first { a } else { b };
    if F::eq(a, b) { zero } else { r }
}

/// Returns the result for NaN operands, by the rules of the ISA document's pseudo-code.
fn extreme_of_nans<F: Format, const MAX: bool>(ieee: bool, a: F::W, b: F::W) -> F::W {
    let signaling = |x: F::W| is_nan::<F>(x) && x & F::QUIET == F::ZERO;
    if ieee && signaling(a) {
        a | F::QUIET
    } else if ieee && signaling(b) {
        b | F::QUIET
    } else if is_nan::<F>(a) {
        b
    } else if is_nan::<F>(b) {
        a
    } else {
        extreme::<F, MAX>(a, b)
    }
}

/// Minimum or maximum, with NaN operands by the ISA's rules.
pub(crate) struct Extreme<F, M, const MAX: bool>(PhantomData<(F, M)>);

impl<F: Format, M: Mode, const MAX: bool> Op2 for Extreme<F, M, MAX> {
    type A = F::W;
    type B = F::W;
    type R = F::W;
    const REPAIR: bool = true;

    #[inline(always)]
    fn f(env: Env, a: F::W, b: F::W) -> F::W {
        let (a, b) = (input::<F, M>(env, a), input::<F, M>(env, b));
        let r = output::<F, M>(env, extreme::<F, MAX>(a, b));
        if F::unordered(a, b) {
            invalid::<F>()
        } else {
            r
        }
    }

    #[inline(always)]
    fn odd(r: F::W) -> bool {
        is_nan::<F>(r)
    }

    fn repair(env: Env, a: F::W, b: F::W, _: F::W) -> F::W {
        let (a, b) = (input::<F, M>(env, a), input::<F, M>(env, b));
        output::<F, M>(env, extreme_of_nans::<F, MAX>(env.ieee(), a, b))
    }
}

/// Returns the median of three numbers: the larger of those that are not the largest.
fn median_of_numbers<F: Format>(a: F::W, b: F::W, c: F::W) -> F::W {
    let largest = extreme::<F, true>(extreme::<F, true>(a, b), c);
    if F::eq(largest, a) {
        extreme::<F, true>(b, c)
    } else if F::eq(largest, b) {
        extreme::<F, true>(a, c)
    } else {
        extreme::<F, true>(a, b)
    }
}

/// The median of three operands.
pub(crate) struct Median<F, M>(PhantomData<(F, M)>);

impl<F: Format, M: Mode> Op3 for Median<F, M> {
    type A = F::W;
    type B = F::W;
    type C = F::W;
    type R = F::W;
    const REPAIR: bool = true;

    #[inline(always)]
    fn f(env: Env, a: F::W, b: F::W, c: F::W) -> F::W {
        let [a, b, c] = [a, b, c].map(|x| input::<F, M>(env, x));
        let [x, y, z] = [a, b, c].map(F::key);
        let r = output::<F, M>(env, F::of_key(x.min(y).max(x.max(y).min(z))));
        if F::unordered(a, b) | F::unordered(c, c) {
            invalid::<F>()
        } else {
            r
        }
    }

    /// Returns whether a result needs a repair: a NaN, or −0. Zeros of both signs count as equal when the largest is left out, so
    /// −0 may have to be +0.
    #[inline(always)]
    fn odd(r: F::W) -> bool {
        is_nan::<F>(r) | (r == F::SIGN)
    }

    /// With a NaN operand the median is the minimum of three.
    fn repair(env: Env, a: F::W, b: F::W, c: F::W, _: F::W) -> F::W {
        let [a, b, c] = [a, b, c].map(|x| input::<F, M>(env, x));
        if !(F::unordered(a, b) | F::unordered(c, c)) {
            return output::<F, M>(env, median_of_numbers::<F>(a, b, c));
        }
        let ab = extreme_of_nans::<F, false>(env.ieee(), a, b);
        output::<F, M>(env, extreme_of_nans::<F, false>(env.ieee(), ab, c))
    }
}

/// A median by the order of floats, where zeros of both signs are equal. If a result is zero, no operand may be −0; else the row
/// is computed lane by lane.
impl<M: Mode> Batch3 for Median<Single, M> {
    #[inline(always)]
    unsafe fn all<S: Store>(env: Env, a: &Row, b: &Row, c: &Row) -> Aligned<Row> {
        let operands = |i: usize| [a[i], b[i], c[i]].map(|x| input::<Single, M>(env, x));
        let less = |x, y| if Single::lt(x, y) { x } else { y };
        let more = |x, y| if Single::lt(x, y) { y } else { x };
        let (mut nan, mut zero) = (0, 0);
        let mut r = Aligned([0; LANES]);
        for i in 0..LANES {
            let [x, y, z] = operands(i);
            let median = more(less(x, y), less(more(x, y), z));
            nan |= u32::from(Single::unordered(x, y) | Single::unordered(z, z));
            zero |= u32::from(Single::eq(median, Single::ZERO));
            r[i] = output::<Single, M>(env, median);
        }
        let minus_zero = |any: u32, i: usize| {
            let [x, y, z] = operands(i).map(|x| u32::from(x == Single::SIGN));
            any | x | y | z
        };
        if nan != 0 || zero != 0 && (0..LANES).fold(0, minus_zero) != 0 {
            return one_by_one3::<Self>(env, a, b, c);
        }
        r
    }
}

/// Clamps to 0 ≤ x ≤ 1; a NaN becomes 0, or stays (`KEEP_NAN`).
pub(crate) struct Clamp<F, M, const KEEP_NAN: bool>(PhantomData<(F, M)>);

impl<F: Format, M: Mode, const KEEP_NAN: bool> Op1 for Clamp<F, M, KEEP_NAN> {
    type A = F::W;
    type R = F::W;

    #[inline(always)]
    fn f(env: Env, a: F::W) -> F::W {
        let a = input::<F, M>(env, a);
        let r = if F::lt(F::ZERO, a) { a } else { F::ZERO };
        let r = if F::lt(F::ONE, r) { F::ONE } else { r };
        let r = output::<F, M>(env, r);
        if KEEP_NAN && is_nan::<F>(a) { a } else { r }
    }
}
