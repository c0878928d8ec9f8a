//! Moves into registers, selects, and relative addressing.

use std::marker::PhantomData;

use wavetank_ir::LANES;

use super::lane;
use crate::drive::Custom;
use crate::lanes::all_lanes;
use crate::lanes::{Env, Op1, Room, Word};
use crate::step::{Ctx, Next, Step};
use crate::store::Store;
use wavetank_memory::VECTOR_BYTES;

/// Copies the value unchanged.
pub(crate) struct Copy<W>(PhantomData<W>);

impl<W: Word> Op1 for Copy<W> {
    type A = W;
    type R = W;
    #[inline(always)]
    fn f(_: Env, a: W) -> W {
        a
    }
}

/// Gives 1 for a value that is not 0, and 0 for 0: the value of a write to SCC.
pub(crate) struct Truth;

impl Op1 for Truth {
    type A = u32;
    type R = u32;
    #[inline(always)]
    fn f(_: Env, a: u32) -> u32 {
        u32::from(a != 0)
    }
}

/// Spreads a uniform value over all lanes.
pub(crate) struct Splat<W>(PhantomData<W>);

impl<W: Word> Custom for Splat<W> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let value = lane::<W>(ctx, s, 0, 1, 0);
            W::store::<S>(ctx.v(s.dst), ctx.mask(s), &[value; LANES]);
        }
        Next::Step
    }
}

/// Writes the bytes of each 32-bit lane that `flags` selects.
pub(crate) struct WriteBytes<const U: u8>;

impl<const U: u8> Custom for WriteBytes<U> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        let spread = |n: u32| (s.flags >> n & 1) * (0xff << (8 * n));
        let bits = spread(0) | spread(1) | spread(2) | spread(3);
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let old = ctx.v(s.dst).cast_const();
            let r = all_lanes(|i| u32::lane(old, i) & !bits | lane::<u32>(ctx, s, 0, U, i) & bits);
            u32::store::<S>(ctx.v(s.dst), ctx.mask(s), &r);
        }
        Next::Step
    }
}

/// `mask ? a : b` in each lane; source 0 is the mask.
pub(crate) struct Select<W, const U: u8>(PhantomData<W>);

impl<W: Word, const U: u8> Custom for Select<W, U> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let choice = ctx.uniform64(s, 0);
            let halves = if W::BITS == 64 { 2 } else { 1 };
            // All sources are read before anything is written: the result may overlap a source, shifted by a register.
            let mut r = [const { Room::<u32>::uninit() }; 2];
            for (half, r) in r.iter_mut().enumerate().take(halves) {
                let a = all_lanes(|i| half_of::<W, U>(ctx, s, 1, half, i));
                let b = all_lanes(|i| half_of::<W, U>(ctx, s, 2, half, i));
                S::select(choice, &a, &b, r.as_mut_ptr().cast());
            }
            for (half, r) in r.iter().enumerate().take(halves) {
                let r = &r.assume_init_ref().0;
                S::store(ctx.v(s.dst).add(half * LANES), ctx.mask(s), r);
            }
        }
        Next::Step
    }
}

/// Half 0 or 1 of source `n` in lane `i`.
///
/// # Safety
/// The contract of `StepFn`.
#[inline(always)]
unsafe fn half_of<W: Word, const U: u8>(
    ctx: &Ctx<'_, '_>,
    s: &Step,
    n: usize,
    half: usize,
    i: usize,
) -> u32 {
    // SAFETY: lowering proved the offsets of the step.
    unsafe {
        if U >> n & 1 == 0 {
            u32::lane(ctx.v(s.src[n]).add(half * LANES), i)
        } else {
            (lane::<W>(ctx, s, n, U, i).to_u64() >> (32 * half)) as u32
        }
    }
}

/// `cond ? a : b` of uniform values.
pub(crate) struct UniformSelect<W>(PhantomData<W>);

