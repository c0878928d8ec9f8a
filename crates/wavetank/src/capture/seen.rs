//! Launches that a program has made while some are to be captured: notes from the program to its parent process.

use std::borrow::Cow;
use std::io;
use std::path::Path;

use crate::found_file::leave;

/// A launch that was seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Seen<'k> {
    /// Whether it was one to be captured.
    pub is_chosen: bool,
    /// The kernel, as the code object names it.
    pub kernel: Cow<'k, str>,
}

impl<'k> Seen<'k> {
    /// Leaves a note in a [`FoundFile`](crate::found_file::FoundFile).
    ///
    /// # Errors
    /// The errors of the system.
    ///
    /// ```
    /// use wavetank::capture::Seen;
    /// use wavetank::found_file::FoundFile;
    ///
    /// let file = FoundFile::create()?;
    /// let seen = Seen { is_chosen: false, kernel: "fill".into() };
    /// seen.leave(&file.path())?;
    /// assert_eq!(file.read()?.iter().map(|note| Seen::read(note)).collect::<Vec<_>>(), [seen]);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn leave(&self, path: &Path) -> io::Result<()> {
        let sign = if self.is_chosen { '+' } else { '-' };
        leave(path, &format!("{sign}{}", self.kernel.replace('\n', " ")))
    }

    /// Reads a note.
    pub fn read(note: &'k str) -> Seen<'k> {
        let chosen = note.strip_prefix('+');
        let kernel = chosen.or_else(|| note.strip_prefix('-')).unwrap_or(note);
        Seen {
            is_chosen: chosen.is_some(),
            kernel: kernel.into(),
        }
    }
}
