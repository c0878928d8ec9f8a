//! A reader of numbers from bytes, one after another.

use std::ops::Range;

use super::error::ContainerError;
use crate::visa::instruction::Ids;

/// A position in the bytes of a file, and the end of the range that is read.
pub(super) struct Cursor<'b> {
    bytes: &'b [u8],
    pub at: usize,
    end: usize,
}

pub(super) type Result<T> = std::result::Result<T, ContainerError>;

pub(super) fn fail<T>(offset: usize, message: impl Into<String>) -> Result<T> {
    let message = message.into();
    Err(ContainerError { offset, message })
}

impl<'b> Cursor<'b> {
    /// Returns a cursor at the start of a range of the bytes.
    pub(super) fn new(bytes: &'b [u8], range: Range<usize>) -> Cursor<'b> {
        let end = range.end.min(bytes.len());
        Cursor {
            bytes,
            at: range.start.min(end),
            end,
        }
    }

    /// Reads bytes. `what` names them in the error if they are missing.
    pub(super) fn take(&mut self, count: usize, what: &str) -> Result<&'b [u8]> {
        let left = self.end - self.at;
        if count > left {
            let message = format!("{what} needs {count} bytes, and {left} are left");
            return fail(self.at, message);
        }
        let taken = &self.bytes[self.at..][..count];
        self.at += count;
        Ok(taken)
    }

    /// Reads the bytes up to the next zero, and skips the zero.
    pub(super) fn string(&mut self) -> Result<Range<usize>> {
        let rest = &self.bytes[self.at..self.end];
        let Some(length) = rest.iter().position(|byte| *byte == 0) else {
            return fail(self.at, "a string does not end");
        };
        let range = self.at..self.at + length;
        self.at += length + 1;
        Ok(range)
    }

    pub(super) fn u8(&mut self, what: &str) -> Result<u8> {
        Ok(self.take(1, what)?[0])
    }

    pub(super) fn u16(&mut self, what: &str) -> Result<u16> {
        let bytes = self.take(2, what)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    pub(super) fn u32(&mut self, what: &str) -> Result<u32> {
        let bytes = self.take(4, what)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Reads the number of a variable or string, or a count of them.
    pub(super) fn id(&mut self, ids: Ids, what: &str) -> Result<u32> {
        match ids {
            Ids::Wide => self.u32(what),
            Ids::Narrow => self.u16(what).map(u32::from),
        }
    }

    /// Returns the range of the file that a header names, which must exist. `place` is the position of the header's field.
    pub(super) fn within(&self, start: usize, size: usize, place: usize) -> Result<Range<usize>> {
        let range = start..start.saturating_add(size);
        match self.bytes.get(range.clone()) {
            Some(_) => Ok(range),
            None => {
                let message = format!(
                    "bytes {:#x} to {:#x} are named, and the file has {:#x}",
                    range.start,
                    range.end,
                    self.bytes.len()
                );
                fail(place, message)
            }
        }
    }
}
