//! Plain loops, compiled for each level of processor features; the only form at the levels below AVX-512.

use std::mem::MaybeUninit;

use super::{Aligned, LaneMoves, Records, copy};
use crate::global::at;
use crate::lanes::{Lanes, each};

/// The level of processors with AVX2.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub struct Avx2;

/// The features that every processor of the host's architecture has.
#[derive(Clone, Copy)]
pub struct Baseline;

/// Writes the lanes of the mask.
///
/// # Safety
/// `to` points to a lane vector that nothing else uses.
#[inline(always)]
pub(super) unsafe fn put(to: *mut u32, mask: u64, values: &Lanes) {
    // SAFETY: by the caller's promise.
    let to = unsafe { &mut *to.cast::<Lanes>() };
    if mask == !0 {
        *to = *values;
        return;
    }
    for half in 0..2 {
        let bits = (mask >> (32 * half)) as u32;
        for i in 0..32 {
            let lane = 32 * half + i;
            to[lane] = if bits & 1 << i != 0 {
                values[lane]
            } else {
                to[lane]
            };
        }
    }
}

/// [`LaneMoves::gather`], lane by lane.
#[inline(always)]
unsafe fn gather<R: LaneMoves>(base: u64, offset: *const u32, mask: u64, to: *mut u32) {
    let mut values = MaybeUninit::<Lanes>::uninit();
    let p = values.as_mut_ptr().cast::<u32>();
    // SAFETY: by the caller's promise; the offsets of inactive lanes are not used, but must exist.
    unsafe {
        if mask != !0 {
            values.write([0; 64]);
        }
        each(mask, |lane| {
            let from = at::<u8>(base.wrapping_add(offset.add(lane).read().into()));
            copy::<R, u32>(from, p.add(lane).cast());
        });
        put(to, mask, values.assume_init_ref());
    }
}

/// [`LaneMoves::scatter`], lane by lane.
#[inline(always)]
unsafe fn scatter<R: LaneMoves>(base: u64, offset: *const u32, mask: u64, from: *const u32) {
    each(mask, |lane| {
        // SAFETY: by the caller's promise.
        unsafe {
            let to = at::<u8>(base.wrapping_add(offset.add(lane).read().into()));
            copy::<R, u32>(from.add(lane).cast(), to);
        }
    });
}

/// [`LaneMoves::spread`] by plain loops.
#[inline(always)]
pub(super) unsafe fn spread<const N: usize>(records: &Records<N>, mask: u64, to: *mut u32) {
    if mask == !0 {
        // SAFETY: N vectors, by the caller's promise.
        return turn(records, unsafe { &mut *to.cast::<[Lanes; N]>() });
    }
    let mut vectors = [[0; 64]; N];
    turn(records, &mut vectors);
    for (n, vector) in vectors.iter().enumerate() {
        // SAFETY: `N` vectors, by the caller's promise.
        unsafe { put(to.add(64 * n), mask, vector) };
    }
}

/// Transposes records dword by dword: a record read as a whole after it was written in parts would stall on store forwarding.
#[inline(always)]
pub(super) fn turn<const N: usize>(records: &Records<N>, vectors: &mut [Lanes; N]) {
    for lane in 0..64 {
        for n in 0..N {
            vectors[n][lane] = records[lane][n];
        }
    }
}

/// [`LaneMoves::collect`] by plain loops.
#[inline(always)]
pub(super) unsafe fn collect<const N: usize>(from: [*const u32; N], records: &mut Records<N>) {
    for lane in 0..64 {
        for n in 0..N {
            // SAFETY: lane vectors, by the caller's promise.
            records[lane][n] = unsafe { from[n].add(lane).read() };
        }
    }
}

