//! Global memory: the only functions that access host memory for the guest.
//!
//! Aligned accesses of up to 8 bytes are relaxed atomics, so that they never tear and guest races are not data races of Rust.
//! Unaligned accesses, legal on gfx9, go byte by byte. Accesses of all lanes at once go through [`lane_moves`](crate::lane_moves), by SIMD
//! instructions.

use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// The bit that the second guest address of host memory has: host addresses are below it.
///
/// Emulated addresses are host addresses, but runtimes for discrete GPUs expect locked host memory to have another address on the
/// GPU: the host's address with this bit.
pub const ALIAS: u64 = 1 << 47;

/// Returns the host memory at a guest address.
#[inline(always)]
pub(crate) fn at<T>(address: u64) -> *mut T {
    with_exposed_provenance_mut((address & !ALIAS) as usize)
}

/// Defines the aligned accesses of one word width.
macro_rules! aligned {
    ($atomic:ident $word:ident $load:ident $($store:ident)?) => {
        #[doc = concat!("Reads a `", stringify!($word), "`.")]
        ///
        /// # Safety
        /// The address is aligned to the width and the bytes are mapped.
        #[inline(always)]
        pub(crate) unsafe fn $load(address: u64) -> $word {
            // SAFETY: the bytes are mapped; only atomics access guest memory.
            unsafe { $atomic::from_ptr(at(address)) }.load(Relaxed)
        }

        $(
            #[doc = concat!("Writes a `", stringify!($word), "`.")]
            ///
            /// # Safety
            /// The address is aligned to the width and the bytes are mapped and
            /// writable.
            #[inline(always)]
            pub(crate) unsafe fn $store(address: u64, value: $word) {
                // SAFETY: the bytes are mapped; only atomics access guest memory.
                unsafe { $atomic::from_ptr(at(address)) }.store(value, Relaxed)
            }
        )?
    };
}

aligned!(AtomicU8 u8 load8 store8);
aligned!(AtomicU16 u16 load16);
aligned!(AtomicU32 u32 load32 store32);
aligned!(AtomicU64 u64 load64 store64);

/// Reads `N` bytes at any address (1, 2, 4 or 8).
///
/// # Safety
/// The bytes are mapped.
#[inline(always)]
pub(crate) unsafe fn load<const N: usize>(address: u64) -> u64 {
    // SAFETY: the bytes are mapped, and the alignment has been checked.
    unsafe {
        match N {
            _ if !address.is_multiple_of(N as u64) => load_bytes(address, N),
            1 => load8(address).into(),
            2 => load16(address).into(),
            4 => load32(address).into(),
            _ => load64(address),
        }
    }
}

/// Copies guest memory to the host, eight bytes at a time where the address is aligned.
///
/// # Safety
/// The bytes are mapped.
pub(crate) unsafe fn copy_out(mut address: u64, to: &mut [u8]) {
    let (head, tail) = to.split_at_mut(to.len().min(address.wrapping_neg() as usize & 7));
    let mut words = tail.chunks_exact_mut(8);
    // SAFETY: the bytes are mapped.
    unsafe {
        for byte in head {
            *byte = load8(address);
            address += 1;
        }
        for word in &mut words {
            word.copy_from_slice(&load64(address).to_le_bytes());
            address += 8;
        }
        for byte in words.into_remainder() {
            *byte = load8(address);
            address += 1;
        }
    }
}

/// Copies host memory to the guest, eight bytes at a time where the address is aligned.
///
/// # Safety
/// The bytes are mapped and writable.
pub(crate) unsafe fn copy_in(mut address: u64, from: &[u8]) {
    let (head, tail) = from.split_at(from.len().min(address.wrapping_neg() as usize & 7));
    let (words, tail) = tail.as_chunks::<8>();
    // SAFETY: the bytes are mapped.
    unsafe {
        for byte in head {
            store8(address, *byte);
            address += 1;
        }
        for word in words {
            store64(address, u64::from_le_bytes(*word));
            address += 8;
        }
        for byte in tail {
            store8(address, *byte);
            address += 1;
        }
    }
}

/// Returns whether guest memory has these contents.
///
/// # Safety
/// The bytes are mapped.
pub(crate) unsafe fn equals(address: u64, contents: &[u8]) -> bool {
    let mut differ = 0;
    let mut at = address;
    for word in contents.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..word.len()].copy_from_slice(word);
        // SAFETY: the bytes are mapped.
        let there = unsafe {
            match word.len() {
                8 => load::<8>(at),
                n => load_bytes(at, n),
            }
        };
        differ |= there ^ u64::from_le_bytes(bytes);
        at += 8;
    }
    differ == 0
}

/// Fills guest memory with zeros.
///
/// # Safety
/// The bytes are mapped and writable, address and length multiples of 8.
pub(crate) unsafe fn zero(address: u64, bytes: u64) {
    for at in (address..address + bytes).step_by(8) {
        // SAFETY: the bytes are mapped.
        unsafe { store64(at, 0) };
    }
}

/// Returns an unaligned read, by whole dwords where the address is a multiple of 4.
#[cold]
unsafe fn load_bytes(address: u64, n: usize) -> u64 {
    let mut bytes = [0; 8];
    // SAFETY: the caller promises that n bytes are mapped.
    unsafe {
        if n == 8 && address.is_multiple_of(4) {
            return u64::from(load32(address)) | u64::from(load32(address + 4)) << 32;
        }
        for (k, byte) in (0..).zip(&mut bytes[..n]) {
            *byte = load8(address + k);
        }
    }
    u64::from_le_bytes(bytes)
}
