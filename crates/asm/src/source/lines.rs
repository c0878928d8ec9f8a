//! The lines of a source, with blanks in place of comments, so that columns match the source.
//!
//! LLVM's comments are `; …`, `// …` and `/* … */`, and `# …` at the beginning of a line. CLRX has `# …` anywhere. Its `// …` is
//! a comment at the beginning of a line, or after an instruction and a blank; elsewhere it is a division. In CLRX a `\` at the
//! end of a line joins it with the next.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use memchr::{memchr2, memchr3};
use wavetank_gcn::Dialect;

/// A reader of lines. It owns its text, so that generated text (expansions of macros) is read in the same way as files.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    text: Rc<str>,
    at: usize,
    number: usize,
    dialect: Dialect,
    in_comment: bool,
    /// The line in which the last multi-line comment began.
    comment: usize,
}

/// A line of a text.
pub(crate) struct Row {
    /// The number of the line, from 1.
    pub number: usize,
    /// The range of the line in the text.
    pub range: Range<usize>,
    /// The line with blanks for comments, if it has any.
    pub blanked: Option<String>,
}

impl Row {
    /// Returns the line without comments; `text` is the text that it was read from.
    pub(crate) fn line<'r>(&'r self, text: &'r str) -> &'r str {
        match &self.blanked {
            Some(line) => line,
            None => &text[self.range.clone()],
        }
    }
}

impl Lines {
    pub(crate) fn new(text: Rc<str>, dialect: Dialect) -> Self {
        // Some editors put a byte order mark before UTF-8.
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Lines {
            text,
            at,
            number: 0,
            dialect,
            in_comment: false,
            comment: 0,
        }
    }

    /// Returns the line of an unterminated comment at the end of the text.
    pub(crate) fn open_comment(&self) -> Option<usize> {
        self.in_comment.then_some(self.comment)
    }

    /// Returns the text that is being read.
    pub(crate) fn text(&self) -> &Rc<str> {
        &self.text
    }

    /// Returns the number of remaining lines.
    pub(crate) fn left(&self) -> usize {
        let mut ahead = self.clone();
        std::iter::from_fn(|| ahead.cut()).count()
    }

    /// Reads the text again from its beginning.
    pub(crate) fn rewind(&mut self) {
        self.restart(self.text.clone());
    }

    /// Starts to read another text.
    pub(crate) fn restart(&mut self, text: Rc<str>) {
        *self = Lines::new(text, self.dialect);
    }

    /// Returns the next line. Lines end with LF, CR LF, or CR alone, as for LLVM's assembler.
    fn cut(&mut self) -> Option<Range<usize>> {
        let rest = &self.text.as_bytes()[self.at..];
        if rest.is_empty() {
            return None;
        }
        self.number += 1;
        let length = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let mark = match (rest.get(length), rest.get(length + 1)) {
            (Some(b'\r'), Some(b'\n')) => 2,
            (Some(_), _) => 1,
            (None, _) => 0,
        };
        let start = self.at;
        self.at = start + length + mark;
        Some(start..start + length)
    }
}

impl Iterator for Lines {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let mut range = self.cut()?;
        let number = self.number;
        let mut joined = None;
        while self.dialect == Dialect::Clrx && self.text[range.clone()].ends_with('\\') {
            let mark = range.end - 1;
            let Some(next) = self.cut() else { break };
            let mut line = joined.unwrap_or_else(|| self.text[range.clone()].to_owned());
            line.truncate(mark - range.start);
            line.extend(std::iter::repeat_n(' ', next.start - mark));
            line.push_str(&self.text[next.clone()]);
            range.end = next.end;
            joined = Some(line);
        }
        let line = joined.as_deref().unwrap_or(&self.text[range.clone()]);
        let inside = self.in_comment;
        let plain = !self.in_comment && memchr3(b'/', b';', b'#', line.as_bytes()).is_none();
        let blanked = if plain {
            None
        } else {
            uncommented(line, self.dialect, &mut self.in_comment)
        };
        if self.in_comment && !inside {
            self.comment = number;
        }
        let blanked = blanked.or(joined);
        Some(Row {
            number,
            range,
            blanked,
        })
    }
}