/// Implements a level with the loops of this file.
macro_rules! level {
    ($level:ident $module:ident $avx:literal $line:ident [$($feature:tt)*] { $($more:tt)* }) => {
        mod $module {
            use super::{Records, LaneMoves};

            $(#[target_feature(enable = $feature)])*
            #[inline]
            pub(crate) unsafe fn gather<R: LaneMoves>(base: u64, offset: *const u32, mask: u64, to: *mut u32) {
                // SAFETY: by the caller's promise.
                unsafe { super::gather::<R>(base, offset, mask, to) }
            }
            $(#[target_feature(enable = $feature)])*
            #[inline]
            pub(crate) unsafe fn scatter<R: LaneMoves>(base: u64, offset: *const u32, mask: u64, from: *const u32) {
                // SAFETY: by the caller's promise.
                unsafe { super::scatter::<R>(base, offset, mask, from) }
            }
            $(#[target_feature(enable = $feature)])*
            #[inline]
            pub(crate) unsafe fn spread<const N: usize>(records: &Records<N>, mask: u64, to: *mut u32) {
                // SAFETY: by the caller's promise.
                unsafe { super::spread(records, mask, to) }
            }
            $(#[target_feature(enable = $feature)])*
            #[inline]
            pub(crate) unsafe fn collect<const N: usize>(from: [*const u32; N], records: &mut Records<N>) {
                // SAFETY: by the caller's promise.
                unsafe { super::collect(from, records) }
            }
        }

        impl LaneMoves for $level {
            const AVX: bool = $avx;

            $($more)*

            #[inline(always)]
            unsafe fn line(from: *const u8, to: *mut u8) {
                // SAFETY: by the caller's promise.
                unsafe { $line(from, to) }
            }
            #[inline(always)]
            unsafe fn gather(base: u64, offset: *const u32, mask: u64, to: *mut u32) {
                // SAFETY: by the caller's promise.
                unsafe { $module::gather::<$level>(base, offset, mask, to) }
            }
            #[inline(always)]
            unsafe fn scatter(base: u64, offset: *const u32, mask: u64, from: *const u32) {
                // SAFETY: by the caller's promise.
                unsafe { $module::scatter::<$level>(base, offset, mask, from) }
            }
            #[inline(always)]
            unsafe fn spread<const N: usize>(records: &Records<N>, mask: u64, to: *mut u32) {
                // SAFETY: by the caller's promise.
                unsafe { $module::spread(records, mask, to) }
            }
            #[inline(always)]
            unsafe fn collect<const N: usize>(from: [*const u32; N]) -> Aligned<Records<N>> {
                let mut records = Aligned([[0; N]; 64]);
                // SAFETY: by the caller's promise.
                unsafe { $module::collect(from, &mut records.0) };
                records
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
level!(Avx2 avx2 true line256 ["avx2"] {
    #[inline(always)]
    unsafe fn overlapping<const N: usize>(from: *const u8, to: *mut u32) {
        let aligned = if N == 4 { 16 } else { 8 };
        // SAFETY: by the caller's promise.
        unsafe {
            match from.addr() % aligned {
                0 if !cfg!(miri) => super::avx2::shifted::<N>(from, to),
                _ => super::overlapping::<Avx2, N>(from, to),
            }
        }
    }
});
level!(Baseline baseline false line128 [] {});

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn line256(from: *const u8, to: *mut u8) {
    // SAFETY: 64 bytes, by the caller's promise.
    unsafe {
        std::arch::asm!("vmovdqu {a}, [{from}]", "vmovdqu {b}, [{from} + 32]", "vmovdqu [{to}], {a}", "vmovdqu [{to} + 32], {b}",
            a = out(ymm_reg) _, b = out(ymm_reg) _, from = in(reg) from, to = in(reg) to,
            options(nostack, preserves_flags));
    }
}

#[inline(always)]
unsafe fn line128(from: *const u8, to: *mut u8) {
    for at in (0..64).step_by(16) {
        // SAFETY: 64 bytes, by the caller's promise.
        unsafe { copy::<Baseline, u128>(from.wrapping_add(at), to.wrapping_add(at)) };
    }
}
