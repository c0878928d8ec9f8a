//! Probes: steps that report values to checkers and change nothing.
//!
//! Source 0 is the probed value, source 1 the lanes; the lower bits of `flags` are its meaning, `imm[2]` is the address of its
//! instruction ([`set_subject`]). The fields for results and further sources hold the locations of the values shown with it, and
//! the upper bits of `flags` their kinds ([`show`]).

use std::marker::PhantomData;

use wavetank_ir::{LANES, MAX_SHOWN};

use super::lane;
use crate::drive::Custom;
use crate::lanes::Word;
use crate::step::{Ctx, Next, Step};
use crate::store::Store;

/// Sets the address of the instruction that a step reports: of a wait, or of a probe.
pub fn set_instruction(step: &mut Step, pc: u64) {
    step.imm[2] = pc;
}

/// Sets the address of the instruction that a probe reports, and the meaning of the probed value.
pub fn set_subject(step: &mut Step, pc: u64, about: u8) {
    set_instruction(step, pc);
    step.flags = about.into();
}

/// Records that the wave has passed a wait, whose address [`set_instruction`] sets.
///
/// # Safety
/// No condition: only the signature requires `unsafe`.
pub unsafe fn wait(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
    ctx.memory.record_wait(s.imm[2]);
    Next::Step
}

/// Probes a lane vector: reports the lanes that are not 0.
pub struct Lanes<W>(PhantomData<W>);

impl<W: Word> Custom for Lanes<W> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let mut any = 0;
            for i in 0..LANES {
                any |= lane::<W>(ctx, s, 0, 0, i).to_u64();
            }
            if any != 0 {
                let is_set = |i| u64::from(lane::<W>(ctx, s, 0, 0, i).to_u64() != 0) << i;
                probe(ctx, s, (0..LANES).fold(0, |set, i| set | is_set(i)));
            }
        }
        Next::Step
    }
}

/// Probes a mask: reports its lanes.
pub struct Mask;

impl Custom for Mask {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let mask = ctx.uniform64(s, 0);
            if mask != 0 {
                probe(ctx, s, mask);
            }
        }
        Next::Step
    }
}

/// Probes a uniform value: reports all lanes if it is not 0.
pub struct Uniform<W>(PhantomData<W>);

impl<W: Word> Custom for Uniform<W> {
    #[inline(always)]
    unsafe fn run<S: Store>(ctx: &mut Ctx<'_, '_>, s: &Step) -> Next {
        // SAFETY: lowering proved the offsets of the step.
        unsafe {
            let value = match W::BITS {
                64 => ctx.uniform64(s, 0),
                _ => ctx.uniform32(s, 0).into(),
            };
            if value != 0 {
                probe(ctx, s, !0);
            }
        }
        Next::Step
    }
}

/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
#[cold]
#[inline(never)]
unsafe fn probe(ctx: &mut Ctx<'_, '_>, s: &Step, lanes: u64) {
    // SAFETY: lowering proved the offsets of the step.
    let lanes = lanes & unsafe { ctx.uniform64(s, 1) };
    if lanes != 0 {
        // SAFETY: lowering proved the offsets of the step.
        let shown = unsafe { shown(ctx, s, lanes.trailing_zeros() as usize) };
        ctx.memory.probe(s.imm[2], s.flags as u8, lanes, shown);
    }
}

/// The kinds of a shown value: two bits for its location, one for a width of 64 bits.
const NOTHING: u32 = 0;
const VECTOR: u32 = 1;
const UNIFORM: u32 = 2;
/// A constant of 32 bits, or the upper half of one whose lower half is 0.
const CONSTANT: u32 = 3;
const IS_WIDE: u32 = 4;
const KIND_BITS: usize = 3;

/// The lowest bit of the kinds in `flags`.
const KINDS_AT: usize = 8;

/// The location of a value shown with a probe.
pub enum Shown {
    /// A lane vector, by its offset.
    Vector(u32),
    /// A uniform value, by its offset.
    Uniform(u32),
    /// A constant instead of a location.
    Constant(u64),
}

/// Adds to a step the values that it shows, each with whether it has 64 bits. The list ends before a constant that cannot be
/// encoded.
pub fn show(step: &mut Step, numbers: impl Iterator<Item = (Shown, bool)>) {
    let room = [&mut step.src[2], &mut step.dst, &mut step.dst2];
    for (n, ((number, wide), room)) in numbers.zip(room).enumerate() {
        let (kind, at) = match (number, wide) {
            (Shown::Vector(at), _) => (VECTOR, at),
            (Shown::Uniform(at), _) => (UNIFORM, at),
            (Shown::Constant(c), false) => (CONSTANT, c as u32),
            (Shown::Constant(c), true) if c as u32 == 0 => (CONSTANT, (c >> 32) as u32),
            (Shown::Constant(_), _) => return,
        };
        *room = at;
        let kind = kind | if wide { IS_WIDE } else { 0 };
        step.flags |= kind << (KINDS_AT + KIND_BITS * n);
    }
}

/// Returns the values that a step shows, in lane `i`.
///
/// # Safety
/// The contract of [`StepFn`](crate::step::StepFn).
unsafe fn shown(ctx: &Ctx<'_, '_>, s: &Step, i: usize) -> Vec<u64> {
    let places: [u32; MAX_SHOWN] = [s.src[2], s.dst, s.dst2];
    let kinds = (0..MAX_SHOWN).map(|n| s.flags >> (KINDS_AT + KIND_BITS * n));
    let shown = kinds.zip(places).map_while(|(kind, at)| {
        let wide = kind & IS_WIDE != 0;
        // SAFETY: lowering proved the offsets of the step; uniform pairs are 4-byte aligned.
        unsafe {
            Some(match (kind & !(!0 << (KIND_BITS - 1)), wide) {
                (NOTHING, _) => return None,
                (VECTOR, false) => <u32 as Word>::lane(ctx.v(at), i).into(),
                (VECTOR, true) => <u64 as Word>::lane(ctx.v(at), i),
                (UNIFORM, false) => ctx.u::<u32>(at).read().into(),
                (UNIFORM, true) => ctx.u::<u64>(at).read_unaligned(),
                (_, false) => at.into(),
                (_, true) => u64::from(at) << 32,
            })
        }
    });
    shown.collect()
}
