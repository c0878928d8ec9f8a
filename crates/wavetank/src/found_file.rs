//! The findings of the checks of a program, from the program to its parent process: a record a line.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::shared_file::SharedFile;

/// Memory for records, which a program that is started finds by its path.
pub struct FoundFile(SharedFile);

impl FoundFile {
    /// A file without records.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn create() -> io::Result<FoundFile> {
        SharedFile::create("wavetank-found").map(FoundFile)
    }

    /// Where the processes that this one starts find it, while this one lives.
    pub fn path(&self) -> PathBuf {
        self.0.path()
    }

    /// Reads the records in the order in which they were added. A record that a killed program has left incomplete is skipped.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn read(&self) -> io::Result<Vec<String>> {
        let mut bytes = Vec::new();
        let mut file = self.0.file();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        Ok(whole.lines().map(str::to_owned).collect())
    }
}

/// Adds a record, which has no line breaks, after the existing ones.
///
/// ```
/// use wavetank::found_file::{FoundFile, leave};
///
/// let file = FoundFile::create()?;
/// leave(&file.path(), "first")?;
/// leave(&file.path(), "second")?;
/// assert_eq!(file.read()?, ["first", "second"]);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The errors of the system.
pub fn leave(path: &Path, record: &str) -> io::Result<()> {
    let mut file = File::options().append(true).open(path)?;
    file.write_all(format!("{record}\n").as_bytes())
}
