//! Directives of the object's header and notes: target, version, metadata.

use std::ops::Range;

use crate::session::{Handler, Session, alone, row};
use crate::source::{Cursor, SyntaxError, syntax_error};
use crate::state::Place;
use wavetank_gcn::{Chip, later_chip};
use wavetank_link::Os;
use wavetank_object::{Error, Feature, Target, note};

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".amdgcn_target", target),
    row(".amd_amdgpu_isa", isa_name),
    row(".amdhsa_code_object_version", version),
    row(".hsa_code_object_version", hsa_version),
    row(".hsa_code_object_isa", hsa_isa),
    row(".amdgpu_metadata", |a, c| metadata(a, c, ".end_amdgpu_metadata")),
    row(".end_amdgpu_metadata", |_, c| alone(c, ".amdgpu_metadata")),
    row(".amd_amdgpu_hsa_metadata", |a, c| metadata(a, c, ".end_amd_amdgpu_hsa_metadata")),
    row(".end_amd_amdgpu_hsa_metadata", |_, c| alone(c, ".amd_amdgpu_hsa_metadata")),
    row(".amdgpu_pal_metadata", |a, c| metadata(a, c, ".end_amdgpu_pal_metadata")),
    row(".end_amdgpu_pal_metadata", |_, c| alone(c, ".amdgpu_pal_metadata")),
];

/// Handles `.amdgcn_target "amdgcn-amd-amdhsa--gfx900:xnack+"`, which sets the target. A requested chip must be the same.
fn target(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = cursor.at()..cursor.text().len();
    let text = cursor.name()?;
    cursor.end()?;
    set_target(a, &text, place)
}

fn set_target(a: &mut Session<'_>, text: &str, place: Range<usize>) -> Result<(), SyntaxError> {
    let target: Target = modern(text)
        .parse()
        .map_err(|why| syntax_error(place.clone(), why))?;
    let Some(chip) = Chip::from_name(target.instructions()) else {
        // Instructions of an unknown chip would all be wrong for another one.
        a.ended = true;
        let unknown = || format!("{} is none of gfx600 to gfx950", target.chip);
        let problem = later_chip(&target.chip).unwrap_or_else(unknown);
        return Err(syntax_error(place, problem));
    };
    a.allows(chip, place)?;
    a.notes.os = match text.split('-').nth(2) {
        Some("amdpal") => Os::Pal,
        Some("mesa3d") => Os::Mesa3d,
        Some("") => Os::None,
        _ => Os::Hsa,
    };
    if text.contains('+') && !text.contains(':') {
        // Only versions up to 3 wrote features in this way.
        a.notes.version = a.notes.version.min(3);
    }
    a.asm.target = target;
    a.asm.set_chip(chip);
    Ok(())
}

/// Converts a target to the syntax of version 4 and later. Earlier versions wrote the enabled features after the chip, as
/// `+xnack`.
fn modern(text: &str) -> String {
    let mut parts = text.split('+');
    let chip = parts.next().unwrap_or_default();
    let feature = |name: &str| name.replace("sram-ecc", "sramecc");
    if text.contains(':') {
        text.to_owned()
    } else {
        parts.fold(chip.to_owned(), |all, name| {
            format!("{all}:{}+", feature(name))
        })
    }
}

fn version(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = cursor.span();
    let number = a.asm.number(&mut cursor)?;
    cursor.end()?;
    match u8::try_from(number) {
        Ok(2) => begin_version_2(a),
        Ok(version @ 3..=6) => a.notes.version = version,
        _ => {
            return Err(syntax_error(
                place,
                format_args!("code objects have the versions 2 to 6, not {number}"),
            ));
        }
    }
    Ok(())
}

/// Makes the object one of version 2.
fn begin_version_2(a: &mut Session<'_>) {
    a.notes.version = 2;
    a.asm.define_version_2();
}

