//! An error shown under the line that it is about.

use std::ops::Range;

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
        let part = |range: Range<usize>| line.chars().skip(range.start).take(range.len());
        let text: String = part(shown.clone()).collect();
        // Tabs stay tabs, so that the caret stands right whatever their width.
        let before = part(shown.start..wrong.start.max(shown.start));
        let indent: String = before.map(|c| if c == '\t' { c } else { ' ' }).collect();
        let width = wrong.end.min(shown.end).saturating_sub(wrong.start).max(1);
        let mut snippet = format!("  {text}\n  {indent}{}", "^".repeat(width));
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
    fn long_lines_are_cut() {
        let line = "x".repeat(1000);
        let snippet = error(500..700).snippet(&line);
        let lines: Vec<&str> = snippet.lines().collect();
        assert_eq!(lines[0].len(), 2 + COLUMNS);
        assert_eq!(lines[1].len(), 2 + COLUMNS);
        assert_eq!(lines[1].trim_start().len(), COLUMNS / 2);
    }
}
