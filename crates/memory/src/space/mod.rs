//! The address spaces: each computes and checks lane addresses for an operation.

pub mod buffer;
pub mod flat;
pub mod formatted;
pub mod gds;
pub mod lds;
pub mod scalar;
pub mod scratch;
mod swizzled;

use crate::access::{Context, Request};
use crate::fault::Denied;
use crate::operation::Operation;

/// An address space, which computes the places of the active lanes, checks them all, and only then runs the operation on them.
pub trait Space {
    /// Runs `op` in the lanes of `mask`, which is not empty.
    ///
    /// # Errors
    /// A lane whose access is denied; registers and memory are unchanged.
    ///
    /// # Safety
    /// The context is that of a live wave, and the step was lowered for it. Implementations are `#[inline(always)]`.
    unsafe fn access<O: Operation>(
        ctx: &mut Context<'_, '_>,
        step: &Request,
        mask: u64,
        op: O,
    ) -> Result<(), Denied>;
}
