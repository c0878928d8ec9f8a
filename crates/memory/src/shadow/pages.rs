//! Addresses of shadow memory, and the mapping of its pages.

use std::ops::Range;

use crate::global;

/// The bit that the address of a shadow has inverted. Programs, their heaps and mappings lie near the ends of the address space
/// and at two thirds of it, so shadow addresses are free.
pub const DISTANCE: u64 = 1 << 45;

/// Returns the address of the shadow of a byte.
#[inline(always)]
pub(crate) const fn at(address: u64) -> u64 {
    address ^ DISTANCE
}

/// Maps the shadows of bytes, if they are not mapped yet.
///
/// # Errors
/// If the host has no memory there.
pub(crate) fn cover(bytes: Range<u64>) -> Result<(), String> {
    space::cover(bytes)
}

/// Marks bytes that have shadows as defined.
pub(crate) fn clear(bytes: Range<u64>) {
    set(bytes, 0);
}

/// Marks bytes that have shadows as undefined.
pub(crate) fn mark(bytes: Range<u64>) {
    set(bytes, 0xff);
}

/// Sets all shadows of bytes to one value. Whole pages are mapped anew, which take no memory before they are accessed.
fn set(bytes: Range<u64>, to: u8) {
    let pages = space::pages_of(&bytes);
    if !pages.is_empty() && space::map_all(&pages, to) {
        fill(bytes.start..pages.start, to);
        fill(pages.end..bytes.end, to);
    } else {
        fill(bytes, to);
    }
}

/// Copies the shadows of bytes to others. Both have some.
pub(crate) fn copy(from: u64, to: u64, bytes: u64) {
    let mut piece = [0; 4096];
    for done in (0..bytes).step_by(piece.len()) {
        let part = &mut piece[..(bytes - done).min(4096) as usize];
        // SAFETY: both have shadows, which are accessed like guest memory.
        unsafe {
            global::copy_out(at(from + done), part);
            global::copy_in(at(to + done), part);
        }
    }
}

/// Returns the first undefined bytes of a range. All have shadows.
pub(crate) fn first(bytes: Range<u64>) -> Option<Range<u64>> {
    let mut piece = [0; 4096];
    let mut found: Option<Range<u64>> = None;
    for start in bytes.clone().step_by(piece.len()) {
        let part = &mut piece[..(bytes.end - start).min(4096) as usize];
        // SAFETY: the bytes have shadows, which are accessed like guest memory.
        unsafe { global::copy_out(at(start), part) };
        for (address, shadow) in (start..).zip(part.iter()) {
            match (&mut found, *shadow != 0) {
                (None, true) => found = Some(address..address + 1),
                (Some(found), true) => found.end = address + 1,
                (Some(_), false) => return found,
                (None, false) => {}
            }
        }
    }
    found
}

fn fill(bytes: Range<u64>, with: u8) {
    let piece = [with; 4096];
    for start in bytes.clone().step_by(piece.len()) {
        let length = (bytes.end - start).min(4096) as usize;
        // SAFETY: the bytes have shadows, which are accessed like guest memory.
        unsafe { global::copy_in(at(start), &piece[..length]) };
    }
}

#[cfg(all(target_os = "linux", not(miri)))]
mod space {
    use std::collections::BTreeSet;
    use std::fs::File;
    use std::io::{Error, Write};
    use std::ops::Range;
    use std::os::fd::{AsRawFd, FromRawFd};
    use std::sync::{Mutex, OnceLock, PoisonError};

    use super::at;
    use crate::file_size::check_size;
    use crate::global::{self, ALIAS};

    /// The granularity of shadow mappings in bytes. Pages are committed when they are accessed.
    const PIECE: u64 = 4 << 20;

    /// The number of bytes from which pages are mapped anew instead of written.
    const MANY: u64 = 1 << 18;

    /// Bytes of the file whose bits are all set.
    const ONES: u64 = 16 << 20;

    const PAGE: u64 = 4096;

    /// The numbers of the mapped pieces. These stay mapped: guests may be accessing them.
    static MAPPED: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

    pub(super) fn cover(bytes: Range<u64>) -> Result<(), String> {
        let bytes = bytes.start & !ALIAS..bytes.end & !ALIAS;
        let mut mapped = MAPPED.lock().unwrap_or_else(PoisonError::into_inner);
        for piece in bytes.start / PIECE..bytes.end.div_ceil(PIECE) {
            if !mapped.contains(&piece) {
                map(at(piece * PIECE))?;
                mapped.insert(piece);
            }
        }
        Ok(())
    }

    fn map(address: u64) -> Result<(), String> {
        // SAFETY: nothing is mapped there, or the call fails.
        if unsafe { zeros(address, PIECE, libc::MAP_FIXED_NOREPLACE) } {
            Ok(())
        } else {
            Err(Error::last_os_error().to_string())
        }
    }

    /// Maps pages of zeros.
    ///
    /// # Safety
    /// The pages are shadows, or any pages with `MAP_FIXED_NOREPLACE`.
    unsafe fn zeros(address: u64, bytes: u64, fixed: i32) -> bool {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | fixed;
        // SAFETY: by the caller's promise.
        unsafe { mmap(address, bytes, flags, -1) }
    }

