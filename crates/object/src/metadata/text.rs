//! The text form of metadata of versions 3 and later, as in `.amdgpu_metadata` and in the output of compilers.
//!
//! LLVM reads and writes this text (`MsgPackDocumentYAML.cpp`, `YAMLTraits`). A scalar is a number or a truth value if it can be
//! one, quoted or not, unless a tag makes it another type; maps are in the order of their keys. The rules here are the same, so
//! that the bytes are the same.

use std::cmp::Ordering;
use std::fmt::Write as _;

use rmpv::{Value, ValueRef};

use super::tree::bad;
use super::yaml::{self, Shape, Wrong};
use crate::error::Result;

/// The column of a map's values, for keys that are short enough.
const VALUE_COLUMN: usize = 16;

/// Parses a text to a tree, with maps in written order.
pub(super) fn read(text: &str) -> Result<Value, Wrong> {
    yaml::read(text, &Version3)
}

/// Encodes a tree as bytes.
pub(super) fn bytes(tree: &Value) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, tree)
        .map_err(|error| bad(format!("it cannot be written ({error})")))?;
    Ok(bytes)
}

struct Version3;

impl Shape for Version3 {
    fn scalar(&self, text: &str, tag: Option<&str>) -> Result<Value, String> {
        let number = || number(text).map(Value::Integer);
        let truth = || truth(text).map(Value::Boolean);
        let wanted = |value: Option<Value>, what: &str| {
            value.ok_or_else(|| format!("`{text}` is not a valid {what}, as its tag says"))
        };
        match tag {
            Some("!str") => Ok(Value::from(text)),
            Some("!int") => wanted(number(), "number"),
            Some("!bool") => wanted(truth(), "truth value"),
            Some("!nil") => Ok(Value::Nil),
            Some(tag) if !tag.starts_with("tag:yaml.org,2002:") => Err(format!(
                "there is no tag {tag} in metadata; there are !str, !int, !bool and !nil"
            )),
            // LLVM finds a number in an empty text, and writes nothing for it.
            _ if text.is_empty() => Ok(Value::Nil),
            _ => match number().or_else(truth) {
                Some(value) => Ok(value),
                None if text.parse::<f64>().is_ok() => Err(format!(
                    "`{text}` is a number with a fraction or without bounds, which metadata do not have; as text it is !str {text}"
                )),
                None => Ok(Value::from(text)),
            },
        }
    }

    fn map(&self, mut pairs: Vec<(Value, Value)>) -> Result<Value, String> {
        pairs.sort_by(|(a, _), (b, _)| order(&a.as_ref(), &b.as_ref()));
        let same = pairs.windows(2).find(|pair| pair[0].0 == pair[1].0);
        match same {
            Some(pair) => Err(format!("the key {} stands twice in a map", pair[0].0)),
            None => Ok(Value::Map(pairs)),
        }
    }
}

/// Parses an integer in the base of its prefix.
fn number(text: &str) -> Option<rmpv::Integer> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let lower = digits.to_ascii_lowercase();
    let (base, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', b'o', ..] => (8, &lower[2..]),
        [b'0', b'0'..=b'9', ..] => (8, &lower[1..]),
        _ => (10, &lower[..]),
    };
    // Rust would accept a sign here.
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let number = u64::from_str_radix(digits, base).ok()?;
    if !negative {
        Some(number.into())
    } else {
        0i64.checked_sub_unsigned(number).map(Into::into)
    }
}

/// Parses a truth value in one of YAML's spellings.
fn truth(text: &str) -> Option<bool> {
    match text {
        "y" | "Y" | "on" | "On" | "ON" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" => {
            Some(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "false" | "False" | "FALSE" => {
            Some(false)
        }
        _ => None,
    }
}

/// Orders keys by their types, and keys of one type by their values.
fn order(a: &ValueRef, b: &ValueRef) -> Ordering {
    let kind = |value: &ValueRef| match value {
        ValueRef::Integer(number) if number.is_u64() => 1,
        ValueRef::Integer(_) => 0,
        ValueRef::Nil => 2,
        ValueRef::Boolean(_) => 3,
        ValueRef::F32(_) | ValueRef::F64(_) => 4,
        ValueRef::String(_) => 5,
        _ => 6,
    };
    kind(a).cmp(&kind(b)).then_with(|| match (a, b) {
        (ValueRef::Integer(a), ValueRef::Integer(b)) => {
            (a.as_i64(), a.as_u64()).cmp(&(b.as_i64(), b.as_u64()))
        }
        (ValueRef::Boolean(a), ValueRef::Boolean(b)) => a.cmp(b),
        (ValueRef::String(a), ValueRef::String(b)) => a.as_bytes().cmp(b.as_bytes()),
        _ => Ordering::Equal,
    })
}

/// Returns the text of a tree from `---` to `...`, in the form that compilers print.
pub(super) fn print(tree: &ValueRef) -> Result<String> {
    let mut text = "---\n".to_owned();
    match tree {
        ValueRef::Map(pairs) if !pairs.is_empty() => print_map(&mut text, pairs, 0)?,
        ValueRef::Array(items) if !items.is_empty() => print_array(&mut text, items, 0)?,
        other => {
            print_short(&mut text, other)?;
        }
    }
    text.push_str("...\n");
    Ok(text)
}

/// Writes the pairs of a map, each on its own line except for the first, which begins at the current position; `indent` is its
/// column.
fn print_map(text: &mut String, pairs: &[(ValueRef, ValueRef)], indent: usize) -> Result<()> {
    let mut sorted: Vec<_> = pairs.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| order(a, b));
    for (n, (key, value)) in sorted.into_iter().enumerate() {
        if n > 0 {
            text.extend(std::iter::repeat_n(' ', indent));
        }
        let (key, _) = plain(key)?;
        text.push_str(&key);
        text.push(':');
        let inner = indent + 2;
        let lines = |text: &mut String| {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', inner));
        };
        match value {
            ValueRef::Map(pairs) if !pairs.is_empty() => {
                lines(text);
                print_map(text, pairs, inner)?;
            }
            ValueRef::Array(items) if !items.is_empty() => {
                lines(text);
                print_array(text, items, inner)?;
            }
            other => {
                let padding = VALUE_COLUMN.saturating_sub(key.len()).max(1);
                text.extend(std::iter::repeat_n(' ', padding));
                print_short(text, other)?;
            }
        }
    }
    Ok(())
}

