//! The writer of a capture.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::section::{Kind, MOST, SectionWriter};
use crate::{Launch, MAGIC, Mask, PAGE, Page, VERSION, digest, digest_written};

/// Writes a capture: the launch and its code first, then pages of memory in the order of their addresses. See the [crate](crate).
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: SectionWriter<W>,
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
        let mut out = SectionWriter::new(out);
        out.write(Kind::Launch, &serde_json::to_vec(launch)?)?;
        out.write(Kind::Object, object)?;
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
        self.out.write(Kind::Gds, gds)
    }

    /// Ends the memory before the launch. If the program is ended during the launch, the file can be read all the same.
    ///
    /// # Errors
    /// What writing gave.
    pub fn launched(mut self) -> io::Result<Launched<W>> {
        self.flush()?;
        self.out.write(Kind::Pages, &self.pages)?;
        self.out.write_mark(Kind::Launched)?;
        self.out.out.flush()?;
        Ok(Launched {
            out: self.out,
            known: HashMap::new(),
            masks: Vec::new(),
            written: Vec::new(),
        })
    }

    /// Writes contents that are waiting.
    fn flush(&mut self) -> io::Result<()> {
        self.out.write(Kind::Contents, &self.contents)?;
        self.contents.clear();
        Ok(())
    }
}

/// The writer of the rest of a capture, while its kernel runs.
#[derive(Debug)]
#[must_use = "a capture has an end only after `finish` or `fail`"]
pub struct Launched<W: Write> {
    out: SectionWriter<W>,
    /// The number of a mask.
    known: HashMap<Mask, u64>,
    masks: Vec<u8>,
    written: Vec<u8>,
}

impl<W: Write> Launched<W> {
    /// Adds a page that the launch wrote, after those at lower addresses: the mask of the bytes, and the contents afterwards.
    pub fn written(&mut self, address: u64, mask: &Mask, page: &Page) {
        let next = self.known.len() as u64;
        let number = *self.known.entry(*mask).or_insert(next);
        if number == next {
            self.masks.extend_from_slice(mask);
        }
        self.written.extend(address.to_le_bytes());
        self.written.extend(number.to_le_bytes());
        self.written
            .extend(digest_written(page, mask).to_le_bytes());
    }

    /// Ends the file of a launch that ended. Returns the destination.
    ///
    /// # Errors
    /// What writing to `out` gave.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.write(Kind::Masks, &self.masks)?;
        self.out.write(Kind::Written, &self.written)?;
        self.end()
    }

    /// Ends the file of a launch that failed, with the sentence that says why.
    ///
    /// # Errors
    /// What writing to `out` gave.
    pub fn fail(mut self, why: &str) -> io::Result<W> {
        self.out.write(Kind::Failure, why.as_bytes())?;
        self.end()
    }

    fn end(mut self) -> io::Result<W> {
        self.out.write_mark(Kind::End)?;
        self.out.out.flush()?;
        Ok(self.out.out)
    }
}

pub(crate) fn is_zero(page: &Page) -> bool {
    const ZERO: Page = [0; PAGE];
    *page == ZERO
}
