//! Block lists within braces, which LLVM's reader of YAML takes and the standard does not have.
//!
//! Hand-written kernels of MIOpen write `{ Kernels:`, and then a line `- { Name: … }` for each kernel, without commas between the
//! entries of a map that end in a bracket (LLVM's `YAMLParser.cpp`: a block entry is a token within brackets, too).

/// Returns the text with such lists in brackets, and with the commas that are missing. Lines stay lines.
pub(super) fn in_brackets(text: &str) -> String {
    let mut rewriter = Rewriter {
        out: String::with_capacity(text.len() + 64),
        open: Vec::new(),
        before: Before::Start,
    };
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = rewriter.item(rest, first);
        rest = &rest[length..];
    }
    rewriter.out
}

/// The kind of the last item that is not a blank.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A mark after which a value can begin.
    Start,
    /// The end of a value in brackets or quotes.
    End,
    /// A part of a plain scalar.
    Plain,
}

struct Rewriter {
    out: String,
    /// For each open bracket, innermost last, whether a block list is open in it.
    open: Vec<bool>,
    before: Before,
}

impl Rewriter {
    /// Copies the first item of a text, with what must stand before it; returns its length.
    fn item(&mut self, rest: &str, first: char) -> usize {
        let blank_after = rest[first.len_utf8()..].starts_with(|c: char| c.is_whitespace());
        let mut length = first.len_utf8();
        match first {
            '#' if self.out.is_empty() || self.out.ends_with(char::is_whitespace) => {
                length = rest.find('\n').unwrap_or(rest.len());
                self.out.push_str(&rest[..length]);
                return length;
            }
            c if c.is_whitespace() => {
                self.out.push(c);
                return length;
            }
            '-' if blank_after && !self.open.is_empty() && self.before != Before::Plain => {
                self.entry();
                return length;
            }
            '}' | ']' => {
                if self.open.pop() == Some(true) {
                    self.out.push(']');
                }
                self.before = Before::End;
            }
            ',' | ':' if self.open.is_empty() || first == ',' || blank_after => {
                if first == ',' {
                    self.end_list();
                }
                self.before = Before::Start;
            }
            _ => {
                let begins = self.before != Before::Plain;
                if self.before == Before::End && !self.open.is_empty() {
                    self.end_list();
                    self.out.push(',');
                }
                self.before = Before::Plain;
                match first {
                    '{' | '[' => {
                        self.open.push(false);
                        self.before = Before::Start;
                    }
                    quote @ ('\'' | '"') if begins => {
                        length = quoted(rest, quote);
                        self.before = Before::End;
                    }
                    _ => {}
                }
            }
        }
        self.out.push_str(&rest[..length]);
        length
    }

    /// Writes the mark of a block list's entry.
    fn entry(&mut self) {
        if let Some(list) = self.open.last_mut() {
            self.out.push(if *list { ',' } else { '[' });
            *list = true;
        }
        self.before = Before::Start;
    }

    /// Ends the block list of the innermost bracket.
    fn end_list(&mut self) {
        if let Some(list) = self.open.last_mut()
            && std::mem::take(list)
        {
            self.out.push(']');
        }
    }
}

/// Returns the length of a quoted text. A backslash escapes in double quotes; a single quote is written twice.
fn quoted(text: &str, quote: char) -> usize {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        let escapes = match quote {
            '"' => c == '\\',
            _ => c == quote && chars.peek().is_some_and(|(_, next)| *next == quote),
        };
        if escapes {
            chars.next();
        } else if c == quote {
            return at + c.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_commas_are_completed_within_braces_alone() {
        let text = "{ a: 1,\n  b:\n  - { c: x - y, d: 'e, - f' } # - g\n    \n  - { h: [ 1 ]\n      i: {}\n }\n}\n- j";
        let expected = "{ a: 1,\n  b:\n  [ { c: x - y, d: 'e, - f' } # - g\n    \n  , { h: [ 1 ]\n      ,i: {}\n }\n]}\n- j";
        assert_eq!(in_brackets(text), expected);
        let two = "{ a:\n - { b: 1 }\n c: 2, d:\n - \"e\"\n, f: - }";
        let expected = "{ a:\n [ { b: 1 }\n ],c: 2, d:\n [ \"e\"\n], f: [ ]}";
        assert_eq!(in_brackets(two), expected);
        for plain in [
            "- a: -1\n- b: {c: d-e, f: 'it''s'}\n",
            "a: [1, -2]\n",
            "'{ - '",
        ] {
            assert_eq!(in_brackets(plain), plain);
        }
    }
}
