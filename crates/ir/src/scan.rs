//! The scanner of the text form: words, numbers and marks of one line.

/// The result of scanning; an error is a message for the position of the scanner.
pub(crate) type Parsed<T = ()> = Result<T, String>;

/// A cursor over one line.
pub(crate) struct Scanner<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(line: &'a str) -> Self {
        Scanner { line, at: 0 }
    }

    /// The column in characters, counted from 1.
    pub(crate) fn column(&self) -> usize {
        self.line[..self.at].chars().count() + 1
    }

    /// The rest of the line, without leading spaces.
    fn rest(&mut self) -> &'a str {
        let rest = &self.line[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    /// The position where the next item begins.
    pub(crate) fn mark(&mut self) -> usize {
        self.rest();
        self.at
    }

    /// Returns to a position, for an error message there.
    pub(crate) fn reset(&mut self, mark: usize) {
        self.at = mark;
    }

    /// Whether only spaces or a comment are left.
    pub(crate) fn at_end(&mut self) -> bool {
        let rest = self.rest();
        rest.is_empty() || rest.starts_with(';')
    }

    pub(crate) fn end(&mut self) -> Parsed {
        if self.at_end() {
            Ok(())
        } else {
            Err(format!(
                "the line should end here, but `{}` follows",
                self.rest().trim_end()
            ))
        }
    }

    pub(crate) fn looks_at(&mut self, c: char) -> bool {
        self.rest().starts_with(c)
    }

    /// Consumes the character if it is next.
    pub(crate) fn eat(&mut self, c: char) -> bool {
        let found = self.looks_at(c);
        if found {
            self.at += c.len_utf8();
        }
        found
    }

    pub(crate) fn expect(&mut self, c: char) -> Parsed {
        if self.eat(c) {
            Ok(())
        } else {
            Err(format!("`{c}` is missing here"))
        }
    }

    fn take_word(&mut self) -> &'a str {
        let rest = self.rest();
        let inside = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let end = rest.find(|c| !inside(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Scans letters, digits, `_` and `.`; `what` is the expectation in an error.
    pub(crate) fn word(&mut self, what: &str) -> Parsed<&'a str> {
        match self.take_word() {
            "" => Err(format!("{what} is missing here")),
            word => Ok(word),
        }
    }

    pub(crate) fn keyword(&mut self, keyword: &str) -> Parsed {
        let start = self.mark();
        if self.take_word() == keyword {
            return Ok(());
        }
        self.reset(start);
        Err(format!("`{keyword}` is missing here"))
    }

    /// Skips to the next comma outside brackets, or to the end.
    pub(crate) fn skip_item(&mut self) {
        let rest = &self.line[self.at..];
        let mut depth = 0;
        let end = rest.find(|c| {
            depth += i32::from(c == '[') - i32::from(c == ']');
            c == ';' || c == ',' && depth <= 0
        });
        self.at += end.unwrap_or(rest.len());
    }

    /// Scans a word of a list of names.
    pub(crate) fn named<T>(&mut self, what: &str, find: fn(&str) -> Option<T>) -> Parsed<T> {
        let start = self.mark();
        let word = self.word(what)?;
        find(word).ok_or_else(|| {
            self.reset(start);
            format!("`{word}` is not {what}")
        })
    }

    /// Scans `%name`, and returns it without the sign.
    pub(crate) fn value_name(&mut self) -> Parsed<&'a str> {
        if !self.eat('%') {
            return Err("a value (`%name`) is missing here".into());
        }
        self.word("the name of a value")
    }

    /// Scans a number in base 10, 16 (`0x`) or 2 (`0b`) that fits in `T`.
    pub(crate) fn number<T: TryFrom<u64>>(&mut self) -> Parsed<T> {
        let start = self.mark();
        let word = self.word("a number")?;
        let parsed = if let Some(hex) = word.strip_prefix("0x") {
            u64::from_str_radix(hex, 16)
        } else if let Some(binary) = word.strip_prefix("0b") {
            u64::from_str_radix(binary, 2)
        } else {
            word.parse()
        };
        let fits = parsed.ok().and_then(|n| T::try_from(n).ok());
        fits.ok_or_else(|| {
            self.reset(start);
            format!("`{word}` is not a number that fits here")
        })
    }

    /// Scans a number with an optional minus sign.
    pub(crate) fn signed(&mut self) -> Parsed<i64> {
        let start = self.mark();
        let negative = self.eat('-');
        let magnitude: u64 = self.number()?;
        let value = if negative {
            -i128::from(magnitude)
        } else {
            magnitude.into()
        };
        i64::try_from(value).map_err(|_| {
            self.reset(start);
            "the number does not fit in 64 bits".into()
        })
    }

    /// Scans a string in quotes, with Rust's escapes.
    pub(crate) fn string(&mut self) -> Parsed<String> {
        self.expect('"')?;
        let mut text = String::new();
        let mut chars = self.line[self.at..].char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += i + 1;
                    return Ok(text);
                }
                '\\' => {
                    let escaped = escape(&mut chars);
                    text.push(escaped.ok_or("the string has an unknown escape")?);
                }
                c => text.push(c),
            }
        }
        Err("the string has no closing quote".into())
    }
}

/// The character that an escape sequence stands for.
fn escape(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    Some(match chars.next()?.1 {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '0' => '\0',
        'u' => {
            (chars.next()?.1 == '{').then_some(())?;
            let digits: String = chars.map(|(_, c)| c).take_while(|&c| c != '}').collect();
            return char::from_u32(u32::from_str_radix(&digits, 16).ok()?);
        }
        c @ ('\\' | '"' | '\'') => c,
        _ => return None,
    })
}
