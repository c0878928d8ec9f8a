//! Windows.

use std::ffi::OsStr;
use std::fs::{FileType, Metadata};
use std::io::{self, Write};
use std::os::windows::io::AsRawHandle;
use std::path::Path;

/// Whether another file may replace one that is open: not on every file system.
pub(crate) const REPLACES_OPEN_FILES: bool = false;

/// Whether there is no stdout. Rust drops what is written then.
pub(crate) fn stdout_was_closed() -> bool {
    io::stdout().as_raw_handle().is_null()
}

/// Whether an error of a writer says that the reader has closed the pipe.
pub(crate) fn is_closed_pipe(error: &io::Error) -> bool {
    /// `ERROR_PIPE_NOT_CONNECTED`, for which the standard library has no kind.
    const NOT_CONNECTED: i32 = 233;
    error.kind() == io::ErrorKind::BrokenPipe || error.raw_os_error() == Some(NOT_CONNECTED)
}

/// Does nothing: there is no limit on the size of files.
pub(crate) fn fail_large_writes() {}

/// Ends the command with a sentence on stderr. Rust writes to stderr without a buffer that would have to be allocated.
pub(crate) fn end(sentence: &str) -> ! {
    // A closed stderr is not an error.
    let _ = io::stderr().write_all(sentence.as_bytes());
    std::process::exit(2)
}

/// True: a file that replaces another has the rights that its folder gives, and the standard library does not count names.
pub(crate) fn has_one_name_and_our_owner(_: &Metadata) -> bool {
    true
}

/// False: devices have names of their own (`CON`), and are not files.
pub(crate) fn is_device(_: FileType) -> bool {
    false
}

/// Whether there is a file: its name says whether it is a program.
pub(crate) fn is_executable(about: &Metadata) -> bool {
    about.is_file()
}

/// Returns the bytes of a word of the command line: UTF-8, where it is Unicode.
pub(crate) fn bytes_of(word: &OsStr) -> &[u8] {
    word.as_encoded_bytes()
}

/// Returns the path that a part of a word is. `None` if it is not Unicode.
pub(crate) fn path_of(part: &[u8]) -> Option<&Path> {
    std::str::from_utf8(part).ok().map(Path::new)
}
