//! Errors of a source, with the line and the macros and files around it.

use std::fmt;
use std::rc::Rc;

use thiserror::Error;
use wavetank_gcn::ParseError;
use wavetank_quote::plain;

use crate::source::{Origin, OriginKind, syntax_error};

/// Limit of the macros around an error that are listed, from the innermost on.
const MAX_AROUND: usize = 8;

/// A place in a file. Lines and columns count from 1, columns in characters.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FilePlace {
    /// The name of the file as it was requested; empty if it is not known.
    pub file: String,
    /// The number of the line.
    pub line: usize,
    /// The column in the line.
    pub column: usize,
}

impl FilePlace {
    /// Returns the first place of a file that is not known.
    pub(crate) fn first() -> FilePlace {
        FilePlace {
            line: 1,
            column: 1,
            ..FilePlace::default()
        }
    }

    /// Returns the place of a position in a text. That of an expansion is the statement in a file that made it.
    fn of(origin: &Rc<Origin>, line: usize, text: &str, at: usize) -> FilePlace {
        let column = |text: &str| 1 + text.chars().count();
        let (file, file_line) = origin.in_file(line);
        let before = if matches!(origin.kind, OriginKind::File(_) | OriginKind::Signatures) {
            text.get(..at).unwrap_or(text)
        } else {
            let text = origin.file().line(file_line);
            &text[..text.len() - text.trim_start().len()]
        };
        FilePlace {
            file: file.to_string(),
            line: file_line,
            column: column(before),
        }
    }
}

/// A wrong line, shown with its number, its text, and a caret under the wrong place.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct LineError {
    /// The file that contains the line, if it is not the source itself.
    pub file: Option<String>,
    /// The number of the line, from 1; for a macro's line, the number within the expansion.
    pub number: usize,
    /// The line as written, or as a macro expanded it.
    pub text: String,
    /// The error, with its place in `text`.
    pub error: ParseError,
    /// The macros, repetitions and files around the line, one sentence each, the innermost first.
    pub around: Vec<String>,
    /// The place in a file: for a macro's line, that of the statement in the file that uses the macro.
    pub place: FilePlace,
    /// The places of the lines that use what is [around](Self::around), in the same order.
    pub users: Vec<FilePlace>,
}

impl LineError {
    /// Makes an error of the whole source.
    pub(crate) fn of_source(message: impl fmt::Display) -> Self {
        LineError {
            file: None,
            number: 1,
            text: String::new(),
            error: *syntax_error(0..0, message),
            around: Vec::new(),
            place: FilePlace::first(),
            users: Vec::new(),
        }
    }

    /// Makes the error of a line of a text.
    pub(crate) fn new(origin: &Rc<Origin>, number: usize, text: &str, error: ParseError) -> Self {
        let (mut around, mut users) = (Vec::new(), Vec::new());
        let mut inner = origin;
        while let Some((outer, line)) = &inner.user {
            if around.len() == MAX_AROUND {
                around.push("in what others have called".to_owned());
                break;
            }
            around.push(describe(&inner.kind, *line, outer));
            let text = outer.line(*line);
            let indent = text.len() - text.trim_start().len();
            users.push(FilePlace::of(outer, *line, text, indent));
            inner = outer;
        }
        let file = match (&origin.kind, &origin.user) {
            (OriginKind::File(name), Some(_)) => Some(name.to_string()),
            (OriginKind::Signatures, _) => Some(OriginKind::SIGNATURES.to_owned()),
            _ => None,
        };
        LineError {
            file,
            number,
            text: text.to_owned(),
            place: FilePlace::of(origin, number, text, error.span.start),
            error,
            around,
            users,
        }
    }
}

/// Describes where a text was read from: `in the macro m, which line 7 uses`.
fn describe(kind: &OriginKind, line: usize, outer: &Origin) -> String {
    let line = match &outer.kind {
        OriginKind::File(name) if outer.user.is_some() => format!("line {line} of {}", plain(name)),
        OriginKind::File(_) => format!("line {line}"),
        OriginKind::Macro(name) => format!("line {line} of the macro `{}`", plain(name)),
        OriginKind::Repetition(name) => format!("line {line} of a `{name}`"),
        OriginKind::Signatures => format!("line {line} of {}", OriginKind::SIGNATURES),
    };
    match kind {
        OriginKind::File(name) => format!("in {}, which {line} includes", plain(name)),
        OriginKind::Macro(name) => format!("in the macro `{}`, which {line} uses", plain(name)),
        OriginKind::Repetition(name) => format!("in the `{name}` of {line}"),
        OriginKind::Signatures => format!("in {}, for {line}", OriginKind::SIGNATURES),
    }
}

impl LineError {
    /// Writes the line with its error, after a label such as `warning: `.
    pub(crate) fn write(&self, f: &mut fmt::Formatter<'_>, label: &str) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}, ", plain(file))?;
        }
        let LineError {
            number,
            text,
            error,
            ..
        } = self;
        write!(f, "line {number}: {label}{error}\n{}", error.snippet(text))?;
        self.around
            .iter()
            .try_for_each(|sentence| write!(f, "\n  {sentence}"))
    }
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, "")
    }
}

/// Every wrong line of a source, in order; or only the first ones, if the number of errors was limited.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub struct Errors(pub Vec<LineError>, pub(crate) usize);

impl Errors {
    /// Returns the number of lines that were not read because the limit of errors was reached.
    pub fn unread(&self) -> usize {
        self.1
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, error) in self.0.iter().enumerate() {
            let end = if n == 0 { "" } else { "\n" };
            write!(f, "{end}{error}")?;
        }
        Ok(())
    }
}