/// Writes the items of a list, in the same way as [`print_map`].
fn print_array(text: &mut String, items: &[ValueRef], indent: usize) -> Result<()> {
    for (n, item) in items.iter().enumerate() {
        if n > 0 {
            text.extend(std::iter::repeat_n(' ', indent));
        }
        text.push_str("- ");
        match item {
            ValueRef::Map(pairs) if !pairs.is_empty() => print_map(text, pairs, indent + 2)?,
            ValueRef::Array(items) if !items.is_empty() => print_array(text, items, indent + 2)?,
            other => print_short(text, other)?,
        }
    }
    Ok(())
}

/// Writes a value on the rest of a line.
fn print_short(text: &mut String, value: &ValueRef) -> Result<()> {
    match value {
        ValueRef::Map(_) => text.push_str("{}"),
        ValueRef::Array(_) => text.push_str("[]"),
        scalar => {
            let (plain, tag) = plain(scalar)?;
            text.push_str(tag);
            match scalar {
                ValueRef::String(_) => text.push_str(&quoted(&plain)),
                ValueRef::Nil => text.push_str("''"),
                _ => text.push_str(&plain),
            }
        }
    }
    text.push('\n');
    Ok(())
}

/// Returns a scalar without quotes, and the tag that it needs if it would be read as another type.
fn plain(value: &ValueRef) -> Result<(String, &'static str)> {
    match value {
        ValueRef::Nil => Ok((String::new(), "!nil ")),
        ValueRef::Boolean(truth) => Ok((truth.to_string(), "")),
        ValueRef::Integer(number) => Ok((number.to_string(), "")),
        ValueRef::String(string) => {
            let string = string
                .as_str()
                .ok_or_else(|| bad("a string is not UTF-8 text".to_owned()))?;
            let tag = match Version3.scalar(string, None) {
                Ok(Value::String(_)) => "",
                _ => "!str ",
            };
            Ok((string.to_owned(), tag))
        }
        _ => Err(bad("it has numbers with fractions, or bytes".to_owned())),
    }
}

/// Returns a string with the quotes that it needs (`needsQuotes` in LLVM's `YAMLTraits.h`).
fn quoted(string: &str) -> String {
    let double = |c: char| c.is_control() && c != '\t' || !c.is_ascii();
    if string.contains(double) {
        return format!("\"{}\"", escaped(string));
    }
    let safe = |c: char| c.is_ascii_alphanumeric() || "_-^., \t".contains(c);
    let word = [
        "null", "Null", "NULL", "~", "true", "True", "TRUE", "false", "False", "FALSE",
    ];
    let single = string.is_empty()
        || string.starts_with([' ', '\t'])
        || string.ends_with([' ', '\t'])
        || string.starts_with([
            '-', '?', ':', '\\', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"',
            '%', '@', '`',
        ])
        || word.contains(&string)
        || is_numeric(string)
        || !string.chars().all(safe);
    if single {
        format!("'{}'", string.replace('\'', "''"))
    } else {
        string.to_owned()
    }
}

/// Returns whether a string is a number of YAML's core schema.
fn is_numeric(string: &str) -> bool {
    let tail = string.strip_prefix(['-', '+']).unwrap_or(string);
    if [".nan", ".NaN", ".NAN"].contains(&string) || [".inf", ".Inf", ".INF"].contains(&tail) {
        return true;
    }
    if let Some(digits) = string.strip_prefix("0o") {
        return !digits.is_empty() && digits.chars().all(|c| c.is_digit(8));
    }
    if let Some(digits) = string.strip_prefix("0x") {
        return !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
    }
    // Rust reads the same decimal numbers, and also some words.
    tail.starts_with(|c: char| c.is_ascii_digit() || c == '.') && tail.parse::<f64>().is_ok()
}

/// Escapes a string for double quotes.
fn escaped(string: &str) -> String {
    let mut out = String::with_capacity(string.len() + 8);
    for c in string.chars() {
        let short = match c {
            '\\' => "\\\\",
            '"' => "\\\"",
            '\0' => "\\0",
            '\x07' => "\\a",
            '\x08' => "\\b",
            '\t' => "\\t",
            '\n' => "\\n",
            '\x0b' => "\\v",
            '\x0c' => "\\f",
            '\r' => "\\r",
            '\x1b' => "\\e",
            '\u{85}' => "\\N",
            '\u{a0}' => "\\_",
            '\u{2028}' => "\\L",
            '\u{2029}' => "\\P",
            _ => "",
        };
        match (short, c as u32) {
            ("", code) if code < 0x20 || c.is_control() && code > 0x7f => {
                // Writing to a string never fails.
                let _ = write!(out, "\\x{code:02X}");
            }
            ("", _) => out.push(c),
            (short, _) => out.push_str(short),
        }
    }
    out
}
