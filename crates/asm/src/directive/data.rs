//! Data directives: integers, LEB128, floats, strings.

use std::ops::Range;

use crate::assembler::Assembler;
use crate::expression::{Expr, fits, float, single};
use crate::session::{Handler, assembler_row as row};
use crate::source::{Cursor, SyntaxError, syntax_error};
use crate::state::{FixupKind, Tail, leb};
use wavetank_gcn::Dialect;

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".byte", |a, c| numbers(a, c, 1)),
    row(".1byte", |a, c| numbers(a, c, 1)),
    row(".dc.b", |a, c| numbers(a, c, 1)),
    row(".short", |a, c| numbers(a, c, 2)),
    row(".half", |a, c| numbers(a, c, 2)),
    row(".hword", |a, c| numbers(a, c, 2)),
    row(".value", |a, c| numbers(a, c, 2)),
    row(".2byte", |a, c| numbers(a, c, 2)),
    row(".dc", |a, c| numbers(a, c, 2)),
    row(".dc.w", |a, c| numbers(a, c, 2)),
    row(".long", |a, c| numbers(a, c, 4)),
    row(".int", |a, c| numbers(a, c, 4)),
    row(".word", |a, c| numbers(a, c, 4)),
    row(".4byte", |a, c| numbers(a, c, 4)),
    row(".dc.l", |a, c| numbers(a, c, 4)),
    row(".dc.a", |a, c| numbers(a, c, 8)),
    row(".quad", |a, c| numbers(a, c, 8)),
    row(".8byte", |a, c| numbers(a, c, 8)),
    row(".octa", octa),
    row(".float", |a, c| floats(a, c, 4)),
    row(".single", |a, c| floats(a, c, 4)),
    row(".dc.s", |a, c| floats(a, c, 4)),
    row(".double", |a, c| floats(a, c, 8)),
    row(".dc.d", |a, c| floats(a, c, 8)),
    row(".ascii", |a, c| texts(a, c, false)),
    row(".asciz", |a, c| texts(a, c, true)),
    row(".string", |a, c| texts(a, c, true)),
    row(".uleb128", |a, c| lebs(a, c, false)),
    row(".sleb128", |a, c| lebs(a, c, true)),
];

/// Appends numbers of `size` bytes each.
fn numbers(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, size: u8) -> Result<(), SyntaxError> {
    cursor.each_operand(|cursor| {
        // CLRX takes a missing operand for 0.
        if a.dialect == Dialect::Clrx && matches!(cursor.peek(), b',' | 0) {
            return a.append(&[0; 8][..size.into()]);
        }
        let start = cursor.at();
        let expr = a.expr(cursor)?;
        let place = start..cursor.text()[..cursor.at()].trim_end().len();
        datum(a, expr, size, place)
    })
}

/// Appends a number of `size` bytes, or space for one that is not known yet.
pub(super) fn datum(
    a: &mut Assembler<'_>,
    expr: Expr,
    size: u8,
    place: Range<usize>,
) -> Result<(), SyntaxError> {
    let value = a.values().number(&expr);
    if let Ok(number) = value {
        return if fits(number, size) {
            a.append(&number.to_le_bytes()[..size.into()])
        } else {
            Err(syntax_error(
                place,
                format_args!("{number} has more than {size} bytes"),
            ))
        };
    }
    let location = a.sections.location();
    a.append(&[0; 8][..size.into()])?;
    a.wait(location, FixupKind::Data(size), expr, place);
    Ok(())
}

/// Appends 16-byte numbers, written in decimal or hexadecimal digits.
fn octa(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    cursor.each_operand(|cursor| {
        let place = cursor.span();
        let negative = cursor.eat(b'-');
        let piece = cursor.piece();
        let value = match piece.strip_prefix("0x").or(piece.strip_prefix("0X")) {
            Some(digits) => u128::from_str_radix(digits, 16),
            None => piece.parse(),
        };
        let value = value.map_err(|_| {
            syntax_error(place, format_args!("`{piece}` is not a number of 128 bits"))
        })?;
        let value = if negative {
            value.wrapping_neg()
        } else {
            value
        };
        a.append(&value.to_le_bytes())
    })
}

fn floats(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, size: usize) -> Result<(), SyntaxError> {
    cursor.each_operand(|cursor| {
        let bits = float_bits(cursor, size)?;
        a.append(&bits.to_le_bytes()[..size])
    })
}

/// Reads a float; returns its bits, of four or eight bytes.
pub(super) fn float_bits(cursor: &mut Cursor<'_>, size: usize) -> Result<u64, SyntaxError> {
    let start = cursor.at();
    let piece = cursor.piece();
    let place = start..start + piece.len();
    let value = float(piece);
    let value =
        value.ok_or_else(|| syntax_error(place, format_args!("`{piece}` is not a float")))?;
    Ok(match size {
        4 => single_bits(piece, value).into(),
        _ => double(piece, value),
    })
}

/// Returns the bits in single precision. A NaN has all bits of its fraction set, as in LLVM's assembler.
fn single_bits(piece: &str, value: f64) -> u32 {
    match (
        value.is_nan(),
        value.is_sign_negative() || piece.starts_with('-'),
    ) {
        (true, sign) => 0x7fff_ffff | u32::from(sign) << 31,
        _ => single(piece).unwrap_or(value as f32).to_bits(),
    }
}

fn double(piece: &str, value: f64) -> u64 {
    if value.is_nan() {
        0x7fff_ffff_ffff_ffff | u64::from(piece.starts_with('-')) << 63
    } else {
        value.to_bits()
    }
}

fn texts(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, ends: bool) -> Result<(), SyntaxError> {
    cursor.each_operand(|cursor| {
        let mut text = cursor.quoted()?;
        // Adjacent quoted texts form one text.
        while cursor.peek() == b'"' {
            text.append(&mut cursor.quoted()?);
        }
        if ends {
            text.push(0);
        }
        a.append(&text)
    })
}

fn lebs(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, signed: bool) -> Result<(), SyntaxError> {
    cursor.each_operand(|cursor| {
        let start = cursor.at();
        let expr = a.expr(cursor)?;
        let place = start..cursor.text()[..cursor.at()].trim_end().len();
        match a.values().number(&expr) {
            Ok(number) => a.append(&leb(number, signed, 0)),
            Err(_) => {
                let location = a.sections.location();
                a.wait(location, FixupKind::Leb, expr.clone(), place);
                a.sections.append_tail(Tail::Leb { expr, signed });
                Ok(())
            }
        }
    })
}
