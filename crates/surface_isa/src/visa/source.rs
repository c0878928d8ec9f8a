//! Whole sources, with one instruction a line, comments (`//`) and the declarations of Intel's text.

use std::ops::Range;

use wavetank_quote::plain;

use crate::source::{Line, LineError, read_lines};
use crate::text_error::TextError;
use crate::visa::declared::{Declarations, State, Type, Variable};
use crate::visa::instruction::TypedAtomic;
use crate::visa::names::{FIRST_SURFACE, FIRST_VARIABLE};
use crate::visa::text::parse_with_parts;

/// Reads a source up to the `most`th wrong line. Returns its instructions, and the errors.
///
/// A line may also be a directive of Intel's text. `.decl` declares the next variable (`v_type=G`), predicate (`P`) or surface
/// (`T`) by its number. Later instructions must use declared names only, as [`Declarations::check`] requires; other directives
/// are ignored.
///
/// ```
/// use wavetank_surface_isa::visa::source;
/// let text = ".decl V32 v_type=G type=d num_elts=8\n.decl T6 v_type=T num_elts=1\n\
///             typed_atomic.inc (M1, 8) T6 V32.0 %null.0 %null.0 %null.0 %null.0 %null.0 %null.0";
/// let (lines, errors) = source(text, usize::MAX);
/// assert!(lines.is_empty());
/// assert_eq!(errors[0].error.message, "U of inc must have type ud, and this variable has d");
/// ```
pub fn source(text: &str, most: usize) -> (Vec<Line<TypedAtomic>>, Vec<LineError>) {
    let mut declared = None;
    read_lines(text, most, |text| line(text, &mut declared))
}

/// Returns the instruction of a line, if it has one.
fn line(text: &str, declared: &mut Option<Declarations>) -> Result<Option<TypedAtomic>, TextError> {
    let code = text.split("//").next().unwrap_or_default().trim();
    if code.is_empty() {
        return Ok(None);
    }
    if code.starts_with('.') {
        if code.split_whitespace().next() == Some(".decl") {
            declare(text, declared.get_or_insert_default())?;
        }
        return Ok(None);
    }
    let (inst, places) = parse_with_parts(text)?;
    if let Some(declared) = declared {
        declared
            .check(&inst)
            .map_err(|broken| places.error(broken))?;
    }
    Ok(Some(inst))
}

fn fail<T>(span: Range<usize>, message: String) -> Result<T, TextError> {
    Err(TextError::new(span, message))
}

/// Returns the words of a line, each with its place.
fn words(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let code = text.split("//").next().unwrap_or_default();
    code.split_whitespace().map(move |word| {
        // The word is a part of the line, so the difference of the addresses is its offset.
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        (start..start + word.len(), word)
    })
}

/// The attributes of a `.decl`.
struct Attributes<'t> {
    class: (Range<usize>, &'t str),
    ty: Option<Type>,
    elements: u16,
}

/// Reads `.decl V32 v_type=G type=ud num_elts=8`.
fn declare(text: &str, declared: &mut Declarations) -> Result<(), TextError> {
    let end = text.trim_end().len();
    let mut words = words(text).skip(1);
    let Some((place, name)) = words.next() else {
        let message = "expected a name to declare, such as `V32`";
        return fail(end..end, message.to_owned());
    };
    let Attributes {
        class: (span, class),
        ty,
        elements,
    } = attributes(words, end)?;
    let next = match class {
        "G" => format!("V{}", FIRST_VARIABLE as usize + declared.variables.len()),
        "P" => format!("P{}", 1 + declared.predicates.len()),
        "T" => format!("T{}", usize::from(FIRST_SURFACE) + declared.surfaces.len()),
        "A" | "S" => return Ok(()),
        _ => {
            let message = format!(
                "`{}` is not a class: expected G, P, T, A or S",
                plain(class)
            );
            return fail(span, message);
        }
    };
    if !name.eq_ignore_ascii_case(&next) {
        let message = format!(
            "`{}` is not the next of its class: expected `{next}`, since variables are told by their numbers",
            plain(name)
        );
        return fail(place, message);
    }
    let state = State { name: 0, elements };
    match (class, ty) {
        ("G", None) => return missing("type=ud", end),
        ("G", Some(ty)) => declared.variables.push(Variable {
            name: 0,
            ty,
            align: 0,
            elements,
            alias: None,
        }),
        ("P", _) => declared.predicates.push(state),
        _ => declared.surfaces.push(state),
    }
    Ok(())
}

/// Reads the attributes after the name. Missing ones are reported at `end`.
fn attributes<'t>(
    words: impl Iterator<Item = (Range<usize>, &'t str)>,
    end: usize,
) -> Result<Attributes<'t>, TextError> {
    let (mut class, mut ty, mut elements) = (None, None, None);
    // `alias=<V32, 0>` and `attrs={…}` have blanks inside.
    let mut inside = false;
    for (span, word) in words {
        if inside {
            inside = !word.ends_with(['>', '}']);
            continue;
        }
        let Some((key, value)) = word.split_once('=') else {
            return unexpected(span, word, "attribute", "one such as `num_elts=8`");
        };
        match key {
            "v_type" => class = Some((span, value)),
            "type" => match Type::from_name(value) {
                None => return unexpected(span, value, "type", "one such as `ud` or `d`"),
                known => ty = known,
            },
            "num_elts" => match value.parse::<u16>() {
                Ok(count @ 1..) => elements = Some(count),
                _ => return unexpected(span, value, "number of elements", "1 to 65535"),
            },
            _ => inside = value.starts_with(['<', '{']) && !value.ends_with(['>', '}']),
        }
    }
    match (class, elements) {
        (None, _) => missing("v_type=G", end),
        (_, None) => missing("num_elts=8", end),
        (Some(class), Some(elements)) => Ok(Attributes {
            class,
            ty,
            elements,
        }),
    }
}

fn unexpected<T>(
    span: Range<usize>,
    word: &str,
    kind: &str,
    example: &str,
) -> Result<T, TextError> {
    let message = format!(
        "`{}` is not a valid {kind}: expected {example}",
        plain(word)
    );
    fail(span, message)
}

fn missing<T>(attribute: &str, end: usize) -> Result<T, TextError> {
    fail(end..end, format!("expected `{attribute}`"))
}
