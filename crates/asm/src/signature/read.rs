//! The parser of signatures: `NAME(PARAMETER, …) ITEM …`.

use std::str::FromStr;

use wavetank_gcn::ParseError;
use wavetank_quote::similar;

use super::{Kind, Parameter, SCALARS, Scalar, Signature};
use crate::source::{Cursor, SyntaxError, syntax_error};

/// Limit of parameters of a kernel. Signatures are for kernels that are called by hand.
const MOST: usize = 1000;

impl FromStr for Signature {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        signature(text).map_err(|wrong| *wrong)
    }
}

fn signature(text: &str) -> Result<Signature, SyntaxError> {
    let mut cursor = Cursor::new(text, 0);
    let named = cursor.span();
    let name = a_name(
        &mut cursor,
        "the kernel's name, which is a label of the source",
    )?;
    let mut signature = Signature {
        text: text.to_owned(),
        name,
        named,
        parameters: parameters(&mut cursor)?,
        dimensions: 1,
        lds: (0, 0..0),
    };
    let mut seen: Vec<&str> = Vec::new();
    while !cursor.is_at_end() {
        let place = cursor.span();
        let item = item(&mut cursor, &mut signature)?;
        if seen.contains(&item) {
            return Err(syntax_error(
                place,
                format_args!("`{item}` stands before, too"),
            ));
        }
        seen.push(item);
    }
    Ok(signature)
}

/// Reads the parameters between parentheses.
fn parameters(cursor: &mut Cursor<'_>) -> Result<Vec<Parameter>, SyntaxError> {
    mark(cursor, b'(')?;
    let mut all: Vec<Parameter> = Vec::new();
    if cursor.eat(b')') {
        return Ok(all);
    }
    loop {
        let start = cursor.at();
        let parameter = parameter(cursor)?;
        let place = start..cursor.text()[..cursor.at()].trim_end().len();
        if all.iter().any(|other| other.name == parameter.name) {
            let message = format!("there is another parameter `{}`", parameter.name);
            return Err(syntax_error(place, message));
        }
        if all.len() == MOST {
            let message = format!("a kernel has {MOST} parameters at most");
            return Err(syntax_error(place, message));
        }
        all.push(parameter);
        if cursor.eat(b')') {
            return Ok(all);
        }
        if !cursor.comma() {
            let message = format!("there should be `,` or `)`, not {}", cursor.shown());
            return Err(cursor.syntax_error(message));
        }
    }
}

/// Reads a parameter: `u32 n`, `global const f32* a`, `local f32* tmp`.
fn parameter(cursor: &mut Cursor<'_>) -> Result<Parameter, SyntaxError> {
    let start = cursor.at();
    let space = word(cursor, &["global", "local"]);
    let constant = word(cursor, &["const"]).is_some();
    let scalar = scalar(cursor)?;
    let star = cursor.span();
    let pointer = cursor.eat(b'*');
    let kind = match (space, pointer) {
        (Some("global"), true) => Kind::Global { constant },
        (Some(_), true) => Kind::Local,
        (None, false) => Kind::Value,
        (Some(space), false) => {
            let name = scalar.name;
            let message = format!("what is {space} is passed by a pointer: `{space} {name}* NAME`");
            return Err(syntax_error(star, message));
        }
        (None, true) => {
            let name = scalar.name;
            let message = format!(
                "a pointer says where it leads: `global {name}* NAME`, or `local {name}* NAME` for LDS"
            );
            return Err(syntax_error(start..star.end, message));
        }
    };
    let name = a_name(cursor, "the parameter's name")?;
    Ok(Parameter { name, kind, scalar })
}

