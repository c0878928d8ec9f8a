//! A record of the last fault of a kernel, from a program to its parent process: an exit status does not give the reason for
//! which a program died.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::shared_file::SharedFile;

/// A fault, as a program records it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LastFault {
    /// The process in which it happened.
    pub process: u32,
    /// Whether the program got the fault as an error, and continued.
    pub handled: bool,
    /// The place of the fault, in a line.
    pub brief: String,
    /// The fault.
    pub sentence: String,
}

/// Memory for the note, which a program that is started finds by its path.
pub struct FaultFile(SharedFile);

impl FaultFile {
    /// A file without a note.
    ///
    /// # Errors
    /// The errors of the system.
    pub fn create() -> io::Result<FaultFile> {
        SharedFile::create("wavetank-fault").map(FaultFile)
    }

    /// Where the processes that this one starts find it, while this one lives.
    pub fn path(&self) -> PathBuf {
        self.0.path()
    }

    /// The note, if one was left.
    pub fn read(&self) -> Option<LastFault> {
        let mut text = String::new();
        let mut file = self.0.file();
        file.rewind().ok()?;
        file.read_to_string(&mut text).ok()?;
        let (head, rest) = text.split_once('\n')?;
        let (brief, sentence) = rest.split_once('\n')?;
        let (process, state) = head.split_once(' ')?;
        Some(LastFault {
            process: process.parse().ok()?,
            handled: state == "handled",
            brief: brief.to_owned(),
            sentence: sentence.to_owned(),
        })
    }
}

impl LastFault {
    /// Leaves the note in place of the one before.
    ///
    /// # Errors
    /// The errors of the system.
    ///
    /// ```
    /// use wavetank::last_fault::{FaultFile, LastFault};
    ///
    /// let file = FaultFile::create()?;
    /// assert_eq!(file.read(), None);
    /// let mut fault = LastFault {
    ///     process: 7,
    ///     handled: false,
    ///     brief: "kernel `k` faulted at k.hip:4:5".into(),
    ///     sentence: "kernel `k` faulted".into(),
    /// };
    /// fault.leave(&file.path())?;
    /// fault.handled = true;
    /// fault.leave(&file.path())?;
    /// assert_eq!(file.read(), Some(fault));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn leave(&self, path: &Path) -> io::Result<()> {
        let state = if self.handled { "handled" } else { "ending" };
        let brief = self.brief.replace('\n', " ");
        let text = format!("{} {state}\n{brief}\n{}", self.process, self.sentence);
        File::options()
            .write(true)
            .truncate(true)
            .open(path)?
            .write_all(text.as_bytes())
    }
}
