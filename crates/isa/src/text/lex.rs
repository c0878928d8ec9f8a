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

/// A reader of the tokens of one line; cheap to copy, to look ahead.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str) -> Self {
        Lexer { text, at: 0 }
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn skip_space(&mut self) {
        let space = self.rest().iter().take_while(|b| b.is_ascii_whitespace());
        self.at += space.count();
    }

    /// Where the next token begins.
    pub fn position(&self) -> usize {
        let mut ahead = *self;
        ahead.skip_space();
        ahead.at
    }

    /// The place of the next token.
    pub fn span(&self) -> Range<usize> {
        let mut ahead = *self;
        let start = self.position();
        ahead.next();
        start..ahead.at.max(start)
    }

    /// The next token, without taking it.
    pub fn peek(&self) -> Token<'a> {
        let mut ahead = *self;
        ahead.next()
    }

    /// Takes the next token.
    pub fn next(&mut self) -> Token<'a> {
        self.skip_space();
        let rest = self.rest();
        match rest.first() {
            None => Token::End,
            Some(b'0'..=b'9') => self.number(),
            Some(b'"') => self.quoted(),
            Some(b) if is_word(*b) => {
                let length = rest.iter().take_while(|b| is_word(**b)).count();
                Token::Word(self.take(length))
            }
            Some(b) if b.is_ascii() => {
                self.at += 1;
                Token::Mark(*b)
            }
            Some(_) => Token::End,
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let start = self.at;
        self.at += length;
        &self.text[start..self.at]
    }

    fn quoted(&mut self) -> Token<'a> {
        let Some(length) = self.rest()[1..].iter().position(|b| *b == b'"') else {
            return Token::End;
        };
        let text = self.take(length + 2);
        Token::Quoted(&text[1..=length])
    }

    fn number(&mut self) -> Token<'a> {
        let rest = self.rest();
        let digits = |skip: usize, ok: fn(&u8) -> bool| {
            skip + rest[skip.min(rest.len())..]
                .iter()
                .take_while(|b| ok(b))
                .count()
        };
        for (marks, radix) in [([b'0', b'x'], 16), ([b'0', b'X'], 16), ([b'0', b'b'], 2)] {
            if rest.starts_with(&marks) {
                let length = digits(2, u8::is_ascii_hexdigit);
                let text = self.take(length);
                return u64::from_str_radix(&text[2..], radix).map_or(Token::End, Token::Integer);
            }
        }
        let mut length = digits(0, u8::is_ascii_digit);
        let mut float = false;
        if rest.get(length) == Some(&b'.') {
            float = true;
            length = digits(length + 1, u8::is_ascii_digit);
        }
        if let Some(b'e' | b'E') = rest.get(length) {
            let sign = usize::from(matches!(rest.get(length + 1), Some(b'+' | b'-')));
            let end = digits(length + 1 + sign, u8::is_ascii_digit);
            if end > length + 1 + sign {
                (float, length) = (true, end);
            }
        }
        let text = self.take(length);
        if float {
            text.parse().map_or(Token::End, Token::Float)
        } else {
            text.parse().map_or(Token::End, Token::Integer)
        }
    }

    /// Takes a mark, if it is next.
    pub fn mark(&mut self, mark: u8) -> bool {
        let mut ahead = *self;
        let found = ahead.next() == Token::Mark(mark);
        if found {
            *self = ahead;
        }
        found
    }

    /// Takes a word, if it is next.
    pub fn word(&mut self, word: &str) -> bool {
        let mut ahead = *self;
        let found = ahead.next() == Token::Word(word);
        if found {
            *self = ahead;
        }
        found
    }

    /// Takes a number with an optional minus.
    pub fn integer(&mut self) -> Option<i64> {
        let mut ahead = *self;
        let negative = ahead.mark(b'-');
        let Token::Integer(value) = ahead.next() else {
            return None;
        };
        *self = ahead;
        let value = value as i64;
        Some(if negative {
            value.wrapping_neg()
        } else {
            value
        })
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$')
}
