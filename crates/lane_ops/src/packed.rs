//! Packed 16-bit operations (`v_pk_*`): a function applied to both halves of each word.

use std::marker::PhantomData;

use wavetank_ir::{Bin, Elem, Fp, LANES, Tern, Un};

use crate::arith::{Add, Fma, Mul};
use crate::extremes::{Clamp, Extreme};
use crate::float::is_exact;
use crate::format::{Half, Single, is_nan};
use crate::half::{narrow_nearest, widen_quiet};
use crate::int::short;
use crate::lanes::{Batch2, Batch3, Env, Op1, Op2, Op3, Row};
use crate::mode::{Dynamic, Exact};
use crate::store::{Aligned, Halves, Store};
use crate::through::SumToOdd;
use crate::visit::Visit;

/// Returns the low halves and the high halves of the operands.
#[inline(always)]
fn halves<const N: usize>(args: [u32; N]) -> [[u32; N]; 2] {
    [args.map(|x| x & 0xffff), args.map(|x| x >> 16)]
}

#[inline(always)]
fn join([low, high]: [u32; 2]) -> u32 {
    low | high << 16
}

/// Returns whether one of a pair of results needs a repair.
#[inline(always)]
fn any(odd: impl Fn(u32) -> bool, r: u32) -> bool {
    odd(r & 0xffff) | odd(r >> 16)
}

#[inline(always)]
fn as_halves(row: &Row) -> &Halves<u16> {
    // SAFETY: a word is two adjacent halves, of less alignment.
    unsafe { &*std::ptr::from_ref(row).cast() }
}

#[inline(always)]
fn as_row(halves: Aligned<Halves<u16>>) -> Aligned<Row> {
    // SAFETY: two adjacent halves are a word; the alignment is that of `Aligned`.
    unsafe { std::mem::transmute::<Aligned<Halves<u16>>, Aligned<Row>>(halves) }
}

/// A function of halves, applied to both of each word.
pub(crate) struct Pairs<F>(PhantomData<F>);

impl<F: Op1<A = u32, R = u32>> Op1 for Pairs<F> {
    type A = u32;
    type R = u32;

    #[inline(always)]
    fn f(env: Env, a: u32) -> u32 {
        join(halves([a]).map(|[a]| F::f(env, a)))
    }
}

impl<F: Op2<A = u32, B = u32, R = u32>> Op2 for Pairs<F> {
    type A = u32;
    type B = u32;
    type R = u32;
    const REPAIR: bool = F::REPAIR;

    #[inline(always)]
    fn f(env: Env, a: u32, b: u32) -> u32 {
        join(halves([a, b]).map(|[a, b]| F::f(env, a, b)))
    }

    #[inline(always)]
    fn odd(r: u32) -> bool {
        any(F::odd, r)
    }

    fn repair(env: Env, a: u32, b: u32, r: u32) -> u32 {
        join(halves([a, b, r]).map(|[a, b, r]| {
            if F::odd(r) {
                F::repair(env, a, b, r)
            } else {
                r
            }
        }))
    }
}

impl<F: Op2<A = u32, B = u32, R = u32>> Batch2 for Pairs<F> {
    #[inline(always)]
    unsafe fn all<S: Store>(env: Env, a: &Row, b: &Row) -> Aligned<Row> {
        let (x, y) = (as_halves(a), as_halves(b));
        let mut odd = 0;
        let mut r = Aligned([0; 2 * LANES]);
        for i in 0..2 * LANES {
            let half = F::f(env, x[i].into(), y[i].into());
            if F::REPAIR {
                odd |= u32::from(F::odd(half));
            }
            r[i] = half as u16;
        }
        let mut r = as_row(r);
        if F::REPAIR && odd != 0 {
            repair2::<Self>(env, a, b, &mut r);
        }
        r
    }
}

impl<F: Op3<A = u32, B = u32, C = u32, R = u32>> Op3 for Pairs<F> {
    type A = u32;
    type B = u32;
    type C = u32;
    type R = u32;
    const REPAIR: bool = F::REPAIR;

    #[inline(always)]
    fn f(env: Env, a: u32, b: u32, c: u32) -> u32 {
        join(halves([a, b, c]).map(|[a, b, c]| F::f(env, a, b, c)))
    }

