//! A source cut into statements: comments taken out, labels and instructions told apart.
//!
//! LLVM's comments are `; …`, `// …` and `/* … */`, and `# …` where a line begins with it. CLRX parts statements by `;`
//! and has `# …` anywhere.

use std::borrow::Cow;

use memchr::{memchr_iter, memchr2, memchr3};
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
    rest: &'a str,
    number: usize,
    dialect: Dialect,
    in_comment: bool,
}

impl<'a> Lines<'a> {
    pub fn new(source: &'a str, dialect: Dialect) -> Self {
        Lines {
            rest: source,
            number: 0,
            dialect,
            in_comment: false,
        }
    }
}

impl<'a> Iterator for Lines<'a> {
    /// Its number, as written, without comments.
    type Item = (usize, &'a str, Cow<'a, str>);

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.line()?;
        let plain = !self.in_comment && memchr3(b'/', b';', b'#', line.as_bytes()).is_none();
        let text = match plain {
            true => Cow::Borrowed(line),
            false => uncommented(line, self.dialect, &mut self.in_comment),
        };
        Some((self.number, line, text))
    }
}

impl<'a> Lines<'a> {
    /// The next line. Lines end with LF, CR LF, or CR alone, as for LLVM's assembler.
    fn line(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        self.number += 1;
        let end = memchr2(b'\n', b'\r', self.rest.as_bytes());
        let (line, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let after = rest.strip_prefix('\r').unwrap_or(rest);
        self.rest = after.strip_prefix('\n').unwrap_or(after);
        Some(line)
    }
}

/// Whether a source can have labels. Most colons stand between the numbers of registers, or after the name of a
/// modifier, which is not the first word of its line.
pub(crate) fn may_have_labels(source: &str) -> bool {
    let bytes = source.as_bytes();
    let without = |text: &[u8], part: fn(u8) -> bool| {
        let kept = text.iter().rposition(|b| !part(*b));
        kept.map_or(0, |last| last + 1)
    };
    let blank = |b: u8| matches!(b, b' ' | b'\t' | 0x0b | 0x0c);
    memchr_iter(b':', bytes).any(|colon| {
        let name_end = without(&bytes[..colon], blank);
        let name = without(&bytes[..name_end], is_name);
        let before = &bytes[..without(&bytes[..name], blank)];
        // First in a line, or behind another label, a statement or a comment.
        before
            .last()
            .is_none_or(|b| matches!(b, b'\n' | b'\r' | b':' | b';' | b'/'))
    })
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
    fn colons_of_operands_are_no_labels() {
        let plain = "v_add_f64 v[0:1], v[2 : 3], s[4:5] mul:2\nds_read_b32 v0, v1 offset:16 gds\n";
        assert!(!may_have_labels(plain));
        for label in [
            "a:",
            "s_nop 0\n\t.Lb :\n",
            "/* c */d: s_nop 0",
            "1:\ts_branch 1b",
            "s_nop 0\rf:",
            "s_nop 0;e:",
        ] {
            assert!(may_have_labels(label), "{label}");
            assert!(may_have_labels(&format!("{plain}{label}")), "{label}");
        }
    }

    #[test]
    fn lines_end_with_any_of_the_three_marks() {
        for source in [
            "",
            "\n",
            "a",
            "a\n",
            "a\r\n\nb",
            "a\r",
            "\r\n\r",
            "a\rb\r\rc",
        ] {
            let lines: Vec<_> = Lines::new(source, Dialect::Llvm)
                .map(|(_, written, _)| written)
                .collect();
            let plain = source.replace("\r\n", "\n").replace('\r', "\n");
            assert_eq!(lines, plain.lines().collect::<Vec<_>>(), "{source:?}");
        }
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
