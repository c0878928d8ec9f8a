//! The display of a wrong place under its line.

use std::ops::Range;

use crate::plain;

/// Limit of the columns that are shown.
const COLUMNS: usize = 120;

/// Returns a line with a caret under each wrong column, and the help below: two or three lines that begin with two blanks,
/// without a line end at the last. A long line is cut to the part around the place. `span` is in bytes of the line.
///
/// ```
/// use wavetank_quote::snippet;
/// let help = Some("did you mean `v_add_f32`?");
/// assert_eq!(
///     snippet("v_add_f23 v0, v1, v2", &(0..9), help),
///     "  v_add_f23 v0, v1, v2\n  ^^^^^^^^^\n  help: did you mean `v_add_f32`?"
/// );
/// ```
pub fn snippet(line: &str, span: &Range<usize>, help: Option<&str>) -> String {
    let line = line.trim_end();
    let columns = |at: usize| line.get(..at).unwrap_or(line).chars().count();
    let wrong = columns(span.start)..columns(span.end);
    let shown = window(line.chars().count(), &wrong);
    let (mut text, mut carets) = (String::new(), String::new());
    for (column, c) in line.chars().enumerate().take(shown.end) {
        if column < shown.start {
            continue;
        }
        // Tabs stay tabs, so that the caret is in the right column for any tab width.
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
    if let Some(help) = help {
        snippet += "\n  help: ";
        snippet += help;
    }
    snippet
}

/// Returns the columns of a line to show.
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

    fn shown(line: &str, span: Range<usize>) -> String {
        snippet(line, &span, None)
    }

    #[test]
    fn the_caret_stands_under_the_place() {
        assert_eq!(shown("\tabcdef ", 4..6), "  \tabcdef\n  \t   ^^");
        assert_eq!(shown("éx", 2..4), "  éx\n   ^");
        assert_eq!(shown("abc", 3..3), "  abc\n     ^");
        assert_eq!(shown("", 0..0), "  \n  ^");
    }

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(shown("a\x1bbc\r", 2..4), "  a\\u{1b}bc\n         ^^");
        assert_eq!(shown("a\x07b", 1..2), "  a\\u{7}b\n   ^^^^^");
    }

    #[test]
    fn long_lines_are_cut() {
        let line = "x".repeat(1000);
        let snippet = shown(&line, 500..700);
        let lines: Vec<&str> = snippet.lines().collect();
        assert_eq!(lines[0].len(), 2 + COLUMNS);
        assert_eq!(lines[1].len(), 2 + COLUMNS);
        assert_eq!(lines[1].trim_start().len(), COLUMNS / 2);
    }
}
