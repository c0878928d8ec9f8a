//! A cursor in a line, and its tokens.

use std::fmt::Display;
use std::ops::Range;

use wavetank_quote::plain;

use crate::text_error::TextError;

/// A word of a line.
#[derive(Clone, Debug)]
pub(crate) struct Word<'t> {
    pub text: &'t str,
    pub span: Range<usize>,
}

impl Word<'_> {
    /// Returns whether the word equals another one, ignoring case.
    pub(crate) fn is(&self, other: &str) -> bool {
        self.text.eq_ignore_ascii_case(other)
    }

    pub(crate) fn fail<T>(&self, message: impl Display) -> Result<T, TextError> {
        Err(TextError::new(self.span.clone(), message))
    }
}

/// A cursor in a line.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(text: &'t str) -> Cursor<'t> {
        Cursor { text, at: 0 }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Skips blanks and comments. A comment without an end extends to the end of the line.
    pub(crate) fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            let comment = match &rest[blank..] {
                inner if inner.starts_with("//") => inner.len(),
                inner if inner.starts_with("/*") => inner.find("*/").map_or(inner.len(), |n| n + 2),
                _ => 0,
            };
            self.at += blank + comment;
            if comment == 0 {
                return;
            }
        }
    }

    pub(crate) fn is_at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }

    /// Skips blanks, and a mark if it follows. Returns whether it did.
    pub(crate) fn eat(&mut self, mark: char) -> bool {
        self.skip_blanks();
        self.eat_here(mark)
    }

    /// Skips a mark without skipping blanks. Returns whether it did.
    pub(crate) fn eat_here(&mut self, mark: char) -> bool {
        let there = self.rest().starts_with(mark);
        if there {
            self.at += mark.len_utf8();
        }
        there
    }

    /// Skips blanks and a mark, which must follow.
    pub(crate) fn expect(&mut self, mark: char, why: &str) -> Result<(), TextError> {
        if self.eat(mark) {
            Ok(())
        } else {
            self.fail(format!("expected `{mark}` {why}"))
        }
    }

    /// Reads letters, digits and underscores after blanks; the word may be empty.
    pub(crate) fn word(&mut self) -> Word<'t> {
        self.skip_blanks();
        self.word_here()
    }

    /// Reads letters, digits and underscores without skipping blanks.
    pub(crate) fn word_here(&mut self) -> Word<'t> {
        let rest = self.rest();
        let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c| !inside(c)).unwrap_or(rest.len());
        let span = self.at..self.at + length;
        self.at += length;
        Word {
            text: &rest[..length],
            span,
        }
    }

    /// Returns the bytes from a place to this one.
    pub(crate) fn since(&self, start: usize) -> Range<usize> {
        start..self.at
    }

    pub(crate) fn place(&self) -> usize {
        self.at
    }

    /// Fails at the next token, which the error quotes.
    pub(crate) fn fail<T>(&mut self, expected: impl Display) -> Result<T, TextError> {
        self.skip_blanks();
        let start = self.at;
        let word = self.clone().word_here();
        let end = match word.text {
            "" => start + self.rest().chars().next().map_or(0, char::len_utf8),
            _ => word.span.end,
        };
        let there = match &self.text[start..end] {
            "" => "the line ends here".to_owned(),
            text => format!("here is `{}`", plain(text)),
        };
        Err(TextError::new(start..end, format!("{expected}; {there}")))
    }
}
