//! Bounds-checked little-endian reads, the only access of this crate to untrusted bytes by offset.

use crate::error::{Error, Result};

/// Returns `size` bytes at `offset`, or an error that names the missing part by `what`.
pub(crate) fn slice<'a>(bytes: &'a [u8], offset: u64, size: u64, what: &str) -> Result<&'a [u8]> {
    let end = offset.saturating_add(size);
    let range = usize::try_from(offset).ok().zip(usize::try_from(end).ok());
    range
        .and_then(|(start, end)| bytes.get(start..end))
        .ok_or_else(|| Error::Truncated {
            what: what.to_owned(),
            start: offset,
            end,
            len: bytes.len() as u64,
        })
}

/// Returns the `N` bytes at `at` of a record whose length the caller has already checked.
///
/// # Panics
/// If the record is shorter than its layout, which is a mistake in the calling code.
pub(crate) fn field<const N: usize>(record: &[u8], at: usize) -> [u8; N] {
    record[at..at + N]
        .try_into()
        .expect("the range has N bytes")
}

pub(crate) fn u16_at(record: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(field(record, at))
}

pub(crate) fn u32_at(record: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(field(record, at))
}

pub(crate) fn u64_at(record: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(field(record, at))
}
