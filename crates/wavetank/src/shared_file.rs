//! Files that this process shares with those that it starts: they open a file by its path while this process has it.

#[cfg(target_os = "linux")]
pub(crate) use in_memory::SharedFile;
#[cfg(not(target_os = "linux"))]
pub(crate) use temporary::SharedFile;

/// Files in memory, which other processes find under `/proc`. Nothing of them is left, however the process ends.
#[cfg(target_os = "linux")]
mod in_memory {
    use std::fs::File;
    use std::io::Result;
    use std::os::fd::AsRawFd;
    use std::path::PathBuf;

    use nix::sys::memfd::{MFdFlags, memfd_create};

    /// A file that other processes can open.
    pub(crate) struct SharedFile(File);

    impl SharedFile {
        /// An empty file, with a name for lists of open files.
        ///
        /// # Errors
        /// Those of the system.
        pub(crate) fn create(name: &str) -> Result<SharedFile> {
            let file = memfd_create(name, MFdFlags::MFD_CLOEXEC)?;
            Ok(SharedFile(file.into()))
        }

        /// The file, opened for reading and writing.
        pub(crate) fn file(&self) -> &File {
            &self.0
        }

        /// The path by which other processes open it, while this one lives.
        pub(crate) fn path(&self) -> PathBuf {
            format!("/proc/{}/fd/{}", std::process::id(), self.0.as_raw_fd()).into()
        }
    }
}

/// Files in the folder for temporary files, where the system has no files in memory that have a path. They are removed in the end; a
/// process that is killed leaves them to the system.
#[cfg(any(not(target_os = "linux"), test))]
mod temporary {
    use std::fs::File;
    use std::io::Result;
    use std::path::PathBuf;

    use tempfile::{Builder, NamedTempFile};

    /// A file that other processes can open.
    pub(crate) struct SharedFile(NamedTempFile);

    impl SharedFile {
        /// An empty file with a name that begins with this one, which only this user may open.
        ///
        /// # Errors
        /// Those of the system.
        pub(crate) fn create(name: &str) -> Result<SharedFile> {
            Builder::new().prefix(name).tempfile().map(SharedFile)
        }

        /// The file, opened for reading and writing.
        pub(crate) fn file(&self) -> &File {
            self.0.as_file()
        }

        /// The path by which other processes open it, while this one lives.
        pub(crate) fn path(&self) -> PathBuf {
            self.0.path().to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::{Read, Seek, Write};
    use std::path::Path;

    use super::*;

    /// A writer that opens the path, as another process does, and the creator see the same bytes and the same mapped memory.
    fn is_shared(mut file: &File, path: &Path) {
        let opened = || File::options().read(true).write(true).open(path).unwrap();
        opened().write_all(b"first").unwrap();
        let mut text = String::new();
        file.rewind().unwrap();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "first");

        file.set_len(8192).unwrap();
        let [ours, theirs] = [file, &opened()].map(|file| memmap2::MmapRaw::map_raw(file).unwrap());
        assert_eq!(theirs.len(), 8192);
        // SAFETY: both mappings have that byte, and only this thread uses them.
        let seen = unsafe {
            theirs.as_mut_ptr().add(8000).write_volatile(42);
            ours.as_mut_ptr().add(8000).read_volatile()
        };
        assert_eq!(seen, 42);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_in_memory_is_shared() {
        let file = in_memory::SharedFile::create("wavetank-test").unwrap();
        is_shared(file.file(), &file.path());
    }

    #[test]
    fn a_temporary_file_is_shared_and_removed() {
        let file = temporary::SharedFile::create("wavetank-test").unwrap();
        let path = file.path();
        is_shared(file.file(), &path);
        let other = temporary::SharedFile::create("wavetank-test").unwrap();
        assert_ne!(other.path(), path);
        drop(file);
        assert!(!path.exists());
        assert_eq!(fs::metadata(other.path()).unwrap().len(), 0);
    }
}
