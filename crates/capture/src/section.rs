//! Sections, of which a file consists after its magic and its version: the kind, the sizes of the data as they are and as they are
//! stored (32 bits each), and the data, compressed by Zstandard.

use std::io::{self, Read, Write};

use ruzstd::decoding::StreamingDecoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

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
    /// Pages that the launch changed: the address of each (64 bits), and the digest (128 bits).
    Changes = 7,
    /// The sentence about the failure of the launch.
    Failure = 8,
    /// The end of the file, without data.
    End = 9,
}

impl Kind {
    fn of(number: u32) -> Option<Kind> {
        use Kind::*;
        let all = [
            Launch, Object, Contents, Pages, Gds, Launched, Changes, Failure, End,
        ];
        all.into_iter().find(|kind| *kind as u32 == number)
    }
}

/// Writes data as sections of a kind.
pub(crate) fn write(out: &mut impl Write, kind: Kind, data: &[u8]) -> io::Result<()> {
    for part in data.chunks(MOST) {
        write_one(out, kind, part)?;
    }
    Ok(())
}

/// Writes a section without data.
pub(crate) fn write_mark(out: &mut impl Write, kind: Kind) -> io::Result<()> {
    write_one(out, kind, &[])
}

fn write_one(out: &mut impl Write, kind: Kind, data: &[u8]) -> io::Result<()> {
    let stored = if data.is_empty() {
        Vec::new()
    } else {
        compress_to_vec(data, CompressionLevel::Fastest)
    };
    for number in [kind as u32, data.len() as u32, stored.len() as u32] {
        out.write_all(&number.to_le_bytes())?;
    }
    out.write_all(&stored)
}

/// The reason for which a section cannot be read.
pub(crate) enum SectionProblem {
    /// The file ends before the section does.
    CutOff,
    /// A writer does not write it.
    Damaged(String),
}

/// Takes the first section off the rest of a file.
pub(crate) fn read(rest: &mut &[u8]) -> Result<(Kind, Vec<u8>), SectionProblem> {
    use SectionProblem::{CutOff, Damaged};
    let mut number = || {
        let (first, others) = rest.split_first_chunk().ok_or(CutOff)?;
        *rest = others;
        Ok::<u32, SectionProblem>(u32::from_le_bytes(*first))
    };
    let (kind, raw, stored) = (number()?, number()? as usize, number()? as usize);
    let unknown = || Damaged(format!("there is no section of kind {kind}"));
    let kind = Kind::of(kind).ok_or_else(unknown)?;
    if raw > MOST {
        let problem = format!("a section has {raw} bytes, of at most {MOST}");
        return Err(Damaged(problem));
    }
    let (data, others) = rest.split_at_checked(stored).ok_or(CutOff)?;
    *rest = others;
    if raw == 0 {
        return Ok((kind, Vec::new()));
    }
    let data = decompress(data, raw);
    let damaged = || Damaged("the compressed data of a section are damaged".to_owned());
    Ok((kind, data.ok_or_else(damaged)?))
}

/// Returns the data of a section, if they have this size.
fn decompress(data: &[u8], raw: usize) -> Option<Vec<u8>> {
    let decoder = StreamingDecoder::new(data).ok()?;
    let mut out = Vec::new();
    // One byte more, to notice more than the header says.
    decoder.take(raw as u64 + 1).read_to_end(&mut out).ok()?;
    (out.len() == raw).then_some(out)
}
