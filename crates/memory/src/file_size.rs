//! Files in memory, created within the process's limit of the file size: exceeding it (`ulimit -f`) ends a process by a signal.

use std::fs::File;
use std::io::Result;

/// Sets the length of a file.
///
/// # Errors
/// The errors of the system, and `EFBIG` above the file size limit of this process.
///
/// ```
/// let path = std::env::temp_dir().join(format!("size-{}", std::process::id()));
/// let file = std::fs::File::create(&path)?;
/// wavetank_memory::set_file_size(&file, 4096)?;
/// assert_eq!(file.metadata()?.len(), 4096);
/// std::fs::remove_file(path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn set_file_size(file: &File, bytes: u64) -> Result<()> {
    check_size(bytes)?;
    file.set_len(bytes)
}

/// Refuses a size above the file size limit of this process.
#[cfg(unix)]
pub(crate) fn check_size(bytes: u64) -> Result<()> {
    let mut limit = libc::rlimit {
        rlim_cur: libc::RLIM_INFINITY,
        rlim_max: libc::RLIM_INFINITY,
    };
    // SAFETY: the call fills in the structure. If it fails, the structure still says that there is no limit.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
    if limit.rlim_cur == libc::RLIM_INFINITY || bytes <= limit.rlim_cur {
        Ok(())
    } else {
        Err(std::io::Error::from_raw_os_error(libc::EFBIG))
    }
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub(crate) fn check_size(_: u64) -> Result<()> {
    Ok(())
}
