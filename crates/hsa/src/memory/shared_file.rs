//! Files without a name: memory that is mapped at several addresses, or by several processes.

use std::fs::File;
use std::os::fd::FromRawFd;

use crate::c_types::{Result, Status};

/// Creates an empty file without a name.
pub(super) fn create() -> Result<File> {
    // SAFETY: a name and a flag; the descriptor is new.
    let descriptor = unsafe { libc::memfd_create(c"wavetank".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(Status::ERROR_OUT_OF_RESOURCES);
    }
    // SAFETY: the descriptor was just opened, and has no other owner.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}
