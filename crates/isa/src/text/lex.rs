//! The words of a line of assembly.

use std::ops::Range;

/// A word, and where it stands in the line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// Letters, digits, `_`, `.` and `$`, not beginning with a digit.
    Word(&'a str),
    /// An integer. Its sign is a token of its own.
    Integer(u64),
    /// A number with a point or an exponent.
    Float(f64),
    /// A text in quotes, without them.
    Quoted(&'a str),
    /// One character of punctuation.
    Mark(u8),
    /// What is none of these, or the end.
    End,
}

/// A reader of the tokens of one line; cheap to copy, to look ahead. It holds
/// the next token, so that each is made once.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    token: Token<'a>,
    /// Where the next token begins and ends.
    start: usize,
    end: usize,
    /// Whether a failure needs no message: another try may succeed.
    pub quiet: bool,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        let mut lexer = Lexer {
            text,
            token: Token::End,
            start: 0,
            end: 0,
            quiet: false,
        };
        lexer.next();
        lexer
    }

    /// Where the next token begins.
    pub fn position(&self) -> usize {
        self.start
    }

    /// The place of the next token.
    pub fn span(&self) -> Range<usize> {
        self.start..self.end
    }

    /// The next token, without taking it.
    pub fn peek(&self) -> Token<'a> {
        self.token
    }

    /// Takes the next token.
    pub fn next(&mut self) -> Token<'a> {
        let taken = self.token;
        let bytes = self.text.as_bytes();
        let mut at = self.end;
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        self.start = at;
        (self.token, self.end) = scan(self.text, at);
        taken
    }

    /// Takes a mark, if it is next.
    pub fn mark(&mut self, mark: u8) -> bool {
        let found = self.token == Token::Mark(mark);
        if found {
            self.next();
        }
        found
    }

    /// Takes a word, if it is next.
    pub fn word(&mut self, word: &str) -> bool {
        let found = self.token == Token::Word(word);
        if found {
            self.next();
        }
        found
    }

    /// Takes a number with an optional minus.
    pub fn integer(&mut self) -> Option<i64> {
        if let Token::Integer(value) = self.token {
            self.next();
            return Some(value as i64);
        }
        let mut ahead = *self;
        if !ahead.mark(b'-') {
            return None;
        }
        let Token::Integer(value) = ahead.next() else {
            return None;
        };
        *self = ahead;
        Some((value as i64).wrapping_neg())
    }
}

/// The token that begins at `at`, and where it ends.
fn scan(text: &str, at: usize) -> (Token<'_>, usize) {
    let bytes = text.as_bytes();
    match bytes.get(at) {
        None => (Token::End, at),
        Some(b'0'..=b'9') => number(text, at),
        Some(b'"') => quoted(text, at),
        Some(b) if is_word(*b) => {
            let end = run(bytes, at + 1, is_word);
            (Token::Word(&text[at..end]), end)
        }
        Some(b) if b.is_ascii() => (Token::Mark(*b), at + 1),
        Some(_) => (Token::End, at),
    }
}

/// Where a run of bytes that are `of` a sort ends.
#[inline]
fn run(bytes: &[u8], from: usize, of: impl Fn(u8) -> bool) -> usize {
    let mut end = from;
    while bytes.get(end).is_some_and(|b| of(*b)) {
        end += 1;
    }
    end
}

fn quoted(text: &str, at: usize) -> (Token<'_>, usize) {
    match text[at + 1..].find('"') {
        Some(length) => {
            let end = at + 1 + length;
            (Token::Quoted(&text[at + 1..end]), end + 1)
        }
        None => (Token::End, at),
    }
}

fn number(text: &str, at: usize) -> (Token<'_>, usize) {
    let bytes = text.as_bytes();
    let radix = match bytes.get(at..at + 2) {
        Some(b"0x" | b"0X") => 16,
        Some(b"0b") => 2,
        _ => return decimal(text, at),
    };
    let end = run(bytes, at + 2, |b| b.is_ascii_hexdigit());
    let value = u64::from_str_radix(&text[at + 2..end], radix);
    (value.map_or(Token::End, Token::Integer), end)
}

fn decimal(text: &str, at: usize) -> (Token<'_>, usize) {
    let bytes = text.as_bytes();
    let digit = |b: u8| b.is_ascii_digit();
    let mut end = run(bytes, at, digit);
    let mut float = false;
    if bytes.get(end) == Some(&b'.') {
        float = true;
        end = run(bytes, end + 1, digit);
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = run(bytes, end + 1 + sign, digit);
        if exponent > end + 1 + sign {
            (float, end) = (true, exponent);
        }
    }
    let digits = &text[at..end];
    let token = if float {
        digits.parse().map_or(Token::End, Token::Float)
    } else {
        digits.parse().map_or(Token::End, Token::Integer)
    };
    (token, end)
}

/// Whether a byte can stand in a word; the first one is no digit.
fn is_word(b: u8) -> bool {
    IN_WORD[usize::from(b)]
}

static IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        let byte = b as u8;
        table[b] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
        b += 1;
    }
    table
};
