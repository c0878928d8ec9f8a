//! Lowered code: an array of steps, each a function with its operands (threaded code).

use std::ops::{Deref, DerefMut};

use wavetank_machine::Leave;
use wavetank_memory::Context;

/// The continuation that a step returns to the loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Continue with the next step.
    Step,
    /// The block has ended; the PC in the state is the address to continue at.
    Block,
    /// The block has ended with its conditional branch taken.
    Taken,
    /// The wave leaves the engine; `Ctx::leave` says why.
    Leave,
}

/// The function of a step. One call computes all 64 lanes.
///
/// # Safety
/// The context's pointers must be those of a live wave, the step must have been lowered for the processor's features, and its
/// offsets be in range.
pub type StepFn = unsafe fn(&mut Ctx<'_, '_>, &Step) -> Next;

/// The bit of a uniform source that is the constant `imm[n]` of the step.
pub const CONST: u32 = 1 << 31;

/// A step of lowered code.
///
/// Offsets are in bytes: those of lane vectors from the start of the vector file, those of uniform values from the start of
/// [`Uniform`](wavetank_memory::Uniform). Lowering proved them in range.
#[repr(C)]
pub struct Step {
    /// The function that runs the step.
    pub run: StepFn,
    /// The offset of the result.
    pub dst: u32,
    /// The offset of the second result (a mask or a carry).
    pub dst2: u32,
    /// The sources: lane vectors, or uniform values (constants by [`CONST`]).
    pub src: [u32; 3],
    /// The offset of the 64-bit uniform value that masks the write.
    pub mask: u32,
    /// Constants of uniform sources, or further operands of rare steps.
    pub imm: [u64; 3],
    /// Bits 0–2 negate, bits 3–5 take the absolute value of a source; other functions define their own bits.
    pub flags: u32,
}

/// The context of steps: the access to memory, and the reason why the wave stops.
pub struct Ctx<'a, 'm> {
    /// The wave's files and the memory unit.
    pub context: Context<'a, 'm>,
    /// The reason for which the wave leaves the engine, once a step has set it.
    pub leave: Option<Leave>,
}

impl<'a, 'm> Deref for Ctx<'a, 'm> {
    type Target = Context<'a, 'm>;

    #[inline(always)]
    fn deref(&self) -> &Context<'a, 'm> {
        &self.context
    }
}

impl DerefMut for Ctx<'_, '_> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.context
    }
}

impl Ctx<'_, '_> {
    /// Returns the 32-bit value of uniform source `n` of a step.
    ///
    /// # Safety
    /// The source is a uniform offset in range, or a constant.
    #[inline(always)]
    pub unsafe fn uniform32(&self, step: &Step, n: usize) -> u32 {
        let off = step.src[n];
        let p = if off & CONST != 0 {
            (&raw const step.imm[n]).cast()
        } else {
            self.u::<u32>(off) as *const u32
        };
        // SAFETY: the offset is in range.
        unsafe { p.read() }
    }

    /// Returns the 64-bit value of uniform source `n` of a step.
    ///
    /// # Safety
    /// As for [`Ctx::uniform32`].
    #[inline(always)]
    pub unsafe fn uniform64(&self, step: &Step, n: usize) -> u64 {
        let off = step.src[n];
        let p = if off & CONST != 0 {
            &raw const step.imm[n]
        } else {
            self.u::<u64>(off) as *const u64
        };
        // SAFETY: the offset is in range; uniform pairs are 4-byte aligned.
        unsafe { p.read_unaligned() }
    }

    /// Returns the lane mask of a step's write.
    ///
    /// # Safety
    /// The mask's offset is in range.
    #[inline(always)]
    pub unsafe fn mask(&self, step: &Step) -> u64 {
        // SAFETY: the offset is in range.
        unsafe { self.u::<u64>(step.mask).cast_const().read_unaligned() }
    }
}
