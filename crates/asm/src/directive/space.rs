//! Directives for fills and alignment.

use crate::assembler::{Assembler, too_large};
use crate::session::{Handler, assembler_row as row};
use crate::source::{Cursor, SyntaxError, syntax_error};
use crate::state::NOP;

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".fill", |a, c| fill(a, c, u32::MAX.into())),
    row(".zero", space),
    row(".skip", space),
    row(".space", space),
    row(".ds", |a, c| spaces(a, c, 2)),
    row(".ds.b", |a, c| spaces(a, c, 1)),
    row(".ds.w", |a, c| spaces(a, c, 2)),
    row(".ds.l", |a, c| spaces(a, c, 4)),
    row(".ds.s", |a, c| spaces(a, c, 4)),
    row(".ds.d", |a, c| spaces(a, c, 8)),
    row(".ds.p", |a, c| spaces(a, c, 12)),
    row(".ds.x", |a, c| spaces(a, c, 12)),
    row(".dcb", |a, c| copies(a, c, 2)),
    row(".dcb.b", |a, c| copies(a, c, 1)),
    row(".dcb.w", |a, c| copies(a, c, 2)),
    row(".dcb.l", |a, c| copies(a, c, 4)),
    row(".dcb.s", |a, c| copies_of_float(a, c, 4)),
    row(".dcb.d", |a, c| copies_of_float(a, c, 8)),
    row(".align", |a, c| align(a, c, false, 1)),
    row(".balign", |a, c| align(a, c, false, 1)),
    row(".balignw", |a, c| align(a, c, false, 2)),
    row(".balignl", |a, c| align(a, c, false, 4)),
    row(".p2align", |a, c| align(a, c, true, 1)),
    row(".p2alignw", |a, c| align(a, c, true, 2)),
    row(".p2alignl", |a, c| align(a, c, true, 4)),
    row(".org", |a, c| a.org(c)),
];

/// Handles `.fill COUNT, SIZE, VALUE`: the size is at most 8 bytes, and the mask limits the value.
pub(super) fn fill(
    a: &mut Assembler<'_>,
    mut cursor: Cursor<'_>,
    mask: u64,
) -> Result<(), SyntaxError> {
    let (count, place) = a.repeat_count(&mut cursor)?;
    let (mut size, mut value) = (1, 0);
    if cursor.comma() {
        if cursor.peek() != b',' {
            size = a.count(&mut cursor)?.min(8);
        }
        if cursor.comma() {
            value = a.number(&mut cursor)?;
        }
    }
    cursor.end()?;
    let value = value as u64 & mask;
    a.append_copies(count, place, &value.to_le_bytes()[..size as usize])
}

/// Handles `.zero COUNT, BYTE`.
fn space(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let (count, place) = a.repeat_count(&mut cursor)?;
    let byte = if cursor.comma() {
        a.number(&mut cursor)? as u8
    } else {
        0
    };
    cursor.end()?;
    a.append_copies(count, place, &[byte])
}

/// Handles `.ds COUNT`: space for this many elements.
fn spaces(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, size: u64) -> Result<(), SyntaxError> {
    let count = a.count(&mut cursor)?;
    cursor.end()?;
    a.sections
        .append_same(count.saturating_mul(size), 0)
        .map_err(too_large)
}

/// Handles `.dcb COUNT, VALUE`: copies of a number.
fn copies(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, size: usize) -> Result<(), SyntaxError> {
    let (count, place) = a.repeat_count(&mut cursor)?;
    cursor.expect_comma()?;
    let value = a.number(&mut cursor)?;
    cursor.end()?;
    a.append_copies(count, place, &value.to_le_bytes()[..size])
}

/// Handles `.dcb.d COUNT, FLOAT`: copies of a float.
fn copies_of_float(
    a: &mut Assembler<'_>,
    mut cursor: Cursor<'_>,
    size: usize,
) -> Result<(), SyntaxError> {
    let (count, place) = a.repeat_count(&mut cursor)?;
    cursor.expect_comma()?;
    let bits = super::data::float_bits(&mut cursor, size)?;
    cursor.end()?;
    a.append_copies(count, place, &bits.to_le_bytes()[..size])
}

/// Handles `.p2align BITS, FILL, MOST` and `.balign BYTES, FILL, MOST`. Code without a fill is padded with `s_nop 0`.
fn align(
    a: &mut Assembler<'_>,
    mut cursor: Cursor<'_>,
    power: bool,
    size: u8,
) -> Result<(), SyntaxError> {
    let start = cursor.at();
    let number = a.count(&mut cursor)?;
    let place = start..cursor.text()[..cursor.at()].trim_end().len();
    let align = match power {
        true if number < 32 => 1 << number,
        true => return Err(syntax_error(place, "an alignment has 2^31 bytes at most")),
        false if number == 0 => 1,
        false if number.is_power_of_two() && number < 1 << 32 => number,
        false => {
            return Err(syntax_error(
                place,
                format_args!("{number} is not a power of two below 2^32"),
            ));
        }
    };
    let (mut fill, mut most) = (None, u64::MAX);
    if cursor.comma() {
        if cursor.peek() != b',' {
            fill = Some(a.number(&mut cursor)?);
        }
        if cursor.comma() {
            most = a.count(&mut cursor)?;
        }
    }
    cursor.end()?;
    let fill = match (fill, size) {
        (None, _) if a.sections.here().is_code() => NOP,
        (None, _) => 0,
        (Some(fill), 1) => u32::from(fill as u8) * 0x0101_0101,
        (Some(fill), 2) => u32::from(fill as u16) * 0x1_0001,
        (Some(fill), _) => fill as u32,
    };
    a.align_to(align, fill, most)
}
