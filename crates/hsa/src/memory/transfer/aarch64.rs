//! Instructions of AArch64 for copying and filling.

use std::arch::asm;

/// Fills dwords with a value.
///
/// # Safety
/// The dwords are mapped and writable.
pub unsafe fn fill(to: u64, value: u32, count: u64) {
    // SAFETY: exactly the range.
    unsafe {
        asm!(
            "2:",
            "cbz {n}, 3f",
            "str {value:w}, [{to}], #4",
            "sub {n}, {n}, #1",
            "b 2b",
            "3:",
            n = inout(reg) count => _, to = inout(reg) to => _, value = in(reg) value,
            options(nostack, preserves_flags)
        );
    }
}

/// Copies from the first byte to the last.
///
/// # Safety
/// All of both ranges is mapped, and the target can be written.
pub unsafe fn forward(to: u64, from: u64, bytes: u64) {
    // SAFETY: exactly the ranges: 32 bytes at a time, then the rest.
    unsafe {
        asm!(
            "2:",
            "subs {n}, {n}, #32",
            "b.lo 3f",
            "ldp {a:q}, {b:q}, [{from}], #32",
            "stp {a:q}, {b:q}, [{to}], #32",
            "b 2b",
            "3:",
            "adds {n}, {n}, #32",
            "b.eq 5f",
            "4:",
            "ldrb {x:w}, [{from}], #1",
            "strb {x:w}, [{to}], #1",
            "subs {n}, {n}, #1",
            "b.ne 4b",
            "5:",
            n = inout(reg) bytes => _, to = inout(reg) to => _, from = inout(reg) from => _,
            x = out(reg) _, a = out(vreg) _, b = out(vreg) _,
            options(nostack)
        );
    }
}

/// Copies from the last byte to the first.
///
/// # Safety
/// As for [`forward`]; there is at least one byte.
pub unsafe fn backward(to: u64, from: u64, bytes: u64) {
    // SAFETY: exactly the ranges.
    unsafe {
        asm!(
            "2:",
            "sub {n}, {n}, #1",
            "ldrb {x:w}, [{from}, {n}]",
            "strb {x:w}, [{to}, {n}]",
            "cbnz {n}, 2b",
            n = inout(reg) bytes => _, to = in(reg) to, from = in(reg) from, x = out(reg) _,
            options(nostack, preserves_flags)
        );
    }
}

/// Copies 64 bytes without filling the caches, as far as the processor follows the hint.
///
/// # Safety
/// As for [`forward`].
#[inline(always)]
pub unsafe fn line(to: u64, from: u64) {
    // SAFETY: 64 bytes of the ranges. Prefetches may be anywhere.
    unsafe {
        asm!(
            "prfm pldl1strm, [{from}, #128]",
            "ldnp {a:q}, {b:q}, [{from}]",
            "ldnp {c:q}, {d:q}, [{from}, #32]",
            "stnp {a:q}, {b:q}, [{to}]",
            "stnp {c:q}, {d:q}, [{to}, #32]",
            to = in(reg) to,
            from = in(reg) from,
            a = out(vreg) _,
            b = out(vreg) _,
            c = out(vreg) _,
            d = out(vreg) _,
            options(nostack, preserves_flags)
        );
    }
}

/// Makes the [`line`]s visible before later stores.
pub fn fence() {
    // SAFETY: the instruction only orders stores.
    unsafe { asm!("dmb ishst", options(nostack, preserves_flags)) };
}
