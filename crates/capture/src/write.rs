//! The writer of a capture.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::section::{self, Kind, MOST};
use crate::{Launch, MAGIC, PAGE, Page, VERSION, digest};

/// Writes a capture: the launch and its code first, then pages of memory in the order of their addresses. See the [crate](crate).
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    /// The number of the contents with a digest.
    known: HashMap<u128, u64>,
    /// Contents that are not written yet.
    contents: Vec<u8>,
    pages: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Writes the start of a file.
    ///
    /// # Errors
    /// What writing to `out` gave.
    pub fn new(mut out: W, launch: &Launch, object: &[u8]) -> io::Result<Self> {
        out.write_all(&MAGIC)?;
        out.write_all(&VERSION.to_le_bytes())?;
        section::write(&mut out, Kind::Launch, &serde_json::to_vec(launch)?)?;
        section::write(&mut out, Kind::Object, object)?;
        Ok(Writer {
            out,
            known: HashMap::new(),
            contents: Vec::new(),
            pages: Vec::new(),
        })
    }

    /// Adds the page at an address, a multiple of [`PAGE`] above that of the page before. Pages of zeros may be left out, and are not
    /// kept. Contents that an earlier page had are kept once.
    ///
    /// # Errors
    /// What writing gave.
    pub fn page(&mut self, address: u64, page: &Page) -> io::Result<()> {
        if is_zero(page) {
            return Ok(());
        }
        let next = self.known.len() as u64;
        let number = *self.known.entry(digest(page)).or_insert(next);
        if number == next {
            self.contents.extend_from_slice(page);
            if self.contents.len() == MOST {
                self.flush()?;
            }
        }
        self.pages.extend(address.to_le_bytes());
        self.pages.extend(number.to_le_bytes());
        Ok(())
    }

    /// Adds the contents of the global data share, of at most 64 KiB.
    ///
    /// # Errors
    /// What writing gave.
    pub fn gds(&mut self, gds: &[u8]) -> io::Result<()> {
        if gds.iter().all(|byte| *byte == 0) {
            return Ok(());
        }
        section::write(&mut self.out, Kind::Gds, gds)
    }

    /// Ends the memory before the launch. If the program is ended during the launch, the file can be read all the same.
    ///
    /// # Errors
    /// What writing gave.
    pub fn launched(mut self) -> io::Result<Launched<W>> {
        self.flush()?;
        section::write(&mut self.out, Kind::Pages, &self.pages)?;
        section::write_mark(&mut self.out, Kind::Launched)?;
        self.out.flush()?;
        Ok(Launched { out: self.out })
    }

    /// Writes contents that are waiting.
    fn flush(&mut self) -> io::Result<()> {
        section::write(&mut self.out, Kind::Contents, &self.contents)?;
        self.contents.clear();
        Ok(())
    }
}

/// The writer of the rest of a capture, while its kernel runs.
#[derive(Debug)]
#[must_use = "a capture has an end only after `finish` or `fail`"]
pub struct Launched<W: Write> {
    out: W,
}

impl<W: Write> Launched<W> {
    /// Ends the file with the pages that the launch changed, in the order of their addresses, with their digests afterwards. Returns
    /// the destination.
    ///
    /// # Errors
    /// What writing gave.
    pub fn finish(self, changes: &[(u64, u128)]) -> io::Result<W> {
        let mut bytes = Vec::with_capacity(changes.len() * 24);
        for (address, digest) in changes {
            bytes.extend(address.to_le_bytes());
            bytes.extend(digest.to_le_bytes());
        }
        self.end(Kind::Changes, &bytes)
    }

    /// Ends the file of a launch that failed, with the sentence that says why.
    ///
    /// # Errors
    /// What writing gave.
    pub fn fail(self, why: &str) -> io::Result<W> {
        self.end(Kind::Failure, why.as_bytes())
    }

    fn end(mut self, kind: Kind, data: &[u8]) -> io::Result<W> {
        section::write(&mut self.out, kind, data)?;
        section::write_mark(&mut self.out, Kind::End)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

pub(crate) fn is_zero(page: &Page) -> bool {
    const ZERO: Page = [0; PAGE];
    *page == ZERO
}
