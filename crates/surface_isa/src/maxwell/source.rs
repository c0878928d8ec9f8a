//! Whole sources: a SUATOM or `.word` a line, with the marks of its control.

use std::fmt;

use crate::maxwell::control::Control;
use crate::maxwell::encode::encode;
use crate::maxwell::generation::Generation;
use crate::maxwell::text::{Cursor, TextError, assemble, marks, statement_end};

/// The word that a line stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// The number of the line, from 1.
    pub number: usize,
    /// The instruction word.
    pub word: u64,
    /// What the marks say.
    pub control: Control,
}

/// A line that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineError {
    /// The number of the line, from 1.
    pub number: usize,
    /// The line as it was written.
    pub text: String,
    /// What is wrong; its place is one of `text`.
    pub error: TextError,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LineError {
            number,
            text,
            error,
        } = self;
        let column = error.column(text);
        write!(
            f,
            "line {number}, column {column}: {error}\n{}",
            error.snippet(text)
        )
    }
}

/// Assembles a source line by line. Lines with nothing but comments (`//`, `/* */`) are left out; `.word 0x…` is a word as
/// it stands.
///
/// Gives the words of the lines that are right, and what is wrong with the others, of which there are `most` at most.
///
/// ```
/// use wavetank_surface_isa::maxwell::{Generation, source};
/// let text = "SUATOM.D.2D.ADD R10, [R2], R4, R1 &wr0; // adds\n.word 0x50b0000000070f00;\n\nEXIT;";
/// let (lines, errors) = source(text, Generation::Sm52, 10);
/// assert_eq!(lines.len(), 2);
/// assert_eq!(lines[1].word, 0x50b0_0000_0007_0f00);
/// assert!(errors[0].to_string().starts_with("line 4, column 1: `EXIT` is no instruction"));
/// ```
pub fn source(text: &str, generation: Generation, most: usize) -> (Vec<Line>, Vec<LineError>) {
    let (mut lines, mut errors) = (Vec::new(), Vec::new());
    for (n, text) in text.lines().enumerate() {
        if errors.len() >= most {
            break;
        }
        let number = n + 1;
        match statement(text, generation) {
            Ok(Some((word, control))) => lines.push(Line {
                number,
                word,
                control,
            }),
            Ok(None) => {}
            Err(error) => errors.push(LineError {
                number,
                text: text.to_owned(),
                error,
            }),
        }
    }
    (lines, errors)
}

fn statement(text: &str, generation: Generation) -> Result<Option<(u64, Control)>, TextError> {
    let mut cursor = Cursor::new(text);
    if cursor.is_at_end() {
        return Ok(None);
    }
    if cursor.eat_here('.') {
        return word(&mut cursor).map(Some);
    }
    let (inst, control) = assemble(text, generation)?;
    let word = encode(&inst).map_err(|error| TextError::new(0..text.len(), error))?;
    Ok(Some((word, control)))
}

/// `.word 0x50b0000000070f00`, behind its dot.
fn word(cursor: &mut Cursor<'_>) -> Result<(u64, Control), TextError> {
    let name = cursor.word_here();
    if !name.is("word") {
        return name.fail("expected `.word`, with 64 bits in hexadecimal behind it");
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
    Ok((word, control))
}
