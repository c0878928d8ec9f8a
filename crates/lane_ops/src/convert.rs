//! Conversions between integers and floats, and between float formats.

use std::marker::PhantomData;

use wavetank_ir::{Cvt, Elem, Fp, Round};

use crate::directed::to_single;
use crate::exact;
use crate::format::{Double, Format, Half, Single, is_nan};
use crate::half::{narrow, widen};
use crate::lanes::{Env, Op1, Word};
use crate::mode::{Dynamic, Exact, Mode, input, output};
use crate::through::{FromHalf, ToHalf};
use crate::visit::Visit;

/// Declares conversions of integers: exact, or to nearest by the language's cast `nearest`, else in integer arithmetic.
macro_rules! from_integers {
    ($($name:ident: $w:ident as $int:ident to $format:ident = $nearest:expr;)*) => {$(
        struct $name;
        impl Op1 for $name {
            type A = $w;
            type R = <$format as Format>::W;
            #[inline(always)]
            fn f(env: Env, a: $w) -> Self::R {
                let a = a as $int;
                let nearest: fn($int) -> Self::R = $nearest;
                let exact = $int::BITS <= $format::FRACTION_BITS + 1;
                if exact || env.round() == 0 || a == 0 {
                    nearest(a)
                } else {
                    #[allow(unused_comparisons)]
                    let negative = a < 0;
                    let magnitude = if negative { (a as u64).wrapping_neg() } else { a as u64 };
                    exact::from_integer::<$format>(env.round(), negative, magnitude)
                }
            }
        }
    )*};
}

from_integers! {
    S16ToHalf: u32 as i16 to Half = |a| narrow(0, f32::from(a).to_bits());
    U16ToHalf: u32 as u16 to Half = |a| narrow(0, f32::from(a).to_bits());
    S32ToHalf: u32 as i32 to Half = |a| far_to_half(a.into());
    U32ToHalf: u32 as u32 to Half = |a| far_to_half(a.into());
    S16ToSingle: u32 as i16 to Single = |a| f32::from(a).to_bits();
    U16ToSingle: u32 as u16 to Single = |a| f32::from(a).to_bits();
    S32ToSingle: u32 as i32 to Single = |a| (a as f32).to_bits();
    U32ToSingle: u32 as u32 to Single = |a| (a as f32).to_bits();
    S64ToSingle: u64 as i64 to Single = |a| (a as f32).to_bits();
    U64ToSingle: u64 as u64 to Single = |a| (a as f32).to_bits();
    S32ToDouble: u32 as i32 to Double = |a| f64::from(a).to_bits();
    U32ToDouble: u32 as u32 to Double = |a| f64::from(a).to_bits();
    S64ToDouble: u64 as i64 to Double = |a| (a as f64).to_bits();
    U64ToDouble: u64 as u64 to Double = |a| (a as f64).to_bits();
}

/// Integers of 2^17 and more become infinite; all below are exact in single precision.
#[inline(always)]
fn far_to_half(a: i64) -> u32 {
    narrow(0, (a.clamp(-(1 << 17), 1 << 17) as f32).to_bits())
}

/// Declares conversions to integers: toward zero, saturating, NaN to 0. The language's cast has the same result, but is not
/// compiled to vector instructions.
macro_rules! to_integers {
    ($($name:ident: $format:ident to $int:ident as $unsigned:ident in $w:ident = $native:ident of $widen:expr;)*) => {$(
        struct $name;
        impl Op1 for $name {
            type A = <$format as Format>::W;
            type R = $w;
            #[inline(always)]
            fn f(_: Env, a: Self::A) -> $w {
                const MIN: $native = $int::MIN as $native;
                const LIMIT: $native = ($int::MAX / 2 + 1) as $native * 2.0;
                const BELOW: $native = LIMIT.next_down();
                let x = $native::from_bits($widen(a));
                let bounded = if x >= MIN { x } else { MIN };
                let bounded = if bounded < LIMIT { bounded } else { BELOW };
                // SAFETY: the bounds are finite, and within the integer's range when truncated.
                let r: $int = unsafe { bounded.to_int_unchecked() };
                let r = if x >= LIMIT { $int::MAX } else { r };
                let r = if x.is_nan() { 0 } else { r };
                r as $unsigned as $w
            }
        }
    )*};
}

