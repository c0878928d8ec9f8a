//! Macros: their parameters and operands, and the substitution in their bodies.

use std::collections::HashMap;
use std::fmt::Write;
use std::rc::Rc;

use crate::source::{Cursor, SyntaxError};

/// Limit of an expansion's size in bytes.
pub(crate) const LARGEST: usize = 16 << 20;

/// A macro that the source has defined.
#[derive(Debug)]
pub(crate) struct Macro {
    pub name: Rc<str>,
    pub parameters: Vec<Parameter>,
    /// The indices of the parameters by name.
    pub by_name: HashMap<String, usize>,
    pub body: String,
}

/// A parameter of a macro.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub name: String,
    pub default: Option<String>,
    pub required: bool,
    /// Whether the parameter takes all remaining operands.
    pub rest: bool,
}

/// Reads one operand of a macro: up to a comma, or a blank without an operator beside it. Quotes are removed.
pub(crate) fn argument(cursor: &mut Cursor<'_>) -> Result<String, SyntaxError> {
    let start = cursor.at();
    let text = cursor.text();
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut at, mut depth) = (start, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let mut quote = Cursor::new(text, at);
                quote.quoted()?;
                let end = text[..quote.at()].trim_end().len();
                out.push_str(&text[at + 1..end - 1]);
                at = end;
                continue;
            }
            b',' if depth == 0 => break,
            b'(' => depth += 1,
            b')' => depth = (depth - 1).max(0),
            blank if blank.is_ascii_whitespace() && depth == 0 => {
                let next = at + (text[at..].len() - text[at..].trim_start().len());
                if !joins(bytes, start, at, next) {
                    break;
                }
                at = next;
                continue;
            }
            _ => {}
        }
        let length = text[at..].chars().next().map_or(1, char::len_utf8);
        out.push_str(&text[at..at + length]);
        at += length;
    }
    cursor.go(at);
    Ok(out)
}

/// Reads all remaining operands.
pub(crate) fn arguments_of(cursor: &mut Cursor<'_>) -> Result<Vec<String>, SyntaxError> {
    let mut all = Vec::new();
    while !cursor.is_at_end() {
        all.push(argument(cursor)?);
        cursor.comma();
    }
    Ok(all)
}

/// Whether blanks stand beside an operator, so that they do not separate operands.
fn joins(bytes: &[u8], start: usize, blank: usize, next: usize) -> bool {
    let operator = |b: u8| b"+-*/%<>&|^=!~".contains(&b);
    let after = bytes.get(next).copied().unwrap_or(0);
    let before = if blank > start { bytes[blank - 1] } else { 0 };
    // `~` and `!` begin an operand instead.
    (operator(after) && !matches!(after, b'~' | b'!')
        || after == b'!' && bytes.get(next + 1) == Some(&b'='))
        || operator(before)
}

/// The parameter names of an expansion, with a lookup table if there are many.
enum Numbers<'n> {
    Few(&'n [&'n str]),
    Many(HashMap<&'n str, usize>),
}

impl<'n> Numbers<'n> {
    /// The number of names up to which a linear search is as fast as a table.
    const FEW: usize = 16;

    fn of(names: &'n [&'n str]) -> Self {
        if names.len() <= Self::FEW {
            return Numbers::Few(names);
        }
        let mut table = HashMap::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            table.entry(*name).or_insert(at);
        }
        Numbers::Many(table)
    }

    fn find(&self, word: &str) -> Option<usize> {
        match self {
            Numbers::Few(names) => names.iter().position(|name| *name == word),
            Numbers::Many(table) => table.get(word).copied(),
        }
    }
}

