//! The drivers: they run a function of [`crate::lanes`] as a step, over lane vectors or uniform values. Each has one body,
//! instantiated for each level of processor features.

use wavetank_ir::LANES;

use crate::lanes::{Env, Op1, Op2, Op3, Room, Test2, Word, all_lanes};
use crate::step::{Ctx, Next, Step, StepFn};
use crate::store::{Aligned, Plain, Store};
#[cfg(target_arch = "x86_64")]
use crate::store::{Store256, Store512};
use wavetank_memory::lane_moves::{self, LaneMoves};

/// The lowest bit of the float environment in [`Step::flags`].
pub const ENV_SHIFT: u32 = 8;

/// Returns the float environment of a step.
#[inline(always)]
pub(super) fn env(s: &Step) -> Env {
    Env(s.flags >> ENV_SHIFT)
}

/// A source of a vector step: a lane vector, or a uniform value in each lane, with sign modifiers.
#[derive(Clone, Copy)]
struct Lanes<W> {
    words: *const W,
    value: W,
    and: u64,
    xor: u64,
}

impl<W: Word> Lanes<W> {
    /// Source `n` of a step; `uniform` has a bit for each uniform source. `room` outlives the result.
    ///
    /// # Safety
    /// The contract of [`StepFn`].
    #[inline(always)]
    unsafe fn of<S: Store>(
        ctx: &Ctx<'_, '_>,
        s: &Step,
        n: usize,
        uniform: u8,
        room: &mut Room<W>,
    ) -> Self {
        let (and, xor) = sign_modifiers::<W>(s, n);
        // SAFETY: lowering proved the offsets of the step.
        let (words, value) = unsafe {
            match uniform >> n & 1 {
                0 => (W::words::<S>(ctx.v(s.src[n]), room), W::default()),
                _ => (std::ptr::null(), self::uniform(ctx, s, n)),
            }
        };
        Lanes {
            words,
            value,
            and,
            xor,
        }
    }

    /// # Safety
    /// `i` is a lane, and the step's source is as `uniform` says.
    #[inline(always)]
    unsafe fn lane(self, i: usize, is_uniform: bool, mods: bool) -> W {
        let x = if is_uniform {
            self.value
        } else {
            // SAFETY: lane i of 64.
            unsafe { self.words.add(i).read() }
        };
        if mods {
            x.modify(self.and, self.xor)
        } else {
            x
        }
    }
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

/// Returns the AND mask of abs and the XOR mask of neg for source `n`.
#[inline(always)]
fn sign_modifiers<W: Word>(s: &Step, n: usize) -> (u64, u64) {
    let sign = 1u64 << (W::BITS - 1);
    let neg = u64::from(s.flags >> n & 1).wrapping_neg() & sign;
    let abs = u64::from(s.flags >> (3 + n) & 1).wrapping_neg() & sign;
    (!abs, neg)
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

/// The bodies of the drivers. Bit n of `U` says that source n is uniform, `M` that sources have sign modifiers.
///
/// # Safety (all)
/// The contract of [`StepFn`], and the processor has the features of `S`.
mod body {
    use super::*;

    #[inline(always)]
    pub(crate) unsafe fn op1<F: Op1, const M: bool, S: Store>(
        ctx: &mut Ctx<'_, '_>,
        s: &Step,
    ) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let mut room = Room::uninit();
            let a = Lanes::<F::A>::of::<S>(ctx, s, 0, 0, &mut room);
            let r = F::all::<S>(env(s), |i| a.lane(i, false, M));
            F::R::store::<S>(ctx.v(s.dst), ctx.mask(s), &r);
        }
        Next::Step
    }

