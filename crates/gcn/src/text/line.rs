//! A line under construction, and the short texts from which it is built.
//!
//! Most of a line is copied from tables. Copies of fixed length, of which only a part is used, need no loop and no prediction.

use std::fmt;

/// A short text of at most `N` bytes, all of them ASCII.
#[derive(Clone, Copy)]
pub(super) struct Piece<const N: usize> {
    bytes: [u8; N],
    len: u8,
}

impl<const N: usize> Piece<N> {
    pub(super) const EMPTY: Piece<N> = Piece {
        bytes: [0; N],
        len: 0,
    };

    /// Makes a piece of a text, if it fits and is ASCII.
    pub(super) const fn new(text: &str) -> Option<Piece<N>> {
        let text = text.as_bytes();
        if text.len() > N || !text.is_ascii() {
            return None;
        }
        let mut piece = Piece::EMPTY;
        let mut i = 0;
        while i < text.len() {
            piece.bytes[i] = text[i];
            i += 1;
        }
        piece.len = text.len() as u8;
        Some(piece)
    }

    /// Makes a piece of a constant text.
    pub(super) const fn of(text: &'static str) -> Piece<N> {
        match Piece::new(text) {
            Some(piece) => piece,
            None => panic!("a word is longer than its piece"),
        }
    }

    pub(super) fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.len));
        std::str::from_utf8(bytes.unwrap_or_default()).unwrap_or_default()
    }
}

/// Returns a number in decimal digits.
#[inline]
pub(super) fn decimal(value: u32) -> Piece<10> {
    let mut digits = [0; 10];
    let mut start = digits.len();
    let mut rest = value;
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    let len = digits.len() - start;
    digits.copy_within(start.., 0);
    Piece {
        bytes: digits,
        len: len as u8,
    }
}

/// Returns `0x` and a number in hexadecimal digits.
#[inline]
pub(super) fn hexadecimal(value: u32) -> Piece<10> {
    // One nibble a byte, the lowest last in memory order.
    let mut nibbles = u64::from(value);
    nibbles = (nibbles << 16 | nibbles) & 0x0000_ffff_0000_ffff;
    nibbles = (nibbles << 8 | nibbles) & 0x00ff_00ff_00ff_00ff;
    nibbles = (nibbles << 4 | nibbles) & 0x0f0f_0f0f_0f0f_0f0f;
    // Adding 6 carries out of nibbles that become letters.
    let letters = (nibbles + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    let digits = nibbles + 0x3030_3030_3030_3030 + letters * u64::from(b'a' - b'9' - 1);
    let count = (35 - (value | 1).leading_zeros()) / 4;
    let digits = (digits << (64 - 8 * count)).to_be_bytes();
    let mut bytes = *b"0x\0\0\0\0\0\0\0\0";
    bytes[2..].copy_from_slice(&digits);
    Piece {
        bytes,
        len: 2 + count as u8,
    }
}

/// Space for the longest line, of fewer than 200 bytes, and one piece.
const ROOM: usize = 256;

/// A line under construction. Text that does not fit is dropped.
pub(super) struct Line {
    bytes: [u8; ROOM],
    len: usize,
}

impl Line {
    pub(super) fn new() -> Line {
        Line {
            bytes: [0; ROOM],
            len: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Truncates the line to a length, unless that would cut a character.
    #[inline]
    pub(super) fn shorten(&mut self, len: usize) {
        if len < self.len && self.bytes[len].is_ascii() {
            self.len = len;
        }
    }

    #[inline]
    pub(super) fn piece<const N: usize>(&mut self, piece: &Piece<N>) {
        if let Some(space) = self.bytes.get_mut(self.len..self.len + N) {
            space.copy_from_slice(&piece.bytes);
            self.len += usize::from(piece.len);
        }
    }

    /// Appends a piece if a condition holds.
    #[inline]
    pub(super) fn piece_if<const N: usize>(&mut self, condition: bool, piece: &Piece<N>) {
        if let Some(space) = self.bytes.get_mut(self.len..self.len + N) {
            space.copy_from_slice(&piece.bytes);
            self.len += usize::from(piece.len) * usize::from(condition);
        }
    }

    #[inline]
    pub(super) fn push(&mut self, text: &str) {
        if let Some(space) = self.bytes.get_mut(self.len..self.len + text.len()) {
            space.copy_from_slice(text.as_bytes());
            self.len += text.len();
        }
    }

    #[inline]
    pub(super) fn as_str(&self) -> &str {
        // SAFETY: the bytes below `len` are whole texts, one after the other:
        // `push` appends a `str`, `piece` and `piece_if` the ASCII of a `Piece`
        // or nothing, and `shorten` ends before an ASCII byte.
        unsafe { std::str::from_utf8_unchecked(&self.bytes[..self.len]) }
    }
}

impl fmt::Write for Line {
    #[inline]
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_between_characters() {
        let mut line = Line::new();
        line.push("aé");
        line.shorten(2);
        assert_eq!(line.as_str(), "aé");
        line.shorten(1);
        assert_eq!(line.as_str(), "aé");
        line.shorten(0);
        assert_eq!(line.as_str(), "");
    }

    #[test]
    fn what_has_no_room_is_left_out() {
        let mut line = Line::new();
        for _ in 0..2 * ROOM {
            line.push("v");
            line.piece(&Piece::<15>::of("255"));
        }
        assert!(line.as_str().starts_with("v255v255"));
        assert!(line.len() <= ROOM);
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        // Fewer values, because Miri is slow.
        let values = (0..if cfg!(miri) { 300 } else { 70_000 })
            .chain((0..32).map(|bit| 1 << bit))
            .chain((0..32).map(|bit| u32::MAX >> bit));
        for value in values {
            assert_eq!(decimal(value).as_str(), value.to_string());
            assert_eq!(hexadecimal(value).as_str(), format!("{value:#x}"));
        }
    }
}
