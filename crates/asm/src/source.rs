//! A source cut into statements: comments taken out, labels and instructions told apart.
//!
//! LLVM's comments are `; …`, `// …` and `/* … */`, and `# …` where a line begins with it. CLRX parts statements by `;`
//! and has `# …` anywhere.

use std::borrow::Cow;

use wavetank_isa::Dialect;

/// What stands at a place of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Statement<'a> {
    /// `name:`
    Label(&'a str),
    /// A mnemonic and what follows it. `indent` bytes of the line stand before.
    Instruction { text: &'a str, indent: usize },
}

/// A line with its comments blanked out: places in it are places in the source.
pub(crate) struct Lines<'a> {
    rest: std::iter::Enumerate<std::str::Lines<'a>>,
    dialect: Dialect,
    in_comment: bool,
}

impl<'a> Lines<'a> {
    pub fn new(source: &'a str, dialect: Dialect) -> Self {
        Lines {
            rest: source.lines().enumerate(),
            dialect,
            in_comment: false,
        }
    }
}

impl<'a> Iterator for Lines<'a> {
    /// Its number, as written, without comments.
    type Item = (usize, &'a str, Cow<'a, str>);

    fn next(&mut self) -> Option<Self::Item> {
        let (index, line) = self.rest.next()?;
        let plain = !self.in_comment && !line.bytes().any(|b| matches!(b, b'/' | b';' | b'#'));
        let text = match plain {
            true => Cow::Borrowed(line),
            false => uncommented(line, self.dialect, &mut self.in_comment),
        };
        Some((index + 1, line, text))
    }
}

/// The line with blanks for comments. `inside` tells whether a comment goes on from line to line.
fn uncommented<'a>(line: &'a str, dialect: Dialect, inside: &mut bool) -> Cow<'a, str> {
    let bytes = line.as_bytes();
    let mut kept = bytes.to_vec();
    let indent = line.len() - line.trim_start().len();
    let (mut at, mut quoted) = (0, false);
    while at < bytes.len() {
        let two = (bytes[at], bytes.get(at + 1));
        if *inside {
            *inside = two != (b'*', Some(&b'/'));
            let length = if *inside { 1 } else { 2 };
            kept[at..at + length].fill(b' ');
            at += length;
            continue;
        }
        match two {
            (b'"', _) => quoted = !quoted,
            _ if quoted => {}
            (b'/', Some(b'*')) => {
                *inside = true;
                kept[at..at + 2].fill(b' ');
                at += 1;
            }
            (b'/', Some(b'/')) => return cut(line, kept, at),
            (b';', _) if dialect == Dialect::Llvm => return cut(line, kept, at),
            (b'#', _) if dialect == Dialect::Clrx || at == indent => return cut(line, kept, at),
            _ => {}
        }
        at += 1;
    }
    cut(line, kept, bytes.len())
}

/// The first `end` bytes of what was kept: a borrowed part of the line where nothing was blanked.
fn cut(line: &str, mut kept: Vec<u8>, end: usize) -> Cow<'_, str> {
    if kept[..end] == line.as_bytes()[..end] {
        return Cow::Borrowed(&line[..end]);
    }
    kept.truncate(end);
    // Blanks replace whole characters or parts of comments, byte by byte.
    Cow::Owned(String::from_utf8_lossy(&kept).into_owned())
}

/// The statements of a line without comments.
pub(crate) fn statements(line: &str, dialect: Dialect) -> impl Iterator<Item = Statement<'_>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = line.get(start..)?;
            let blank = rest.len() - rest.trim_start().len();
            let body = &rest[blank..];
            if body.is_empty() {
                return None;
            }
            if let Some((name, length)) = label(body) {
                start += blank + length;
                return Some(Statement::Label(name));
            }
            let end = match dialect {
                Dialect::Clrx => body.find(';').unwrap_or(body.len()),
                Dialect::Llvm => body.len(),
            };
            let indent = start + blank;
            start = indent + end + 1;
            let text = body[..end].trim_end();
            if !text.is_empty() {
                return Some(Statement::Instruction { text, indent });
            }
        }
    })
}

/// The name of a label at the beginning of a text, and the bytes up to the end of its colon.
fn label(text: &str) -> Option<(&str, usize)> {
    let name = text.bytes().take_while(|b| is_name(*b)).count();
    let after = &text[name..];
    let blank = after.len() - after.trim_start().len();
    let colon = after[blank..].starts_with(':');
    (name > 0 && colon).then(|| (&text[..name], name + blank + 1))
}

/// Whether a byte can stand in the name of a label.
pub(crate) fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'@')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str, dialect: Dialect) -> Vec<(usize, String)> {
        let mut all = Vec::new();
        for (number, _, line) in Lines::new(source, dialect) {
            all.extend(statements(&line, dialect).map(|s| match s {
                Statement::Label(name) => (number, format!("{name}:")),
                Statement::Instruction { text, indent } => (number, format!("{indent} {text}")),
            }));
        }
        all
    }

    fn pair(number: usize, text: &str) -> (usize, String) {
        (number, text.to_owned())
    }

    #[test]
    fn comments_are_no_statements() {
        let source = "s_nop 0 ; one\n// two\n  s_nop /* in */ 1\n/* a\nb */ s_nop 2 // c\n# d\n";
        assert_eq!(
            texts(source, Dialect::Llvm),
            [
                pair(1, "0 s_nop 0"),
                pair(3, "2 s_nop          1"),
                pair(5, "5 s_nop 2")
            ]
        );
    }

    #[test]
    fn clrx_parts_statements_by_semicolons() {
        let source = "s_nop 0 ; s_nop 1 # s_nop 2";
        assert_eq!(
            texts(source, Dialect::Clrx),
            [pair(1, "0 s_nop 0"), pair(1, "10 s_nop 1")]
        );
    }

    #[test]
    fn labels_come_before_instructions() {
        let source = "a: .Lb: s_load_dwordx2 s[0:1], s[2:3], 0\n1 :\ns_nop 0";
        assert_eq!(
            texts(source, Dialect::Llvm),
            [
                pair(1, "a:"),
                pair(1, ".Lb:"),
                pair(1, "8 s_load_dwordx2 s[0:1], s[2:3], 0"),
                pair(2, "1:"),
                pair(3, "0 s_nop 0"),
            ]
        );
    }

    #[test]
    fn quotes_keep_what_looks_like_a_comment() {
        let source = "ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM, \"//;#0\") ; x";
        let text = texts(source, Dialect::Llvm).remove(0).1;
        assert!(text.ends_with("\"//;#0\")"), "{text}");
    }
}
