//! Shared memory: pages of the registry mapped to a file that other processes map too.

pub(super) use host::{map_file, map_zeros, write_out};

#[cfg(unix)]
mod host {
    use std::fs::File;
    use std::io::{Error, Result};
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::FileExt;

    use crate::file_size::set_file_size;
    use crate::global;

    /// Bytes tested for zeros together: a page, which may be a hole of the file.
    const STEP: usize = 4096;

    /// Maps the start of a file in place of the present mapping at `start`, atomically.
    ///
    /// # Safety
    /// The pages are mapped, writable, and the caller's own. No references to them exist.
    pub(crate) unsafe fn map_file(start: u64, bytes: u64, file: &File) -> Result<()> {
        // SAFETY: by the caller's promise.
        unsafe { map(start, bytes, libc::MAP_SHARED, file.as_raw_fd()) }
    }

    /// Maps zeros in place of the present mapping at `start`.
    ///
    /// # Safety
    /// As for [`map_file`].
    pub(crate) unsafe fn map_zeros(start: u64, bytes: u64) -> Result<()> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: by the caller's promise.
        unsafe { map(start, bytes, flags, -1) }
    }

    /// # Safety
    /// As for [`map_file`].
    unsafe fn map(start: u64, bytes: u64, flags: i32, file: i32) -> Result<()> {
        let at = std::ptr::with_exposed_provenance_mut(start as usize);
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: pages of the caller, to which no references exist.
        let done =
            unsafe { libc::mmap(at, bytes as usize, rights, flags | libc::MAP_FIXED, file, 0) };
        if done == libc::MAP_FAILED {
            Err(Error::last_os_error())
        } else {
            Ok(())
        }
    }

    /// Writes memory to an empty file. Pages of zeros become holes: most memory of a program was never accessed.
    ///
    /// # Safety
    /// The pages are mapped.
    pub(crate) unsafe fn write_out(start: u64, bytes: u64, file: &File) -> Result<()> {
        set_file_size(file, bytes)?;
        let mut page = [0; STEP];
        for offset in (0..bytes).step_by(STEP) {
            // SAFETY: a mapped page, by the caller's promise.
            unsafe { global::copy_out(start + offset, &mut page) };
            if page != [0; STEP] {
                file.write_all_at(&page, offset)?;
            }
        }
        Ok(())
    }
}

/// Stubs for hosts without such mappings.
#[cfg(not(unix))]
mod host {
    use std::fs::File;
    use std::io::{Error, ErrorKind, Result};

    /// Always fails: the host cannot map files.
    ///
    /// # Safety
    /// No condition: only the signature requires `unsafe`.
    pub(crate) unsafe fn map_file(_: u64, _: u64, _: &File) -> Result<()> {
        Err(Error::from(ErrorKind::Unsupported))
    }

    /// Always fails: the host cannot replace mappings.
    ///
    /// # Safety
    /// No condition: only the signature requires `unsafe`.
    pub(crate) unsafe fn map_zeros(_: u64, _: u64) -> Result<()> {
        Err(Error::from(ErrorKind::Unsupported))
    }

    /// Always fails: the host cannot map the file afterwards.
    ///
    /// # Safety
    /// No condition: only the signature requires `unsafe`.
    pub(crate) unsafe fn write_out(_: u64, _: u64, _: &File) -> Result<()> {
        Err(Error::from(ErrorKind::Unsupported))
    }
}
