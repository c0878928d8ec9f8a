//! Alignment of lane vectors, common to all levels of processor features.

use std::ops::{Deref, DerefMut};

/// A value with the alignment of lane vectors, a cache line. A vector register that is moved to or from it crosses no line.
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
