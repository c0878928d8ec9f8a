//! Arguments of kernels for Catalyst: `.arg NAME, "TYPE NAME", TYPE, …`.

use super::catalyst_settings::{settings, word};
use crate::session::Session;
use crate::session::program::{
    CatalystArgument as Argument, Kind, MOST_BUFFERS, Pointer, Space, TYPES,
};
use crate::source::{Cursor, SyntaxError, syntax_error};

/// Limits: arguments of a kernel, and bytes of an argument.
const MOST: usize = 1024;
const LARGEST: u32 = 1 << 16;

/// Image types of OpenCL, each with its name in the text of a kernel.
const IMAGES: [(&str, &str); 7] = [
    ("image", "2D"),
    ("image1d", "1D"),
    ("image1d_array", "1DA"),
    ("image1d_buffer", "1DB"),
    ("image2d", "2D"),
    ("image2d_array", "2DA"),
    ("image3d", "3D"),
];

/// Reads `.arg`, in Catalyst's syntax.
pub(super) fn argument(a: &mut Session<'_>, mut cursor: Cursor<'_>) -> Result<(), SyntaxError> {
    let name = cursor.name()?.into_owned();
    cursor.expect_comma()?;
    let mut type_name = None;
    if cursor.peek() == b'"' {
        let text = cursor.quoted()?;
        type_name = Some(String::from_utf8_lossy(&text).into_owned());
        cursor.expect_comma()?;
    }
    let place = cursor.span();
    let written = field(&mut cursor);
    let mut argument = Argument {
        name,
        type_name: type_name.unwrap_or_else(|| written.to_owned()),
        kind: Kind::Sampler,
        resource: None,
        used: true,
    };
    let Some(kind) = kind_of(written) else {
        let message = format!("`{written}` is not a type of OpenCL, such as uint or float*");
        return Err(syntax_error(place, message));
    };
    argument.kind = rest(a, &mut cursor, kind, &mut argument.resource)?;
    if cursor.comma() {
        let place = cursor.span();
        argument.used = match cursor.piece() {
            "unused" => false,
            word => {
                return Err(syntax_error(
                    place,
                    format_args!("`{word}` is not `unused`"),
                ));
            }
        };
    }
    cursor.end()?;
    let args = &mut settings(a, &cursor)?.args;
    if args.len() >= MOST {
        return Err(syntax_error(
            place,
            format_args!("a kernel has {MOST} arguments at most"),
        ));
    }
    args.push(argument);
    Ok(())
}

/// Reads the operands after a type: sizes, access, the number of the resource.
fn rest(
    a: &mut Session<'_>,
    cursor: &mut Cursor<'_>,
    kind: Kind,
    number: &mut Option<u32>,
) -> Result<Kind, SyntaxError> {
    match kind {
        Kind::Pointer(mut to) => {
            *number = pointer(a, cursor, &mut to)?;
            Ok(Kind::Pointer(to))
        }
        Kind::Structure(_) => {
            cursor.expect_comma()?;
            Ok(Kind::Structure(size(a, cursor)?))
        }
        Kind::Image(name, _) => {
            let place = cursor.span();
            let access = next(cursor).then(|| field(cursor));
            let reads = match access {
                None | Some("read_only" | "rdonly") => true,
                Some("write_only" | "wronly") => false,
                Some(word) => {
                    let message = format!("`{word}` is neither read_only nor write_only");
                    return Err(syntax_error(place, message));
                }
            };
            *number = resource(a, cursor)?;
            Ok(Kind::Image(name, reads))
        }
        Kind::Counter => {
            *number = resource(a, cursor)?;
            Ok(Kind::Counter)
        }
        Kind::Value(..) | Kind::Sampler => Ok(kind),
    }
}

