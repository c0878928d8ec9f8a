//! Moves of up to sixteen bytes on any host: by relaxed atomics, aligned dwords whole and others byte by byte.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering::Relaxed};

use super::Rows;

/// Copies a `T` of 1, 2, 4, 8 or 16 bytes, at any alignment.
///
/// # Safety
/// That of [`copy`](super::copy).
#[inline(always)]
pub unsafe fn part<T, R: Rows>(from: *const u8, to: *mut u8) {
    let bytes = const { size_of::<T>() };
    // SAFETY: these bytes, by the caller's promise.
    unsafe {
        if bytes < 4 {
            for at in 0..bytes {
                byte(to.add(at)).store(byte(from.add(at).cast_mut()).load(Relaxed), Relaxed);
            }
            return;
        }
        for at in (0..bytes).step_by(4) {
            store(to.add(at), load(from.add(at)));
        }
    }
}

/// # Safety
/// The byte is mapped, and only atomics use it as long as this lives.
#[inline(always)]
unsafe fn byte<'a>(at: *mut u8) -> &'a AtomicU8 {
    // SAFETY: by the caller's promise.
    unsafe { AtomicU8::from_ptr(at) }
}

/// # Safety
/// Four bytes are mapped.
#[inline(always)]
unsafe fn load(from: *const u8) -> [u8; 4] {
    let from = from.cast_mut();
    // SAFETY: by the caller's promise; the alignment was looked at.
    unsafe {
        match from.cast::<u32>().is_aligned() {
            true => AtomicU32::from_ptr(from.cast()).load(Relaxed).to_ne_bytes(),
            false => std::array::from_fn(|n| byte(from.add(n)).load(Relaxed)),
        }
    }
}

/// # Safety
/// Four bytes are mapped, and may be written.
#[inline(always)]
unsafe fn store(to: *mut u8, value: [u8; 4]) {
    // SAFETY: by the caller's promise; the alignment was looked at.
    unsafe {
        if to.cast::<u32>().is_aligned() {
            return AtomicU32::from_ptr(to.cast()).store(u32::from_ne_bytes(value), Relaxed);
        }
        for (n, value) in value.into_iter().enumerate() {
            byte(to.add(n)).store(value, Relaxed);
        }
    }
}
