//! The choice of a step for an operation. These functions are not generic, so that steps are instantiated in this crate only.

use wavetank_ir::{MemOp, Op};

use crate::drive::{Avx2, Avx512, Baseline, ENV_SHIFT, Level};
use crate::element_function;
use crate::memory::mem_step;
use crate::simd::Simd;
use crate::step::StepFn;
use crate::visit::{AskCaps, Caps, UniformStep, VectorStep};

/// The kinds of operands of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Uniform operands and a uniform result.
    Uniform,
    /// Lane vectors, with some sources uniform. At a level that does not [fuse](fuses) uniform sources, no bit of `uniform` may
    /// be set.
    Lanes {
        /// A bit for each uniform source.
        uniform: u8,
        /// Whether the step applies sign modifiers.
        mods: bool,
    },
}

/// Returns the operands that steps of an operation can fuse. `None` if no function computes the operation on its element.
pub fn caps(op: &Op) -> Option<Caps> {
    element_function::visit_function(op, AskCaps)
}

/// Returns whether uniform sources and sign modifiers are fused at a level.
pub fn fuses(simd: Simd) -> bool {
    match simd {
        Simd::Avx512 => Avx512::FUSE,
        Simd::Avx2 => Avx2::FUSE,
        Simd::Baseline => Baseline::FUSE,
    }
}

/// Returns the step of an operation that has [`caps`].
pub fn step(simd: Simd, op: &Op, shape: Shape) -> Option<StepFn> {
    match simd {
        Simd::Avx512 => at_level::<Avx512>(op, shape),
        Simd::Avx2 => at_level::<Avx2>(op, shape),
        Simd::Baseline => at_level::<Baseline>(op, shape),
    }
}

fn at_level<L: Level>(op: &Op, shape: Shape) -> Option<StepFn> {
    match shape {
        Shape::Uniform => element_function::visit_function(op, UniformStep::<L>::new()),
        Shape::Lanes { uniform, mods } => {
            element_function::visit_function(op, VectorStep::<L>::new(uniform, mods))
        }
    }
}

/// Returns the float environment of an operation, packed for the flags of its step.
pub fn environment(op: &Op) -> u32 {
    element_function::environment(op).0 << ENV_SHIFT
}

/// Returns the step of a memory operation, whose `imm[0]` is the address of a [`Request`](wavetank_memory::Request) that outlives
/// the step. An instrumented step records its accesses.
pub fn memory_step(simd: Simd, op: &MemOp, instrumented: bool) -> StepFn {
    match simd {
        Simd::Avx512 => mem_step::<Avx512>(op, instrumented),
        Simd::Avx2 => mem_step::<Avx2>(op, instrumented),
        Simd::Baseline => mem_step::<Baseline>(op, instrumented),
    }
}
