//! The global allocator of the command: it prints a sentence and exits if memory runs out. Rust's default aborts.

use std::alloc::{GlobalAlloc, Layout, System};

use crate::host;

/// The system's allocator, which ends the command instead of returning null.
pub(crate) struct ExitOnOom;

// SAFETY: forwards to the system's allocator; null results are never returned.
unsafe impl GlobalAlloc for ExitOnOom {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        given(unsafe { System.alloc(layout) })
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise; the memory is the system's.
        unsafe { System.dealloc(memory, layout) }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        given(unsafe { System.alloc_zeroed(layout) })
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise; the memory is the system's.
        given(unsafe { System.realloc(memory, layout, size) })
    }
}

#[inline]
fn given(memory: *mut u8) -> *mut u8 {
    if memory.is_null() { end() } else { memory }
}

/// Ends the command, without allocating memory.
#[cold]
fn end() -> ! {
    const SENTENCE: &str = "error: the system gives no more memory; the limit may be that of `ulimit -v`, or of a container\n";
    host::end(SENTENCE)
}
