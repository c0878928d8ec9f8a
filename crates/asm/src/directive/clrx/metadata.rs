//! Directives of metadata: arguments, `.md_…`, `.printf`.
//!
//! Source: CLRX's documentation, "CLRX Assembler ROCm handling" and "… AMD Catalyst OpenCL 2.0 handling".

use crate::session::program::{Format, TYPES, quoted};
use crate::session::{Handler, Session, row};
use crate::source::{Cursor, SyntaxError, syntax_error};

#[rustfmt::skip]
pub(super) const ROWS: &[Handler] = &[
    row(".arg", argument),
    row(".setupargs", setup_arguments),
    row(".md_version", |a, mut c| { a.program.metadata.version = pair(a, &mut c)?; c.end() }),
    row(".md_language", language),
    row(".md_symname", |a, c| text(a, c, "SymbolName")),
    row(".runtime_handle", |a, c| text(a, c, "RuntimeHandle")),
    row(".vectypehint", |a, c| text(a, c, "VecTypeHint")),
    row(".cws", |a, c| sizes(a, c, "ReqdWorkGroupSize")),
    row(".reqd_work_group_size", |a, c| sizes(a, c, "ReqdWorkGroupSize")),
    row(".work_group_size_hint", |a, c| sizes(a, c, "WorkGroupSizeHint")),
    row(".fixed_work_group_size", |a, c| sizes(a, c, "FixedWorkGroupSize")),
    row(".max_flat_work_group_size", |a, c| size(a, c, "MaxFlatWorkGroupSize")),
    row(".md_kernarg_segment_size", |a, c| size(a, c, "KernargSegmentSize")),
    row(".md_kernarg_segment_align", |a, c| size(a, c, "KernargSegmentAlign")),
    row(".md_group_segment_fixed_size", |a, c| size(a, c, "GroupSegmentFixedSize")),
    row(".md_private_segment_fixed_size", |a, c| size(a, c, "PrivateSegmentFixedSize")),
    row(".md_sgprsnum", |a, c| size(a, c, "NumSGPRs")),
    row(".md_vgprsnum", |a, c| size(a, c, "NumVGPRs")),
    row(".spilledsgprs", |a, c| size(a, c, "NumSpilledSGPRs")),
    row(".spilledvgprs", |a, c| size(a, c, "NumSpilledVGPRs")),
    row(".md_wavefront_size", |a, c| size(a, c, "WavefrontSize")),
    row(".printf", printf),
];

/// Limit of a kernel's arguments in bytes.
const MOST_ARGUMENTS: u64 = 1 << 20;

/// Value kinds of the metadata, by CLRX's names.
const KINDS: [(&str, &str); 17] = [
    ("complact", "HiddenCompletionAction"),
    ("defqueue", "HiddenDefaultQueue"),
    ("dynshptr", "DynamicSharedPointer"),
    ("globalbuf", "GlobalBuffer"),
    ("globaloffsetx", "HiddenGlobalOffsetX"),
    ("globaloffsety", "HiddenGlobalOffsetY"),
    ("globaloffsetz", "HiddenGlobalOffsetZ"),
    ("gox", "HiddenGlobalOffsetX"),
    ("goy", "HiddenGlobalOffsetY"),
    ("goz", "HiddenGlobalOffsetZ"),
    ("image", "Image"),
    ("none", "HiddenNone"),
    ("pipe", "Pipe"),
    ("printfbuf", "HiddenPrintfBuffer"),
    ("queue", "Queue"),
    ("sampler", "Sampler"),
    ("value", "ByValue"),
];

const SPACES: [(&str, &str); 6] = [
    ("private", "Private"),
    ("global", "Global"),
    ("constant", "Constant"),
    ("local", "Local"),
    ("generic", "Generic"),
    ("region", "Region"),
];

const ACCESSES: [(&str, &str); 7] = [
    ("default", "Default"),
    ("read_only", "ReadOnly"),
    ("rdonly", "ReadOnly"),
    ("write_only", "WriteOnly"),
    ("wronly", "WriteOnly"),
    ("read_write", "ReadWrite"),
    ("rdwr", "ReadWrite"),
];

const FLAGS: [(&str, &str); 4] = [
    ("const", "IsConst"),
    ("restrict", "IsRestrict"),
    ("volatile", "IsVolatile"),
    ("pipe", "IsPipe"),
];

