//! A cursor in a statement, which reads names, quoted texts and punctuation marks.

use std::borrow::Cow;
use std::fmt::Display;
use std::ops::Range;

use wavetank_gcn::ParseError;
use wavetank_quote::brief;

use super::{bytes, is_name};

/// The error of a wrong statement, with its place in the statement's text.
pub(crate) type SyntaxError = Box<ParseError>;

/// Makes an error with a message and a place in the text.
#[cold]
pub(crate) fn syntax_error(span: Range<usize>, message: impl Display) -> SyntaxError {
    Box::new(ParseError {
        span,
        message: brief(&message.to_string()),
        help: None,
    })
}

/// A reader of the operands of a directive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str, at: usize) -> Self {
        let mut cursor = Cursor { text, at };
        cursor.skip_blanks();
        cursor
    }

    /// Returns the position of the next item.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Moves to another position.
    pub(crate) fn go(&mut self, at: usize) {
        self.at = at;
        self.skip_blanks();
    }

    /// Returns the whole text of the statement.
    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// Returns the text that has not been read yet.
    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Returns the next byte, or 0 at the end.
    pub(crate) fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    fn skip_blanks(&mut self) {
        let blanks = self.rest().bytes().take_while(u8::is_ascii_whitespace);
        self.at += blanks.count();
    }

    /// Skips some bytes and the blanks after them.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        self.skip_blanks();
    }

    /// Takes a mark, if it is next.
    pub(crate) fn eat(&mut self, mark: u8) -> bool {
        let is = self.peek() == mark && !self.is_at_end();
        if is {
            self.skip(1);
        }
        is
    }

    /// Takes an optional comma. Most operands may follow each other without one.
    pub(crate) fn comma(&mut self) -> bool {
        self.eat(b',')
    }

    /// Takes a required comma.
    pub(crate) fn expect_comma(&mut self) -> Result<(), SyntaxError> {
        if self.comma() {
            Ok(())
        } else {
            Err(self.syntax_error(format_args!(
                "there should be a comma, not {}",
                self.shown()
            )))
        }
    }

    /// Returns the range of the next word or mark.
    pub(crate) fn span(&self) -> Range<usize> {
        let rest = self.rest();
        let word = rest.bytes().take_while(|b| is_name(*b)).count();
        let first = rest.chars().next().map_or(0, char::len_utf8);
        self.at..self.at + word.max(first)
    }

    /// Returns the next word or mark as it is shown in a message.
    pub(crate) fn shown(&self) -> Cow<'static, str> {
        if self.is_at_end() {
            "the end".into()
        } else {
            format!("`{}`", &self.text[self.span()]).into()
        }
    }

    /// Reads operands separated by commas, until the end of the statement.
    pub(crate) fn each_operand(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Result<(), SyntaxError>,
    ) -> Result<(), SyntaxError> {
        if self.is_at_end() {
            return Ok(());
        }
        loop {
            read(self)?;
            if self.is_at_end() {
                return Ok(());
            }
            self.expect_comma()?;
        }
    }

    /// Makes an error at the cursor.
    pub(crate) fn syntax_error(&self, message: impl Display) -> SyntaxError {
        syntax_error(self.span(), message)
    }

    /// Fails unless everything has been read.
    pub(crate) fn end(&self) -> Result<(), SyntaxError> {
        if self.is_at_end() {
            Ok(())
        } else {
            Err(syntax_error(
                self.at..self.text.trim_end().len(),
                format_args!("nothing more should stand here, not {}", self.shown()),
            ))
        }
    }

    /// Reads a word of letters, digits, `_`, `.` and `$` that does not begin with a digit.
    pub(crate) fn word(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let length = rest.bytes().take_while(|b| is_name(*b) && *b != b'@');
        let length = length.count();
        let first = rest.bytes().next()?;
        (length > 0 && !first.is_ascii_digit()).then(|| {
            self.skip(length);
            &rest[..length]
        })
    }

    /// Reads a path of CLRX's scopes, or a word: `name`, `scope::name`, `::name`.
    pub(crate) fn path(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let mut length = 0;
        loop {
            let word = rest[length..]
                .bytes()
                .take_while(|b| is_name(*b) && *b != b'@');
            length += word.count();
            if rest[length..].starts_with("::") {
                length += 2;
            } else {
                break;
            }
        }
        let first = rest.bytes().next()?;
        (length > 0 && !first.is_ascii_digit()).then(|| {
            self.skip(length);
            &rest[..length]
        })
    }

    /// Reads the name of a symbol or section: a word, or any text in quotes.
    pub(crate) fn name(&mut self) -> Result<Cow<'t, str>, SyntaxError> {
        if self.peek() == b'"' {
            let start = self.at;
            let name = self.quoted()?;
            return match String::from_utf8(name) {
                Ok(name) => Ok(name.into()),
                Err(_) => Err(syntax_error(start..self.at, "this name is not UTF-8")),
            };
        }
        let shown = self.shown();
        let word = self.path();
        word.map(Cow::Borrowed)
            .ok_or_else(|| self.syntax_error(format_args!("there should be a name, not {shown}")))
    }

    /// Reads up to a comma, a blank or the end: names of sections, types, flags.
    pub(crate) fn piece(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| c == ',' || c.is_whitespace());
        let length = end.unwrap_or(rest.len());
        self.skip(length);
        &rest[..length]
    }

    /// Reads a quoted text; returns its bytes with escapes resolved: `\n \t \b \f \r \\ \" \ooo \xhh`, and CLRX's `\a \v \'`.
    pub(crate) fn quoted(&mut self) -> Result<Vec<u8>, SyntaxError> {
        if self.peek() != b'"' {
            let shown = self.shown();
            return Err(self.syntax_error(format_args!(
                "there should be a text in quotes, not {shown}"
            )));
        }
        let source = self.text.as_bytes();
        let start = self.at;
        let mut out = Vec::new();
        let mut at = start + 1;
        loop {
            match source.get(at) {
                None => {
                    return Err(syntax_error(
                        start..self.text.len(),
                        "this text has no end quote",
                    ));
                }
                Some(b'"') => break,
                Some(b'\\') => at = escape(self.text, at, &mut out)?,
                Some(byte) if byte.is_ascii() => {
                    out.push(*byte);
                    at += 1;
                }
                Some(_) => {
                    let Some(character) = self.text[at..].chars().next() else {
                        break;
                    };
                    bytes::push(&mut out, character);
                    at += character.len_utf8();
                }
            }
        }
        self.at = at + 1;
        self.skip_blanks();
        Ok(out)
    }
}

