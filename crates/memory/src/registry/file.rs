//! Memory that lies on a file, which other processes map too.

pub(super) use host::{map_file, map_zeros, write_out};

#[cfg(unix)]
mod host {
    use std::fs::File;
    use std::io::{Error, Result};
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::FileExt;

    use crate::file_size::set_file_size;
    use crate::global;

    /// Bytes that are looked at together: a page, which a file may lack.
    const STEP: usize = 4096;

    /// Maps the start of a file in place of what is mapped at `start`: at no time is nothing there.
    ///
    /// # Safety
    /// The pages are mapped, writable, and the caller's own. Nobody has a reference to them.
    pub unsafe fn map_file(start: u64, bytes: u64, file: &File) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe { map(start, bytes, libc::MAP_SHARED, file.as_raw_fd()) }
    }

    /// Maps zeros in place of what is mapped at `start`.
    ///
    /// # Safety
    /// As for [`map_file`].
    pub unsafe fn map_zeros(start: u64, bytes: u64) -> Result<()> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: the caller's promise.
        unsafe { map(start, bytes, flags, -1) }
    }

    /// # Safety
    /// As for [`map_file`].
    unsafe fn map(start: u64, bytes: u64, flags: i32, file: i32) -> Result<()> {
        let at = std::ptr::with_exposed_provenance_mut(start as usize);
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: pages of the caller, to which nobody has a reference.
        let done =
            unsafe { libc::mmap(at, bytes as usize, rights, flags | libc::MAP_FIXED, file, 0) };
        match done == libc::MAP_FAILED {
            true => Err(Error::last_os_error()),
            false => Ok(()),
        }
    }

    /// Writes memory to an empty file. Pages of zeros become holes: most memory of a program was never accessed.
    ///
    /// # Safety
    /// The pages are mapped.
    pub unsafe fn write_out(start: u64, bytes: u64, file: &File) -> Result<()> {
        set_file_size(file, bytes)?;
        let mut page = [0; STEP];
        for offset in (0..bytes).step_by(STEP) {
            // SAFETY: a page of the caller's.
            unsafe { global::copy_out(start + offset, &mut page) };
            if page != [0; STEP] {
                file.write_all_at(&page, offset)?;
            }
        }
        Ok(())
    }
}

/// Hosts without such mappings.
#[cfg(not(unix))]
mod host {
    use std::fs::File;
    use std::io::{Error, ErrorKind, Result};

    /// Cannot be done.
    ///
    /// # Safety
    /// None is needed.
    pub unsafe fn map_file(_: u64, _: u64, _: &File) -> Result<()> {
        Err(Error::from(ErrorKind::Unsupported))
    }

    /// Cannot be done.
    ///
    /// # Safety
    /// None is needed.
    pub unsafe fn map_zeros(_: u64, _: u64) -> Result<()> {
        Err(Error::from(ErrorKind::Unsupported))
    }

    /// Cannot be done.
    ///
    /// # Safety
    /// None is needed.
    pub unsafe fn write_out(_: u64, _: u64, _: &File) -> Result<()> {
        Err(Error::from(ErrorKind::Unsupported))
    }
}
