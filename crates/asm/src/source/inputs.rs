//! The stack of texts being read: the source, included files, expansions of macros, repetitions.

use std::rc::Rc;

use wavetank_gcn::Dialect;

use super::{Lines, Row, SyntaxError, syntax_error};

/// Limit of nested files, macros and repetitions. Macros that count by calling themselves are common; LLVM's limit is 20.
const DEEPEST: usize = 256;

/// The origin of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum OriginKind {
    /// A file, by the name under which it was requested.
    File(Rc<str>),
    /// The expansion of a macro.
    Macro(Rc<str>),
    /// The body of a repetition, such as `.rept`.
    Repetition(&'static str),
    /// The directives made from the signatures of kernels.
    Signatures,
}

impl OriginKind {
    /// The name of signatures in errors, which is the command-line option that they are written in.
    pub(crate) const SIGNATURES: &str = "--kernel";
}

/// A text that is read, and the line that included it.
#[derive(Debug)]
pub(crate) struct Origin {
    pub kind: OriginKind,
    pub text: Rc<str>,
    /// The text that includes or expands this one, and the number of the line there.
    pub user: Option<(Rc<Origin>, usize)>,
}

impl Origin {
    /// Returns the file of the text: for an expansion, that of the statement that made it.
    pub(crate) fn file(&self) -> &Origin {
        let mut origin = self;
        while let (OriginKind::Macro(_) | OriginKind::Repetition(_), Some((outer, _))) =
            (&origin.kind, &origin.user)
        {
            origin = outer;
        }
        origin
    }

    /// Returns the name of the file and the number of the line there.
    pub(crate) fn in_file(&self, mut line: usize) -> (Rc<str>, usize) {
        let mut origin = self;
        while let (OriginKind::Macro(_) | OriginKind::Repetition(_), Some((outer, at))) =
            (&origin.kind, &origin.user)
        {
            (origin, line) = (outer, *at);
        }
        match &origin.kind {
            OriginKind::File(name) => (name.clone(), line),
            _ => (OriginKind::SIGNATURES.into(), line),
        }
    }

    /// Returns a line by its number, from 1, as it was written.
    pub(crate) fn line(&self, number: usize) -> &str {
        self.text.lines().nth(number - 1).unwrap_or_default()
    }
}

/// The repetition of a text.
#[derive(Debug)]
pub(crate) enum Repeat {
    /// The text is read once.
    Once,
    /// The text is read this many times more.
    Times(u64),
    /// Further texts, read one after another.
    Texts(std::vec::IntoIter<Rc<str>>),
    /// Repeated as long as a condition holds, which the session keeps and evaluates.
    While,
}

/// A text on the stack.
#[derive(Debug)]
pub(crate) struct Input {
    pub origin: Rc<Origin>,
    lines: Lines,
    repeat: Repeat,
    /// The number of conditions that were open before the text.
    pub conditions: usize,
}

/// The stack of texts being read, innermost last.
#[derive(Debug)]
pub(crate) struct Inputs {
    dialect: Dialect,
    stack: Vec<Input>,
}

impl Inputs {
    pub(crate) fn new(name: Rc<str>, text: Rc<str>, dialect: Dialect) -> Self {
        let mut inputs = Inputs {
            dialect,
            stack: Vec::new(),
        };
        // The first text is never nested too deeply.
        let _ = inputs.push(OriginKind::File(name), text, None, Repeat::Once, 0);
        inputs
    }

    /// Returns the name of the source itself.
    pub(crate) fn name(&self) -> &str {
        match self.stack.first().map(|input| &input.origin.kind) {
            Some(OriginKind::File(name)) => name,
            _ => OriginKind::SIGNATURES,
        }
    }

    /// Pushes a text that is read before the rest of the current one. `line` is the line that includes it. Returns `false` if
    /// texts are nested too deeply.
    #[must_use]
    pub(crate) fn push(
        &mut self,
        kind: OriginKind,
        text: Rc<str>,
        line: Option<usize>,
        repeat: Repeat,
        conditions: usize,
    ) -> bool {
        if self.stack.len() >= DEEPEST {
            return false;
        }
        let user = self.stack.last().zip(line);
        let origin = Rc::new(Origin {
            kind,
            text: text.clone(),
            user: user.map(|(input, line)| (input.origin.clone(), line)),
        });
        self.stack.push(Input {
            origin,
            lines: Lines::new(text, self.dialect),
            repeat,
            conditions,
        });
        true
    }

    /// Returns the innermost text.
    pub(crate) fn current(&self) -> Option<&Input> {
        self.stack.last()
    }

    /// Whether a macro or another included text is being read.
    #[inline]
    pub(crate) fn is_inside(&self) -> bool {
        self.stack.len() > 1
    }

    /// Whether a file is already being read.
    pub(crate) fn reads(&self, file: &str) -> bool {
        let kinds = self.stack.iter().map(|i| &i.origin.kind);
        kinds
            .into_iter()
            .any(|kind| matches!(kind, OriginKind::File(name) if **name == *file))
    }

    /// Returns the next line of the innermost text, or `None` at its end.
    pub(crate) fn row(&mut self) -> Option<Row> {
        self.stack.last_mut()?.row()
    }

    /// Returns the number of remaining lines of the source itself.
    pub(crate) fn unread(&self) -> usize {
        self.stack.first().map_or(0, |input| input.lines.left())
    }

    /// Reads the innermost text again.
    pub(crate) fn rewind(&mut self) {
        if let Some(input) = self.stack.last_mut() {
            input.lines.rewind();
        }
    }

    /// Leaves the innermost text.
    pub(crate) fn pop(&mut self) -> Option<Input> {
        self.stack.pop()
    }
}

impl Input {
    /// Whether a condition decides on reading the text once more.
    pub(crate) fn has_condition(&self) -> bool {
        matches!(self.repeat, Repeat::While)
    }

    /// Returns the line of the comment that the text ends in, with its error.
    pub(crate) fn open_comment(&self) -> Option<(usize, SyntaxError)> {
        let line = self.lines.open_comment()?;
        let text = self.origin.line(line);
        let at = text.rfind("/*").unwrap_or(0);
        Some((
            line,
            syntax_error(at..text.len(), "this comment has no `*/`"),
        ))
    }

    fn row(&mut self) -> Option<Row> {
        loop {
            if let Some(row) = self.lines.next() {
                return Some(row);
            }
            if self.lines.text().is_empty() {
                return None;
            }
            let next = match &mut self.repeat {
                Repeat::Once | Repeat::Times(0) | Repeat::While => return None,
                Repeat::Times(more) => {
                    *more -= 1;
                    self.lines.rewind();
                    continue;
                }
                Repeat::Texts(texts) => texts.next()?,
            };
            self.again(next);
        }
    }

    /// Continues with another text of the repetition.
    fn again(&mut self, text: Rc<str>) {
        self.origin = Rc::new(Origin {
            kind: self.origin.kind.clone(),
            text: text.clone(),
            user: self.origin.user.clone(),
        });
        self.lines.restart(text);
    }
}
