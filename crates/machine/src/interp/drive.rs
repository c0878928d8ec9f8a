//! The drivers: run a function of [`super::lanes`] as a step, over lane
//! vectors or uniform values. Each has one body, instantiated for each level
//! of processor features.

use super::lanes::{CHUNK, CHUNKS, Env, Op1, Op2, Op3, Test2, Word};
use super::step::{Ctx, Next, Step, StepFn};

/// Bits of [`Step::flags`] from here on hold the float environment.
pub const ENV_SHIFT: u32 = 8;

#[inline(always)]
fn env(s: &Step) -> Env {
    Env(s.flags >> ENV_SHIFT)
}

/// Chunk `c` of source `n`: a lane vector, or a uniform value in each lane.
#[inline(always)]
unsafe fn source<W: Word, const UNIFORM: bool, const MODS: bool>(
    ctx: &Ctx<'_, '_>,
    s: &Step,
    n: usize,
    c: usize,
) -> [W; CHUNK] {
    // SAFETY: lowering proved the offsets of the step.
    let mut x = unsafe {
        if UNIFORM {
            [uniform::<W>(ctx, s, n); CHUNK]
        } else {
            W::load(ctx.v(s.src[n]), c)
        }
    };
    if MODS {
        let (and, xor) = sign_modifiers::<W>(s, n);
        for v in &mut x {
            *v = v.modify(and, xor);
        }
    }
    x
}

#[inline(always)]
unsafe fn uniform<W: Word>(ctx: &Ctx<'_, '_>, s: &Step, n: usize) -> W {
    // SAFETY: lowering proved the offsets of the step.
    unsafe {
        if W::BITS == 64 {
            W::from_u64(ctx.uniform64(s, n))
        } else {
            W::from_u64(ctx.uniform32(s, n).into())
        }
    }
}

/// The masks that apply abs, then neg, to source `n`.
#[inline(always)]
fn sign_modifiers<W: Word>(s: &Step, n: usize) -> (u64, u64) {
    let sign = 1u64 << (W::BITS - 1);
    let neg = u64::from(s.flags >> n & 1).wrapping_neg() & sign;
    let abs = u64::from(s.flags >> (3 + n) & 1).wrapping_neg() & sign;
    (!abs, neg)
}

#[inline(always)]
fn chunk_mask(mask: u64, c: usize) -> u16 {
    (mask >> (c * CHUNK)) as u16
}

/// Stores a uniform result.
#[inline(always)]
unsafe fn set_uniform<W: Word>(ctx: &mut Ctx<'_, '_>, offset: u32, r: W) {
    // SAFETY: lowering proved the offset.
    unsafe {
        if W::BITS == 64 {
            ctx.u::<u64>(offset).write_unaligned(r.to_u64());
        } else {
            ctx.u::<u32>(offset).write(r.to_u64() as u32);
        }
    }
}

/// The bodies. `U` has bit n set when source n is uniform, `M` whether sources
/// have sign modifiers.
///
/// # Safety (all)
/// That of [`StepFn`].
mod body {
    use super::*;

