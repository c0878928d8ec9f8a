//! The instructions of a routine, one after another.

use super::cursor::Cursor;
use super::error::ContainerError;
use super::layout::pass;
use crate::visa::code::{DecodeError, decode};
use crate::visa::instruction::{Ids, TYPED_ATOMIC, TypedAtomic};

/// The contents of a place in the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// A TYPED_ATOMIC.
    Atomic(TypedAtomic),
    /// A TYPED_ATOMIC by its opcode and length, whose fields are not valid.
    Wrong(DecodeError),
    /// Another instruction, by its opcode and name.
    Other(u8, &'static str),
    /// The rest of the code: the start of the next instruction is unknown.
    Rest(ContainerError),
}

/// A piece of the code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Item {
    /// The offset in the file in bytes.
    pub offset: usize,
    /// The number of bytes.
    pub length: usize,
    /// The contents of the bytes.
    pub content: Content,
}

/// An iterator over the instructions of a routine in their order. Together they cover all of its bytes.
#[derive(Clone, Debug)]
pub struct Items<'b> {
    code: &'b [u8],
    /// The number of bytes described so far.
    at: usize,
    /// The offset of the code in the file.
    start: usize,
    ids: Ids,
}

impl<'b> Items<'b> {
    pub(super) fn new(code: &'b [u8], start: usize, ids: Ids) -> Items<'b> {
        Items {
            code,
            at: 0,
            start,
            ids,
        }
    }

    /// Returns the contents of the next bytes, and their number.
    fn content(&self) -> (Content, usize) {
        let rest = &self.code[self.at..];
        let length = self.ids.instruction();
        if rest[0] == TYPED_ATOMIC && rest.len() >= length {
            return match decode(rest, self.ids) {
                Ok(inst) => (Content::Atomic(inst), length),
                Err(error) => (Content::Wrong(error), length),
            };
        }
        if rest[0] == TYPED_ATOMIC {
            let message = format!(
                "a TYPED_ATOMIC has {length} bytes, and {} are left",
                rest.len()
            );
            return (self.rest(self.at, message), rest.len());
        }
        let mut cursor = Cursor::new(self.code, self.at..self.code.len());
        match pass(&mut cursor, self.ids) {
            Ok(name) => (Content::Other(rest[0], name), cursor.at - self.at),
            Err(error) => (self.rest(error.offset, error.message), rest.len()),
        }
    }

    fn rest(&self, offset: usize, message: String) -> Content {
        let offset = self.start + offset;
        Content::Rest(ContainerError { offset, message })
    }
}

impl Iterator for Items<'_> {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        if self.at == self.code.len() {
            return None;
        }
        let (content, length) = self.content();
        let offset = self.start + self.at;
        self.at += length;
        Some(Item {
            offset,
            length,
            content,
        })
    }
}
