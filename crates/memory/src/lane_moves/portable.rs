//! Moves of up to sixteen bytes on any host, by relaxed atomics: aligned words of eight and four bytes as a whole, others byte by
//! byte. Sixteen bytes are two words, since Rust has no wider atomics.

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use super::LaneMoves;

/// Copies a `T` of 1, 2, 4, 8 or 16 bytes, at any alignment.
///
/// # Safety
/// The contract of [`copy`](super::copy).
#[inline(always)]
pub unsafe fn part<T, R: LaneMoves>(from: *const u8, to: *mut u8) {
    let bytes = const { size_of::<T>() };
    // SAFETY: these bytes, by the caller's promise.
    unsafe {
        if bytes < 4 {
            for at in 0..bytes {
                byte(to.add(at)).store(byte(from.add(at).cast_mut()).load(Relaxed), Relaxed);
            }
            return;
        }
        for at in (0..bytes).step_by(if bytes < 8 { 4 } else { 8 }) {
            let (from, to) = (from.add(at), to.add(at));
            match bytes {
                4 => store(to, load(from)),
                _ => store_pair(to, load_pair(from)),
            }
        }
    }
}

/// # Safety
/// Eight bytes are mapped.
#[inline(always)]
unsafe fn load_pair(from: *const u8) -> [[u8; 4]; 2] {
    // SAFETY: by the caller's promise; the alignment has been checked.
    unsafe {
        if !from.cast::<u64>().is_aligned() {
            return [load(from), load(from.add(4))];
        }
        let word = AtomicU64::from_ptr(from.cast_mut().cast()).load(Relaxed);
        std::mem::transmute::<[u8; 8], [[u8; 4]; 2]>(word.to_ne_bytes())
    }
}

/// # Safety
/// Eight bytes are mapped, and may be written.
#[inline(always)]
unsafe fn store_pair(to: *mut u8, value: [[u8; 4]; 2]) {
    // SAFETY: by the caller's promise; the alignment has been checked.
    unsafe {
        if to.cast::<u64>().is_aligned() {
            let word = u64::from_ne_bytes(std::mem::transmute::<[[u8; 4]; 2], [u8; 8]>(value));
            return AtomicU64::from_ptr(to.cast()).store(word, Relaxed);
        }
        store(to, value[0]);
        store(to.add(4), value[1]);
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
    // SAFETY: by the caller's promise; the alignment has been checked.
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
    // SAFETY: by the caller's promise; the alignment has been checked.
    unsafe {
        if to.cast::<u32>().is_aligned() {
            return AtomicU32::from_ptr(to.cast()).store(u32::from_ne_bytes(value), Relaxed);
        }
        for (n, value) in value.into_iter().enumerate() {
            byte(to.add(n)).store(value, Relaxed);
        }
    }
}
