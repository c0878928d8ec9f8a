//! An error shown under the line that it is about.

use std::ops::Range;

use wavetank_quote::plain;

use super::ParseError;

/// The most columns of a line that are shown.
const COLUMNS: usize = 120;

impl ParseError {
    /// The line with a caret under each column that is wrong, and the help below: two or three lines that begin with two
    /// blanks, without a line end at the last. Of a long line the part around the place is shown.
    ///
    /// ```
    /// use wavetank_isa::{Chip, parse};
    /// let line = "v_add_f23 v0, v1, v2";
    /// let error = parse(line, Chip::Gfx900).unwrap_err();
    /// assert_eq!(
    ///     error.snippet(line),
    ///     "  v_add_f23 v0, v1, v2\n  ^^^^^^^^^\n  help: did you mean `v_add_f32`?"
    /// );
    /// ```
    pub fn snippet(&self, line: &str) -> String {
        let line = line.trim_end();
        let columns = |at: usize| line.get(..at).unwrap_or(line).chars().count();
        let wrong = columns(self.span.start)..columns(self.span.end);
        let shown = window(line.chars().count(), &wrong);
        let (mut text, mut carets) = (String::new(), String::new());
        for (column, c) in line.chars().enumerate().take(shown.end) {
            if column < shown.start {
                continue;
            }
            // Tabs stay tabs, so that the caret stands right whatever their width.
            let (seen, blank) = match c {
                '\t' => (c.to_string(), '\t'),
                _ => (plain(c.encode_utf8(&mut [0; 4])).to_string(), ' '),
            };
            let under = if wrong.contains(&column) { '^' } else { blank };
            let before = column < wrong.end;
            carets.extend(seen.chars().filter(|_| before).map(|_| under));
            text += &seen;
        }
        if wrong.is_empty() || wrong.start >= shown.end {
            carets.push('^');
        }
        let mut snippet = format!("  {text}\n  {carets}");
        if let Some(help) = &self.help {
            snippet += "\n  help: ";
            snippet += help;
        }
        snippet
    }
}

/// The columns of a line to show.
fn window(columns: usize, wrong: &Range<usize>) -> Range<usize> {
    if columns <= COLUMNS {
        return 0..columns;
    }
    let start = wrong.start.saturating_sub(COLUMNS / 2);
    start..columns.min(start + COLUMNS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(span: Range<usize>) -> ParseError {
        ParseError {
            span,
            message: String::new(),
            help: None,
        }
    }

    #[test]
    fn the_caret_stands_under_the_place() {
        assert_eq!(error(4..6).snippet("\tabcdef "), "  \tabcdef\n  \t   ^^");
        assert_eq!(error(2..4).snippet("éx"), "  éx\n   ^");
        assert_eq!(error(3..3).snippet("abc"), "  abc\n     ^");
        assert_eq!(error(0..0).snippet(""), "  \n  ^");
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(
            error(2..4).snippet("a\x1bbc\r"),
            "  a\\u{1b}bc\n         ^^"
        );
        assert_eq!(error(1..2).snippet("a\x07b"), "  a\\u{7}b\n   ^^^^^");
    }

    #[test]
    fn long_lines_are_cut() {
        let line = "x".repeat(1000);
        let snippet = error(500..700).snippet(&line);
        let lines: Vec<&str> = snippet.lines().collect();
        assert_eq!(lines[0].len(), 2 + COLUMNS);
        assert_eq!(lines[1].len(), 2 + COLUMNS);
        assert_eq!(lines[1].trim_start().len(), COLUMNS / 2);
    }
}
