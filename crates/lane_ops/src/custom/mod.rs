//! Custom steps, which have a body of their own: moves, selects, carries, moves between lanes, lane functions, and the ends of
//! blocks.

pub(crate) mod batch;
pub(crate) mod carry;
pub(crate) mod cross;
pub mod flow;
pub(crate) mod lane_call;
pub(crate) mod matrix;
pub(crate) mod moves;
pub mod probe;
pub mod tally;

use super::lanes::Word;
use super::step::{Ctx, Step};

/// Source `n` of a step in lane `i`: of a lane vector, or the same in each
/// lane where bit `n` of `uniform` is set.
///
/// # Safety
/// The contract of `StepFn`.
#[inline(always)]
unsafe fn lane<W: Word>(ctx: &Ctx<'_, '_>, s: &Step, n: usize, uniform: u8, i: usize) -> W {
    // SAFETY: lowering proved the offsets of the step.
    unsafe {
        if uniform >> n & 1 == 0 {
            W::lane(ctx.v(s.src[n]), i)
        } else if W::BITS == 64 {
            W::from_u64(ctx.uniform64(s, n))
        } else {
            W::from_u64(ctx.uniform32(s, n).into())
        }
    }
}