    #[inline(always)]
    fn odd(r: u32) -> bool {
        any(F::odd, r)
    }

    fn repair(env: Env, a: u32, b: u32, c: u32, r: u32) -> u32 {
        join(halves([a, b, c, r]).map(|[a, b, c, r]| {
            if F::odd(r) {
                F::repair(env, a, b, c, r)
            } else {
                r
            }
        }))
    }
}

/// A function of single precision, applied to both halves of each word, to nearest and with denormals. Only NaN results need a
/// repair.
pub(crate) struct PairsThrough<F>(PhantomData<F>);

impl<F: Op2<A = u32, B = u32, R = u32>> Op2 for PairsThrough<F> {
    type A = u32;
    type B = u32;
    type R = u32;
    const REPAIR: bool = true;

    #[inline(always)]
    fn f(env: Env, a: u32, b: u32) -> u32 {
        join(halves([a, b]).map(|args| {
            let [a, b] = args.map(widen_quiet);
            narrow_nearest(F::f(env, a, b))
        }))
    }

    #[inline(always)]
    fn odd(r: u32) -> bool {
        any(is_nan::<Half>, r)
    }

    fn repair(env: Env, a: u32, b: u32, r: u32) -> u32 {
        join(halves([a, b, r]).map(|args| {
            let [a, b, wide] = args.map(widen_quiet);
            if is_nan::<Single>(wide) {
                narrow_nearest(F::repair(env, a, b, wide))
            } else {
                args[2]
            }
        }))
    }
}

impl<F: Op2<A = u32, B = u32, R = u32>> Batch2 for PairsThrough<F> {
    #[inline(always)]
    unsafe fn all<S: Store>(env: Env, a: &Row, b: &Row) -> Aligned<Row> {
        // SAFETY: by the caller's promise.
        let [x, y] = unsafe { [S::widen_pairs(a), S::widen_pairs(b)] };
        let mut odd = 0;
        let mut r = Aligned([0; 2 * LANES]);
        for i in 0..2 * LANES {
            r[i] = F::f(env, x[i], y[i]);
            odd |= u32::from(is_nan::<Single>(r[i]));
        }
        // SAFETY: by the caller's promise.
        let mut r = unsafe { S::narrow_pairs(&r) };
        if odd != 0 {
            repair2::<Self>(env, a, b, &mut r);
        }
        r
    }
}

impl<F: Op3<A = u32, B = u32, C = u32, R = u32>> Op3 for PairsThrough<F> {
    type A = u32;
    type B = u32;
    type C = u32;
    type R = u32;
    const REPAIR: bool = true;

    #[inline(always)]
    fn f(env: Env, a: u32, b: u32, c: u32) -> u32 {
        join(halves([a, b, c]).map(|args| {
            let [a, b, c] = args.map(widen_quiet);
            narrow_nearest(F::f(env, a, b, c))
        }))
    }

    #[inline(always)]
    fn odd(r: u32) -> bool {
        any(is_nan::<Half>, r)
    }

    fn repair(env: Env, a: u32, b: u32, c: u32, r: u32) -> u32 {
        join(halves([a, b, c, r]).map(|args| {
            let [a, b, c, wide] = args.map(widen_quiet);
            if is_nan::<Single>(wide) {
                narrow_nearest(F::repair(env, a, b, c, wide))
            } else {
                args[3]
            }
        }))
    }
}

impl<F: Op3<A = u32, B = u32, C = u32, R = u32>> Batch3 for PairsThrough<F> {
    #[inline(always)]
    unsafe fn all<S: Store>(env: Env, a: &Row, b: &Row, c: &Row) -> Aligned<Row> {
        // SAFETY: by the caller's promise.
        let [x, y, z] = unsafe { [S::widen_pairs(a), S::widen_pairs(b), S::widen_pairs(c)] };
        let mut odd = 0;
        let mut r = Aligned([0; 2 * LANES]);
        for i in 0..2 * LANES {
            r[i] = F::f(env, x[i], y[i], z[i]);
            odd |= u32::from(is_nan::<Single>(r[i]));
        }
        // SAFETY: by the caller's promise.
        let mut r = unsafe { S::narrow_pairs(&r) };
        if odd != 0 {
            repair3::<Self>(env, a, b, c, &mut r);
        }
        r
    }
}

