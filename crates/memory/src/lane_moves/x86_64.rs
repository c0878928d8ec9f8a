//! Moves of up to sixteen bytes on x86-64, by SSE or AVX instructions.

use std::arch::asm;

use super::LaneMoves;

/// Copies a `T` of 1, 2, 4, 8 or 16 bytes, at any alignment.
///
/// # Safety
/// The contract of [`copy`](super::copy).
#[inline(always)]
pub(super) unsafe fn part<T, R: LaneMoves>(from: *const u8, to: *mut u8) {
    // SAFETY: these bytes, by the caller's promise.
    unsafe {
        match const { size_of::<T>() } {
            1 => asm!("movzx {x:e}, byte ptr [{from}]", "mov byte ptr [{to}], {x:l}",
                x = out(reg) _, from = in(reg) from, to = in(reg) to, options(nostack, preserves_flags)),
            2 => asm!("movzx {x:e}, word ptr [{from}]", "mov word ptr [{to}], {x:x}",
                x = out(reg) _, from = in(reg) from, to = in(reg) to, options(nostack, preserves_flags)),
            4 => asm!("mov {x:e}, [{from}]", "mov [{to}], {x:e}",
                x = out(reg) _, from = in(reg) from, to = in(reg) to, options(nostack, preserves_flags)),
            8 => asm!("mov {x}, [{from}]", "mov [{to}], {x}",
                x = out(reg) _, from = in(reg) from, to = in(reg) to, options(nostack, preserves_flags)),
            _ if R::AVX => asm!("vmovdqu {x}, [{from}]", "vmovdqu [{to}], {x}",
                x = out(xmm_reg) _, from = in(reg) from, to = in(reg) to, options(nostack, preserves_flags)),
            _ => asm!("movups {x}, [{from}]", "movups [{to}], {x}",
                x = out(xmm_reg) _, from = in(reg) from, to = in(reg) to, options(nostack, preserves_flags)),
        }
    }
}
