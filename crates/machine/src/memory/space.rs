//! What a space of addresses does with an operation.

use super::operation::Operation;
use super::unit::Denied;
use crate::interp::step::{Ctx, MemStep};

/// A space makes the places of the active lanes, checks them all, and only
/// then runs the operation on them.
pub(crate) trait Space {
    /// Does `op` in the lanes of `mask`, which is not empty.
    ///
    /// # Safety
    /// The context is that of a live wave, and the step was lowered for it.
    /// Implementations are `#[inline(always)]`.
    unsafe fn access<O: Operation>(
        ctx: &mut Ctx<'_, '_>,
        step: &MemStep,
        mask: u64,
        op: O,
    ) -> Result<(), Denied>;
}
