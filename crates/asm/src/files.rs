//! Access to the files that `.include` and `.incbin` name.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A provider of the files that a source names.
pub trait Files {
    /// Returns the bytes of a file.
    ///
    /// # Errors
    /// The end of a sentence that begins with the file's name, such as `cannot be read: permission denied`.
    fn read(&self, name: &str) -> Result<Vec<u8>, String>;
}

/// A provider without files: each name of a file is an error in the source.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Err("cannot be read: there are no files here".to_owned())
    }
}

/// Limit of a file's size in bytes, which no object exceeds. Devices could be endless.
const LARGEST: u64 = 256 << 20;

/// Reads a file, and stops just after the limit of its size.
fn read_some(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A provider that finds files by their path, or in several folders, tried in order.
#[derive(Clone, Debug, Default)]
pub struct Folders(pub Vec<PathBuf>);

impl Folders {
    /// Returns the paths that a name can stand for, in their order.
    fn places(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let folders = self.0.iter().map(move |folder| folder.join(name));
        std::iter::once(Path::new(name).to_owned()).chain(folders)
    }

    /// Returns the path of the file that a name stands for; the name itself if there is none.
    pub fn path_of(&self, name: &str) -> PathBuf {
        let found = self.places(name).find(|place| place.exists());
        found.unwrap_or_else(|| name.into())
    }
}

impl Files for Folders {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let mut failed = None;
        for place in self.places(name) {
            match read_some(&place) {
                Ok(bytes) if bytes.len() as u64 > LARGEST => {
                    return Err("has more than 256 megabytes".to_owned());
                }
                Ok(bytes) => return Ok(bytes),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        Err(match failed {
            Some(error) => format!("cannot be read: {error}"),
            None if self.0.is_empty() => "is not there".to_owned(),
            None => "is not there, nor in the folders of `--include`".to_owned(),
        })
    }
}