    #[inline(always)]
    pub unsafe fn op1<F: Op1, const M: bool>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let mask = ctx.mask(s);
            for c in 0..CHUNKS {
                let a = source::<F::A, false, M>(ctx, s, 0, c);
                let mut r = [F::R::default(); CHUNK];
                for i in 0..CHUNK {
                    r[i] = F::f(env(s), a[i]);
                }
                F::R::store(ctx.v(s.dst), c, chunk_mask(mask, c), r);
            }
        }
        Next::Step
    }

    #[inline(always)]
    pub unsafe fn op2<F: Op2, const U: u8, const M: bool>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let mask = ctx.mask(s);
            for c in 0..CHUNKS {
                let a = if U & 1 != 0 {
                    source::<F::A, true, M>(ctx, s, 0, c)
                } else {
                    source::<F::A, false, M>(ctx, s, 0, c)
                };
                let b = if U & 2 != 0 {
                    source::<F::B, true, M>(ctx, s, 1, c)
                } else {
                    source::<F::B, false, M>(ctx, s, 1, c)
                };
                let mut r = [F::R::default(); CHUNK];
                for i in 0..CHUNK {
                    r[i] = F::f(env(s), a[i], b[i]);
                }
                if F::REPAIR {
                    let mut odd = 0u32;
                    for x in r {
                        odd |= u32::from(F::odd(x));
                    }
                    if odd != 0 {
                        r = repair2::<F>(env(s), &a, &b, &r);
                    }
                }
                F::R::store(ctx.v(s.dst), c, chunk_mask(mask, c), r);
            }
        }
        Next::Step
    }

    #[cold]
    #[inline(never)]
    fn repair2<F: Op2>(
        env: Env,
        a: &[F::A; CHUNK],
        b: &[F::B; CHUNK],
        r: &[F::R; CHUNK],
    ) -> [F::R; CHUNK] {
        std::array::from_fn(|i| {
            if F::odd(r[i]) {
                F::repair(env, a[i], b[i], r[i])
            } else {
                r[i]
            }
        })
    }

    #[inline(always)]
    pub unsafe fn op3<F: Op3, const U: u8, const M: bool>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let mask = ctx.mask(s);
            for c in 0..CHUNKS {
                let a = if U & 1 != 0 {
                    source::<F::A, true, M>(ctx, s, 0, c)
                } else {
                    source::<F::A, false, M>(ctx, s, 0, c)
                };
                let b = if U & 2 != 0 {
                    source::<F::B, true, M>(ctx, s, 1, c)
                } else {
                    source::<F::B, false, M>(ctx, s, 1, c)
                };
                let d = if U & 4 != 0 {
                    source::<F::C, true, M>(ctx, s, 2, c)
                } else {
                    source::<F::C, false, M>(ctx, s, 2, c)
                };
                let mut r = [F::R::default(); CHUNK];
                for i in 0..CHUNK {
                    r[i] = F::f(env(s), a[i], b[i], d[i]);
                }
                if F::REPAIR {
                    let mut odd = 0u32;
                    for x in r {
                        odd |= u32::from(F::odd(x));
                    }
                    if odd != 0 {
                        r = repair3::<F>(env(s), &a, &b, &d, &r);
                    }
                }
                F::R::store(ctx.v(s.dst), c, chunk_mask(mask, c), r);
            }
        }
        Next::Step
    }

    #[cold]
    #[inline(never)]
    fn repair3<F: Op3>(
        env: Env,
        a: &[F::A; CHUNK],
        b: &[F::B; CHUNK],
        c: &[F::C; CHUNK],
        r: &[F::R; CHUNK],
    ) -> [F::R; CHUNK] {
        std::array::from_fn(|i| {
            if F::odd(r[i]) {
                F::repair(env, a[i], b[i], c[i], r[i])
            } else {
                r[i]
            }
        })
    }

    #[inline(always)]
    pub unsafe fn test2<F: Test2, const U: u8, const M: bool>(
        ctx: &mut Ctx<'_, '_>,
        s: &Step,
    ) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let mut result = 0u64;
            for c in 0..CHUNKS {
                let a = if U & 1 != 0 {
                    source::<F::A, true, M>(ctx, s, 0, c)
                } else {
                    source::<F::A, false, M>(ctx, s, 0, c)
                };
                let b = if U & 2 != 0 {
                    source::<F::B, true, M>(ctx, s, 1, c)
                } else {
                    source::<F::B, false, M>(ctx, s, 1, c)
                };
                let mut bits = 0u16;
                for i in 0..CHUNK {
                    bits |= u16::from(F::f(env(s), a[i], b[i])) << i;
                }
                result |= u64::from(bits) << (c * CHUNK);
            }
            let masked = result & ctx.mask(s);
            ctx.u::<u64>(s.dst).write_unaligned(masked);
        }
        Next::Step
    }

    #[inline(always)]
    pub unsafe fn uniform1<F: Op1>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let r = F::f(env(s), uniform(ctx, s, 0));
            set_uniform(ctx, s.dst, r);
        }
        Next::Step
    }

    #[inline(always)]
    pub unsafe fn uniform2<F: Op2>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let (a, b) = (uniform(ctx, s, 0), uniform(ctx, s, 1));
            let mut r = F::f(env(s), a, b);
            if F::REPAIR && F::odd(r) {
                r = F::repair(env(s), a, b, r);
            }
            set_uniform(ctx, s.dst, r);
        }
        Next::Step
    }

    #[inline(always)]
    pub unsafe fn uniform3<F: Op3>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let (a, b, c) = (uniform(ctx, s, 0), uniform(ctx, s, 1), uniform(ctx, s, 2));
            let mut r = F::f(env(s), a, b, c);
            if F::REPAIR && F::odd(r) {
                r = F::repair(env(s), a, b, c, r);
            }
            set_uniform(ctx, s.dst, r);
        }
        Next::Step
    }

    #[inline(always)]
    pub unsafe fn uniform_test2<F: Test2>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let r = F::f(env(s), uniform(ctx, s, 0), uniform(ctx, s, 1));
            set_uniform(ctx, s.dst, u32::from(r));
        }
        Next::Step
    }
}