    #[inline(always)]
    pub(crate) unsafe fn op2<F: Op2, const U: u8, const M: bool, S: Store>(
        ctx: &mut Ctx<'_, '_>,
        s: &Step,
    ) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let (mut room_a, mut room_b) = (Room::uninit(), Room::uninit());
            let a = Lanes::<F::A>::of::<S>(ctx, s, 0, U, &mut room_a);
            let b = Lanes::<F::B>::of::<S>(ctx, s, 1, U, &mut room_b);
            let mut odd = 0;
            let mut r = all_lanes(|i| {
                let r = F::f(env(s), a.lane(i, U & 1 != 0, M), b.lane(i, U & 2 != 0, M));
                if F::REPAIR {
                    odd |= u32::from(F::odd(r));
                }
                r
            });
            if F::REPAIR && odd != 0 {
                r = repair2::<F>(ctx, s, U, M, r);
            }
            F::R::store::<S>(ctx.v(s.dst), ctx.mask(s), &r);
        }
        Next::Step
    }

    #[cold]
    #[inline(never)]
    unsafe fn repair2<F: Op2>(
        ctx: &Ctx<'_, '_>,
        s: &Step,
        u: u8,
        m: bool,
        mut r: Aligned<[F::R; LANES]>,
    ) -> Aligned<[F::R; LANES]> {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let (mut room_a, mut room_b) = (Room::uninit(), Room::uninit());
            let a = Lanes::<F::A>::of::<Plain>(ctx, s, 0, u, &mut room_a);
            let b = Lanes::<F::B>::of::<Plain>(ctx, s, 1, u, &mut room_b);
            for (i, r) in r.iter_mut().enumerate().filter(|(_, r)| F::odd(**r)) {
                *r = F::repair(
                    env(s),
                    a.lane(i, u & 1 != 0, m),
                    b.lane(i, u & 2 != 0, m),
                    *r,
                );
            }
        }
        r
    }

    #[inline(always)]
    pub(crate) unsafe fn op3<F: Op3, const U: u8, const M: bool, S: Store>(
        ctx: &mut Ctx<'_, '_>,
        s: &Step,
    ) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let (mut room_a, mut room_b, mut room_c) =
                (Room::uninit(), Room::uninit(), Room::uninit());
            let a = Lanes::<F::A>::of::<S>(ctx, s, 0, U, &mut room_a);
            let b = Lanes::<F::B>::of::<S>(ctx, s, 1, U, &mut room_b);
            let c = Lanes::<F::C>::of::<S>(ctx, s, 2, U, &mut room_c);
            let mut odd = 0;
            let mut r = all_lanes(|i| {
                let a = a.lane(i, U & 1 != 0, M);
                let b = b.lane(i, U & 2 != 0, M);
                let r = F::f(env(s), a, b, c.lane(i, U & 4 != 0, M));
                if F::REPAIR {
                    odd |= u32::from(F::odd(r));
                }
                r
            });
            if F::REPAIR && odd != 0 {
                r = repair3::<F>(ctx, s, U, M, r);
            }
            F::R::store::<S>(ctx.v(s.dst), ctx.mask(s), &r);
        }
        Next::Step
    }

    #[cold]
    #[inline(never)]
    unsafe fn repair3<F: Op3>(
        ctx: &Ctx<'_, '_>,
        s: &Step,
        u: u8,
        m: bool,
        mut r: Aligned<[F::R; LANES]>,
    ) -> Aligned<[F::R; LANES]> {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let (mut room_a, mut room_b, mut room_c) =
                (Room::uninit(), Room::uninit(), Room::uninit());
            let a = Lanes::<F::A>::of::<Plain>(ctx, s, 0, u, &mut room_a);
            let b = Lanes::<F::B>::of::<Plain>(ctx, s, 1, u, &mut room_b);
            let c = Lanes::<F::C>::of::<Plain>(ctx, s, 2, u, &mut room_c);
            for (i, r) in r.iter_mut().enumerate().filter(|(_, r)| F::odd(**r)) {
                let a = a.lane(i, u & 1 != 0, m);
                let b = b.lane(i, u & 2 != 0, m);
                *r = F::repair(env(s), a, b, c.lane(i, u & 4 != 0, m), *r);
            }
        }
        r
    }

    #[inline(always)]
    pub(crate) unsafe fn test2<F: Test2, const U: u8, const M: bool, S: Store>(
        ctx: &mut Ctx<'_, '_>,
        s: &Step,
    ) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let (mut room_a, mut room_b) = (Room::uninit(), Room::uninit());
            let a = Lanes::<F::A>::of::<S>(ctx, s, 0, U, &mut room_a);
            let b = Lanes::<F::B>::of::<S>(ctx, s, 1, U, &mut room_b);
            let r = all_lanes(|i| {
                let holds = F::f(env(s), a.lane(i, U & 1 != 0, M), b.lane(i, U & 2 != 0, M));
                u32::from(holds).wrapping_neg()
            });
            let result = S::mask(&r) & ctx.mask(s);
            ctx.u::<u64>(s.dst).write_unaligned(result);
        }
        Next::Step
    }

    #[inline(always)]
    pub(crate) unsafe fn uniform1<F: Op1>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let r = F::f(env(s), uniform(ctx, s, 0));
            set_uniform(ctx, s.dst, r);
        }
        Next::Step
    }

    #[inline(always)]
    pub(crate) unsafe fn uniform2<F: Op2>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
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
    pub(crate) unsafe fn uniform3<F: Op3>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
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
    pub(crate) unsafe fn uniform_test2<F: Test2>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let r = F::f(env(s), uniform(ctx, s, 0), uniform(ctx, s, 1));
            set_uniform(ctx, s.dst, u32::from(r));
        }
        Next::Step
    }
}

