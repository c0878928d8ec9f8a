//! Operands of a request, read from the wave's files.

use std::mem::MaybeUninit;

use crate::access::{Context, Source};
use crate::lanes::Lanes;

/// Returns a uniform 64-bit value; 0 for an absent value or a lane vector.
///
/// # Safety
/// The offset is in range.
#[inline(always)]
pub(crate) unsafe fn uniform64(ctx: &Context<'_, '_>, source: Source) -> u64 {
    match source {
        // SAFETY: the source is one of the step's; pairs are 4-byte aligned.
        Source::Uniform(at) => unsafe { ctx.u::<u64>(at).read_unaligned() },
        Source::Const(c) => c,
        Source::None | Source::Vector(_) => 0,
    }
}

/// Returns a uniform 32-bit value; 0 for an absent value or a lane vector.
///
/// # Safety
/// The offset is in range.
#[inline(always)]
pub(crate) unsafe fn uniform32(ctx: &Context<'_, '_>, source: Source) -> u32 {
    match source {
        // SAFETY: the source is one of the step's.
        Source::Uniform(at) => unsafe { ctx.u::<u32>(at).read() },
        Source::Const(c) => c as u32,
        Source::None | Source::Vector(_) => 0,
    }
}

/// Returns the words of a descriptor, from its parts of 64 bits.
///
/// # Safety
/// The offsets are in range.
///
/// # Panics
/// If there are fewer than `N / 2` parts.
#[inline(always)]
pub unsafe fn words<const N: usize>(ctx: &Context<'_, '_>, parts: &[Source]) -> [u32; N] {
    std::array::from_fn(|n| {
        // SAFETY: by the caller's promise.
        let part = unsafe { uniform64(ctx, parts[n / 2]) };
        (part >> (32 * (n % 2))) as u32
    })
}

/// Returns the lanes of a 32-bit value; a uniform one is spread over `room`.
///
/// # Safety
/// The offset is in range.
#[inline(always)]
pub(crate) unsafe fn lanes32(
    ctx: &Context<'_, '_>,
    source: Source,
    room: &mut MaybeUninit<Lanes>,
) -> *const u32 {
    match source {
        Source::Vector(at) => ctx.v(at),
        // SAFETY: the source is one of the step's.
        _ => room.write([unsafe { uniform32(ctx, source) }; 64]).as_ptr(),
    }
}