#[inline(always)]
fn same<T>(a: T) -> T {
    a
}

to_integers! {
    HalfToS16: Half to i16 as u16 in u32 = f32 of widen;
    HalfToU16: Half to u16 as u16 in u32 = f32 of widen;
    HalfToS32: Half to i32 as u32 in u32 = f32 of widen;
    HalfToU32: Half to u32 as u32 in u32 = f32 of widen;
    SingleToS16: Single to i16 as u16 in u32 = f32 of same;
    SingleToU16: Single to u16 as u16 in u32 = f32 of same;
    SingleToS32: Single to i32 as u32 in u32 = f32 of same;
    SingleToU32: Single to u32 as u32 in u32 = f32 of same;
    SingleToS64: Single to i64 as u64 in u64 = f32 of same;
    SingleToU64: Single to u64 as u64 in u64 = f32 of same;
    DoubleToS32: Double to i32 as u32 in u32 = f64 of same;
    DoubleToU32: Double to u32 as u32 in u32 = f64 of same;
    DoubleToS64: Double to i64 as u64 in u64 = f64 of same;
    DoubleToU64: Double to u64 as u64 in u64 = f64 of same;
}

/// Conversion between float formats. A NaN keeps the upper bits of its payload
/// and becomes quiet.
struct Between<From, To, M = Dynamic>(PhantomData<(From, To, M)>);

impl<From: Format, To: Format, M: Mode> Op1 for Between<From, To, M>
where
    Between<From, To>: Numbers<From, To>,
{
    type A = From::W;
    type R = To::W;

    #[inline(always)]
    fn f(env: Env, a: From::W) -> To::W {
        let a = input::<From, M>(env, a);
        let round = if M::NEAREST { 0 } else { env.round() };
        let r = output::<To, M>(env, Between::<From, To>::numbers(round, a));
        if is_nan::<From>(a) {
            convert_nan::<From, To>(a)
        } else {
            r
        }
    }
}

#[inline(always)]
fn convert_nan<From: Format, To: Format>(a: From::W) -> To::W {
    let payload = (a & !(From::SIGN | From::EXPONENT)).to_u64();
    let payload = if From::FRACTION_BITS < To::FRACTION_BITS {
        payload << (To::FRACTION_BITS - From::FRACTION_BITS)
    } else {
        payload >> (From::FRACTION_BITS - To::FRACTION_BITS)
    };
    let sign = if a & From::SIGN == From::ZERO {
        To::ZERO
    } else {
        To::SIGN
    };
    sign | To::EXPONENT | To::QUIET | To::W::from_u64(payload)
}

/// Conversion of numbers (not NaNs), with a rounding of [`Env::round`].
trait Numbers<From: Format, To: Format> {
    fn numbers(round: u32, a: From::W) -> To::W;
}

impl Numbers<Half, Single> for Between<Half, Single> {
    #[inline(always)]
    fn numbers(_: u32, a: u32) -> u32 {
        widen(a)
    }
}

impl Numbers<Half, Double> for Between<Half, Double> {
    #[inline(always)]
    fn numbers(_: u32, a: u32) -> u64 {
        f64::from(f32::from_bits(widen(a))).to_bits()
    }
}

impl Numbers<Single, Double> for Between<Single, Double> {
    #[inline(always)]
    fn numbers(_: u32, a: u32) -> u64 {
        f64::from(f32::from_bits(a)).to_bits()
    }
}

impl Numbers<Single, Half> for Between<Single, Half> {
    #[inline(always)]
    fn numbers(round: u32, a: u32) -> u32 {
        narrow(round, a)
    }
}

impl Numbers<Double, Single> for Between<Double, Single> {
    #[inline(always)]
    fn numbers(round: u32, a: u64) -> u32 {
        to_single(round, f64::from_bits(a))
    }
}

impl Numbers<Double, Half> for Between<Double, Half> {
    #[inline(always)]
    fn numbers(round: u32, a: u64) -> u32 {
        if has_rounding(a) {
            exact::convert::<Double, Half>(round, a)
        } else {
            // Exact for zero and infinity.
            narrow(0, (f64::from_bits(a) as f32).to_bits())
        }
    }
}

