//! The stack of texts that are read: the source, included files, expansions of macros, repetitions, each within the one
//! before.

use std::rc::Rc;

use wavetank_gcn::Dialect;

use super::{Lines, Row, SyntaxError, syntax_error};

/// How deep files, macros and repetitions stand within each other at most. Macros that count by calling themselves are
/// common; LLVM ends at 20.
const DEEPEST: usize = 256;

/// What a text is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum OriginKind {
    /// A file, by the name that it was asked for.
    File(Rc<str>),
    /// The expansion of a macro.
    Macro(Rc<str>),
    /// The body of a repetition, such as `.rept`.
    Repetition(&'static str),
    /// What the signatures of kernels stand for.
    Signatures,
}

impl OriginKind {
    /// What signatures are called in errors: the option of the command that they are written in.
    pub const SIGNATURES: &str = "--kernel";
}

/// A text that is read, and the line that it is read for.
#[derive(Debug)]
pub(crate) struct Origin {
    pub kind: OriginKind,
    pub text: Rc<str>,
    /// The text that includes or expands it, and the line that does.
    pub user: Option<(Rc<Origin>, usize)>,
}

impl Origin {
    /// A line by its number, from 1, as it was written.
    pub fn line(&self, number: usize) -> &str {
        self.text.lines().nth(number - 1).unwrap_or_default()
    }
}

/// What a body is repeated for.
#[derive(Debug)]
pub(crate) enum Repeat {
    /// The text is read once.
    Once,
    /// The text is read this many times more.
    Times(u64),
    /// For more texts; the first is the next.
    Texts(std::vec::IntoIter<Rc<str>>),
    /// As long as a condition holds, which its reader keeps and evaluates.
    While,
}

/// One of the texts.
#[derive(Debug)]
pub(crate) struct Input {
    pub origin: Rc<Origin>,
    lines: Lines,
    repeat: Repeat,
    /// How many conditions were open before it.
    pub conditions: usize,
}

/// The texts that are being read, the innermost last.
#[derive(Debug)]
pub(crate) struct Inputs {
    dialect: Dialect,
    stack: Vec<Input>,
}

impl Inputs {
    pub fn new(name: Rc<str>, text: Rc<str>, dialect: Dialect) -> Self {
        let mut inputs = Inputs {
            dialect,
            stack: Vec::new(),
        };
        // The first is never too deep.
        let _ = inputs.push(OriginKind::File(name), text, None, Repeat::Once, 0);
        inputs
    }

    /// Reads another text first. `line` is the one that it is read for; `false` if it stands too deep.
    #[must_use]
    pub fn push(
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

    /// What is being read.
    pub fn current(&self) -> Option<&Input> {
        self.stack.last()
    }

    /// Whether it is read from within a macro or another text.
    #[inline]
    pub fn is_inside(&self) -> bool {
        self.stack.len() > 1
    }

    /// Whether a file is already being read.
    pub fn reads(&self, file: &str) -> bool {
        let kinds = self.stack.iter().map(|i| &i.origin.kind);
        kinds
            .into_iter()
            .any(|kind| matches!(kind, OriginKind::File(name) if **name == *file))
    }

    /// The next line of the innermost text; `None` at its end.
    pub fn row(&mut self) -> Option<Row> {
        self.stack.last_mut()?.row()
    }

    /// How many lines of the source itself are left.
    pub fn unread(&self) -> usize {
        self.stack.first().map_or(0, |input| input.lines.left())
    }

    /// Reads the innermost text again.
    pub fn rewind(&mut self) {
        if let Some(input) = self.stack.last_mut() {
            input.lines.rewind();
        }
    }

    /// Leaves the innermost text.
    pub fn pop(&mut self) -> Option<Input> {
        self.stack.pop()
    }
}

impl Input {
    /// Whether a condition decides if it is read once more.
    pub fn has_condition(&self) -> bool {
        matches!(self.repeat, Repeat::While)
    }

    /// The line of a comment that the text ends in, and what is wrong there.
    pub fn open_comment(&self) -> Option<(usize, SyntaxError)> {
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

    /// Goes on with another text.
    fn again(&mut self, text: Rc<str>) {
        self.origin = Rc::new(Origin {
            kind: self.origin.kind.clone(),
            text: text.clone(),
            user: self.origin.user.clone(),
        });
        self.lines.restart(text);
    }
}
