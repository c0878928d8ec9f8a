//! Where `.include` and `.incbin` find their files.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Gives files to a source that names them.
pub trait Files {
    /// The bytes of a file.
    ///
    /// # Errors
    /// The end of a sentence that begins with the file's name, such as `cannot be read: permission denied`.
    fn read(&self, name: &str) -> Result<Vec<u8>, String>;
}

/// No files: a source that names one is wrong.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _: &str) -> Result<Vec<u8>, String> {
        Err("cannot be read: there are no files here".to_owned())
    }
}

/// Bytes that a file has at most: more than that no object has. Devices have no end.
const LARGEST: u64 = 256 << 20;

/// The bytes of a file, or so many that they are too many.
fn read_some(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Files by their path, or in one of several folders, in order.
#[derive(Clone, Debug, Default)]
pub struct Folders(pub Vec<PathBuf>);

impl Files for Folders {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let folders = self.0.iter().map(|folder| folder.join(name));
        let places = std::iter::once(Path::new(name).to_owned()).chain(folders);
        let mut failed = None;
        for place in places {
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
