//! The check of elements: of one address in each lane.

use crate::access::{Context, Request};
use crate::bounds_cache::Span;
use crate::fault::Denied;

/// Checks the address of one element of each lane of the mask.
///
/// # Errors
/// A lane whose access is denied.
#[inline]
pub fn check_addresses(
    ctx: &mut Context<'_, '_>,
    step: &Request,
    mask: u64,
    bytes: u32,
    stores: bool,
    address: &[u64; 64],
) -> Result<(), Denied> {
    if ctx
        .memory
        .holds(step.cache, span(mask, bytes, stores, address))
    {
        return Ok(());
    }
    ctx.memory
        .check_lanes(step.pc, mask, bytes, stores, |lane| address[lane & 63])
}

/// Returns the bounds of the addresses of the lanes of a mask.
#[inline(always)]
pub fn span(mask: u64, bytes: u32, stores: bool, address: &[u64; 64]) -> Span {
    let (mut first, mut last) = (u64::MAX, 0);
    for (lane, &a) in address.iter().enumerate() {
        let on = mask >> lane & 1 != 0;
        first = first.min(if on { a } else { u64::MAX });
        last = last.max(if on { a } else { 0 });
    }
    Span {
        first,
        last,
        bytes,
        stores,
    }
}