/// Returns the line with blanks for comments, if it has any. `inside` holds whether a comment continues from line to line.
fn uncommented(line: &str, dialect: Dialect, inside: &mut bool) -> Option<String> {
    let bytes = line.as_bytes();
    let mut kept = Cow::Borrowed(bytes);
    let indent = line.len() - line.trim_start().len();
    let (mut at, mut quoted) = (0, None);
    let clrx = dialect == Dialect::Clrx;
    while at < bytes.len() {
        let two = (bytes[at], bytes.get(at + 1));
        if *inside {
            *inside = two != (b'*', Some(&b'/'));
            let length = if *inside { 1 } else { 2 };
            kept.to_mut()[at..at + length].fill(b' ');
            at += length;
            continue;
        }
        match two {
            (b'\\', Some(_)) if quoted.is_some() => at += 1,
            (b'"', _) | (b'\'', _) if quoted == Some(bytes[at]) => quoted = None,
            _ if quoted.is_some() => {}
            (b'"', _) => quoted = Some(b'"'),
            (b'\'', _) if clrx => quoted = Some(b'\''),
            (b'/', Some(b'*')) => {
                *inside = true;
                kept.to_mut()[at..at + 2].fill(b' ');
                at += 1;
            }
            // Both characters of the operator are skipped.
            (b'/', Some(b'/')) if clrx && super::statement::divides(&line[..at]) => at += 1,
            (b'/', Some(b'/')) => return Some(cut(kept, at)),
            (b';', _) if !clrx => return Some(cut(kept, at)),
            (b'#', _) if clrx || at == indent => return Some(cut(kept, at)),
            _ => {}
        }
        at += 1;
    }
    match kept {
        Cow::Borrowed(_) => None,
        Cow::Owned(_) => Some(cut(kept, bytes.len())),
    }
}

/// Returns the first `end` bytes of `kept`. Blanks replace whole characters or parts of comments, byte by byte.
fn cut(kept: Cow<'_, [u8]>, end: usize) -> String {
    String::from_utf8_lossy(&kept[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let lines: Vec<_> = Lines::new(source.into(), Dialect::Llvm)
                .map(|row| source[row.range].to_owned())
                .collect();
            let plain = source.replace("\r\n", "\n").replace('\r', "\n");
            assert_eq!(lines, plain.lines().collect::<Vec<_>>(), "{source:?}");
        }
    }

    #[test]
    fn clrx_divides_and_joins() {
        let all = |source: &str| {
            let lines = Lines::new(source.into(), Dialect::Clrx);
            let lines = lines.map(|row| (row.number, row.line(source).trim_end().to_owned()));
            lines.collect::<Vec<_>>()
        };
        for (source, line) in [
            ("s_nop 1 // one", "s_nop 1"),
            ("// all", ""),
            ("a: s_nop 8//2", "a: s_nop 8//2"),
            ("a: .int 8 // 2 # four", "a: .int 8 // 2"),
            ("x = 8 // 2; s_nop 1 // one", "x = 8 // 2; s_nop 1"),
            ("s_nop '#'+'\\''+'/' # one", "s_nop '#'+'\\''+'/'"),
        ] {
            assert_eq!(all(source), [(1, line.to_owned())]);
        }
        assert_eq!(
            all(".int 1, \\\n  2 # \\\n, 3\n.int 4"),
            [(1, ".int 1,     2".to_owned()), (4, ".int 4".to_owned())]
        );
    }

    #[test]
    fn quotes_keep_what_looks_like_a_comment() {
        let source = r#".ascii "a;b//\";c" ; d"#;
        let row = Lines::new(source.into(), Dialect::Llvm)
            .next()
            .expect("a line");
        assert_eq!(row.line(source), r#".ascii "a;b//\";c" "#);
    }
}
