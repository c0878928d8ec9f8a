//! Integer functions for the operations of the IR.

use wavetank_ir::{Bin, Elem, Rel, Tern, Un};

use crate::bytes::{MaskedSadU8, Perm, SadU8, SadU16};
use crate::lanes::{Env, Op1, Op2, Op3, Test2};
use crate::visit::Visit;

/// Declares functions of one element: `Name(a: A) -> R = body`.
macro_rules! op1 {
    ($($name:ident($a:ident: $ta:ty) -> $r:ty = $body:expr;)*) => {$(
        pub(crate) struct $name;
        impl Op1 for $name {
            type A = $ta;
            type R = $r;
            #[inline(always)]
            fn f(_: Env, $a: $ta) -> $r {
                $body
            }
        }
    )*};
}

/// Declares functions of two elements: `Name(a: A, b: B) -> R = body`.
macro_rules! op2 {
    ($($name:ident($a:ident: $ta:ty, $b:ident: $tb:ty) -> $r:ty = $body:expr;)*) => {$(
        pub(crate) struct $name;
        impl Op2 for $name {
            type A = $ta;
            type B = $tb;
            type R = $r;
            #[inline(always)]
            fn f(_: Env, $a: $ta, $b: $tb) -> $r {
                $body
            }
        }
    )*};
}

