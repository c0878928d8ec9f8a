//! Sections, of which a file consists after its magic and its version: the kind, the sizes of the data as they are and as they are
//! stored (32 bits each), a checksum (64 bits), and the data, compressed by Zstandard.
//!
//! The checksum of a section covers those before it, so a section that is changed, left out or moved is noticed at once.

use std::io::{self, Read, Write};

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use xxhash_rust::xxh3::Xxh3;

/// The most bytes of a section's data. Larger data of one kind are in several sections.
pub(crate) const MOST: usize = 1 << 20;

/// The kind of a section's data.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u32)]
pub(crate) enum Kind {
    /// The [`Launch`](crate::Launch), as JSON.
    Launch = 1,
    /// The code object.
    Object = 2,
    /// Contents of pages, all different and none of zeros only. The first of the file is number 0.
    Contents = 3,
    /// Pages that are not zero: the address of each, and the number of its contents, both of 64 bits.
    Pages = 4,
    /// The global data share, if it is not zero.
    Gds = 5,
    /// The end of the memory before the launch, without data.
    Launched = 6,
    /// Masks of the bytes that the launch wrote in a page, all different. The first of the file is number 0.
    Masks = 7,
    /// Pages that the launch wrote: the address of each, the number of its mask (64 bits each), and the digest of what was written
    /// (128 bits).
    Written = 8,
    /// The sentence about the failure of the launch.
    Failure = 9,
    /// The end of the file, without data.
    End = 10,
}

impl Kind {
    fn of(number: u32) -> Option<Kind> {
        use Kind::*;
        let all = [
            Launch, Object, Contents, Pages, Gds, Launched, Masks, Written, Failure, End,
        ];
        all.into_iter().find(|kind| *kind as u32 == number)
    }
}

/// The checksum of the sections up to one of them.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Checksum(u64);

impl Checksum {
    /// Adds a section of a kind, with the bytes of its data and the data as stored. Returns the checksum for its header.
    fn add(&mut self, kind: u32, raw: usize, stored: &[u8]) -> u64 {
        let mut hash = Xxh3::with_seed(self.0);
        hash.update(&kind.to_le_bytes());
        hash.update(&(raw as u32).to_le_bytes());
        hash.update(stored);
        self.0 = hash.digest();
        self.0
    }
}

/// A writer of sections.
#[derive(Debug)]
pub(crate) struct SectionWriter<W: Write> {
    pub(crate) out: W,
    checksum: Checksum,
}

impl<W: Write> SectionWriter<W> {
    pub(crate) fn new(out: W) -> Self {
        let checksum = Checksum::default();
        SectionWriter { out, checksum }
    }

    /// Writes data as sections of a kind.
    pub(crate) fn write(&mut self, kind: Kind, data: &[u8]) -> io::Result<()> {
        let mut parts = data.chunks(MOST);
        parts.try_for_each(|part| self.write_one(kind, part))
    }

    /// Writes a section without data.
    pub(crate) fn write_mark(&mut self, kind: Kind) -> io::Result<()> {
        self.write_one(kind, &[])
    }

    fn write_one(&mut self, kind: Kind, data: &[u8]) -> io::Result<()> {
        let stored = compress(data);
        for number in [kind as u32, data.len() as u32, stored.len() as u32] {
            self.out.write_all(&number.to_le_bytes())?;
        }
        let checksum = self.checksum.add(kind as u32, data.len(), &stored);
        self.out.write_all(&checksum.to_le_bytes())?;
        self.out.write_all(&stored)
    }
}

/// The bytes of a section that are compressed to decide about the others.
const SAMPLE: usize = 16 << 10;

/// Returns the data as a frame of Zstandard. Compression is much slower than the rest of a capture, so data that a sample shows to have
/// little to compress, as arrays of floats, are kept as they are.
fn compress(data: &[u8]) -> Vec<u8> {
    if data.is_empty() {
        return Vec::new();
    }
    let level = |data: &[u8]| {
        let start = (data.len() / 2).saturating_sub(SAMPLE / 2);
        let sample = &data[start..][..SAMPLE.min(data.len())];
        let compressed = compress_to_vec(sample, CompressionLevel::Fastest);
        if data.len() > 2 * SAMPLE && compressed.len() > SAMPLE / 8 * 7 {
            CompressionLevel::Uncompressed
        } else {
            CompressionLevel::Fastest
        }
    };
    compress_to_vec(data, level(data))
}

/// The reason for which a section cannot be read.
pub(crate) enum SectionProblem {
    /// The file ends before the section does.
    CutOff,
    /// A writer does not write it.
    Damaged(String),
}

/// Takes the first section off the rest of a file, of which the sections before have this checksum.
pub(crate) fn read(
    rest: &mut &[u8],
    before: &mut Checksum,
) -> Result<(Kind, Vec<u8>), SectionProblem> {
    use SectionProblem::{CutOff, Damaged};
    let mut number = || take(rest).map(u32::from_le_bytes).ok_or(CutOff);
    let (number, raw, stored) = (number()?, number()? as usize, number()? as usize);
    let checksum = take(rest).map(u64::from_le_bytes).ok_or(CutOff)?;
    let unknown = || Damaged(format!("there is no section of kind {number}"));
    let kind = Kind::of(number).ok_or_else(unknown)?;
    if raw > MOST {
        let problem = format!("a section has {raw} bytes, of at most {MOST}");
        return Err(Damaged(problem));
    }
    let (data, others) = rest.split_at_checked(stored).ok_or(CutOff)?;
    *rest = others;
    // A fuzzer does not find checksums; with them it would test nothing but this line.
    if before.add(number, raw, data) != checksum && !cfg!(fuzzing) {
        let problem = "the checksum of a section is wrong: the file was changed after it was made";
        return Err(Damaged(problem.to_owned()));
    }
    if raw == 0 {
        return Ok((kind, Vec::new()));
    }
    let data = decompress(data, raw);
    let damaged = || Damaged("the compressed data of a section are damaged".to_owned());
    Ok((kind, data.ok_or_else(damaged)?))
}

/// Takes the first bytes off.
fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (first, others) = rest.split_first_chunk()?;
    *rest = others;
    Some(*first)
}

/// Returns the data of a section, if they have this size.
fn decompress(data: &[u8], raw: usize) -> Option<Vec<u8>> {
    let decoder = StreamingDecoder::new(data).ok()?;
    let mut out = Vec::new();
    // One byte more, to notice more than the header says.
    decoder.take(raw as u64 + 1).read_to_end(&mut out).ok()?;
    (out.len() == raw).then_some(out)
}