#[cold]
#[inline(never)]
fn repair2<F: Batch2>(env: Env, a: &Row, b: &Row, r: &mut Row) {
    for (i, r) in r.iter_mut().enumerate() {
        *r = F::repair(env, a[i], b[i], *r);
    }
}

#[cold]
#[inline(never)]
fn repair3<F: Batch3>(env: Env, a: &Row, b: &Row, c: &Row, r: &mut Row) {
    for (i, r) in r.iter_mut().enumerate() {
        *r = F::repair(env, a[i], b[i], c[i], *r);
    }
}

/// Returns the function of a one-operand operation on pairs.
pub(crate) fn un<V: Visit>(op: Un, elem: Elem, v: V) -> Option<V::Out> {
    Some(match (elem, op) {
        (Elem::F16x2, Un::FClamp) => v.rare1::<Pairs<Clamp<Half, Dynamic, false>>>(),
        (Elem::F16x2, Un::FClampKeepNan) => v.rare1::<Pairs<Clamp<Half, Dynamic, true>>>(),
        _ => return None,
    })
}

/// Returns the function of a two-operand operation on pairs.
pub(crate) fn bin<V: Visit>(op: Bin, elem: Elem, fp: Fp, v: V) -> Option<V::Out> {
    Some(match (elem, op) {
        (Elem::I16x2, Bin::Add) => v.batch2::<Pairs<short::Add>>(),
        (Elem::I16x2, Bin::Sub) => v.batch2::<Pairs<short::Sub>>(),
        (Elem::I16x2, Bin::Mul) => v.batch2::<Pairs<short::Mul>>(),
        (Elem::I16x2, Bin::Shl) => v.batch2::<Pairs<short::Shl>>(),
        (Elem::I16x2, Bin::Shr) => v.batch2::<Pairs<short::Shr>>(),
        (Elem::I16x2, Bin::Sar) => v.batch2::<Pairs<short::Sar>>(),
        (Elem::I16x2, Bin::MinU) => v.batch2::<Pairs<short::MinU>>(),
        (Elem::I16x2, Bin::MaxU) => v.batch2::<Pairs<short::MaxU>>(),
        (Elem::I16x2, Bin::MinS) => v.batch2::<Pairs<short::MinS>>(),
        (Elem::I16x2, Bin::MaxS) => v.batch2::<Pairs<short::MaxS>>(),
        (Elem::I16x2, Bin::AddSatU) => v.batch2::<Pairs<short::AddSatU>>(),
        (Elem::I16x2, Bin::SubSatU) => v.batch2::<Pairs<short::SubSatU>>(),
        (Elem::I16x2, Bin::AddSatS) => v.batch2::<Pairs<short::AddSatS>>(),
        (Elem::I16x2, Bin::SubSatS) => v.batch2::<Pairs<short::SubSatS>>(),
        (Elem::F16x2, Bin::FAdd) if is_exact(fp) => v.batch2::<PairsThrough<Add<Single, Exact>>>(),
        (Elem::F16x2, Bin::FMul) if is_exact(fp) => v.batch2::<PairsThrough<Mul<Single, Exact>>>(),
        (Elem::F16x2, Bin::FAdd) => v.batch2::<Pairs<Add<Half, Dynamic>>>(),
        (Elem::F16x2, Bin::FMul) => v.batch2::<Pairs<Mul<Half, Dynamic>>>(),
        (Elem::F16x2, Bin::FMin) => v.batch2::<Pairs<Extreme<Half, Dynamic, false>>>(),
        (Elem::F16x2, Bin::FMax) => v.batch2::<Pairs<Extreme<Half, Dynamic, true>>>(),
        _ => return None,
    })
}

/// Returns the function of a three-operand operation on pairs.
pub(crate) fn tern<V: Visit>(op: Tern, elem: Elem, fp: Fp, v: V) -> Option<V::Out> {
    Some(match (elem, op) {
        (Elem::F16x2, Tern::Fma) if is_exact(fp) => v.batch3::<PairsThrough<SumToOdd>>(),
        (Elem::F16x2, Tern::Fma) => v.rare3::<Pairs<Fma<Half, Dynamic>>>(),
        _ => return None,
    })
}