/// Declares functions of three elements.
macro_rules! op3 {
    ($($name:ident($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $r:ty = $body:expr;)*) => {$(
        pub(crate) struct $name;
        impl Op3 for $name {
            type A = $ta;
            type B = $tb;
            type C = $tc;
            type R = $r;
            #[inline(always)]
            fn f(_: Env, $a: $ta, $b: $tb, $c: $tc) -> $r {
                $body
            }
        }
    )*};
}

/// Declares relations of two elements.
macro_rules! test2 {
    ($($name:ident($a:ident: $ta:ty, $b:ident: $tb:ty) = $body:expr;)*) => {$(
        pub(crate) struct $name;
        impl Test2 for $name {
            type A = $ta;
            type B = $tb;
            #[inline(always)]
            fn f(_: Env, $a: $ta, $b: $tb) -> bool {
                $body
            }
        }
    )*};
}

/// The functions that exist at every width. `U` and `S` are the unsigned and the signed integer, `Twice` and `TwiceS` those of
/// double width, `W` the word that carries one (its upper bits are ignored, and zero in results).
macro_rules! width {
    ($module:ident, $u:ty, $s:ty, $twice:ty, $twice_s:ty, $w:ty, $plain2:ident, $plain3:ident, $plain_test:ident) => {
        /// The functions of one width.
        pub(crate) mod $module {
            use super::*;

            type U = $u;
            type S = $s;
            type Twice = $twice;
            type TwiceS = $twice_s;
            type W = $w;

            op1! {
                Not(a: W) -> W = W::from(!(a as U));
                Reverse(a: W) -> W = W::from((a as U).reverse_bits());
                CountOnes(a: W) -> u32 = (a as U).count_ones();
                LeadingZeros(a: W) -> u32 = leading_zeros(a as U);
                LeadingSigns(a: W) -> u32 = {
                    let sign = (a as S >> (U::BITS - 1)) as U;
                    leading_zeros(a as U ^ sign)
                };
                TrailingZeros(a: W) -> u32 = if a as U == 0 {
                    u32::MAX
                } else {
                    (a as U).trailing_zeros()
                };
            }

            #[inline(always)]
            fn leading_zeros(a: U) -> u32 {
                if a == 0 { u32::MAX } else { a.leading_zeros() }
            }

            op2! {
                Add(a: W, b: W) -> W = W::from((a as U).wrapping_add(b as U));
                Sub(a: W, b: W) -> W = W::from((a as U).wrapping_sub(b as U));
                Mul(a: W, b: W) -> W = W::from((a as U).wrapping_mul(b as U));
                MulHiU(a: W, b: W) -> W = {
                    let product = Twice::from(a as U) * Twice::from(b as U);
                    W::from((product >> U::BITS) as U)
                };
                MulHiS(a: W, b: W) -> W = {
                    let product = TwiceS::from(a as S) * TwiceS::from(b as S);
                    W::from((product >> U::BITS) as U)
                };
                And(a: W, b: W) -> W = W::from((a & b) as U);
                Or(a: W, b: W) -> W = W::from((a | b) as U);
                Xor(a: W, b: W) -> W = W::from((a ^ b) as U);
                Shl(a: W, b: u32) -> W = W::from((a as U).wrapping_shl(b));
                Shr(a: W, b: u32) -> W = W::from((a as U).wrapping_shr(b));
                Sar(a: W, b: u32) -> W = W::from((a as S).wrapping_shr(b) as U);
                MinU(a: W, b: W) -> W = W::from((a as U).min(b as U));
                MaxU(a: W, b: W) -> W = W::from((a as U).max(b as U));
                MinS(a: W, b: W) -> W = W::from((a as S).min(b as S) as U);
                MaxS(a: W, b: W) -> W = W::from((a as S).max(b as S) as U);
                AddSatU(a: W, b: W) -> W = W::from((a as U).saturating_add(b as U));
                SubSatU(a: W, b: W) -> W = W::from((a as U).saturating_sub(b as U));
                AddSatS(a: W, b: W) -> W = W::from((a as S).saturating_add(b as S) as U);
                SubSatS(a: W, b: W) -> W = W::from((a as S).saturating_sub(b as S) as U);
            }

            op3! {
                BitSelect(a: W, b: W, c: W) -> W = W::from(((a & b) | (!a & c)) as U);
                BfeU(a: W, b: u32, c: u32) -> W = {
                    let ones = (1 as U).wrapping_shl(c).wrapping_sub(1);
                    W::from((a as U).wrapping_shr(b) & ones)
                };
                BfeS(a: W, b: u32, c: u32) -> W = {
                    let width = c % U::BITS;
                    let above = U::BITS.wrapping_sub(width);
                    let shifted = (a as S).wrapping_shr(b);
                    let field = shifted.wrapping_shl(above).wrapping_shr(above) as U;
                    W::from(if width == 0 { 0 } else { field })
                };
                Med3U(a: W, b: W, c: W) -> W = {
                    let [a, b, c] = [a as U, b as U, c as U];
                    W::from(a.min(b).max(a.max(b).min(c)))
                };
                Med3S(a: W, b: W, c: W) -> W = {
                    let [a, b, c] = [a as S, b as S, c as S];
                    W::from(a.min(b).max(a.max(b).min(c)) as U)
                };
            }

            test2! {
                Eq(a: W, b: W) = a as U == b as U;
                Ne(a: W, b: W) = a as U != b as U;
                LtU(a: W, b: W) = (a as U) < b as U;
                LeU(a: W, b: W) = a as U <= b as U;
                LtS(a: W, b: W) = (a as S) < b as S;
                LeS(a: W, b: W) = a as S <= b as S;
            }

            pub(crate) fn un<V: Visit>(op: Un, v: V) -> Option<V::Out> {
                Some(match op {
                    Un::Not => v.rare1::<Not>(),
                    Un::Reverse => v.rare1::<Reverse>(),
                    Un::CountOnes => v.rare1::<CountOnes>(),
                    Un::LeadingZeros => v.rare1::<LeadingZeros>(),
                    Un::LeadingSigns => v.rare1::<LeadingSigns>(),
                    Un::TrailingZeros => v.rare1::<TrailingZeros>(),
                    _ => return None,
                })
            }

            pub(crate) fn bin<V: Visit>(op: Bin, v: V) -> Option<V::Out> {
                Some(match op {
                    Bin::Add => v.$plain2::<Add>(),
                    Bin::Sub => v.$plain2::<Sub>(),
                    Bin::Mul => v.$plain2::<Mul>(),
                    Bin::MulHiU => v.rare2::<MulHiU>(),
                    Bin::MulHiS => v.rare2::<MulHiS>(),
                    Bin::And => v.$plain2::<And>(),
                    Bin::Or => v.$plain2::<Or>(),
                    Bin::Xor => v.$plain2::<Xor>(),
                    Bin::Shl => v.$plain2::<Shl>(),
                    Bin::Shr => v.$plain2::<Shr>(),
                    Bin::Sar => v.$plain2::<Sar>(),
                    Bin::MinU => v.$plain2::<MinU>(),
                    Bin::MaxU => v.$plain2::<MaxU>(),
                    Bin::MinS => v.$plain2::<MinS>(),
                    Bin::MaxS => v.$plain2::<MaxS>(),
                    Bin::AddSatU => v.rare2::<AddSatU>(),
                    Bin::SubSatU => v.rare2::<SubSatU>(),
                    Bin::AddSatS => v.rare2::<AddSatS>(),
                    Bin::SubSatS => v.rare2::<SubSatS>(),
                    _ => return None,
                })
            }

            pub(crate) fn tern<V: Visit>(op: Tern, v: V) -> Option<V::Out> {
                Some(match op {
                    Tern::BitSelect => v.$plain3::<BitSelect>(),
                    Tern::BfeU => v.$plain3::<BfeU>(),
                    Tern::BfeS => v.$plain3::<BfeS>(),
                    Tern::Med3U => v.$plain3::<Med3U>(),
                    Tern::Med3S => v.$plain3::<Med3S>(),
                    _ => return None,
                })
            }

            pub(crate) fn cmp<V: Visit>(rel: Rel, v: V) -> Option<V::Out> {
                Some(match rel {
                    Rel::Eq => v.$plain_test::<Eq>(),
                    Rel::Ne => v.$plain_test::<Ne>(),
                    Rel::LtU => v.$plain_test::<LtU>(),
                    Rel::LeU => v.$plain_test::<LeU>(),
                    Rel::Lt => v.$plain_test::<LtS>(),
                    Rel::Le => v.$plain_test::<LeS>(),
                    Rel::FLg | Rel::FOrd => return None,
                })
            }
        }
    };
}

width!(short, u16, i16, u32, i32, u32, rare2, rare3, rare_test);
width!(word, u32, i32, u64, i64, u32, plain2, plain3, plain_test);
width!(long, u64, i64, u128, i128, u64, plain2, rare3, plain_test);

op1! {
    SignExtend8(a: u32) -> u32 = a as i8 as u32;
    SignExtend16(a: u32) -> u32 = a as i16 as u32;
    SignExtend24(a: u32) -> u32 = signed24(a) as u32;
    Low(a: u64) -> u32 = a as u32;
    High(a: u64) -> u32 = (a >> 32) as u32;
    Widen(a: u32) -> u64 = u64::from(a);
    WidenSigned(a: u32) -> u64 = a as i32 as u64;
}

#[inline(always)]
fn signed24(a: u32) -> i32 {
    (a << 8) as i32 >> 8
}

#[inline(always)]
fn product_u24(a: u32, b: u32) -> u64 {
    u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)
}

