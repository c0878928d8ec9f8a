//! Whole sources: a SUATOM or `.word` a line, with the marks of its control.

use crate::maxwell::bundle::Slot;
use crate::maxwell::encode::encode;
use crate::maxwell::generation::Generation;
use crate::maxwell::text::{Cursor, assemble, marks, statement_end};
use crate::source::{Line, LineError, read_lines};
use crate::text_error::TextError;

/// Assembles a source line by line. Lines with only comments (`//`, `/* */`) are skipped; `.word 0x…` is a word as given.
///
/// Returns the words of the valid lines, and the errors of the others, at most `most`.
///
/// ```
/// use wavetank_surface_isa::maxwell::{Generation, source};
/// let text = "SUATOM.D.2D.ADD R10, [R2], R4, R1 &wr0; // adds\n.word 0x50b0000000070f00;\n\nEXIT;";
/// let (lines, errors) = source(text, Generation::Sm52, 10);
/// assert_eq!(lines.len(), 2);
/// assert_eq!(lines[1].statement.word, 0x50b0_0000_0007_0f00);
/// assert!(errors[0].to_string().starts_with("line 4, column 1: `EXIT` is not an instruction"));
/// ```
pub fn source(
    text: &str,
    generation: Generation,
    most: usize,
) -> (Vec<Line<Slot>>, Vec<LineError>) {
    read_lines(text, most, |line| statement(line, generation))
}

fn statement(text: &str, generation: Generation) -> Result<Option<Slot>, TextError> {
    let mut cursor = Cursor::new(text);
    if cursor.is_at_end() {
        return Ok(None);
    }
    if cursor.eat_here('.') {
        return word(&mut cursor).map(Some);
    }
    let (inst, control) = assemble(text, generation)?;
    let word = encode(&inst).map_err(|error| TextError::new(0..text.len(), error))?;
    Ok(Some(Slot { word, control }))
}

/// Reads the rest of `.word 0x50b0000000070f00`, after its dot.
fn word(cursor: &mut Cursor<'_>) -> Result<Slot, TextError> {
    let name = cursor.word_here();
    if !name.is("word") {
        return name.fail("expected `.word`, with 64 bits in hexadecimal after it");
    }
    let digits = cursor.word();
    let hex = digits
        .text
        .strip_prefix("0x")
        .or_else(|| digits.text.strip_prefix("0X"));
    let hex = hex.filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
    let Some(word) = hex.and_then(|hex| u64::from_str_radix(hex, 16).ok()) else {
        return match digits.text {
            "" => cursor.fail("expected 64 bits in hexadecimal, as in `.word 0x50b0000000070f00`"),
            _ => digits.fail("expected 64 bits in hexadecimal, as in `.word 0x50b0000000070f00`"),
        };
    };
    let control = marks(cursor)?;
    statement_end(cursor)?;
    Ok(Slot { word, control })
}
