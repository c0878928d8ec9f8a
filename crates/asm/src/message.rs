//! Messages of a source to its reader, which `.print` and `.warning` give.

use std::fmt;

use wavetank_quote::plain_lines;

use crate::errors::LineError;

/// A message of a source, passed to [`Options::messages`](crate::Options::messages) while the source is assembled. It does not
/// make the assembly fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// The text of `.print`.
    Print(String),
    /// The text of `.warning`, with its line.
    Warning {
        /// The name of the source.
        source: String,
        /// The line of the directive. Its error is the warning.
        line: Box<LineError>,
    },
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Print(text) => f.write_str(&plain_lines(text)),
            Message::Warning { line, .. } => line.write(f, "warning: "),
        }
    }
}