/// A part of a macro's body.
enum Part<'b> {
    /// Text that stays unchanged.
    Text(&'b str),
    /// A name with its mark `\`, which may be that of a parameter.
    Name(&'b str),
    /// A word without a mark, which may be the name of a parameter under `.altmacro`.
    Word(&'b str),
    /// `\@`, which stands for the number of the expansion.
    Count,
    /// `\()`, which ends a name.
    End,
}

/// An iterator over the parts of a macro's body.
struct Parts<'b> {
    body: &'b str,
    at: usize,
    /// Whether names without the mark are substituted, too.
    plain: bool,
}

impl<'b> Parts<'b> {
    fn is_of_name(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
    }

    /// Takes the next `length` bytes of the text.
    fn take(&mut self, length: usize) -> &'b str {
        let start = self.at;
        self.at += length;
        &self.body[start..self.at]
    }

    fn word(&mut self) -> &'b str {
        let rest = &self.body.as_bytes()[self.at..];
        self.take(rest.iter().take_while(|b| Self::is_of_name(**b)).count())
    }

    /// Skips the sign that ends the name of a parameter and is not part of the text after it.
    fn skip_end(&mut self, marked: bool) {
        self.at += match &self.body.as_bytes()[self.at..] {
            [b'\\', b'(', b')', ..] if marked => 3,
            [b'&', ..] if self.plain => 1,
            _ => 0,
        };
    }
}

impl<'b> Iterator for Parts<'b> {
    type Item = Part<'b>;

    fn next(&mut self) -> Option<Part<'b>> {
        let rest = &self.body.as_bytes()[self.at..];
        match rest {
            [] => None,
            [b'\\', b'@', ..] => {
                self.at += 2;
                Some(Part::Count)
            }
            [b'\\', b'(', b')', ..] => {
                self.at += 3;
                Some(Part::End)
            }
            [b'\\', b, ..] if Self::is_of_name(*b) => {
                self.at += 1;
                Some(Part::Name(self.word()))
            }
            [b, ..] if self.plain && Self::is_of_name(*b) => Some(Part::Word(self.word())),
            [_, others @ ..] => {
                let special = |b: &u8| *b == b'\\' || self.plain && Self::is_of_name(*b);
                let length = 1 + others.iter().take_while(|b| !special(b)).count();
                Some(Part::Text(self.take(length)))
            }
        }
    }
}

/// Returns the body with values for `\NAME`, the count of expansions for `\@`, and nothing for `\()`. With `plain`, names without
/// `\` are substituted, too.
pub(crate) fn substitute(
    body: &str,
    names: &[&str],
    values: &[String],
    count: u64,
    plain: bool,
) -> String {
    let mut out = String::with_capacity(body.len() + 64);
    let numbers = Numbers::of(names);
    let value = |word: &str| numbers.find(word).map(|at| values[at].as_str());
    let mut parts = Parts { body, at: 0, plain };
    while out.len() <= LARGEST
        && let Some(part) = parts.next()
    {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Count => {
                // Writing to a string does not fail.
                let _ = write!(out, "{count}");
            }
            Part::End => {}
            Part::Name(word) => match value(word) {
                Some(value) => {
                    out.push_str(value);
                    parts.skip_end(true);
                }
                None => {
                    out.push('\\');
                    out.push_str(word);
                }
            },
            Part::Word(word) => match value(word) {
                Some(value) => {
                    out.push_str(value);
                    parts.skip_end(false);
                }
                None => out.push_str(word),
            },
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_where_they_are_ended() {
        let values = ["1".to_owned(), "v".to_owned()];
        let out = substitute(r"\r\a\()_\r\()x \@ \q é\a", &["a", "r"], &values, 7, false);
        assert_eq!(out, r"v1_vx 7 \q é1");
    }

    #[test]
    fn alternate_names_need_no_mark_and_end_at_an_ampersand() {
        // The result of LLVM 19; LLVM 14 keeps the sign.
        let values = ["1".to_owned(), "v".to_owned()];
        let out = substitute(r"&r& \r&a b&a \r\()&", &["a", "r"], &values, 0, true);
        assert_eq!(out, "&v v1 b&1 v&");
    }

    #[test]
    fn operands_end_at_commas_and_blanks() {
        let read = |text: &str| {
            let mut cursor = Cursor::new(text, 0);
            let mut all = Vec::new();
            while !cursor.is_at_end() {
                all.push(argument(&mut cursor).expect("an operand"));
                cursor.comma();
            }
            all
        };
        assert_eq!(
            read(r#"a b,"c, d" 1 + 2 f(x, y) v[0:1]"#),
            ["a", "b", "c, d", "1+2", "f(x, y)", "v[0:1]"]
        );
        assert_eq!(read("a,,b"), ["a", "", "b"]);
    }
}
