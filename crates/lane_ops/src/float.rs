//! The float functions for the operations of the IR.
//!
//! Single precision has separate functions for the two usual environments, the other formats for the exact one; any other
//! environment is tested at run time.

use wavetank_ir::{Bin, Elem, Fp, Rel, Round, Tern, Un};

use crate::arith::{Add, Fma, Mad, Mul, Sub};
use crate::compare::{Class, Eq, Le, Lg, Lt, Ne, Ordered};
use crate::extremes::{Clamp, Extreme, Median};
use crate::format::{Double, Half, Single};
use crate::mode::{Dynamic, Exact, Flush};
use crate::roots::{WideRsq, WideSqrt};
use crate::through::{LdexpThrough, SumToOdd, Through};
use crate::transcendental::{Cos, Exp2, InHalf, InSingle, Log2, OfWidened, Sin};
use crate::unary::{
    Abs, Canonicalize, Ceil, Exponent, Floor, Fract, Ldexp, Mantissa, Neg, Rcp, RoundEven, Rsq,
    Sqrt, Trunc,
};
use crate::visit::Visit;

/// Returns whether an environment rounds to nearest and keeps denormals.
pub(crate) fn is_exact(fp: Fp) -> bool {
    fp.round == Round::Nearest && !fp.flush_in && !fp.flush_out
}

fn is_flushed(fp: Fp) -> bool {
    fp.round == Round::Nearest && fp.flush_in && fp.flush_out
}

/// Returns the function of a one-operand float operation.
pub(crate) fn un<V: Visit>(op: Un, elem: Elem, fp: Fp, v: V) -> Option<V::Out> {
    if elem == Elem::F16 && is_exact(fp) {
        return half_un(op, v);
    }
    all_un(op, elem, v)
}

/// One-operand operations of halves, to nearest and with denormals.
fn half_un<V: Visit>(op: Un, v: V) -> Option<V::Out> {
    Some(match op {
        Un::FExp2 => v.rare1::<Through<OfWidened<Exp2>>>(),
        Un::FLog2 => v.rare1::<Through<OfWidened<Log2>>>(),
        Un::FSin => v.rare1::<Through<OfWidened<Sin>>>(),
        Un::FCos => v.rare1::<Through<OfWidened<Cos>>>(),
        Un::FCanonicalize => v.rare1::<Through<Canonicalize<Single, Exact>>>(),
        Un::FSqrt => v.rare1::<Through<Sqrt<Single, Exact>>>(),
        Un::FRcp => v.rare1::<Through<Rcp<Single, Exact>>>(),
        Un::FRsq => v.rare1::<Through<Rsq<Single, Exact>>>(),
        Un::FTrunc => v.rare1::<Through<Trunc<Single, Exact>>>(),
        Un::FCeil => v.rare1::<Through<Ceil<Single, Exact>>>(),
        Un::FFloor => v.rare1::<Through<Floor<Single, Exact>>>(),
        Un::FRoundEven => v.rare1::<Through<RoundEven<Single, Exact>>>(),
        Un::FMantissa => v.rare1::<Through<Mantissa<Single, Exact>>>(),
        _ => return all_un(op, Elem::F16, v),
    })
}

/// One-operand operations in any environment.
fn all_un<V: Visit>(op: Un, elem: Elem, v: V) -> Option<V::Out> {
    macro_rules! choose {
        ($visit:ident, $format:ident) => {
            match op {
                Un::FNeg => v.rare1::<Neg<$format>>(),
                Un::FAbs => v.rare1::<Abs<$format>>(),
                Un::FClamp => v.rare1::<Clamp<$format, Dynamic, false>>(),
                Un::FClampKeepNan => v.rare1::<Clamp<$format, Dynamic, true>>(),
                Un::FCanonicalize => v.$visit::<Canonicalize<$format, Dynamic>>(),
                Un::FSqrt => v.$visit::<Sqrt<$format, Dynamic>>(),
                Un::FRcp => v.$visit::<Rcp<$format, Dynamic>>(),
                Un::FRsq => v.$visit::<Rsq<$format, Dynamic>>(),
                Un::FFract => v.$visit::<Fract<$format, Dynamic>>(),
                Un::FTrunc => v.$visit::<Trunc<$format, Dynamic>>(),
                Un::FCeil => v.$visit::<Ceil<$format, Dynamic>>(),
                Un::FFloor => v.$visit::<Floor<$format, Dynamic>>(),
                Un::FRoundEven => v.$visit::<RoundEven<$format, Dynamic>>(),
                Un::FExponent => v.rare1::<Exponent<$format, Dynamic>>(),
                Un::FMantissa => v.rare1::<Mantissa<$format, Dynamic>>(),
                _ => return None,
            }
        };
    }
    Some(match (op, elem) {
        (Un::FExp2, Elem::F32) => v.float1::<InSingle<Exp2, Dynamic>>(),
        (Un::FLog2, Elem::F32) => v.float1::<InSingle<Log2, Dynamic>>(),
        (Un::FSin, Elem::F32) => v.float1::<InSingle<Sin, Dynamic>>(),
        (Un::FCos, Elem::F32) => v.float1::<InSingle<Cos, Dynamic>>(),
        (Un::FExp2, Elem::F16) => v.rare1::<InHalf<Exp2, Dynamic>>(),
        (Un::FLog2, Elem::F16) => v.rare1::<InHalf<Log2, Dynamic>>(),
        (Un::FSin, Elem::F16) => v.rare1::<InHalf<Sin, Dynamic>>(),
        (Un::FCos, Elem::F16) => v.rare1::<InHalf<Cos, Dynamic>>(),
        (Un::FSqrt, Elem::F64) => v.float1::<WideSqrt<Dynamic>>(),
        (Un::FRsq, Elem::F64) => v.float1::<WideRsq<Dynamic>>(),
        (_, Elem::F16) => choose!(rare1, Half),
        (_, Elem::F32) => choose!(float1, Single),
        (_, Elem::F64) => choose!(float1, Double),
        _ => return None,
    })
}