fn scalar(cursor: &mut Cursor<'_>) -> Result<&'static Scalar, SyntaxError> {
    let place = cursor.span();
    let word = a_name(cursor, "a type, such as `u32`")?;
    if let Some(scalar) = SCALARS.iter().find(|scalar| scalar.name == word) {
        return Ok(scalar);
    }
    let names = SCALARS.iter().map(|scalar| scalar.name);
    let list: Vec<&str> = names.clone().collect();
    let message = format!("`{word}` is not a type; there are {}", list.join(", "));
    let mut error = syntax_error(place, message);
    // The suggestion: the same type under its OpenCL name, or a type with a similar name.
    let same = SCALARS.iter().find(|scalar| scalar.known == word);
    let (near, meant) = similar(&word, names);
    let near = near.first().copied().filter(|_| meant);
    error.help = same
        .map(|scalar| scalar.name)
        .or(near)
        .map(|name| format!("did you mean `{name}`?"));
    Err(error)
}

/// Reads an item after the parameters, `lds BYTES` or `dims COUNT`; returns its keyword.
fn item(cursor: &mut Cursor<'_>, signature: &mut Signature) -> Result<&'static str, SyntaxError> {
    match word(cursor, &["lds", "dims"]) {
        Some("lds") => {
            let place = cursor.span();
            signature.lds = (number(cursor, 0..=u32::MAX)?, place);
            Ok("lds")
        }
        Some(_) => {
            signature.dimensions = number(cursor, 1..=3)? as u8;
            Ok("dims")
        }
        None => {
            let message = format!(
                "after the parameters, write `lds BYTES` and `dims COUNT`, not {}",
                cursor.shown()
            );
            Err(cursor.syntax_error(message))
        }
    }
}

/// Reads a number within a range.
fn number(
    cursor: &mut Cursor<'_>,
    range: std::ops::RangeInclusive<u32>,
) -> Result<u32, SyntaxError> {
    let place = cursor.span();
    let shown = cursor.shown();
    let piece = cursor.piece();
    let number = match piece.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => piece.parse(),
    };
    match number {
        Ok(number) if range.contains(&number) => Ok(number),
        _ => {
            let (least, most) = (range.start(), range.end());
            let message = format!("there should be a number from {least} to {most}, not {shown}");
            Err(syntax_error(place, message))
        }
    }
}

/// Takes the next word if it is one of `words`.
fn word<'w>(cursor: &mut Cursor<'_>, words: &[&'w str]) -> Option<&'w str> {
    let mut ahead = *cursor;
    let next = ahead.word()?;
    let found = words.iter().find(|word| **word == next)?;
    *cursor = ahead;
    Some(found)
}

fn a_name(cursor: &mut Cursor<'_>, what: &str) -> Result<String, SyntaxError> {
    let shown = cursor.shown();
    let word = cursor.word();
    let missing = || cursor.syntax_error(format_args!("there should be {what}, not {shown}"));
    word.map(str::to_owned).ok_or_else(missing)
}

fn mark(cursor: &mut Cursor<'_>, mark: u8) -> Result<(), SyntaxError> {
    if cursor.eat(mark) {
        return Ok(());
    }
    let (mark, shown) = (char::from(mark), cursor.shown());
    Err(cursor.syntax_error(format_args!("there should be `{mark}`, not {shown}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Signature {
        text.parse().unwrap_or_else(|e| panic!("{text}: {e:?}"))
    }

    #[test]
    fn arguments_stand_at_multiples_of_their_sizes() {
        let signature = read(
            "k(u8 a, global const f32 * b, i16 c,u64 d , local f64* e, f16 f) lds 0x100 dims 3",
        );
        let placed: Vec<_> = signature.placed().map(|(p, at)| (&*p.name, at)).collect();
        let expected = [
            ("a", 0),
            ("b", 8),
            ("c", 16),
            ("d", 24),
            ("e", 32),
            ("f", 36),
        ];
        assert_eq!(placed, expected);
        assert_eq!((signature.block_size(), signature.block_align()), (40, 8));
        assert_eq!((signature.lds.0, signature.dimensions), (256, 3));
        assert_eq!(
            signature.parameters[1].kind,
            Kind::Global { constant: true }
        );
        let empty = read(" none ( ) ");
        assert_eq!(
            (empty.name(), empty.block_size(), empty.block_align()),
            ("none", 0, 4)
        );
    }

    #[test]
    fn mistakes_are_reported_at_their_place() {
        for (text, under, sentence) in [
            ("", "", "there should be the kernel's name"),
            ("k", "", "there should be `(`, not the end"),
            ("k(u32)", ")", "there should be the parameter's name"),
            ("k(u32 n", "", "there should be `,` or `)`, not the end"),
            ("k(u32 n; u32 m)", ";", "there should be `,` or `)`"),
            ("k(u32* p)", "u32*", "`local u32* NAME` for LDS"),
            (
                "k(global u32 p)",
                "p",
                "what is global is passed by a pointer",
            ),
            ("k(u32 n, f32 n)", "f32 n", "there is another parameter `n`"),
            ("k(v4f32 n)", "v4f32", "`v4f32` is not a type; there are u8"),
            (
                "k() lds",
                "",
                "there should be a number from 0 to 4294967295",
            ),
            (
                "k() dims 4",
                "4",
                "there should be a number from 1 to 3, not `4`",
            ),
            ("k() dims 1 dims 1", "dims", "`dims` stands before, too"),
            (
                "k() scratch 4",
                "scratch",
                "write `lds BYTES` and `dims COUNT`",
            ),
        ] {
            let error = text.parse::<Signature>().expect_err(text);
            assert_eq!(&text[error.span.clone()], under, "{text}: {error}");
            assert!(error.message.contains(sentence), "{text}: {error}");
        }
    }

    #[test]
    fn types_of_opencl_are_known() {
        let error = "k(float x)".parse::<Signature>().expect_err("no type");
        assert_eq!(error.help.as_deref(), Some("did you mean `f32`?"));
    }
}
