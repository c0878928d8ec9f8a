//! Disassembly of one line of hexadecimal bytes to one line of text.

use thiserror::Error;
use wavetank_gcn::{Chip, Dialect, decode, print_in};

/// The output for bytes that are not an instruction.
pub const REJECTED: &str = "!reject";

/// The error of a line that is not a row of hexadecimal bytes.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum HexError {
    /// A character that is not a hexadecimal digit, and not a space, comma, bracket or `0x` between bytes.
    #[error("`{}` is not a hexadecimal digit", .0.escape_debug())]
    Digit(char),
    /// A digit without its second one.
    #[error("the last byte has one digit: a byte has two")]
    Half,
}

/// Appends the text of the instruction whose bytes, in memory order, stand on a line: `7f00008c`, `7f 00 00 8c` or
/// `[0x7f,0x00,0x00,0x8c]`. Several instructions are separated by `; `; bytes that are not an instruction become [`REJECTED`].
///
/// # Errors
///
/// A [`HexError`] for text that is not hexadecimal bytes; in that case nothing is appended.
///
/// ```
/// use wavetank_asm::hex_line;
/// use wavetank_gcn::{Chip, Dialect};
/// let mut text = String::new();
/// hex_line("0406 0268", Chip::Gfx900, Dialect::Llvm, &mut text)?;
/// assert_eq!(text, "v_add_u32_e32 v1, s4, v3");
/// # Ok::<(), wavetank_asm::HexError>(())
/// ```
pub fn hex_line(
    line: &str,
    chip: Chip,
    dialect: Dialect,
    out: &mut String,
) -> Result<(), HexError> {
    let mut buffer = [0; 16];
    let mut long = Vec::new();
    let mut rest = bytes(line, &mut buffer, &mut long)?;
    let start = out.len();
    while !rest.is_empty() {
        if out.len() > start {
            out.push_str("; ");
        }
        let Ok(inst) = decode(rest, chip) else {
            out.truncate(start);
            out.push_str(REJECTED);
            return Ok(());
        };
        // Writing to a string does not fail.
        let _ = print_in(&inst, dialect, out);
        rest = &rest[usize::from(inst.len)..];
    }
    Ok(())
}

/// Parses the bytes of a line, into `buffer` if they fit, as those of an instruction do.
fn bytes<'b>(
    line: &str,
    buffer: &'b mut [u8; 16],
    long: &'b mut Vec<u8>,
) -> Result<&'b [u8], HexError> {
    let mut count = 0;
    let mut high = None;
    let mut put = |byte| {
        match buffer.get_mut(count) {
            Some(slot) => *slot = byte,
            None => long.push(byte),
        }
        count += 1;
    };
    let mut rest = line.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (hex_digit(byte), high) {
            (Some(0), None) if matches!(after.first(), Some(b'x' | b'X')) => rest = &after[1..],
            (Some(digit), None) => high = Some(digit),
            (Some(digit), Some(first)) => {
                put(first << 4 | digit);
                high = None;
            }
            (None, None) if matches!(byte, b' ' | b'\t' | b'\r' | b',' | b'[' | b']') => {}
            (None, _) => {
                let at = line.len() - rest.len() - 1;
                return Err(HexError::Digit(line[at..].chars().next().unwrap_or('?')));
            }
        }
    }
    if high.is_some() {
        return Err(HexError::Half);
    }
    if count > buffer.len() {
        long.splice(0..0, buffer.iter().copied());
        return Ok(long);
    }
    Ok(&buffer[..count])
}

fn hex_digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|d| d as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(line: &str) -> Result<String, HexError> {
        let mut out = String::new();
        hex_line(line, Chip::Gfx900, Dialect::Llvm, &mut out)?;
        Ok(out)
    }

    #[test]
    fn bytes_become_instructions() {
        assert_eq!(text("000080bf"), Ok("s_nop 0".into()));
        assert_eq!(text("[0x00,0x00,0x80,0xbf]"), Ok("s_nop 0".into()));
        assert_eq!(text(" 01 00 80 BF\t"), Ok("s_nop 1".into()));
        assert_eq!(text("000080bf010080bf"), Ok("s_nop 0; s_nop 1".into()));
        let long = "000080bf".repeat(9);
        assert_eq!(text(&long), Ok(["s_nop 0"; 9].join("; ")));
        assert_eq!(text(""), Ok(String::new()));
    }

    #[test]
    fn what_is_no_instruction_is_rejected() {
        assert_eq!(text("ffffffff"), Ok(REJECTED.into()));
        assert_eq!(text("000080bfffffffff"), Ok(REJECTED.into()));
        assert_eq!(text("0000"), Ok(REJECTED.into()));
    }

    #[test]
    fn what_is_no_hexadecimal_is_an_error() {
        assert_eq!(text("0000zz"), Err(HexError::Digit('z')));
        assert_eq!(text("00é0"), Err(HexError::Digit('é')));
        assert_eq!(text("000"), Err(HexError::Half));
        assert_eq!(text("0 0"), Err(HexError::Digit(' ')));
    }
}
