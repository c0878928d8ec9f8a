//! The levels of processor features, and what is aligned for all of them.

use std::ops::{Deref, DerefMut};

/// What is aligned as lane vectors are, to a line of the cache.
#[repr(C, align(64))]
pub struct Aligned<T>(pub T);

impl<T> Deref for Aligned<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

/// AVX-512.
pub struct Store512;

/// AVX2.
pub struct Store256;

/// SSE2, which every x86-64 has.
pub struct Store128;
