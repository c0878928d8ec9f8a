//! The address range of the segments of a code object.

use crate::elf::Segment;
use crate::error::{Error, Result};
use crate::limits::{MAX_ALIGN, MAX_GAPS, MAX_IMAGE_SIZE};

/// The address range that contains all segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub origin: u64,
    pub size: u64,
    pub align: u64,
    /// Bytes up to the last one whose contents are in the file.
    pub contents: u64,
}

/// Returns the extent of all segments of a file of `file_size` bytes, its first address rounded down to the largest alignment.
pub(crate) fn span(segments: &[Segment], file_size: u64) -> Result<Span> {
    let align = segments.iter().map(|s| s.align).max().unwrap_or(1).max(1);
    if align > MAX_ALIGN {
        return Err(Error::BadElf {
            problem: format!("a segment requests an alignment of {align:#x} bytes"),
        });
    }
    let start = segments.iter().map(|s| s.address).min().unwrap_or(0);
    // The reader of segments has checked that no end overflows.
    let end = segments.iter().map(|s| s.address + s.memory_size).max();
    let origin = start & !(align - 1);
    let size = end.unwrap_or(start) - origin;
    if size > MAX_IMAGE_SIZE {
        return Err(Error::TooLarge { size });
    }
    let filled = segments.iter().filter(|s| s.file_size > 0);
    let contents = filled.map(|s| s.address + s.file_size).max();
    let contents = contents.map_or(0, |end| end - origin);
    if contents > file_size + MAX_GAPS {
        return Err(Error::BadElf {
            problem: format!(
                "the contents of its segments reach over {contents} bytes of memory, and the file has {file_size}"
            ),
        });
    }
    Ok(Span {
        origin,
        size,
        align,
        contents,
    })
}
