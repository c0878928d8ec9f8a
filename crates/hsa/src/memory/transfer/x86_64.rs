//! Instructions of x86-64 for copying and filling. The direction flag is clear, as in all code.

use std::arch::asm;

/// Fills dwords with a value.
///
/// # Safety
/// The dwords are mapped and writable.
pub(super) unsafe fn fill(to: u64, value: u32, count: u64) {
    // SAFETY: exactly the range.
    unsafe {
        asm!(
            "rep stosd",
            inout("rdi") to => _, inout("rcx") count => _, in("eax") value,
            options(nostack, preserves_flags)
        );
    }
}

/// Copies from the first byte to the last.
///
/// # Safety
/// All of both ranges is mapped, and the target can be written.
pub(super) unsafe fn forward(to: u64, from: u64, bytes: u64) {
    // SAFETY: exactly the ranges.
    unsafe {
        asm!(
            "rep movsb",
            inout("rdi") to => _, inout("rsi") from => _, inout("rcx") bytes => _,
            options(nostack, preserves_flags)
        );
    }
}

/// Copies from the last byte to the first.
///
/// # Safety
/// As for [`forward`]; there is at least one byte.
pub(super) unsafe fn backward(to: u64, from: u64, bytes: u64) {
    // SAFETY: exactly the ranges. The direction flag is cleared again.
    unsafe {
        asm!(
            "std", "rep movsb", "cld",
            inout("rdi") to + bytes - 1 => _, inout("rsi") from + bytes - 1 => _, inout("rcx") bytes => _,
            options(nostack)
        );
    }
}

/// Copies 64 bytes without filling the caches.
///
/// # Safety
/// As for [`forward`]; the target is a multiple of 16, and a [`fence`] follows before the copy is announced.
#[inline(always)]
pub(super) unsafe fn line(to: u64, from: u64) {
    // SAFETY: 64 bytes of the ranges. Prefetches may be anywhere.
    unsafe {
        asm!(
            "prefetcht0 [{from} + 128]",
            "movups {a}, [{from}]",
            "movups {b}, [{from} + 16]",
            "movups {c}, [{from} + 32]",
            "movups {d}, [{from} + 48]",
            "movntps [{to}], {a}",
            "movntps [{to} + 16], {b}",
            "movntps [{to} + 32], {c}",
            "movntps [{to} + 48], {d}",
            to = in(reg) to,
            from = in(reg) from,
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            c = out(xmm_reg) _,
            d = out(xmm_reg) _,
            options(nostack, preserves_flags)
        );
    }
}

/// Makes the [`line`]s visible before later stores.
pub(super) fn fence() {
    // SAFETY: the instruction only orders stores.
    unsafe { asm!("sfence", options(nostack, preserves_flags)) };
}