#[inline(always)]
fn has_rounding(a: u64) -> bool {
    let a = f64::from_bits(a);
    a.is_finite() & (a != 0.0)
}

/// Returns the function of a conversion.
pub(crate) fn cvt<V: Visit>(cvt: Cvt, from: Elem, to: Elem, fp: Fp, v: V) -> Option<V::Out> {
    use Elem::*;
    let keeps = !fp.flush_in && !fp.flush_out;
    let exact = keeps && fp.round == Round::Nearest;
    Some(match (cvt, from, to) {
        (Cvt::SToF, I16, F16) => v.rare1::<S16ToHalf>(),
        (Cvt::SToF, I32, F16) => v.rare1::<S32ToHalf>(),
        (Cvt::SToF, I16, F32) => v.rare1::<S16ToSingle>(),
        (Cvt::SToF, I32, F32) => v.rare1::<S32ToSingle>(),
        (Cvt::SToF, I64, F32) => v.rare1::<S64ToSingle>(),
        (Cvt::SToF, I32, F64) => v.rare1::<S32ToDouble>(),
        (Cvt::SToF, I64, F64) => v.rare1::<S64ToDouble>(),
        (Cvt::UToF, I16, F16) => v.rare1::<U16ToHalf>(),
        (Cvt::UToF, I32, F16) => v.rare1::<U32ToHalf>(),
        (Cvt::UToF, I16, F32) => v.rare1::<U16ToSingle>(),
        (Cvt::UToF, I32, F32) => v.rare1::<U32ToSingle>(),
        (Cvt::UToF, I64, F32) => v.rare1::<U64ToSingle>(),
        (Cvt::UToF, I32, F64) => v.rare1::<U32ToDouble>(),
        (Cvt::UToF, I64, F64) => v.rare1::<U64ToDouble>(),
        (Cvt::FToS, F16, I16) => v.rare1::<HalfToS16>(),
        (Cvt::FToS, F16, I32) => v.rare1::<HalfToS32>(),
        (Cvt::FToS, F32, I16) => v.rare1::<SingleToS16>(),
        (Cvt::FToS, F32, I32) => v.float1::<SingleToS32>(),
        (Cvt::FToS, F32, I64) => v.rare1::<SingleToS64>(),
        (Cvt::FToS, F64, I32) => v.float1::<DoubleToS32>(),
        (Cvt::FToS, F64, I64) => v.rare1::<DoubleToS64>(),
        (Cvt::FToU, F16, I16) => v.rare1::<HalfToU16>(),
        (Cvt::FToU, F16, I32) => v.rare1::<HalfToU32>(),
        (Cvt::FToU, F32, I16) => v.rare1::<SingleToU16>(),
        (Cvt::FToU, F32, I32) => v.float1::<SingleToU32>(),
        (Cvt::FToU, F32, I64) => v.rare1::<SingleToU64>(),
        (Cvt::FToU, F64, I32) => v.float1::<DoubleToU32>(),
        (Cvt::FToU, F64, I64) => v.rare1::<DoubleToU64>(),
        // Halves are normal numbers in single precision, so flushing has no effect.
        (Cvt::FToF, F16, F32) if !fp.flush_in => v.rare1::<FromHalf>(),
        (Cvt::FToF, F16, F32) => v.rare1::<Between<Half, Single>>(),
        (Cvt::FToF, F32, F64) if exact => v.float1::<Between<Single, Double, Exact>>(),
        (Cvt::FToF, F64, F32) if exact => v.float1::<Between<Double, Single, Exact>>(),
        (Cvt::FToF, F16, F64) => v.rare1::<Between<Half, Double>>(),
        (Cvt::FToF, F32, F16) if exact => v.float1::<ToHalf<0>>(),
        (Cvt::FToF, F32, F16) if keeps && fp.round == Round::Zero => v.float1::<ToHalf<3>>(),
        (Cvt::FToF, F32, F16) => v.float1::<Between<Single, Half>>(),
        (Cvt::FToF, F32, F64) => v.float1::<Between<Single, Double>>(),
        (Cvt::FToF, F64, F16) => v.rare1::<Between<Double, Half>>(),
        (Cvt::FToF, F64, F32) => v.float1::<Between<Double, Single>>(),
        _ => return None,
    })
}
