//! Moves of up to sixteen bytes on AArch64. A move of sixteen is one access with FEAT_LSE2, otherwise two of eight (Arm ARM,
//! B2.2.1 "Requirements for single-copy atomicity").

use std::arch::asm;

use super::LaneMoves;

/// Copies a `T` of 1, 2, 4, 8 or 16 bytes, at any alignment.
///
/// # Safety
/// The contract of [`copy`](super::copy).
#[inline(always)]
pub unsafe fn part<T, R: LaneMoves>(from: *const u8, to: *mut u8) {
    // SAFETY: these bytes, by the caller's promise.
    unsafe {
        match const { size_of::<T>() } {
            1 => asm!("ldrb {x:w}, [{from}]", "strb {x:w}, [{to}]",
                x = out(reg) _, from = in(reg) from, to = in(reg) to, options(nostack, preserves_flags)),
            2 => asm!("ldrh {x:w}, [{from}]", "strh {x:w}, [{to}]",
                x = out(reg) _, from = in(reg) from, to = in(reg) to, options(nostack, preserves_flags)),
            4 => asm!("ldr {x:w}, [{from}]", "str {x:w}, [{to}]",
                x = out(reg) _, from = in(reg) from, to = in(reg) to, options(nostack, preserves_flags)),
            8 => asm!("ldr {x}, [{from}]", "str {x}, [{to}]",
                x = out(reg) _, from = in(reg) from, to = in(reg) to, options(nostack, preserves_flags)),
            _ => asm!("ldp {x}, {y}, [{from}]", "stp {x}, {y}, [{to}]",
                x = out(reg) _, y = out(reg) _, from = in(reg) from, to = in(reg) to, options(nostack, preserves_flags)),
        }
    }
}
