//! The display of an error under its line.

use super::ParseError;

impl ParseError {
    /// Returns the line with a caret under each wrong column, and the help below: two or three lines that begin with two blanks,
    /// without a line end at the last. A long line is cut to the part around the place.
    ///
    /// ```
    /// use wavetank_gcn::{Chip, parse};
    /// let line = "v_add_f23 v0, v1, v2";
    /// let error = parse(line, Chip::Gfx900).unwrap_err();
    /// assert_eq!(
    ///     error.snippet(line),
    ///     "  v_add_f23 v0, v1, v2\n  ^^^^^^^^^\n  help: did you mean `v_add_f32`?"
    /// );
    /// ```
    pub fn snippet(&self, line: &str) -> String {
        wavetank_quote::snippet(line, &self.span, self.help.as_deref())
    }
}
