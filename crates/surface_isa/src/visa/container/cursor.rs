//! Reading numbers from bytes, one after another.

use std::ops::Range;

use super::error::ContainerError;
use crate::visa::instruction::Ids;

/// A place in the bytes of a file, and where what is read ends.
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
    /// At the beginning of a range, which lies in the bytes.
    pub(super) fn new(bytes: &'b [u8], range: Range<usize>) -> Cursor<'b> {
        let end = range.end.min(bytes.len());
        Cursor {
            bytes,
            at: range.start.min(end),
            end,
        }
    }

    /// So many bytes. `what` says of what, if they are not there.
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

    /// The bytes before the next zero, and after that.
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

    /// A number of a variable, a string, or how many there are.
    pub(super) fn id(&mut self, ids: Ids, what: &str) -> Result<u32> {
        match ids {
            Ids::Wide => self.u32(what),
            Ids::Narrow => self.u16(what).map(u32::from),
        }
    }

    /// Bytes of the whole file that a header names, which have to be there. `place` is where it does.
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
