//! Room: fills and alignment.

use super::{Handler, row};
use crate::assembler::{Assembler, too_large};
use crate::source::{Cursor, Wrong, wrong};
use crate::state::{NOP, Tail, padding};

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
    row(".dcb", |a, c| copies(a, c, 2)),
    row(".dcb.b", |a, c| copies(a, c, 1)),
    row(".dcb.w", |a, c| copies(a, c, 2)),
    row(".dcb.l", |a, c| copies(a, c, 4)),
    row(".align", |a, c| align(a, c, false, 1)),
    row(".balign", |a, c| align(a, c, false, 1)),
    row(".balignw", |a, c| align(a, c, false, 2)),
    row(".balignl", |a, c| align(a, c, false, 4)),
    row(".p2align", |a, c| align(a, c, true, 1)),
    row(".p2alignw", |a, c| align(a, c, true, 2)),
    row(".p2alignl", |a, c| align(a, c, true, 4)),
    row(".org", org),
];

/// `.fill COUNT, SIZE, VALUE`: of the size at most 8 bytes, of the value those of the mask.
pub(super) fn fill(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, mask: u64) -> Result<(), Wrong> {
    let count = a.count(&mut cursor)?;
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
    repeated(a, count, &value.to_le_bytes()[..size as usize])
}

/// The same bytes so many times.
fn repeated(a: &mut Assembler<'_>, count: u64, bytes: &[u8]) -> Result<(), Wrong> {
    match bytes {
        [] => Ok(()),
        [first, rest @ ..] if rest.iter().all(|b| b == first) => {
            let count = count.saturating_mul(bytes.len() as u64);
            a.sections.append_same(count, *first).map_err(too_large)
        }
        _ => {
            // Not in one piece: what is too large shall not be made first.
            (0..count).try_for_each(|_| a.append(bytes))
        }
    }
}

/// `.zero COUNT, BYTE`
fn space(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let count = a.count(&mut cursor)?;
    let byte = match cursor.comma() {
        true => a.number(&mut cursor)? as u8,
        false => 0,
    };
    cursor.end()?;
    a.sections.append_same(count, byte).map_err(too_large)
}

/// `.ds COUNT`: room for so many elements.
fn spaces(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, size: u64) -> Result<(), Wrong> {
    let count = a.count(&mut cursor)?;
    cursor.end()?;
    a.sections
        .append_same(count.saturating_mul(size), 0)
        .map_err(too_large)
}

/// `.dcb COUNT, VALUE`
fn copies(a: &mut Assembler<'_>, mut cursor: Cursor<'_>, size: usize) -> Result<(), Wrong> {
    let count = a.count(&mut cursor)?;
    cursor.expect_comma()?;
    let value = a.number(&mut cursor)?;
    cursor.end()?;
    repeated(a, count, &value.to_le_bytes()[..size])
}

/// `.p2align BITS, FILL, MOST` and `.balign BYTES, FILL, MOST`: in code without a fill by `s_nop 0`.
fn align(
    a: &mut Assembler<'_>,
    mut cursor: Cursor<'_>,
    power: bool,
    size: u8,
) -> Result<(), Wrong> {
    let start = cursor.at();
    let number = a.count(&mut cursor)?;
    let place = start..cursor.text()[..cursor.at()].trim_end().len();
    let align = match power {
        true if number < 32 => 1 << number,
        true => return Err(wrong(place, "an alignment has 2^31 bytes at most")),
        false if number == 0 => 1,
        false if number.is_power_of_two() && number < 1 << 32 => number,
        false => {
            return Err(wrong(
                place,
                format_args!("{number} is no power of two below 2^32"),
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
    align_to(a, align, fill, most)
}

/// Fills up to a multiple of `align`, unless more than `most` bytes are needed.
pub(crate) fn align_to(
    a: &mut Assembler<'_>,
    align: u64,
    fill: u32,
    most: u64,
) -> Result<(), Wrong> {
    a.sections.align_at_least(align);
    if !a.sections.here().has_known_size() {
        a.sections.append_tail(Tail::Align { align, fill, most });
        return Ok(());
    }
    let at = a.sections.spot().offset;
    let gap = at.next_multiple_of(align) - at;
    match gap > most {
        true => Ok(()),
        false if fill == 0 => a.sections.append_same(gap, 0).map_err(too_large),
        false => a.append(&padding(gap, fill)),
    }
}

/// `.org PLACE, BYTE`: goes on at a later place of the section.
pub(super) fn org(a: &mut Assembler<'_>, mut cursor: Cursor<'_>) -> Result<(), Wrong> {
    let here = a.sections.spot();
    let start = cursor.at();
    let expr = a.expr(&mut cursor)?;
    let place = start..cursor.text()[..cursor.at()].trim_end().len();
    let reduced = a
        .values()
        .reduce(&expr)
        .map_err(|why| wrong(place.clone(), why))?;
    let base = match reduced.plus {
        None => Some(0),
        Some(base) => a
            .values()
            .spot(&base)
            .filter(|s| s.section == here.section && s.fragment == here.fragment)
            .map(|s| s.offset),
    };
    let to = base.map(|base| (base as i64).wrapping_add(reduced.constant));
    let to = to.filter(|_| reduced.minus.is_none() && a.sections.here().has_known_size());
    let Some(to) = to else {
        return Err(wrong(
            place,
            "this is no place of this section that is known here",
        ));
    };
    let byte = match cursor.comma() {
        true => a.number(&mut cursor)? as u8,
        false => 0,
    };
    cursor.end()?;
    let count = to
        .checked_sub(here.offset as i64)
        .and_then(|n| u64::try_from(n).ok());
    let count = count.ok_or_else(|| {
        let now = here.offset;
        wrong(
            place,
            format_args!("the section is at byte {now} already: `.org` does not go back to {to}"),
        )
    })?;
    a.sections.append_same(count, byte).map_err(too_large)
}
