//! The runtime library inside the command, for an installation that consists of the command alone (feature `embed`).

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::exit::{Failure, Result};

/// The names under which programs look for the library.
pub(super) const NAMES: [&str; 2] = ["libhsa-runtime64.so.1", "libhsa-runtime64.so"];

/// The library with a name derived from its contents, if it is embedded.
const LIBRARY: Option<(&str, &[u8])> = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Returns a folder with the library under the names that programs look for. It is unpacked at the first call, and kept in the
/// user's cache. `None` if the library is not embedded.
pub(super) fn folder() -> Option<Result<PathBuf>> {
    let (key, bytes) = LIBRARY?;
    let folder = cache().join("wavetank").join(key);
    let failed = |error| Failure::file("unpack the runtime library to", &folder, error);
    Some(
        unpack(&folder, bytes)
            .map_err(failed)
            .map(|()| folder.clone()),
    )
}

/// Returns the user's cache folder.
fn cache() -> PathBuf {
    let set = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let home = || set("HOME").map(|home| home.join(".cache"));
    set("XDG_CACHE_HOME")
        .or_else(home)
        .unwrap_or_else(std::env::temp_dir)
}

/// Writes the library, unless it exists. Another process may do the same: a file appears atomically and complete.
fn unpack(folder: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = folder.join(NAMES[0]);
    let is_there = |about: fs::Metadata| about.len() == bytes.len() as u64;
    if !fs::metadata(&file).is_ok_and(is_there) {
        fs::create_dir_all(folder)?;
        let partial = folder.join(format!("partial-{}", std::process::id()));
        fs::write(&partial, bytes)?;
        fs::rename(&partial, &file)?;
    }
    match symlink(NAMES[0], folder.join(NAMES[1])) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_unpacked_once_and_whole() {
        let folder = std::env::temp_dir().join(format!("wavetank-unpack-{}", std::process::id()));
        let file = folder.join(NAMES[0]);
        unpack(&folder, b"the library").unwrap();
        assert_eq!(fs::read(folder.join(NAMES[1])).unwrap(), b"the library");
        // A complete file stays; a truncated one does not.
        fs::write(&file, b"THE LIBRARY").unwrap();
        unpack(&folder, b"the library").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"THE LIBRARY");
        fs::write(&file, b"the lib").unwrap();
        unpack(&folder, b"the library").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"the library");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
        fs::remove_dir_all(&folder).unwrap();
    }
}
