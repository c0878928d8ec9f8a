//! The lexer: a line of assembly as tokens.

use std::ops::Range;

/// A token of a line.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// A word of letters, digits, `_`, `.` and `$` that does not begin with a digit.
    Word(&'a str),
    /// An integer. Its sign is a token of its own.
    Integer(u64),
    /// A number with a point or an exponent.
    Float(f64),
    /// A quoted text, without its quotes.
    Quoted(&'a str),
    /// One character of punctuation.
    Mark(u8),
    /// Any other text, or the end of the line.
    End,
}

/// A reader of the tokens of one line, cheap to copy for look-ahead. It holds the next token, so that each token is scanned once.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    token: Token<'a>,
    /// The start of the next token; `end` is its end.
    start: usize,
    end: usize,
    /// Whether failures need no message, because another attempt may succeed.
    pub quiet: bool,
}

/// A register file with the first and last number of a span.
pub(super) struct Registers {
    pub file: u8,
    pub first: u32,
    pub last: u32,
    /// The position after the registers.
    end: usize,
}

/// A place in a line where an attempt can fail.
#[derive(Clone, Copy)]
pub(super) struct Location {
    start: usize,
    end: usize,
    /// Whether a failure needs no message, because another attempt may succeed.
    pub quiet: bool,
}

impl Location {
    /// Returns the range of the token.
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// A value with a place in a line.
pub(super) trait Located {
    /// Returns the place. A place is smaller than a lexer, and copies of freshly written values are slow.
    fn location(&self) -> Location;
}

impl Located for Location {
    #[inline]
    fn location(&self) -> Location {
        *self
    }
}

impl Located for Lexer<'_> {
    /// Returns the place of the next token.
    #[inline]
    fn location(&self) -> Location {
        Location {
            start: self.start,
            end: self.end,
            quiet: self.quiet,
        }
    }
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
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

    /// Returns the start of the next token.
    pub(super) fn position(&self) -> usize {
        self.start
    }

