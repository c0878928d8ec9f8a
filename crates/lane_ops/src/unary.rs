//! Functions of one float, except the transcendental ones.

use std::marker::PhantomData;

use wavetank_ir::LANES;

use crate::exact;
use crate::format::{Format, Half, Single, is_nan, settle};
use crate::lanes::{Batch2, Env, Op1, Op2, Row, Word, one_by_one2};
use crate::mode::{Mode, input, output};
use crate::store::{Aligned, Store};

/// Declares functions of format `F` in mode `M` on the flushed operand. A NaN result is replaced by the specified one, and a
/// denormal result is flushed.
macro_rules! unary {
    ($($(#[$doc:meta])* $name:ident($a:ident) = $body:expr;)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name<F, M>(PhantomData<(F, M)>);

        impl<F: Format, M: Mode> Op1 for $name<F, M> {
            type A = F::W;
            type R = F::W;

            #[inline(always)]
            fn f(env: Env, a: F::W) -> F::W {
                let $a = input::<F, M>(env, a);
                settle::<F>($a, output::<F, M>(env, $body))
            }
        }
    )*};
}

unary! {
    /// Flushes denormals, and makes a NaN quiet.
    Canonicalize(a) = a;
    /// Square root, to nearest in every mode.
    Sqrt(a) = F::sqrt(a);
    /// 1 / a, to nearest in every mode.
    Rcp(a) = F::rcp(a);
    /// 1 / sqrt(a) within 1 ULP.
    Rsq(a) = F::rsq(a);
    /// The integer part: rounded toward zero.
    Trunc(a) = F::trunc(a);
    /// The next integer toward plus infinity.
    Ceil(a) = F::ceil(a);
    /// The next integer toward minus infinity.
    Floor(a) = F::floor(a);
    /// The nearest integer, ties to even.
    RoundEven(a) = F::round_even(a);
    /// a − floor(a), below 1.
    Fract(a) = {
        let r = F::sub(a, F::floor(a));
        if r == F::ONE { F::BELOW_ONE } else { r }
    };
    /// The mantissa, ½ ≤ |m| < 1; zeros, infinities and NaNs stay.
    Mantissa(a) = {
        let halves = F::mul(F::split(a).0, half::<F>());
        if has_exponent::<F>(a) { halves } else { a }
    };
}

/// ½: the bits of 1 with the exponent one lower.
#[inline(always)]
fn half<F: Format>() -> F::W {
    F::W::from_u64(F::ONE.to_u64() - (1 << F::FRACTION_BITS))
}

/// Returns whether the value is neither zero, infinite nor a NaN.
#[inline(always)]
fn has_exponent<F: Format>(a: F::W) -> bool {
    (a & F::EXPONENT != F::EXPONENT) & (a & !F::SIGN != F::ZERO)
}

/// The exponent that belongs to [`Mantissa`], of 16 bits for halves.
pub(crate) struct Exponent<F, M>(PhantomData<(F, M)>);

impl<F: Format, M: Mode> Op1 for Exponent<F, M> {
    type A = F::W;
    type R = u32;

    #[inline(always)]
    fn f(env: Env, a: F::W) -> u32 {
        let a = input::<F, M>(env, a);
        let e = (F::split(a).1 + 1) as u32;
        let e = if F::FRACTION_BITS == Half::FRACTION_BITS {
            e & 0xffff
        } else {
            e
        };
        if has_exponent::<F>(a) { e } else { 0 }
    }
}

/// Inverts the sign bit.
pub(crate) struct Neg<F>(PhantomData<F>);

impl<F: Format> Op1 for Neg<F> {
    type A = F::W;
    type R = F::W;
    #[inline(always)]
    fn f(_: Env, a: F::W) -> F::W {
        F::clean(a) ^ F::SIGN
    }
}

/// Clears the sign bit.
pub(crate) struct Abs<F>(PhantomData<F>);

impl<F: Format> Op1 for Abs<F> {
    type A = F::W;
    type R = F::W;
    #[inline(always)]
    fn f(_: Env, a: F::W) -> F::W {
        F::clean(a) & !F::SIGN
    }
}

/// a · 2^b, rounded once.
pub(crate) struct Ldexp<F, M>(PhantomData<(F, M)>);

impl<F: Format, M: Mode> Op2 for Ldexp<F, M> {
    type A = F::W;
    type B = u32;
    type R = F::W;

    #[inline(always)]
    fn f(env: Env, a: F::W, b: u32) -> F::W {
        let a = input::<F, M>(env, a);
        let b = if F::FRACTION_BITS == Half::FRACTION_BITS {
            i32::from(b as i16)
        } else {
            b as i32
        };
        let r = if M::NEAREST || env.round() == 0 {
            F::ldexp(a, b)
        } else {
            exact::scale::<F>(env.round(), a, b)
        };
        let r = if has_exponent::<F>(a) { r } else { a };
        let r = output::<F, M>(env, r);
        if is_nan::<F>(a) { a | F::QUIET } else { r }
    }
}

/// Rounds to nearest with one product, where every power is a normal number of single precision.
impl<M: Mode> Batch2 for Ldexp<Single, M> {
    #[inline(always)]
    unsafe fn all<S: Store>(env: Env, a: &Row, b: &Row) -> Aligned<Row> {
        let mut beyond = 0;
        let mut r = Aligned([0; LANES]);
        for i in 0..LANES {
            let x = input::<Single, M>(env, a[i]);
            let exponent = (b[i] as i32).clamp(1 - Single::BIAS, Single::BIAS);
            beyond |= exponent as u32 ^ b[i];
            let power = ((exponent + Single::BIAS) as u32) << Single::FRACTION_BITS;
            let product = output::<Single, M>(env, Single::mul(x, power));
            let quiet = x | Single::QUIET;
            r[i] = if is_nan::<Single>(x) { quiet } else { product };
        }
        match beyond {
            0 => r,
            _ => one_by_one2::<Self>(env, a, b),
        }
    }
}