#[inline(always)]
fn product_s24(a: u32, b: u32) -> i64 {
    i64::from(signed24(a)) * i64::from(signed24(b))
}

op2! {
    MulU24(a: u32, b: u32) -> u32 = product_u24(a, b) as u32;
    MulS24(a: u32, b: u32) -> u32 = product_s24(a, b) as u32;
    MulHiU24(a: u32, b: u32) -> u32 = (product_u24(a, b) >> 32) as u32;
    MulHiS24(a: u32, b: u32) -> u32 = (product_s24(a, b) >> 32) as u32;
    Pack16(a: u32, b: u32) -> u32 = (a & 0xffff) | b << 16;
    PackSatU(a: u32, b: u32) -> u32 = a.min(0xffff) | b.min(0xffff) << 16;
    PackSatS(a: u32, b: u32) -> u32 = {
        let [low, high] = [a, b].map(|x| (x as i32).clamp(-0x8000, 0x7fff) as u32);
        (low & 0xffff) | high << 16
    };
    Pack32(a: u32, b: u32) -> u64 = u64::from(a) | u64::from(b) << 32;
}

op3! {
    AlignBit(a: u32, b: u32, c: u32) -> u32 = align(a, b, c & 31);
    AlignByte(a: u32, b: u32, c: u32) -> u32 = align(a, b, 8 * (c & 3));
    InsertU8(a: u32, b: u32, c: u32) -> u32 = {
        let at = 8 * (b & 3);
        c & !(0xff << at) | a.min(0xff) << at
    };
    AverageU8(a: u32, b: u32, c: u32) -> u32 = average(a, b, c);
    SadU32(a: u32, b: u32, c: u32) -> u32 = a.abs_diff(b).wrapping_add(c);
}

