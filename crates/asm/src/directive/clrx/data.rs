//! Data directives that only CLRX has: half precision, fills of 64 bits, texts of wider characters, structures.

use wavetank_gcn::text::half;

use crate::assembler::Assembler;
use crate::expression::float;
use crate::session::{Handler, assembler_row as row};
use crate::source::{Cursor, SyntaxError, syntax_error};

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".half", halves),
    row(".fillq", |a, c| super::super::space::fill(a, c, u64::MAX)),
    row(".string16", |a, c| wide(a, c, 2)),
    row(".string32", |a, c| wide(a, c, 4)),
    row(".string64", |a, c| wide(a, c, 8)),
    row(".offset", |a, c| absolute(a, c, ".offset")),
    row(".struct", |a, c| absolute(a, c, ".struct")),
    row(".abort", |_, c| Err(syntax_error(0..c.text().len(), "the source ends here: `.abort`"))),
    row(".fail", fail),
];

/// Reads `.half 1.5, -0.25`.
fn halves(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    cursor.each_operand(|cursor| {
        let place = cursor.span();
        if matches!(cursor.peek(), b',' | 0) {
            return a.append(&[0; 2]);
        }
        let piece = cursor.piece();
        let value = float(piece).filter(|value| !value.is_nan());
        let value = value.and_then(|value| {
            if value.is_infinite() {
                Some(0x7c00 | u16::from(value < 0.0) << 15)
            } else {
                half(value)
            }
        });
        let message = || format!("`{piece}` is not a float of 16 bits");
        let value = value.ok_or_else(|| syntax_error(place, message()))?;
        a.append(&value.to_le_bytes())
    })
}

/// Appends zero-terminated texts with each byte widened to `size` bytes.
fn wide(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, size: usize) -> Result<(), SyntaxError> {
    let mut text = Vec::new();
    cursor.each_operand(|cursor| {
        text.append(&mut cursor.quoted()?);
        Ok(())
    })?;
    text.push(0);
    let wide = text.iter().map(|byte| u64::from(*byte).to_le_bytes());
    let bytes: Vec<u8> = wide
        .flat_map(|bytes| bytes.into_iter().take(size))
        .collect();
    a.append(&bytes)
}

/// Refuses the absolute section, in which CLRX lays out structures.
fn absolute(_: &mut Assembler<'_>, cursor: Cursor<'_>, name: &str) -> Result<(), SyntaxError> {
    Err(syntax_error(
        0..cursor.text().len(),
        format_args!(
            "the absolute section of `{name}` is not there: set the fields by `field = 4`"
        ),
    ))
}

/// Handles `.fail NUMBER`, which is an error for numbers below 500.
fn fail(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let number = a.number(&mut cursor)?;
    cursor.end()?;
    if number >= 500 {
        Ok(())
    } else {
        Err(syntax_error(
            0..cursor.text().len(),
            format_args!("the source says that it fails: {number}"),
        ))
    }
}