impl<W: Word> Custom for UniformSelect<W> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let n = if ctx.uniform32(s, 0) != 0 { 1 } else { 2 };
            let value = lane::<W>(ctx, s, n, 0b111, 0).to_u64();
            if W::BITS == 64 {
                ctx.u::<u64>(s.dst).write_unaligned(value);
            } else {
                ctx.u::<u32>(s.dst).write(value as u32);
            }
        }
        Next::Step
    }
}

/// The registers that a step accesses by an index, which is its source 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexedRegisters {
    /// The offset of their file, or of the file of their shadows.
    pub file: u32,
    /// The number of the register with index 0.
    pub base: u64,
}

impl IndexedRegisters {
    /// Makes a step access these registers.
    pub fn store(self, step: &mut Step) {
        // A step has two sources at most, so that the third constant is free.
        (step.dst2, step.imm[2]) = (self.file, self.base);
    }

    /// Returns the registers of a step.
    #[inline(always)]
    fn of(s: &Step) -> IndexedRegisters {
        IndexedRegisters {
            file: s.dst2,
            base: s.imm[2],
        }
    }

    /// Returns the number of the register that the step's index selects, which may be out of range.
    ///
    /// # Safety
    /// The contract of `StepFn`.
    #[inline(always)]
    unsafe fn selected(self, ctx: &Ctx<'_, '_>, s: &Step) -> u32 {
        // SAFETY: lowering proved the offsets of the step.
        (self.base as u32).wrapping_add(unsafe { ctx.uniform32(s, 0) })
    }
}

/// Reads a vector register by an index; out of range reads v0 (Vega ISA, 3.6.2).
pub(crate) struct ReadIndexed;

impl Custom for ReadIndexed {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        let registers = IndexedRegisters::of(s);
        // SAFETY: lowering proved the offsets; the register is in the file.
        unsafe {
            let n = registers.selected(ctx, s);
            let n = if n < wavetank_memory::VGPRS as u32 {
                n
            } else {
                0
            };
            let at = registers.file + n * VECTOR_BYTES as u32;
            let from = ctx.v(at).cast_const();
            let r = all_lanes(|i| u32::lane(from, i));
            u32::store::<S>(ctx.v(s.dst), ctx.mask(s), &r);
        }
        Next::Step
    }
}

/// Writes a vector register by an index; out of range writes nothing. Source 1 is the value.
pub(crate) struct WriteIndexed<const U: u8>;

impl<const U: u8> Custom for WriteIndexed<U> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        let registers = IndexedRegisters::of(s);
        // SAFETY: lowering proved the offsets; the register is in the file.
        unsafe {
            let n = registers.selected(ctx, s);
            if n < wavetank_memory::VGPRS as u32 {
                let r = all_lanes(|i| lane::<u32>(ctx, s, 1, U, i));
                let at = registers.file + n * VECTOR_BYTES as u32;
                u32::store::<S>(ctx.v(at), ctx.mask(s), &r);
            }
        }
        Next::Step
    }
}

/// The number of SGPRs that relative addressing may access (Vega ISA, 3.6.1).
pub const INDEXED_SGPRS: u32 = 104;

/// Reads a uniform register by an index; out of range reads s0.
pub(crate) struct ReadIndexedS;

impl Custom for ReadIndexedS {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        let registers = IndexedRegisters::of(s);
        // SAFETY: lowering proved the offsets; the register is in the file.
        unsafe {
            let n = registers.selected(ctx, s);
            let n = if n < INDEXED_SGPRS { n } else { 0 };
            let value = ctx.u::<u32>(registers.file + 4 * n).read();
            ctx.u::<u32>(s.dst).write(value);
        }
        Next::Step
    }
}

/// Writes a uniform register by an index; out of range writes nothing. Source 1 is the value.
pub(crate) struct WriteIndexedS;

impl Custom for WriteIndexedS {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        let registers = IndexedRegisters::of(s);
        // SAFETY: lowering proved the offsets; the register is in the file.
        unsafe {
            let n = registers.selected(ctx, s);
            if n < INDEXED_SGPRS {
                let value = ctx.uniform32(s, 1);
                ctx.u::<u32>(registers.file + 4 * n).write(value);
            }
        }
        Next::Step
    }
}
