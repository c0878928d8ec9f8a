//! Arguments that are pointers, checked as far as they can be: null, alignment, size and text.
//!
//! **The caller's promise**, on which SAFETY comments rest: a pointer that is not a handle is null, or points to readable memory of
//! the size that the header names, writable for results, which no other thread changes during the call.

use std::ffi::{CStr, CString, c_char, c_void};

use crate::failure::{Failure, Result};

/// Returns a text as C reads it. A zero byte, which would end it, is replaced.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// Returns the address of a text, or null.
pub(crate) fn shown_or_null(text: Option<&CStr>) -> *const c_char {
    text.map_or(std::ptr::null(), CStr::as_ptr)
}

/// Returns a text.
///
/// # Errors
/// A null pointer, and a text that is not UTF-8.
///
/// # Safety
/// By the caller's promise.
pub(crate) unsafe fn text<'a>(text: *const c_char, name: &str) -> Result<&'a str> {
    // SAFETY: by the caller's promise.
    let text = unsafe { text_or_none(text, name) }?;
    text.ok_or_else(|| Failure::argument(format!("`{name}` is null")))
}

/// Returns a text, or `None` for a null pointer.
///
/// # Errors
/// A text that is not UTF-8.
///
/// # Safety
/// By the caller's promise.
pub(crate) unsafe fn text_or_none<'a>(text: *const c_char, name: &str) -> Result<Option<&'a str>> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: by the caller's promise, it ends with a zero byte.
    let text = unsafe { CStr::from_ptr(text) };
    let text = text.to_str();
    text.map(Some)
        .map_err(|_| Failure::argument(format!("`{name}` is not text in UTF-8")))
}

/// Checks a pointer to `count` elements.
fn check<T>(pointer: *const T, count: usize, name: &str) -> Result<()> {
    if pointer.is_null() {
        return Err(Failure::argument(format!("`{name}` is null")));
    }
    if !pointer.is_aligned() {
        let align = align_of::<T>();
        let sentence = format!("the address of `{name}` is not a multiple of {align}");
        return Err(Failure::argument(sentence));
    }
    let bytes = count.checked_mul(size_of::<T>());
    let fits = bytes.is_some_and(|bytes| {
        isize::try_from(bytes).is_ok() && pointer.addr().checked_add(bytes).is_some()
    });
    if fits {
        Ok(())
    } else {
        let sentence = format!("`{name}` ends past the end of the address space");
        Err(Failure::argument(sentence))
    }
}

/// Returns the elements of an array; a null pointer is one of none.
///
/// # Errors
/// A null pointer to elements, and a wrong alignment or size.
///
/// # Safety
/// By the caller's promise. The result is not used after the call.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, count: usize, name: &str) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    check(pointer, count, name)?;
    // SAFETY: by the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Returns the elements of an array for results.
///
/// # Errors
/// The errors of [`slice`].
///
/// # Safety
/// By the caller's promise. The result is not used after the call.
pub(crate) unsafe fn slice_mut<'a, T>(
    pointer: *mut T,
    count: usize,
    name: &str,
) -> Result<&'a mut [T]> {
    if count == 0 {
        return Ok(&mut []);
    }
    check(pointer, count, name)?;
    // SAFETY: by the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, count) })
}

/// Returns the bytes at an address.
///
/// # Errors
/// The errors of [`slice`].
///
/// # Safety
/// By the caller's promise. The result is not used after the call.
pub(crate) unsafe fn bytes<'a>(
    pointer: *const c_void,
    size: usize,
    name: &str,
) -> Result<&'a [u8]> {
    // SAFETY: by the caller's promise.
    unsafe { slice(pointer.cast(), size, name) }
}

/// A place for a result.
pub(crate) struct Out<T>(*mut T);

impl<T: Copy> Out<T> {
    /// Checks a place for a result.
    ///
    /// # Errors
    /// A null pointer, and a wrong alignment.
    ///
    /// # Safety
    /// By the caller's promise. The place is not used after the call.
    pub(crate) unsafe fn of(pointer: *mut T, name: &str) -> Result<Out<T>> {
        check(pointer, 1, name)?;
        Ok(Out(pointer))
    }

    /// Writes the result.
    pub(crate) fn set(&self, value: T) {
        // SAFETY: the place is writable by the caller's promise, and aligned.
        unsafe { self.0.write(value) };
    }
}