/// Resolves the escape at `at`; returns the position after it.
pub(crate) fn escape(text: &str, at: usize, out: &mut Vec<u8>) -> Result<usize, SyntaxError> {
    let bytes = text.as_bytes();
    let Some(mark) = bytes.get(at + 1) else {
        return Err(syntax_error(at..at + 1, "this text ends in an escape"));
    };
    let digits = |from: usize, most: usize, radix: u32| {
        let run = bytes[from..].iter().take(most);
        run.take_while(|b| char::from(**b).is_digit(radix)).count()
    };
    let (byte, end) = match mark {
        b'n' => (b'\n', at + 2),
        b't' => (b'\t', at + 2),
        b'b' => (8, at + 2),
        b'f' => (12, at + 2),
        b'r' => (b'\r', at + 2),
        b'a' => (7, at + 2),
        b'v' => (11, at + 2),
        b'\\' | b'"' | b'\'' => (*mark, at + 2),
        b'0'..=b'7' => {
            let end = at + 1 + digits(at + 1, 3, 8);
            let value = u32::from_str_radix(&text[at + 1..end], 8).unwrap_or(u32::MAX);
            let value = u8::try_from(value);
            let value =
                value.map_err(|_| syntax_error(at..end, "an octal escape reaches `\\377`"))?;
            (value, end)
        }
        b'x' | b'X' if digits(at + 2, 1, 16) > 0 => {
            let end = at + 2 + digits(at + 2, usize::MAX, 16);
            // The last two digits count, as in GNU's assembler.
            let low = &text[end.saturating_sub(2).max(at + 2)..end];
            (u8::from_str_radix(low, 16).unwrap_or(0), end)
        }
        _ => {
            let shown = text[at..].chars().take(2).collect::<String>();
            let end = at + shown.len();
            return Err(syntax_error(
                at..end,
                format_args!("`{shown}` is not an escape"),
            ));
        }
    };
    out.push(byte);
    Ok(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_assemblers() {
        let text = r#""a\n\101\x41\"\\" rest"#;
        let mut cursor = Cursor::new(text, 0);
        assert_eq!(cursor.quoted().expect("a text"), b"a\nAA\"\\");
        assert_eq!(cursor.rest(), "rest");
        for bad in [r#""\q""#, r#""abc"#, r#""\400""#, "\"\\", "x"] {
            assert!(Cursor::new(bad, 0).quoted().is_err(), "{bad}");
        }
    }

    #[test]
    fn names_may_be_quoted() {
        let mut cursor = Cursor::new(r#" "a b", .text.c"#, 0);
        assert_eq!(cursor.name().expect("a name"), "a b");
        cursor.expect_comma().expect("a comma");
        assert_eq!(cursor.name().expect("a name"), ".text.c");
        cursor.end().expect("the end");
    }
}
