//! Linux and macOS.

use std::ffi::OsStr;
use std::fs::{FileType, Metadata};
use std::io::{Error, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use nix::unistd::{Gid, Uid};

/// Whether another file may replace one that is open.
pub(crate) const REPLACES_OPEN_FILES: bool = true;

/// Whether stdout was closed when the command was started. Rust's start-up replaces it with /dev/null, and output would be lost
/// silently; so this is tested earlier.
static CLOSED: AtomicBool = AtomicBool::new(false);

extern "C" fn look() {
    // SAFETY: queries the flags of a descriptor, which need not be open.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    CLOSED.store(flags < 0, Ordering::Relaxed);
}

// SAFETY: the section has functions that are called once, before `main`; this one makes a call of the system and stores
// to a static, for which nothing needs to be set up.
#[used]
#[cfg_attr(
    target_vendor = "apple",
    unsafe(link_section = "__DATA,__mod_init_func")
)]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static LOOK: extern "C" fn() = look;

/// Whether stdout was closed when the command was started.
pub(crate) fn stdout_was_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Whether an error of a writer says that the reader has closed the pipe.
pub(crate) fn is_closed_pipe(error: &Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe
}

/// Makes writes beyond the limit on the size of files (`ulimit -f`) fail with an error, as on a full disk. By default a signal ends
/// the command there, and a part of the file remains. A handler is not inherited by programs that the command starts, as an ignored
/// signal would be.
pub(crate) fn fail_large_writes() {
    extern "C" fn nothing(_: libc::c_int) {}
    let handler = SigHandler::Handler(nothing);
    let action = SigAction::new(handler, SaFlags::SA_RESTART, SigSet::empty());
    // SAFETY: the handler does nothing.
    let before = unsafe { sigaction(Signal::SIGXFSZ, &action) };
    if let Ok(before) = before
        && before.handler() == SigHandler::SigIgn
    {
        // Programs inherit that.
        // SAFETY: the action was installed before.
        let _ = unsafe { sigaction(Signal::SIGXFSZ, &before) };
    }
}

/// Ends the command with a sentence on stderr, without allocating memory.
pub(crate) fn end(sentence: &str) -> ! {
    // SAFETY: writes bytes that are there, and ends the process without running anything else of it.
    unsafe {
        libc::write(
            libc::STDERR_FILENO,
            sentence.as_ptr().cast(),
            sentence.len(),
        );
        libc::_exit(2)
    }
}

/// Whether a file has no other name, and an owner whom a file would have that replaces it.
pub(crate) fn has_one_name_and_our_owner(file: &Metadata) -> bool {
    let ours = file.uid() == Uid::effective().as_raw() && file.gid() == Gid::effective().as_raw();
    file.nlink() == 1 && ours
}

/// Whether a file is a device, which may never end.
pub(crate) fn is_device(kind: FileType) -> bool {
    kind.is_char_device() || kind.is_block_device()
}

/// Whether the system would start a file as a program.
pub(crate) fn is_executable(about: &Metadata) -> bool {
    about.is_file() && about.permissions().mode() & 0o111 != 0
}

/// Returns the bytes of a word of the command line.
pub(crate) fn bytes_of(word: &OsStr) -> &[u8] {
    word.as_bytes()
}

/// Returns the path that a part of a word is. `None` if it can be no path.
pub(crate) fn path_of(part: &[u8]) -> Option<&Path> {
    Some(Path::new(OsStr::from_bytes(part)))
}
