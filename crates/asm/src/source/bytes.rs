//! Conversion of files to text, even if some of their bytes are not UTF-8: compilers print data bytes as comments.

use memchr::memchr;
use wavetank_quote::{byte_of, character_of};

/// Returns the text of a source. A byte that is not valid UTF-8 becomes a character of its own, and is turned back into that byte
/// in strings, such as those of `.ascii`.
///
/// ```
/// use wavetank_asm::{Options, assemble_object, text_of};
/// use wavetank_gcn::Chip;
///
/// let source = text_of(b".data\n.ascii \"a\xff\" ; \xfe".to_vec());
/// let object = assemble_object("a.s", &source, &Options::new(Chip::Gfx900))?;
/// let data = object.sections.iter().find(|section| section.name == ".data");
/// assert_eq!(data.map(|section| &*section.bytes), Some(&b"a\xff"[..]));
/// # Ok::<(), wavetank_asm::Errors>(())
/// ```
pub fn text_of(bytes: Vec<u8>) -> String {
    // All characters that stand for bytes begin with this byte in UTF-8.
    let lead = memchr(0xf4, &bytes);
    let bytes = match String::from_utf8(bytes) {
        Ok(text) if lead.is_none() => return text,
        Ok(text) => text.into_bytes(),
        Err(error) => error.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match byte_of(character) {
                Some(_) => {
                    text.extend(character.encode_utf8(&mut [0; 4]).bytes().map(character_of));
                }
                None => text.push(character),
            }
        }
        text.extend(chunk.invalid().iter().copied().map(character_of));
    }
    text
}

/// Appends the bytes that a character of a source stands for.
pub(super) fn push(out: &mut Vec<u8>, character: char) {
    match byte_of(character) {
        Some(byte) => out.push(byte),
        None => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}