    /// Takes letters, digits and `_` as one word, even if digits come first.
    pub(super) fn name(&mut self) -> &'a str {
        let start = self.start;
        self.end = run(self.text.as_bytes(), start, is_word);
        let name = &self.text[start..self.end];
        self.next();
        name
    }

    /// Returns the range of the next token.
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the place of everything that was taken from `start` on.
    pub(super) fn since(&self, start: &Location) -> Location {
        let end = self.text[..self.start].trim_ascii_end().len();
        Location {
            end: end.max(start.end),
            ..*start
        }
    }

    /// Returns the next token without taking it.
    pub(super) fn peek(&self) -> Token<'a> {
        self.token
    }

    /// Takes the next token.
    pub(super) fn next(&mut self) -> Token<'a> {
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

    /// Returns the next registers if they have the most common notation: `v5`, `s[4:7]`, without spaces and calculations.
    #[inline]
    pub(super) fn registers(&self) -> Option<Registers> {
        let Token::Word(word) = self.token else {
            return None;
        };
        let (&file, digits) = word.as_bytes().split_first()?;
        let ((first, last), end) = if digits.is_empty() {
            span_of_numbers(self.text.as_bytes(), self.end)?
        } else {
            let number = number_of(digits)?;
            ((number, number), self.end)
        };
        Some(Registers {
            file,
            first,
            last,
            end,
        })
    }

    /// Takes the registers that [`Lexer::registers`] returned.
    #[inline]
    pub(super) fn take(&mut self, registers: &Registers) {
        self.end = registers.end;
        self.next();
    }

    /// Takes a mark, if it is next.
    pub(super) fn mark(&mut self, mark: u8) -> bool {
        let found = self.token == Token::Mark(mark);
        if found {
            self.next();
        }
        found
    }

    /// Takes a word, if it is next.
    pub(super) fn word(&mut self, word: &str) -> bool {
        let found = self.token == Token::Word(word);
        if found {
            self.next();
        }
        found
    }

    /// Takes a number with an optional minus.
    pub(super) fn integer(&mut self) -> Option<i64> {
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

/// Parses `[4:7]`; returns the numbers and the position after it.
#[inline]
fn span_of_numbers(bytes: &[u8], at: usize) -> Option<((u32, u32), usize)> {
    let number = |from: usize| {
        let end = run(bytes, from, |b| b.is_ascii_digit());
        Some((number_of(bytes.get(from..end)?)?, end))
    };
    let mark = |at: usize, mark: u8| (bytes.get(at) == Some(&mark)).then_some(at + 1);
    let (first, end) = number(mark(at, b'[')?)?;
    let (last, end) = number(mark(end, b':')?)?;
    Some(((first, last), mark(end, b']')?))
}

/// Parses the number of a register: up to three digits, without leading zeros.
#[inline]
fn number_of(digits: &[u8]) -> Option<u32> {
    let digit = |d: &u8| d.is_ascii_digit().then(|| u32::from(d - b'0'));
    match digits {
        [a] => digit(a),
        [b'0', ..] => None,
        [a, b] => Some(10 * digit(a)? + digit(b)?),
        [a, b, c] => Some(100 * digit(a)? + 10 * digit(b)? + digit(c)?),
        _ => None,
    }
}

/// Returns the token that begins at `at`, and its end.
fn scan(text: &str, at: usize) -> (Token<'_>, usize) {
    let bytes = text.as_bytes();
    let Some(&first) = bytes.get(at) else {
        return (Token::End, at);
    };
    match CLASSES[usize::from(first)] {
        Class::Word => {
            let end = run(bytes, at + 1, is_word);
            (Token::Word(&text[at..end]), end)
        }
        Class::Digit => number(text, at),
        Class::Mark if first == b'"' => quoted(text, at),
        Class::Mark => (Token::Mark(first), at + 1),
        Class::Foreign => (Token::End, at),
    }
}

/// Returns the end of a run of bytes that satisfy `of`.
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
    let mut value = 0u64;
    let mut end = at;
    while let Some(digit) = bytes.get(end).filter(|b| b.is_ascii_digit())
        && end - at < MOST_DIGITS
    {
        value = 10 * value + u64::from(digit - b'0');
        end += 1;
    }
    // A plain short number, the most common case: no byte that belongs to it follows.
    match bytes.get(end) {
        Some(b'x' | b'X' | b'b') if end == at + 1 && bytes[at] == b'0' => radix(text, at),
        Some(b'.' | b'e' | b'E' | b'0'..=b'9') => decimal(text, at),
        _ if bytes[at] == b'0' && end > at + 1 => octal(text, at, end),
        _ => (Token::Integer(value), end),
    }
}

/// The number of digits that always fits into 64 bits.
const MOST_DIGITS: usize = 19;

fn radix(text: &str, at: usize) -> (Token<'_>, usize) {
    let bytes = text.as_bytes();
    let radix = match bytes[at + 1] {
        b'b' => 2,
        _ => 16,
    };
    let end = run(bytes, at + 2, |b| b.is_ascii_hexdigit());
    let value = u64::from_str_radix(&text[at + 2..end], radix);
    (value.map_or(Token::End, Token::Integer), end)
}

/// Parses digits after a zero, which are octal in LLVM's assembler as in CLRX's (its manual, "Literals").
fn octal(text: &str, at: usize, end: usize) -> (Token<'_>, usize) {
    let value = u64::from_str_radix(&text[at..end], 8);
    (value.map_or(Token::End, Token::Integer), end)
}

/// Parses a number with a point or an exponent, or one of many digits.
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
    } else if digits.starts_with('0') {
        return octal(text, at, end);
    } else {
        digits.parse().map_or(Token::End, Token::Integer)
    };
    (token, end)
}

/// The kind of token that a byte can begin.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Word,
    Digit,
    Mark,
    /// A byte that is not ASCII, with which no token begins.
    Foreign,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Foreign; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte as usize] = match byte {
            b'0'..=b'9' => Class::Digit,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' | b'$' => Class::Word,
            _ => Class::Mark,
        };
        byte += 1;
    }
    classes
};

/// Returns whether a byte can be part of a word. The first byte must not be a digit.
fn is_word(b: u8) -> bool {
    matches!(CLASSES[usize::from(b)], Class::Word | Class::Digit)
}
