//! Files that are written completely or not at all: the new file is written beside the old one, and replaces it at the end. If
//! the disk is full or the command is ended, the old file remains.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::host;

/// Writes bytes as a file.
///
/// # Errors
/// Errors of the system. In this case an old file is unchanged.
pub(crate) fn write(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    write_by(path, |file| file.write_all(bytes.as_ref()))
}

/// Writes a file by a function.
///
/// # Errors
/// The errors of [`write`], and those of the function.
pub(crate) fn write_by(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let Some((file, part)) = begin(path)? else {
        return filled(File::create(path)?, fill);
    };
    let done = filled(file, fill).and_then(|()| fs::rename(&part, path));
    if done.is_err() {
        // The first error is the one that is reported.
        let _ = fs::remove_file(&part);
    }
    done
}

fn filled(file: File, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let mut file = BufWriter::new(file);
    fill(&mut file)?;
    file.flush()
}

/// Opens a new file beside the target, and returns it with its name. `None` if the target must be written in place.
fn begin(path: &Path) -> io::Result<Option<(File, PathBuf)>> {
    let old = match fs::symlink_metadata(path) {
        Ok(old) if !can_be_replaced(&old) => return Ok(None),
        // Without permission to write the file, it must not be replaced either.
        Ok(old) => File::options().write(true).open(path).map(|_| Some(old))?,
        Err(_) => None,
    };
    // The folder may not accept new files; then the file itself gives the error, or can be written.
    let part = beside(path);
    let Ok(file) = File::create_new(&part) else {
        return Ok(None);
    };
    let kept = old.map_or(Ok(()), |old| file.set_permissions(old.permissions()));
    match kept {
        Ok(()) => Ok(Some((file, part))),
        Err(_) => fs::remove_file(&part).map(|()| None),
    }
}

/// Whether another file may replace this one. A device, a pipe, a link or a file with several names is kept, and so is a file of
/// another owner, which a replacement would not have.
fn can_be_replaced(old: &Metadata) -> bool {
    old.is_file() && host::has_one_name_and_our_owner(old)
}

/// Returns a name in the same folder that no other file has.
fn beside(path: &Path) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!(".wavetank-{}-{number}.part", std::process::id());
    path.with_file_name(OsString::from(name))
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    /// Returns an empty folder for a test.
    fn folder(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("wavetank-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn what_fails_leaves_what_was_there() {
        let folder = folder("whole");
        let path = folder.join("a");
        write(&path, "first").unwrap();
        let problem = write_by(&path, |file| {
            file.write_all(b"sec")?;
            file.flush()?;
            Err(io::Error::other("full"))
        });
        assert_eq!(problem.unwrap_err().to_string(), "full");
        assert_eq!(fs::read(&path).unwrap(), b"first");
        write(&path, "second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn permissions_links_and_names_stay() {
        let folder = folder("kept");
        let (path, link, name) = (folder.join("a"), folder.join("link"), folder.join("name"));
        fs::write(&path, "first").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
        write(&path, "second").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o750);
        symlink(&path, &link).unwrap();
        write(&link, "third").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        fs::hard_link(&path, &name).unwrap();
        write(&path, "fourth").unwrap();
        assert_eq!(fs::read(&name).unwrap(), b"fourth");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn devices_are_written_themselves() {
        write(Path::new("/dev/null"), "x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let full = write(Path::new("/dev/full"), "x");
        assert_eq!(full.unwrap_err().kind(), io::ErrorKind::StorageFull);
        let absent = write(Path::new("/absent/file"), "x");
        assert_eq!(absent.unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