/// A level of processor features, with the steps instantiated for it. All levels compute the same bits.
pub(crate) trait Level {
    /// Whether uniform sources and sign modifiers are fused into vector steps; otherwise they are materialised first, which keeps
    /// the code small.
    const FUSE: bool;
    /// Whether each width of a load or store has a step of its own. Otherwise one step serves all widths, which keeps the code
    /// small.
    const WIDTHS: bool;
    /// The memory moves of the level.
    type Moves: LaneMoves;
    /// Returns whether this processor has every feature of the level: otherwise its steps must not be run.
    #[cfg(target_arch = "x86_64")]
    fn is_available() -> bool;
    /// Returns a vector step of one source.
    fn op1<F: Op1, const M: bool>() -> StepFn;
    /// Returns a vector step of two sources.
    fn op2<F: Op2, const U: u8, const M: bool>() -> StepFn;
    /// Returns a vector step of three sources.
    fn op3<F: Op3, const U: u8, const M: bool>() -> StepFn;
    /// Returns a step for a relation of lane vectors.
    fn test2<F: Test2, const U: u8, const M: bool>() -> StepFn;
    /// Returns a uniform step of one source, without vector features but with the same precision of FMA.
    fn uniform1<F: Op1>() -> StepFn;
    /// Returns a uniform step of two sources.
    fn uniform2<F: Op2>() -> StepFn;
    /// Returns a uniform step of three sources.
    fn uniform3<F: Op3>() -> StepFn;
    /// Returns a uniform step for a relation.
    fn uniform_test2<F: Test2>() -> StepFn;
    /// Returns a custom step, with a body of its own.
    fn custom<F: Custom>() -> StepFn;
}

/// A step that fits none of the drivers: cross-lane moves, carries.
pub(crate) trait Custom {
    /// Runs the step in all lanes.
    ///
    /// # Safety
    /// The contract of [`StepFn`]. Implementations are `#[inline(always)]`.
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next;
}

macro_rules! level {
    ($(#[$doc:meta])* $level:ident $module:ident $store:ident $fuse:literal $widths:expr, [$($feature:tt)*]) => {
        $(#[$doc])*
        pub(crate) struct $level;

        mod $module {
            use super::*;

            $(#[target_feature(enable = $feature)])*
            pub(crate) unsafe fn op1<F: Op1, const M: bool>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: the contract of `StepFn`.
                unsafe { body::op1::<F, M, $store>(c, s) }
            }
            $(#[target_feature(enable = $feature)])*
            pub(crate) unsafe fn op2<F: Op2, const U: u8, const M: bool>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: the contract of `StepFn`.
                unsafe { body::op2::<F, U, M, $store>(c, s) }
            }
            $(#[target_feature(enable = $feature)])*
            pub(crate) unsafe fn op3<F: Op3, const U: u8, const M: bool>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: the contract of `StepFn`.
                unsafe { body::op3::<F, U, M, $store>(c, s) }
            }
            $(#[target_feature(enable = $feature)])*
            pub(crate) unsafe fn test2<F: Test2, const U: u8, const M: bool>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: the contract of `StepFn`.
                unsafe { body::test2::<F, U, M, $store>(c, s) }
            }
            $(#[target_feature(enable = $feature)])*
            pub(crate) unsafe fn uniform1<F: Op1>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: the contract of `StepFn`.
                unsafe { body::uniform1::<F>(c, s) }
            }
            $(#[target_feature(enable = $feature)])*
            pub(crate) unsafe fn uniform2<F: Op2>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: the contract of `StepFn`.
                unsafe { body::uniform2::<F>(c, s) }
            }
            $(#[target_feature(enable = $feature)])*
            pub(crate) unsafe fn uniform3<F: Op3>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: the contract of `StepFn`.
                unsafe { body::uniform3::<F>(c, s) }
            }
            $(#[target_feature(enable = $feature)])*
            pub(crate) unsafe fn uniform_test2<F: Test2>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: the contract of `StepFn`.
                unsafe { body::uniform_test2::<F>(c, s) }
            }
            $(#[target_feature(enable = $feature)])*
            pub(crate) unsafe fn custom<F: Custom>(c: &mut Ctx<'_, '_>, s: &Step) -> Next {
                // SAFETY: the contract of `StepFn`.
                unsafe { F::run::<$store>(c, s) }
            }
        }

        impl Level for $level {
            const FUSE: bool = $fuse;
            const WIDTHS: bool = $widths;
            type Moves = lane_moves::$level;
            #[cfg(target_arch = "x86_64")]
            fn is_available() -> bool {
                true $(&& std::arch::is_x86_feature_detected!($feature))*
            }
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

#[cfg(target_arch = "x86_64")]
level!(
    /// AVX-512: sixteen 32-bit lanes at a time.
    Avx512 avx512 Store512 true true,
    ["avx512f" "avx512bw" "avx512dq" "avx512vl" "avx512cd" "fma" "f16c" "bmi1" "bmi2" "lzcnt" "popcnt"]
);
#[cfg(target_arch = "x86_64")]
level!(
    /// AVX2 and FMA: eight 32-bit lanes at a time.
    Avx2 avx2 Store256 true true,
    ["avx2" "fma" "f16c" "bmi1" "bmi2" "lzcnt" "popcnt"]
);
level!(
    /// The features that every processor of the host's architecture has. On x86-64 few processors have no more than these.
    Baseline baseline Plain false cfg!(not(target_arch = "x86_64")), []
);

/// Other hosts have one level, also under these names.
#[cfg(not(target_arch = "x86_64"))]
pub type Avx512 = Baseline;
#[cfg(not(target_arch = "x86_64"))]
pub type Avx2 = Baseline;
