//! Wrong lines of a source: on stderr, counted, and in JSON.

use std::fmt::Display;
use std::io::Write;
use std::ops::Range;

use serde::Serialize;
use wavetank_asm::LineError;

use crate::paint::carets;

/// Shows wrong lines on stderr.
pub(crate) fn show(errors: &[impl Display]) {
    let lines: String = errors.iter().map(|error| format!("{error}\n")).collect();
    // If stderr is closed, the message has no reader.
    let _ = anstream::stderr().write_all(carets(&lines).as_bytes());
}

/// The number of wrong lines as the sentence that ends the command, with a hint to lines that are not read where as many are
/// wrong as may be.
pub(crate) fn count(errors: usize, most: usize, unread: &str) -> String {
    match errors {
        n if n == most => format!("stopped at {n} errors{unread} (see --max-errors)"),
        1 => "1 error".to_owned(),
        n => format!("{n} errors"),
    }
}

/// A wrong line in JSON. Lines and columns count from 1, columns in characters.
#[derive(Serialize)]
pub(crate) struct Wrong {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    pub line: usize,
    pub column: usize,
    pub length: usize,
    pub message: String,
    /// Absent for an instruction set whose errors have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<Option<String>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub around: Vec<String>,
}

impl Wrong {
    /// The line of a number and a text, of which some bytes are wrong.
    pub(crate) fn new(line: usize, text: &str, span: &Range<usize>, message: &str) -> Wrong {
        let characters = |range: Range<usize>| text.get(range).map_or(0, |t| t.chars().count());
        Wrong {
            file: None,
            line,
            column: 1 + characters(0..span.start),
            length: characters(span.clone()),
            message: message.to_owned(),
            help: None,
            around: Vec::new(),
        }
    }
}

impl From<&LineError> for Wrong {
    fn from(line: &LineError) -> Wrong {
        let own = Wrong::new(
            line.number,
            &line.text,
            &line.error.span,
            &line.error.message,
        );
        Wrong {
            file: line.file.clone().or_else(|| included(line)),
            line: line.place.line,
            column: line.place.column,
            help: Some(line.error.help.clone()),
            around: line.around.clone(),
            ..own
        }
    }
}

/// Returns the included file that a macro is used in.
fn included(line: &LineError) -> Option<String> {
    let outermost = line.users.last()?;
    (line.place.file != outermost.file).then(|| line.place.file.clone())
}