/// Chips with XNACK, which had names of their own in version 2 (the guide, "Code Object V2 ISA Version").
const WITH_XNACK: [(&str, &str); 4] = [
    ("-gfx901", "gfx900"),
    ("-gfx903", "gfx902"),
    ("-gfx905", "gfx904"),
    ("-gfx907", "gfx906"),
];

/// Handles `.amd_amdgpu_isa "amdgcn-amd-amdhsa--gfx803"`, of version 2.
fn isa_name(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let place = cursor.at()..cursor.text().len();
    let name = cursor.clone().name()?.into_owned();
    match WITH_XNACK.iter().find(|(old, _)| name.ends_with(old)) {
        Some((_, chip)) => set_target(a, &format!("amdgcn-amd-amdhsa--{chip}:xnack+"), place)?,
        None => target(a, cursor)?,
    }
    begin_version_2(a);
    a.notes.entries.extend(note::isa_name(&name));
    Ok(())
}

/// Handles `.hsa_code_object_version MAJOR, MINOR`.
fn hsa_version(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let major = a.asm.count(&mut cursor)?;
    cursor.expect_comma()?;
    let minor = a.asm.count(&mut cursor)?;
    cursor.end()?;
    begin_version_2(a);
    a.notes
        .entries
        .extend(note::code_object_version(major as u32, minor as u32));
    Ok(())
}

/// Handles `.hsa_code_object_isa MAJOR, MINOR, STEPPING, "VENDOR", "ARCHITECTURE"`; without operands, the chip's own are taken.
fn hsa_isa(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let (major, minor, stepping) = crate::isa_version(a.asm.chip);
    // The steppings of chips with XNACK were odd.
    let odd = major == 9 && a.asm.target.has_xnack() && a.asm.target.xnack != Feature::Off;
    let stepping = if odd { stepping | 1 } else { stepping };
    let mut numbers = [major, minor, stepping];
    let (mut vendor, mut architecture) = ("AMD".to_owned(), "AMDGPU".to_owned());
    if !cursor.is_at_end() {
        for number in &mut numbers {
            *number = a.asm.count(&mut cursor)? as u32;
            cursor.expect_comma()?;
        }
        vendor = cursor.name()?.into_owned();
        cursor.expect_comma()?;
        architecture = cursor.name()?.into_owned();
        cursor.end()?;
    }
    begin_version_2(a);
    a.notes
        .entries
        .extend(note::isa_version(numbers, &vendor, &architecture));
    Ok(())
}

/// Takes the text up to the end unread, since YAML has comments of its own.
fn metadata(a: &mut Session<'_>, cursor: Cursor<'_>, end: &str) -> Result<(), SyntaxError> {
    cursor.end()?;
    let whole = 0..cursor.text().len();
    let Some(input) = a.inputs.current() else {
        return Ok(());
    };
    let origin = input.origin.clone();
    let (source, first) = (origin.text.clone(), a.asm.at.line + 1);
    let mut text = String::new();
    loop {
        let Some(row) = a.inputs.row() else {
            return Err(syntax_error(whole, format_args!("this has no `{end}`")));
        };
        let line = &source[row.range];
        if line.trim() == end {
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    let note = match end {
        ".end_amdgpu_metadata" => note::metadata(&text),
        ".end_amdgpu_pal_metadata" => note::pal_metadata(&text),
        _ => {
            begin_version_2(a);
            note::metadata_v2(&text)
        }
    };
    match note {
        Ok(note) => a.notes.entries.extend(note),
        // An error in the metadata is reported at its own line.
        Err(Error::MetadataText {
            line,
            column,
            problem,
        }) => {
            let place = Place {
                origin,
                line: (first + line - 1) as u32,
                column: column.saturating_sub(1) as u32,
                length: 1,
            };
            a.asm
                .report(place.line_error(format_args!("these are not valid metadata: {problem}")));
        }
        Err(error) => return Err(syntax_error(whole, error)),
    }
    Ok(())
}