/// Returns the function of a two-operand float operation.
pub(crate) fn bin<V: Visit>(op: Bin, elem: Elem, fp: Fp, v: V) -> Option<V::Out> {
    macro_rules! choose {
        ($visit:ident, $extreme:ident, $ldexp:ident, $format:ident, $mode:ident) => {
            match op {
                Bin::FAdd => v.$visit::<Add<$format, $mode>>(),
                Bin::FSub => v.$visit::<Sub<$format, $mode>>(),
                Bin::FMul => v.$visit::<Mul<$format, $mode>>(),
                Bin::FMin => v.$extreme::<Extreme<$format, Dynamic, false>>(),
                Bin::FMax => v.$extreme::<Extreme<$format, Dynamic, true>>(),
                Bin::FLdexp => v.$ldexp::<Ldexp<$format, $mode>>(),
                _ => return None,
            }
        };
    }
    Some(match elem {
        Elem::F16 if is_exact(fp) => match op {
            Bin::FAdd => v.float2::<Through<Add<Single, Exact>>>(),
            Bin::FSub => v.float2::<Through<Sub<Single, Exact>>>(),
            Bin::FMul => v.float2::<Through<Mul<Single, Exact>>>(),
            Bin::FLdexp => v.plain2::<LdexpThrough>(),
            _ => choose!(plain2, plain2, plain2, Half, Exact),
        },
        Elem::F16 => choose!(rare2, plain2, plain2, Half, Dynamic),
        Elem::F32 if is_exact(fp) => choose!(float2, float2, batch2, Single, Exact),
        Elem::F32 if is_flushed(fp) => choose!(float2, float2, batch2, Single, Flush),
        Elem::F32 => choose!(rare2, float2, plain2, Single, Dynamic),
        Elem::F64 if is_exact(fp) => choose!(float2, float2, plain2, Double, Exact),
        Elem::F64 => choose!(rare2, float2, plain2, Double, Dynamic),
        _ => return None,
    })
}

/// Returns the function of a three-operand float operation.
pub(crate) fn tern<V: Visit>(op: Tern, elem: Elem, fp: Fp, v: V) -> Option<V::Out> {
    macro_rules! choose {
        ($visit:ident, $median:ident, $format:ident, $mode:ident) => {
            match op {
                Tern::Fma => v.$visit::<Fma<$format, $mode>>(),
                Tern::FMad => v.$visit::<Mad<$format, $mode>>(),
                Tern::FMed3 => v.$median::<Median<$format, $mode>>(),
                _ => return None,
            }
        };
    }
    Some(match elem {
        Elem::F16 if is_exact(fp) => match op {
            Tern::Fma => v.rare3::<Through<SumToOdd>>(),
            _ => choose!(rare3, plain3, Half, Exact),
        },
        Elem::F16 if is_flushed(fp) => choose!(rare3, plain3, Half, Flush),
        Elem::F16 => choose!(rare3, plain3, Half, Dynamic),
        Elem::F32 if is_exact(fp) => choose!(float3, batch3, Single, Exact),
        Elem::F32 if is_flushed(fp) => choose!(float3, batch3, Single, Flush),
        Elem::F32 => choose!(rare3, batch3, Single, Dynamic),
        Elem::F64 if is_exact(fp) => choose!(float3, rare3, Double, Exact),
        Elem::F64 => choose!(rare3, rare3, Double, Dynamic),
        _ => return None,
    })
}

/// Returns the function of a float relation.
pub(crate) fn cmp<V: Visit>(rel: Rel, elem: Elem, v: V) -> Option<V::Out> {
    macro_rules! choose {
        ($visit:ident, $format:ident) => {
            match rel {
                Rel::Eq => v.$visit::<Eq<$format, Dynamic>>(),
                Rel::Ne => v.$visit::<Ne<$format, Dynamic>>(),
                Rel::Lt => v.$visit::<Lt<$format, Dynamic>>(),
                Rel::Le => v.$visit::<Le<$format, Dynamic>>(),
                Rel::FLg => v.rare_test::<Lg<$format, Dynamic>>(),
                Rel::FOrd => v.rare_test::<Ordered<$format, Dynamic>>(),
                Rel::LtU | Rel::LeU => return None,
            }
        };
    }
    Some(match elem {
        Elem::F16 => choose!(rare_test, Half),
        Elem::F32 => choose!(float_test, Single),
        Elem::F64 => choose!(float_test, Double),
        _ => return None,
    })
}

/// Returns the test of a float's class.
pub(crate) fn class<V: Visit>(elem: Elem, v: V) -> Option<V::Out> {
    Some(match elem {
        Elem::F16 => v.rare_test::<Class<Half>>(),
        Elem::F32 => v.rare_test::<Class<Single>>(),
        Elem::F64 => v.rare_test::<Class<Double>>(),
        _ => return None,
    })
}