/// An argument that is being read.
struct Argument {
    entries: Vec<(&'static str, String)>,
    size: u64,
    align: u64,
}

/// Reads `.arg`, in the syntax of the binary's format.
fn argument(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    match a.program.format {
        Format::Gallium => return super::gallium::argument(a, cursor),
        Format::Amd => return super::catalyst_argument::argument(a, cursor),
        _ => {}
    }
    let mut entries = Vec::new();
    let name = match cursor.peek() {
        b',' => "",
        _ => cursor.piece(),
    };
    if !name.is_empty() {
        entries.push(("Name", quoted(name.trim_matches('"'))));
    }
    cursor.expect_comma()?;
    if cursor.peek() == b'"' {
        let text = cursor.quoted()?;
        entries.push(("TypeName", quoted(&String::from_utf8_lossy(&text))));
        cursor.expect_comma()?;
    }
    let argument = match a.program.format {
        Format::AmdCl2 => opencl_argument(a, &mut cursor, entries)?,
        _ => rocm_argument(a, &mut cursor, entries)?,
    };
    add(a, &cursor, argument)
}

/// Reads the rest of ROCm's `.arg`: `… SIZE, ALIGN, KIND, TYPE, …`.
fn rocm_argument(
    a: &mut Session<'_>,
    cursor: &mut Cursor<'_>,
    mut entries: Vec<(&'static str, String)>,
) -> Result<Argument, SyntaxError> {
    let size = a.asm.count(cursor)?;
    let mut align = size.next_power_of_two().min(16);
    if cursor.comma() && cursor.peek() != b',' {
        let place = cursor.span();
        align = a.asm.count(cursor)?;
        if !align.is_power_of_two() || align > 1 << 16 {
            return Err(syntax_error(
                place,
                format_args!("{align} is not an alignment"),
            ));
        }
    }
    cursor.expect_comma()?;
    let kind = one_of(
        cursor,
        &KINDS,
        "a kind of values, such as value or globalbuf",
    )?;
    cursor.expect_comma()?;
    let place = cursor.span();
    let word = cursor.piece().to_ascii_lowercase();
    let found = TYPES.iter().find(|row| row.0 == word || row.1 == word);
    let message = || format!("`{word}` is not a type of values, such as i32 or f32");
    let (_, _, name, _) = found.ok_or_else(|| syntax_error(place, message()))?;
    entries.extend([
        ("ValueKind", kind.to_owned()),
        ("ValueType", (*name).to_owned()),
    ]);
    if kind == "DynamicSharedPointer" && cursor.comma() && cursor.peek() != b',' {
        entries.push(("PointeeAlign", a.asm.count(cursor)?.to_string()));
    }
    if matches!(kind, "DynamicSharedPointer" | "GlobalBuffer") && cursor.comma() {
        let space = one_of(cursor, &SPACES, "an address space, such as global")?;
        entries.push(("AddrSpaceQual", space.to_owned()));
    }
    if matches!(kind, "Image" | "Pipe") && cursor.comma() {
        let access = one_of(cursor, &ACCESSES, "an access, such as read_only")?;
        entries.push(("AccQual", access.to_owned()));
    }
    if matches!(kind, "Image" | "Pipe" | "GlobalBuffer") && cursor.comma() {
        let access = one_of(cursor, &ACCESSES, "an access, such as read_only")?;
        entries.push(("ActualAccQual", access.to_owned()));
    }
    while !cursor.is_at_end() {
        cursor.comma();
        let flag = one_of(cursor, &FLAGS, "a flag, such as const")?;
        entries.push((flag, "true".to_owned()));
    }
    Ok(Argument {
        entries,
        size,
        align,
    })
}

/// Reads the rest of OpenCL's `.arg`: `… TYPE, …`, with a type of OpenCL, a pointer, an image or a sampler, and the operands of a
/// structure or pointer.
fn opencl_argument(
    a: &mut Session<'_>,
    cursor: &mut Cursor<'_>,
    mut entries: Vec<(&'static str, String)>,
) -> Result<Argument, SyntaxError> {
    let place = cursor.span();
    let whole = cursor.rest();
    let end = whole.find(',').unwrap_or(whole.len());
    let written = whole[..end].trim();
    cursor.skip(end);
    let pointer = written.ends_with('*');
    let word = written
        .trim_end_matches('*')
        .trim_end()
        .to_ascii_lowercase();
    let base = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let elements: u64 = match &word[base.len()..] {
        "2" => 2,
        // Three elements take the space of four (OpenCL, "Alignment of Types").
        "3" | "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => 1,
    };
    let known = elements > 1 || base == word;
    let found = TYPES.iter().find(|row| row.1 == base && known);
    let special = match base {
        _ if word.starts_with("image") => Some(("Image", "Struct")),
        "sampler" => Some(("Sampler", "Struct")),
        "queue" | "clkevent" => Some(("Queue", "Struct")),
        _ => None,
    };
    let address = if a.program.wide { 8 } else { 4 };
    let (kind, value, mut size) = match (special, found, pointer) {
        (Some((kind, value)), ..) => (kind, value, address),
        (_, Some((.., name, _)), true) => ("GlobalBuffer", *name, address),
        (_, Some((.., name, bytes)), false) => ("ByValue", *name, bytes * elements),
        (None, None, true) => ("GlobalBuffer", "Struct", address),
        (None, None, false) => {
            let message = format!("`{written}` is not a type of OpenCL, such as uint or float*");
            return Err(syntax_error(place, message));
        }
    };
    let kind = rest_of_argument(a, cursor, kind, value, &mut size, &mut entries)?;
    // A structure's size is a multiple of its alignment.
    let align = if kind == "ByValue" && value == "Struct" {
        1 << size.trailing_zeros().min(4)
    } else {
        size.next_power_of_two().clamp(1, 16)
    };
    entries.extend([
        ("ValueKind", kind.to_owned()),
        ("ValueType", value.to_owned()),
    ]);
    if kind == "DynamicSharedPointer" {
        entries.push(("PointeeAlign", "16".to_owned()));
    }
    Ok(Argument {
        entries,
        size,
        align,
    })
}

/// Reads the operands after the type: the size of a structure, the space of a pointer, flags, and values that only drivers use.
/// Returns the kind.
fn rest_of_argument(
    a: &mut Session<'_>,
    cursor: &mut Cursor<'_>,
    mut kind: &'static str,
    value: &str,
    size: &mut u64,
    entries: &mut Vec<(&'static str, String)>,
) -> Result<&'static str, SyntaxError> {
    while cursor.comma() {
        let mut words = *cursor;
        let end = cursor.rest().find(',').unwrap_or(cursor.rest().len());
        if words.peek().is_ascii_digit() && kind == "ByValue" && value == "Struct" {
            *size = a.asm.count(cursor)?;
            continue;
        }
        let stop = cursor.at() + end;
        cursor.go(stop);
        while words.at() < stop {
            let word = words.piece();
            if let Some((_, space)) = SPACES.iter().find(|row| row.0 == word) {
                let local = *space == "Local" && kind == "GlobalBuffer";
                kind = if local { "DynamicSharedPointer" } else { kind };
                *size = if local { 4 } else { *size };
                entries.push(("AddrSpaceQual", (*space).to_owned()));
            }
            if let Some((_, flag)) = FLAGS.iter().find(|row| row.0 == word) {
                entries.push((flag, "true".to_owned()));
            }
        }
    }
    cursor.end()?;
    if kind == "GlobalBuffer" && !entries.iter().any(|(key, _)| *key == "AddrSpaceQual") {
        entries.push(("AddrSpaceQual", "Global".to_owned()));
    }
    Ok(kind)
}

/// Adds an argument, and advances the size of the arguments.
fn add(a: &mut Session<'_>, cursor: &Cursor<'_>, argument: Argument) -> Result<(), SyntaxError> {
    let Argument {
        mut entries,
        size,
        align,
    } = argument;
    entries.push(("Size", size.to_string()));
    entries.push(("Align", align.to_string()));
    let config = a.program.config(cursor)?;
    let at = config.arguments.next_multiple_of(align);
    if size > MOST_ARGUMENTS || at + size > MOST_ARGUMENTS {
        let message = "the arguments of a kernel have a megabyte at most";
        return Err(syntax_error(0..cursor.text().len(), message));
    }
    config.arguments = at + size;
    a.program.kernel(cursor)?.metadata.arguments.push(entries);
    Ok(())
}

/// Handles `.setupargs`, the hidden arguments that the driver passes to each kernel before its own.
fn setup_arguments(a: &mut Session<'_>, cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    cursor.end()?;
    let size = if a.program.wide { 8 } else { 4 };
    let kinds = [
        "HiddenGlobalOffsetX",
        "HiddenGlobalOffsetY",
        "HiddenGlobalOffsetZ",
    ];
    let kinds = kinds
        .into_iter()
        .chain(["HiddenPrintfBuffer", "HiddenNone", "HiddenNone"]);
    for kind in kinds {
        let entries = vec![
            ("ValueKind", kind.to_owned()),
            ("ValueType", "I64".to_owned()),
        ];
        let align = size;
        add(
            a,
            &cursor,
            Argument {
                entries,
                size,
                align,
            },
        )?;
    }
    Ok(())
}

fn one_of(
    cursor: &mut Cursor<'_>,
    names: &[(&str, &'static str)],
    what: &str,
) -> Result<&'static str, SyntaxError> {
    let place = cursor.span();
    let word = cursor.piece();
    let found = names.iter().find(|row| row.0.eq_ignore_ascii_case(word));
    let row = found.ok_or_else(|| syntax_error(place, format_args!("`{word}` is not {what}")))?;
    Ok(row.1)
}

/// Reads a version, `MAJOR, MINOR`.
fn pair(a: &mut Session<'_>, cursor: &mut Cursor<'_>) -> Result<Option<(u64, u64)>, SyntaxError> {
    let major = a.asm.count(cursor)?;
    cursor.expect_comma()?;
    Ok(Some((major, a.asm.count(cursor)?)))
}

/// Reads `.md_language "NAME", MAJOR, MINOR`.
fn language(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let name = cursor.quoted()?;
    let name = quoted(&String::from_utf8_lossy(&name));
    say(a, &cursor, "Language", name)?;
    if cursor.comma()
        && let Some((major, minor)) = pair(a, &mut cursor)?
    {
        say(
            a,
            &cursor,
            "LanguageVersion",
            format!("[ {major}, {minor} ]"),
        )?;
    }
    cursor.end()
}

fn text(a: &mut Session<'_>, mut cursor: Cursor<'_>, key: &'static str) -> Result<(), SyntaxError> {
    let name = cursor.name()?;
    cursor.end()?;
    say(a, &cursor, key, quoted(&name))
}

fn size(a: &mut Session<'_>, mut cursor: Cursor<'_>, key: &'static str) -> Result<(), SyntaxError> {
    let number = a.asm.count(&mut cursor)?;
    cursor.end()?;
    say(a, &cursor, key, number.to_string())
}

/// Reads up to three sizes; missing ones are 1.
fn sizes(
    a: &mut Session<'_>,
    mut cursor: Cursor<'_>,
    key: &'static str,
) -> Result<(), SyntaxError> {
    let mut all = [1; 3];
    for (n, size) in all.iter_mut().enumerate() {
        if n > 0 && !cursor.comma() {
            break;
        }
        if !matches!(cursor.peek(), b',' | 0) {
            *size = a.asm.count(&mut cursor)?;
        }
    }
    cursor.end()?;
    let [x, y, z] = all;
    say(a, &cursor, key, format!("[ {x}, {y}, {z} ]"))
}

fn say(
    a: &mut Session<'_>,
    cursor: &Cursor<'_>,
    key: &'static str,
    value: String,
) -> Result<(), SyntaxError> {
    let entries = &mut a.program.kernel(cursor)?.metadata.entries;
    entries.retain(|(other, _)| *other != key);
    entries.push((key, value));
    Ok(())
}

/// Reads `.printf ID, SIZE, …, "FORMAT"`.
fn printf(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let printfs = a.program.metadata.printfs.len() as u64;
    let id = if matches!(cursor.peek(), b',' | b'"') {
        printfs + 1
    } else {
        a.asm.count(&mut cursor)?
    };
    cursor.comma();
    let mut sizes = Vec::new();
    while cursor.peek() != b'"' {
        sizes.push(a.asm.count(&mut cursor)?.to_string());
        cursor.expect_comma()?;
    }
    let start = cursor.at();
    cursor.quoted()?;
    let format = cursor.text()[start..cursor.at()].trim().trim_matches('"');
    cursor.end()?;
    let count = sizes.len();
    let sizes: String = sizes.iter().map(|size| format!("{size}:")).collect();
    let line = quoted(&format!("{id}:{count}:{sizes}{format}"));
    a.program.metadata.printfs.push(line);
    Ok(())
}