/// A level of processor features: gives the steps instantiated for it. All
/// levels compute the same bits.
pub trait Level {
    /// Whether uniform sources and sign modifiers are fused into vector steps;
    /// otherwise they are materialised first, which keeps the code small.
    const FUSE: bool;
    /// A vector step of one source.
    fn op1<F: Op1, const M: bool>() -> StepFn;
    /// A vector step of two sources.
    fn op2<F: Op2, const U: u8, const M: bool>() -> StepFn;
    /// A vector step of three sources.
    fn op3<F: Op3, const U: u8, const M: bool>() -> StepFn;
    /// A relation of lane vectors.
    fn test2<F: Test2, const U: u8, const M: bool>() -> StepFn;
    /// Uniform steps need no vector features, but the same precision of FMA.
    fn uniform1<F: Op1>() -> StepFn;
    /// A uniform step of two sources.
    fn uniform2<F: Op2>() -> StepFn;
    /// A uniform step of three sources.
    fn uniform3<F: Op3>() -> StepFn;
    /// A uniform relation.
    fn uniform_test2<F: Test2>() -> StepFn;
    /// A step with a body of its own.
    fn custom<F: Custom>() -> StepFn;
}

/// A step that fits none of the drivers: cross-lane moves, carries.
pub trait Custom {
    /// Does all lanes.
    ///
    /// # Safety
    /// That of [`StepFn`]. Implementations are `#[inline(always)]`.
    unsafe fn run(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next;
}

macro_rules! level {
    ($(#[$doc:meta])* $level:ident $module:ident $fuse:literal $(#[$feature:meta])?) => {
        $(#[$doc])*
        pub struct $level;

        mod $module {
            use super::*;

            $(#[$feature])?
            pub unsafe fn op1<F: Op1, const M: bool>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: by the caller's promise.
                unsafe { body::op1::<F, M>(c, s) }
            }
            $(#[$feature])?
            pub unsafe fn op2<F: Op2, const U: u8, const M: bool>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: by the caller's promise.
                unsafe { body::op2::<F, U, M>(c, s) }
            }
            $(#[$feature])?
            pub unsafe fn op3<F: Op3, const U: u8, const M: bool>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: by the caller's promise.
                unsafe { body::op3::<F, U, M>(c, s) }
            }
            $(#[$feature])?
            pub unsafe fn test2<F: Test2, const U: u8, const M: bool>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: by the caller's promise.
                unsafe { body::test2::<F, U, M>(c, s) }
            }
            $(#[$feature])?
            pub unsafe fn uniform1<F: Op1>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: by the caller's promise.
                unsafe { body::uniform1::<F>(c, s) }
            }
            $(#[$feature])?
            pub unsafe fn uniform2<F: Op2>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: by the caller's promise.
                unsafe { body::uniform2::<F>(c, s) }
            }
            $(#[$feature])?
            pub unsafe fn uniform3<F: Op3>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: by the caller's promise.
                unsafe { body::uniform3::<F>(c, s) }
            }
            $(#[$feature])?
            pub unsafe fn uniform_test2<F: Test2>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: by the caller's promise.
                unsafe { body::uniform_test2::<F>(c, s) }
            }
            $(#[$feature])?
            pub unsafe fn custom<F: Custom>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: by the caller's promise.
                unsafe { F::run(c, s) }
            }
        }

        impl Level for $level {
            const FUSE: bool = $fuse;
            fn op1<F: Op1, const M: bool>() -> StepFn {
                $module::op1::<F, M>
            }
            fn op2<F: Op2, const U: u8, const M: bool>() -> StepFn {
                $module::op2::<F, U, M>
            }
            fn op3<F: Op3, const U: u8, const M: bool>() -> StepFn {
                $module::op3::<F, U, M>
            }
            fn test2<F: Test2, const U: u8, const M: bool>() -> StepFn {
                $module::test2::<F, U, M>
            }
            fn uniform1<F: Op1>() -> StepFn {
                $module::uniform1::<F>
            }
            fn uniform2<F: Op2>() -> StepFn {
                $module::uniform2::<F>
            }
            fn uniform3<F: Op3>() -> StepFn {
                $module::uniform3::<F>
            }
            fn uniform_test2<F: Test2>() -> StepFn {
                $module::uniform_test2::<F>
            }
            fn custom<F: Custom>() -> StepFn {
                $module::custom::<F>
            }
        }
    };
}

level!(
    /// AVX-512: sixteen 32-bit lanes at a time.
    Avx512 avx512 true
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
);
level!(
    /// AVX2 and FMA: eight 32-bit lanes at a time.
    Avx2 avx2 true
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
);
level!(
    /// What every x86-64, and every other processor, can do.
    Baseline baseline false
);