/// Returns the kind of argument that a type stands for, with defaults for the operands after it.
fn kind_of(written: &str) -> Option<Kind> {
    let lower = written.to_ascii_lowercase();
    let word = lower.trim_end_matches('*').trim_end();
    let base = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let elements: u32 = match &word[base.len()..] {
        "" => 1,
        count @ ("2" | "3" | "4" | "8" | "16") => count.parse().ok()?,
        _ => 0,
    };
    let found = TYPES.iter().find(|row| row.1 == base && row.0 != "f16");
    let found = found.map(|(name, .., size)| match *name {
        "f32" => ("float", 4),
        "f64" => ("double", 8),
        name => (name, *size as u32),
    });
    if lower.ends_with('*') {
        let (to, size) = found.filter(|_| elements > 0)?;
        let space = if elements == 3 { 4 } else { elements };
        return Some(Kind::Pointer(Pointer {
            to: if to == "struct" { "opaque" } else { to },
            size: size * space,
            space: Space::Global,
            constant: false,
            restricted: false,
            volatile: false,
        }));
    }
    let image = IMAGES.iter().find(|row| row.0 == word);
    match (image, word, found) {
        (Some((_, name)), ..) => Some(Kind::Image(name, true)),
        (_, "sampler", _) => Some(Kind::Sampler),
        (_, "counter32", _) => Some(Kind::Counter),
        (_, "structure", _) => Some(Kind::Structure(0)),
        (.., Some((name, size))) if elements > 0 && name != "struct" => {
            Some(Kind::Value(name, size, elements))
        }
        _ => None,
    }
}

/// Reads the operands after the type of a pointer: the size of a structure, the space, flags, the size of constants. Returns the
/// number of the resource.
fn pointer(
    a: &mut Session<'_>,
    cursor: &mut Cursor<'_>,
    to: &mut Pointer,
) -> Result<Option<u32>, SyntaxError> {
    cursor.expect_comma()?;
    if to.to == "opaque" && cursor.peek().is_ascii_digit() {
        to.size = size(a, cursor)?;
        to.to = "struct";
        cursor.expect_comma()?;
    }
    let place = cursor.span();
    to.space = match field(cursor) {
        "local" => Space::Local,
        "constant" => Space::Constant,
        "global" => Space::Global,
        word => {
            let message = format!("`{word}` is none of local, constant, global");
            return Err(syntax_error(place, message));
        }
    };
    if is_last(cursor) {
        return Ok(None);
    }
    cursor.expect_comma()?;
    let place = cursor.span();
    for word in field(cursor).split_whitespace() {
        match word {
            "const" => to.constant = true,
            "restrict" => to.restricted = true,
            "volatile" => to.volatile = true,
            _ => {
                let message = format!("`{word}` is none of const, restrict, volatile");
                return Err(syntax_error(place, message));
            }
        }
    }
    if to.space == Space::Constant && !is_last(cursor) {
        cursor.expect_comma()?;
        if !matches!(cursor.peek(), b',' | 0) {
            size(a, cursor)?;
        }
    }
    match to.space {
        Space::Local => Ok(None),
        Space::Constant | Space::Global => resource(a, cursor),
    }
}

/// Whether at most the word for an unused argument follows.
fn is_last(cursor: &Cursor<'_>) -> bool {
    let mut ahead = *cursor;
    !ahead.comma() || ahead.piece() == "unused"
}

/// Reads the number of a resource, if one follows.
fn resource(a: &mut Session<'_>, cursor: &mut Cursor<'_>) -> Result<Option<u32>, SyntaxError> {
    if is_last(cursor) || !next(cursor) {
        return Ok(None);
    }
    let place = cursor.span();
    match word(a, cursor)? {
        id @ ..=MOST_BUFFERS => Ok(Some(id)),
        id => Err(syntax_error(
            place,
            format_args!("{id} is not a number of a resource: 0 to 1023"),
        )),
    }
}

fn size(a: &mut Session<'_>, cursor: &mut Cursor<'_>) -> Result<u32, SyntaxError> {
    let place = cursor.span();
    match word(a, cursor)? {
        size @ ..=LARGEST => Ok(size),
        _ => Err(syntax_error(
            place,
            format_args!("there are {LARGEST} bytes at most"),
        )),
    }
}

/// Whether another operand follows and is not empty.
fn next(cursor: &mut Cursor<'_>) -> bool {
    cursor.comma() && !matches!(cursor.peek(), b',' | 0)
}

/// Reads the text up to the next comma.
fn field<'t>(cursor: &mut Cursor<'t>) -> &'t str {
    let rest = cursor.rest();
    let end = rest.find(',').unwrap_or(rest.len());
    cursor.go(cursor.at() + end);
    rest[..end].trim()
}
