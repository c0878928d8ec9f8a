//! The tokens of a line, words and marks, with their places.

use std::ops::Range;

/// A word, or one of the marks `( ) , !`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token<'t> {
    pub text: &'t str,
    pub start: usize,
}

impl Token<'_> {
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// The tokens of a line that have not been read.
pub(super) struct Tokens<'t> {
    line: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    /// Returns the tokens of a line, up to a comment (`//`).
    pub(super) fn new(line: &'t str) -> Tokens<'t> {
        let end = line.find("//").unwrap_or(line.len());
        let line = line[..end].trim_end();
        Tokens { line, at: 0 }
    }

    /// Returns the next token without reading it.
    pub(super) fn peek(&self) -> Option<Token<'t>> {
        let rest = &self.line[self.at..];
        let start = self.at + (rest.len() - rest.trim_start().len());
        let rest = &self.line[start..];
        let mark = |c: char| matches!(c, '(' | ')' | ',' | '!');
        let length = match rest.chars().next()? {
            c if mark(c) => 1,
            _ => {
                let ends = |c: char| mark(c) || c.is_whitespace();
                rest.find(ends).unwrap_or(rest.len())
            }
        };
        let text = &rest[..length];
        Some(Token { text, start })
    }

    pub(super) fn next(&mut self) -> Option<Token<'t>> {
        let token = self.peek()?;
        self.at = token.span().end;
        Some(token)
    }

    /// Reads the next token if it is this mark.
    pub(super) fn take(&mut self, mark: &str) -> Option<Token<'t>> {
        self.peek().filter(|token| token.text == mark)?;
        self.next()
    }

    /// Returns the place of the next token, or of the end of the line.
    pub(super) fn place(&self) -> Range<usize> {
        self.peek()
            .map_or(self.line.len()..self.line.len(), |token| token.span())
    }
}
