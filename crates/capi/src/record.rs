//! Structures that calls fill, of the size that the caller knows.
//!
//! Later versions add fields at the end of a structure. A caller passes the size of the structure as its header has it, and gets
//! as much.

use crate::failure::{Failure, Result};

/// A structure that calls fill.
///
/// # Safety
/// The type is `repr(C)` and has no references, so its bytes may be copied, in part.
pub(crate) unsafe trait Record: Copy {
    /// The size in the first version that had the structure.
    const FIRST_SIZE: usize;

    /// Checks where a record will be written.
    ///
    /// # Errors
    /// A null pointer, or a size that is too small or senseless.
    fn check(to: *mut Self, size: usize, name: &str) -> Result<()> {
        const { assert!(Self::FIRST_SIZE <= size_of::<Self>()) };
        if to.is_null() {
            return Err(Failure::argument(format!("`{name}` is null")));
        }
        // What a later version adds is bounded, too: a larger size is a mistake, not a later structure.
        let most = 16 * size_of::<Self>();
        if !(Self::FIRST_SIZE..=most).contains(&size) {
            let sentence = format!("the size of `{name}` is not {size}: pass sizeof(*{name})");
            return Err(Failure::argument(sentence));
        }
        Ok(())
    }

    /// Writes as much of the record as the caller has room for, and zeros after the end of the record.
    ///
    /// # Errors
    /// The errors of [`Record::check`].
    ///
    /// # Safety
    /// By the caller's promise, `to` is null or has `size` writable bytes.
    unsafe fn write(&self, to: *mut Self, size: usize, name: &str) -> Result<()> {
        Self::check(to, size, name)?;
        let known = size.min(size_of::<Self>());
        let (from, to) = (std::ptr::from_ref(self).cast::<u8>(), to.cast::<u8>());
        // SAFETY: `to` has `size` bytes by the caller's promise, and the record is not at the same place.
        unsafe {
            std::ptr::copy_nonoverlapping(from, to, known);
            std::ptr::write_bytes(to.add(known), 0, size - known);
        }
        Ok(())
    }
}
