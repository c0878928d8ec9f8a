//! What the tests of this crate call one by one, which nobody else should.

#![allow(missing_docs)]

use wavetank_ir::{MemOp, Op};

use crate::drive::{Avx2, Avx512, Baseline, Level};
use crate::lower::choose;
use crate::visit::{UniformStep, VectorStep};

pub use crate::drive::ENV_SHIFT;
pub use crate::lanes::{Batch2, Batch3, Env, Op1, Op2, Op3, Test2, Word};
pub use crate::lower::choose as function;
pub use crate::simd::Simd;
pub use crate::step::{CONST, Ctx, Next, Step, StepFn};
pub use crate::visit::{AskCaps, Caps, Visit};

/// Calls a function with the level of a `Simd`.
macro_rules! at_level {
    ($simd:expr, $f:ident $args:tt) => {
        match $simd {
            Simd::Avx512 => $f::<Avx512> $args,
            Simd::Avx2 => $f::<Avx2> $args,
            Simd::Baseline => $f::<Baseline> $args,
        }
    };
}

/// Whether uniform sources and sign modifiers are fused at this level.
pub fn fuses(simd: Simd) -> bool {
    fn fuses<L: Level>() -> bool {
        L::FUSE
    }
    at_level!(simd, fuses())
}

/// The step of an operation on lane vectors; bit n of `uniform` says that source n is uniform.
pub fn vector_step(simd: Simd, op: &Op, uniform: u8, mods: bool) -> Option<StepFn> {
    fn step<L: Level>(op: &Op, uniform: u8, mods: bool) -> Option<StepFn> {
        choose(op, VectorStep::<L>::new(uniform, mods))
    }
    at_level!(simd, step(op, uniform, mods))
}

/// The step of an operation on uniform values.
pub fn uniform_step(simd: Simd, op: &Op) -> Option<StepFn> {
    fn step<L: Level>(op: &Op) -> Option<StepFn> {
        choose(op, UniformStep::<L>::new())
    }
    at_level!(simd, step(op))
}

/// The step of an access to memory.
pub fn memory_step(simd: Simd, op: &MemOp) -> StepFn {
    use crate::memory::mem_step;
    at_level!(simd, mem_step(op, false))
}

/// The same, which records what it accesses.
pub fn instrumented_step(op: &MemOp) -> StepFn {
    crate::memory::mem_step::<Baseline>(op, true)
}