    /// # Safety
    /// As for [`zeros`].
    unsafe fn mmap(address: u64, bytes: u64, flags: i32, file: i32) -> bool {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: by the caller's promise.
        let got =
            unsafe { libc::mmap(global::at(address), bytes as usize, access, flags, file, 0) };
        got.expose_provenance() as u64 == address
    }

    /// Returns the whole pages within a range, if it is long.
    pub(super) fn pages_of(bytes: &Range<u64>) -> Range<u64> {
        let pages = bytes.start.next_multiple_of(PAGE)..bytes.end / PAGE * PAGE;
        match pages.end.saturating_sub(pages.start) {
            ..MANY => 0..0,
            _ => pages,
        }
    }

    /// Maps the shadows of whole pages anew, with all bytes 0 or 0xff. Returns whether that succeeded.
    pub(super) fn map_all(pages: &Range<u64>, to: u8) -> bool {
        let (start, bytes) = (at(pages.start), pages.end - pages.start);
        if to == 0 {
            // SAFETY: pages of shadows, which guests access by relaxed atomics only.
            return unsafe { zeros(start, bytes, libc::MAP_FIXED) };
        }
        let Some(file) = ones() else { return false };
        let flags = libc::MAP_PRIVATE | libc::MAP_NORESERVE | libc::MAP_FIXED;
        (0..bytes).step_by(ONES as usize).all(|done| {
            let piece = (bytes - done).min(ONES);
            // SAFETY: pages of shadows, which guests access by relaxed atomics only.
            unsafe { mmap(start + done, piece, flags, file.as_raw_fd()) }
        })
    }

    /// Returns a file in memory with all bits set: its private mappings share its pages until they are written.
    fn ones() -> Option<&'static File> {
        static FILE: OnceLock<Option<File>> = OnceLock::new();
        let make = || {
            check_size(ONES).ok()?;
            // SAFETY: the name ends with a zero; the call returns a file or -1.
            let file = unsafe { libc::memfd_create(c"undefined".as_ptr(), libc::MFD_CLOEXEC) };
            if file < 0 {
                return None;
            }
            // SAFETY: the file was just opened, and has no other owner.
            let mut file = unsafe { File::from_raw_fd(file) };
            let piece = [0xff; 4096];
            (0..ONES / 4096)
                .try_for_each(|_| file.write_all(&piece))
                .ok()?;
            Some(file)
        };
        FILE.get_or_init(make).as_ref()
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
mod space {
    use std::ops::Range;

    pub(super) fn cover(_: Range<u64>) -> Result<(), String> {
        Err("only Linux maps memory where it is asked to".into())
    }

    pub(super) fn pages_of(_: &Range<u64>) -> Range<u64> {
        0..0
    }

    pub(super) fn map_all(_: &Range<u64>, _: u8) -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;

    #[test]
    fn bits_are_marked_copied_and_cleared() {
        let memory = vec![0u64; 4096];
        let start = memory.as_ptr().expose_provenance() as u64;
        let (end, half) = (start + 4096 * 8, start + 2048 * 8);
        cover(start..end).unwrap();
        assert_eq!(first(start..end), None);
        mark(start + 5..start + 9000);
        assert_eq!(first(start..end), Some(start + 5..start + 9000));
        clear(start + 7..start + 8);
        assert_eq!(first(start..end), Some(start + 5..start + 7));
        copy(start, half, 8);
        assert_eq!(first(half..end), Some(half + 5..half + 7));
        clear(start..end);
        assert_eq!(first(start..end), None);
        // Covering twice keeps the marks.
        mark(start..start + 1);
        cover(start..end).unwrap();
        assert_eq!(first(start..end), Some(start..start + 1));
        clear(start..end);
    }

    /// LDS and the memory of other devices leave their shadows when they are dropped.
    #[test]
    fn all_that_a_registry_has_when_it_gets_shadows_is_defined() {
        let registry = crate::Registry::new();
        let start = registry.allocate("memory", 4096, 4096).unwrap().address;
        cover(start..start + 4096).unwrap();
        mark(start..start + 4096);
        registry.keep_shadows().unwrap();
        assert_eq!(registry.first_undefined(start, 4096).unwrap(), None);
        registry.set_undefined(start + 8, 8, true).unwrap();
        registry.keep_shadows().unwrap();
        let first = registry.first_undefined(start, 4096).unwrap();
        assert_eq!(first, Some(start + 8..start + 16));
        registry.set_undefined(start, 4096, false).unwrap();
    }

    #[test]
    fn many_pages_are_given_back() {
        let memory = vec![0u8; 1 << 20];
        let start = memory.as_ptr().expose_provenance() as u64 + 3;
        cover(start..start + 600_000).unwrap();
        mark(start..start + 600_000);
        clear(start + 1..start + 599_999);
        assert_eq!(first(start..start + 600_000), Some(start..start + 1));
        assert_eq!(
            first(start + 1..start + 600_000),
            Some(start + 599_999..start + 600_000)
        );
        clear(start..start + 600_000);
    }
}
