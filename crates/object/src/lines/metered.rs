//! A reader of DWARF with a limit on the total number of bytes read.
//!
//! Small entries can refer to the same long list, string or line program again and again. Memory and time are bounded by the
//! bytes that are read, so the meter bounds them by the length of the sections.

use std::borrow::Cow;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use gimli::{
    AbbreviationsCacheStrategy, Dwarf, EndianArcSlice, LittleEndian, Reader, ReaderOffsetId,
    Result, SectionId,
};

/// The number of times that each byte may be read. DWARF of compilers is read three to five times: for the survey, the functions,
/// the inlined functions, and names that several entries refer to.
const READS: usize = 32;
/// The number of reads that any small file is allowed.
const FEW: usize = 1 << 16;
/// The number of bytes of a text that count as one read.
const TEXT: usize = 8;
/// The longest accepted name or path in bytes, which is the longest path of the system.
pub(super) const LONGEST: usize = 4096;

/// Returns the DWARF of sections, which `contents` returns by name: empty for missing ones.
pub(super) fn dwarf(contents: impl Fn(&str) -> Vec<u8>) -> Dwarf<Metered> {
    let left = Arc::new(AtomicUsize::new(FEW));
    let load = |id: SectionId| {
        let bytes = contents(id.name());
        left.fetch_add(bytes.len().saturating_mul(READS), Relaxed);
        Ok::<_, Infallible>(Metered {
            bytes: EndianArcSlice::new(bytes.into(), LittleEndian),
            left: left.clone(),
        })
    };
    let Ok(mut dwarf) = Dwarf::load(load);
    // Units of one compiler run share their abbreviations.
    dwarf.populate_abbreviations_cache(AbbreviationsCacheStrategy::All);
    dwarf
}

/// A metered reader of a section.
#[derive(Clone, Debug)]
pub(super) struct Metered {
    bytes: EndianArcSlice<LittleEndian>,
    left: Arc<AtomicUsize>,
}

impl Metered {
    /// Returns the text at the current position, which does not count as a read.
    pub(super) fn text(&self) -> String {
        let bytes = self.bytes.bytes();
        String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]).into_owned()
    }

    /// Subtracts reads from the limit.
    fn spend(&self, reads: usize) -> Result<()> {
        // Only one thread at a time reads.
        let left = self.left.load(Relaxed).checked_sub(reads);
        let left = left.ok_or(gimli::Error::UnexpectedEof(self.offset_id()))?;
        self.left.store(left, Relaxed);
        Ok(())
    }
}

impl Reader for Metered {
    type Endian = LittleEndian;
    type Offset = usize;

    fn endian(&self) -> LittleEndian {
        LittleEndian
    }

    fn len(&self) -> usize {
        self.bytes.len()
    }

    fn empty(&mut self) {
        self.bytes.empty();
    }

    fn truncate(&mut self, len: usize) -> Result<()> {
        self.bytes.truncate(len)
    }

    fn offset_from(&self, base: &Self) -> usize {
        Reader::offset_from(&self.bytes, &base.bytes)
    }

    fn offset_id(&self) -> ReaderOffsetId {
        self.bytes.offset_id()
    }

    fn lookup_offset_id(&self, id: ReaderOffsetId) -> Option<usize> {
        self.bytes.lookup_offset_id(id)
    }

    fn find(&self, byte: u8) -> Result<usize> {
        let found = Reader::find(&self.bytes, byte)?;
        self.spend(1 + found / TEXT)?;
        Ok(found)
    }

    fn skip(&mut self, len: usize) -> Result<()> {
        self.spend(1)?;
        self.bytes.skip(len)
    }

    fn split(&mut self, len: usize) -> Result<Self> {
        self.spend(1)?;
        let bytes = self.bytes.split(len)?;
        let left = self.left.clone();
        Ok(Metered { bytes, left })
    }

    fn to_slice(&self) -> Result<Cow<'_, [u8]>> {
        self.spend(1 + self.len() / TEXT)?;
        Reader::to_slice(&self.bytes)
    }

    fn to_string(&self) -> Result<Cow<'_, str>> {
        self.spend(1 + self.len() / TEXT)?;
        Reader::to_string(&self.bytes)
    }

    fn to_string_lossy(&self) -> Result<Cow<'_, str>> {
        self.spend(1 + self.len() / TEXT)?;
        Reader::to_string_lossy(&self.bytes)
    }

    fn read_slice(&mut self, buffer: &mut [u8]) -> Result<()> {
        self.spend(1)?;
        self.bytes.read_slice(buffer)
    }
}
