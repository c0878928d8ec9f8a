//! Characters for bytes of texts that are not UTF-8.

/// The private-use character for byte 0. Text has no use for this range.
const FIRST: u32 = 0x10_f700;

/// Returns the character for a byte that is not part of UTF-8. [`plain`](crate::plain) shows it as `\xff`.
///
/// ```
/// use wavetank_quote::{byte_of, character_of, plain};
/// assert_eq!(byte_of(character_of(0xc3)), Some(0xc3));
/// assert_eq!(byte_of('a'), None);
/// assert_eq!(plain(&character_of(0xc3).to_string()).to_string(), "\\xc3");
/// ```
pub fn character_of(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Returns the byte that a character stands for, if it comes from [`character_of`].
pub fn byte_of(character: char) -> Option<u8> {
    u8::try_from(u32::from(character).checked_sub(FIRST)?).ok()
}