/// Returns the average of each byte: the common bits of a and b plus half of the others; `round` adds the lost bit of that half.
#[inline(always)]
fn average(a: u32, b: u32, round: u32) -> u32 {
    let rest = a ^ b;
    (a & b) + (rest >> 1 & 0x7f7f_7f7f) + (rest & round & 0x0101_0101)
}

/// Returns the low word of 64 bits shifted right by less than 32. The high word is shifted twice, so that every count is below
/// the width.
#[inline(always)]
fn align(high: u32, low: u32, count: u32) -> u32 {
    (low >> count) | (high << 1 << (31 - count))
}

test2! {
    NonZero(a: u32, _b: u32) = a != 0;
}

/// Returns the function of a one-operand integer operation.
pub(crate) fn un<V: Visit>(op: Un, elem: Elem, v: V) -> Option<V::Out> {
    Some(match op {
        Un::SignExtend(8) => v.rare1::<SignExtend8>(),
        Un::SignExtend(16) => v.rare1::<SignExtend16>(),
        Un::SignExtend(24) => v.rare1::<SignExtend24>(),
        Un::Low => v.rare1::<Low>(),
        Un::High => v.rare1::<High>(),
        Un::Widen => v.rare1::<Widen>(),
        Un::WidenSigned => v.rare1::<WidenSigned>(),
        _ => {
            return match elem {
                Elem::I16 => short::un(op, v),
                Elem::I32 => word::un(op, v),
                Elem::I64 => long::un(op, v),
                _ => None,
            };
        }
    })
}

/// Returns the function of a two-operand integer operation.
pub(crate) fn bin<V: Visit>(op: Bin, elem: Elem, v: V) -> Option<V::Out> {
    Some(match (op, elem) {
        (Bin::MulU24, Elem::I32) => v.plain2::<MulU24>(),
        (Bin::MulS24, Elem::I32) => v.plain2::<MulS24>(),
        (Bin::MulHiU24, Elem::I32) => v.rare2::<MulHiU24>(),
        (Bin::MulHiS24, Elem::I32) => v.rare2::<MulHiS24>(),
        (Bin::Pack, Elem::I16) => v.rare2::<Pack16>(),
        (Bin::PackSatU, Elem::I32) => v.plain2::<PackSatU>(),
        (Bin::PackSatS, Elem::I32) => v.plain2::<PackSatS>(),
        (Bin::Pack, Elem::I32) => v.plain2::<Pack32>(),
        (_, Elem::I16) => return short::bin(op, v),
        (_, Elem::I32) => return word::bin(op, v),
        (_, Elem::I64) => return long::bin(op, v),
        _ => return None,
    })
}

/// Returns the function of a three-operand integer operation.
pub(crate) fn tern<V: Visit>(op: Tern, elem: Elem, v: V) -> Option<V::Out> {
    match (op, elem) {
        (Tern::AlignBit, Elem::I32) => Some(v.plain3::<AlignBit>()),
        (Tern::AlignByte, Elem::I32) => Some(v.plain3::<AlignByte>()),
        (Tern::Perm, Elem::I32) => Some(v.batch3::<Perm>()),
        (Tern::InsertU8, Elem::I32) => Some(v.plain3::<InsertU8>()),
        (Tern::AverageU8, Elem::I32) => Some(v.plain3::<AverageU8>()),
        (Tern::SadU8, Elem::I32) => Some(v.batch3::<SadU8>()),
        (Tern::MaskedSadU8, Elem::I32) => Some(v.batch3::<MaskedSadU8>()),
        (Tern::SadU16, Elem::I32) => Some(v.batch3::<SadU16>()),
        (Tern::SadU32, Elem::I32) => Some(v.plain3::<SadU32>()),
        (_, Elem::I16) => short::tern(op, v),
        (_, Elem::I32) => word::tern(op, v),
        (_, Elem::I64) => long::tern(op, v),
        _ => None,
    }
}

/// Returns the function of an integer relation.
pub(crate) fn cmp<V: Visit>(rel: Rel, elem: Elem, v: V) -> Option<V::Out> {
    match elem {
        Elem::I16 => short::cmp(rel, v),
        Elem::I32 => word::cmp(rel, v),
        Elem::I64 => long::cmp(rel, v),
        _ => None,
    }
}
