//! The search for programs in the folders of `PATH`.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::host::is_executable;

/// Returns the file of a command's name, as the system finds it.
pub(crate) fn find(program: &OsStr) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return Some(path.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    let mut name = program.to_owned();
    // `.exe` on Windows.
    if !program.as_encoded_bytes().ends_with(EXE_SUFFIX.as_bytes()) {
        name.push(EXE_SUFFIX);
    }
    let mut files = std::env::split_paths(&folders).map(|folder| folder.join(&name));
    files.find(|file| file.metadata().is_ok_and(|about| is_executable(&about)))
}
